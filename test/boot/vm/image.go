// Package vm boots real machines with the cloud-init drives of rendered documents: Debian 12 with its own kernel, systemd
// and cloud-init in QEMU, which emulates the processor. What a node would fetch, and the API it joins, are on a loopback
// that the guest and a stub have for themselves.
package vm

import (
	"embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"

	"github.com/homelab-io/function-proxmox-machine/test/boot/debian"
)

//go:embed image
var parts embed.FS

// Image of a disk, and what QEMU starts it with. It must not be written to.
type Image struct {
	Disk, Kernel, Initrd string

	authority *authority
}

// files of the image by the path that they get there.
var files = map[string]struct {
	part string
	mode os.FileMode
}{
	"usr/local/sbin/probe":                                    {"probe.sh", 0o755},
	"etc/systemd/system/probe.service":                        {"probe.service", 0o644},
	"etc/systemd/system/k3s-bootstrap.service.d/10-test.conf": {"bootstrap.conf", 0o644},
}

// texts of the image.
var texts = map[string]string{
	"etc/fstab": "LABEL=root / ext4 defaults 0 1\n",
	// In place of name servers: all that a node fetches comes from the address of QEMU's host.
	"etc/hosts": "127.0.0.1 localhost\n::1 localhost ip6-localhost\n10.0.2.2 raw.githubusercontent.com github.com k3s.home.arpa\n",
	// As on a cloud image: a machine without a drive is left alone.
	"etc/cloud/cloud.cfg.d/91-image.cfg":       "datasource_list: [NoCloud, ConfigDrive, None]\n",
	"etc/systemd/journald.conf.d/10-test.conf": "[Journal]\nStorage=persistent\n",
}

// kernel is that of Debian's cloud images: it has virtio, and no AHCI.
var kernel = []string{"linux-image-cloud-amd64", "initramfs-tools", "zstd"}

// A Network is what manages the network of an image.
type Network string

// The networks.
const (
	// Networkd: systemd-networkd, which netplan configures, as on Debian's and Ubuntu's cloud images.
	Networkd Network = "systemd-networkd"
	// Ifupdown: Debian's ifupdown with isc-dhcp-client, as on images of earlier releases and on machines that were installed by hand.
	Ifupdown Network = "ifupdown"
)

// packages of a root with the network.
func (n Network) packages() []string {
	if n == Networkd {
		return debian.Packages
	}

	without := slices.DeleteFunc(slices.Clone(debian.Packages), func(p string) bool { return p == "netplan.io" })

	return append(without, "ifupdown", "isc-dhcp-client")
}

// units that the image starts for its network.
func (n Network) units() []string {
	if n == Networkd {
		return []string{"systemd-networkd.service", "systemd-resolved.service"}
	}

	return []string{"networking.service", "systemd-resolved.service"}
}

// NewImage makes the image once and keeps it in the cache folder.
func NewImage(cache string, network Network) (*Image, error) {
	base, err := debian.Root(cache, network.packages())
	if err != nil {
		return nil, err
	}

	root, err := debian.Extend(base, kernel)
	if err != nil {
		return nil, err
	}

	unlock, err := debian.Lock(filepath.Join(cache, "image.lock"))
	if err != nil {
		return nil, err
	}
	defer unlock()

	ca, err := loadAuthority(filepath.Join(cache, "authority"))
	if err != nil {
		return nil, err
	}

	name := root + "-image-" + fingerprint(ca)
	img := &Image{Disk: name + "/disk", Kernel: name + "/kernel", Initrd: name + "/initrd", authority: ca}

	if _, err := os.Stat(name); err == nil {
		return img, nil
	}

	part := name + ".part"
	if err := errors.Join(os.RemoveAll(part), os.MkdirAll(part, 0o755)); err != nil {
		return nil, fmt.Errorf("cannot make an image: %w", err)
	}

	if err := img.build(root, part, network); err != nil {
		return nil, fmt.Errorf("cannot make an image: %w", err)
	}

	return img, os.Rename(part, name)
}

// build the files of the image in a folder, from a copy of the root.
func (i *Image) build(root, dir string, network Network) error {
	copied := filepath.Join(dir, "root")
	if err := debian.Run(exec.Command("cp", "--archive", root, copied)); err != nil {
		return err
	}

	errs := []error{}
	write := func(name string, content []byte, mode os.FileMode) {
		file := filepath.Join(copied, name)
		errs = append(errs, os.MkdirAll(filepath.Dir(file), 0o755))

		// A process that is started meanwhile would have a program open for writing, and nobody could run it.
		syscall.ForkLock.RLock()
		defer syscall.ForkLock.RUnlock()

		errs = append(errs, os.WriteFile(file, content, mode))
	}

	for name, f := range files {
		content, err := parts.ReadFile("image/" + f.part)
		errs = append(errs, err)
		write(name, content, f.mode)
	}

	for name, text := range texts {
		write(name, []byte(text), 0o644)
	}

	write("usr/local/share/ca-certificates/test.crt", i.authority.certificatePEM, 0o644)

	kernels, err := filepath.Glob(filepath.Join(copied, "boot", "vmlinuz-*"))
	if err != nil || len(kernels) != 1 {
		return fmt.Errorf("the root has %d kernels", len(kernels))
	}

	initrds, _ := filepath.Glob(filepath.Join(copied, "boot", "initrd.img-*"))

	errs = append(errs,
		debian.Chroot(copied, "update-ca-certificates"),
		debian.Chroot(copied, append([]string{"systemctl", "enable", "probe.service"}, network.units()...)...),
		// An empty one makes systemd think of a first boot, as on a cloud image.
		os.WriteFile(filepath.Join(copied, "etc/machine-id"), nil, 0o444),
		debian.Run(exec.Command("cp", kernels[0], filepath.Join(dir, "kernel"))),
		debian.Run(exec.Command("cp", slices.Max(initrds), filepath.Join(dir, "initrd"))),
		debian.Run(exec.Command("mke2fs", "-q", "-t", "ext4", "-L", "root", "-d", copied, filepath.Join(dir, "disk"), "3G")),
		os.RemoveAll(copied),
	)

	return errors.Join(errs...)
}
