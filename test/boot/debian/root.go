// Package debian keeps root file systems of Debian 12, the oldest release whose cloud-init has to understand what is
// rendered (22.4.2).
package debian

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
)

// Release of Debian.
const Release = "bookworm"

// Mirrors that packages come from.
const (
	mirror   = "http://deb.debian.org/debian"
	security = "http://deb.debian.org/debian-security"
)

// Packages of a cloud image, as far as a first boot notices them, and those that rendered documents install: inside a
// test there is no network, and apt is content with a package that is there.
var Packages = []string{
	"systemd", "systemd-sysv", "systemd-resolved", "systemd-timesyncd", "udev", "dbus", "cloud-init", "openssh-server", "sudo",
	"iproute2", "netplan.io", "procps", "kmod", "ca-certificates", "curl", "qemu-guest-agent",
}

// files make the root that of an image, and not of the machine that it was made on.
var files = map[string]string{
	"etc/hostname": "localhost\n",
	"etc/hosts":    "127.0.0.1 localhost\n::1 localhost ip6-localhost ip6-loopback\n",
	// Nothing to fetch from, so that `apt-get update` succeeds without a network.
	"etc/apt/sources.list": "",
	"etc/cloud/cloud.cfg.d/90-image.cfg": `# What a cloud image says about itself. The locale is the one that needs no package.
datasource_list: [NoCloud]
locale: C.UTF-8
apt:
  preserve_sources_list: true
`,
}

// Cache is the folder in which what is made once a machine is kept, for all checkouts.
func Cache() (string, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("cannot find the user's cache folder: %w", err)
	}

	return filepath.Join(dir, "function-proxmox-machine", "boot"), nil
}

// Extend a root by packages, likewise.
func Extend(base string, packages []string) (string, error) {
	h := sha256.New()
	fmt.Fprintln(h, packages)

	root := fmt.Sprintf("%s-%x", base, h.Sum(nil)[:6])

	return made(root, func(part string) error {
		if err := Run(exec.Command("cp", "--archive", base, part)); err != nil {
			return err
		}

		return errors.Join(install(part, packages), configure(part))
	})
}

// Root is the folder of a root file system with the packages, made once and kept in the cache folder under a name that
// holds a hash of all that went into it. It must not be written to.
func Root(cache string, packages []string) (string, error) {
	h := sha256.New()
	fmt.Fprintln(h, Release, packages, files, security)

	root := filepath.Join(cache, fmt.Sprintf("debian-%x", h.Sum(nil)[:6]))

	return made(root, func(part string) error {
		return errors.Join(debootstrap(part), install(part, packages), configure(part))
	})
}

// made by a function that fills a folder, unless it is there.
func made(root string, fill func(part string) error) (string, error) {
	unlock, err := Lock(root + ".lock")
	if err != nil {
		return "", err
	}
	defer unlock()

	if _, err := os.Stat(root); err == nil {
		return root, nil
	}

	part := root + ".part"
	if err := errors.Join(os.RemoveAll(part), fill(part)); err != nil {
		return "", fmt.Errorf("cannot make a Debian root: %w", err)
	}

	return root, os.Rename(part, root)
}

// Lock is held by one process of the machine at a time.
func Lock(file string) (unlock func(), err error) {
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return nil, fmt.Errorf("cannot make the cache: %w", err)
	}

	f, err := os.OpenFile(file, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("cannot open lock: %w", err)
	}

	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		return nil, fmt.Errorf("cannot lock: %w", err)
	}

	return func() { f.Close() }, nil
}

func debootstrap(root string) error {
	return Run(exec.Command("debootstrap", "--variant=minbase", Release, root, mirror))
}

// install does with apt what debootstrap's --include cannot: cloud-init depends on a virtual package.
func install(root string, packages []string) error {
	if _, err := os.Stat(root); err != nil {
		return nil //nolint:nilerr // debootstrap has failed, and said so.
	}

	sources := fmt.Sprintf("deb %s %s main\ndeb %s %s-security main\n", mirror, Release, security, Release)
	noStart := "#!/bin/sh\nexit 101\n"

	// systemd-resolved makes a link of it, to a file that is not there yet.
	resolv := filepath.Join(root, "etc/resolv.conf")

	servers, err := os.ReadFile("/etc/resolv.conf")
	if err := errors.Join(err, os.RemoveAll(resolv), os.WriteFile(resolv, servers, 0o644)); err != nil {
		return err
	}

	err = errors.Join(
		os.WriteFile(filepath.Join(root, "etc/apt/sources.list"), []byte(sources), 0o644),
		writeProgram(filepath.Join(root, "usr/sbin/policy-rc.d"), noStart),
		Chroot(root, "apt-get", "update", "--quiet"),
		Chroot(root, append([]string{"apt-get", "install", "--yes", "--quiet", "--no-install-recommends"}, packages...)...),
		Chroot(root, "apt-get", "clean"),
	)

	return errors.Join(err, os.Remove(filepath.Join(root, "usr/sbin/policy-rc.d")))
}

// writeProgram while no process is started, which would have it open for writing, and could not be told to run it.
func writeProgram(file, content string) error {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()

	return os.WriteFile(file, []byte(content), 0o755)
}

// Chroot runs a command in a root, with /proc and an empty /dev of its own and nothing left behind.
func Chroot(root string, command ...string) error {
	const script = `set -e; mount --make-rprivate /; mount -t proc none "$0/proc"; mount -t sysfs none "$0/sys"
mount --bind /dev/null "$0/dev/null"; exec chroot "$0" "$@"`

	cmd := exec.Command("unshare", append([]string{"--mount", "sh", "-c", script, root}, command...)...)
	cmd.Env = []string{"PATH=/usr/sbin:/usr/bin:/sbin:/bin", "DEBIAN_FRONTEND=noninteractive", "LC_ALL=C.UTF-8", "HOME=/root"}

	return Run(cmd)
}

func configure(root string) error {
	errs := []error{}

	// Made by packages on this machine: an image has none, and each VM makes its own.
	for _, pattern := range []string{"etc/ssh/ssh_host_*", "etc/machine-id", "etc/resolv.conf", "var/lib/apt/lists/*_*"} {
		made, err := filepath.Glob(filepath.Join(root, pattern))
		errs = append(errs, err)

		for _, file := range made {
			errs = append(errs, os.RemoveAll(file))
		}
	}

	for name, content := range files {
		errs = append(errs, os.WriteFile(filepath.Join(root, name), []byte(content), 0o644))
	}

	return errors.Join(errs...)
}

// Run a command, with the end of its output in the error.
func Run(cmd *exec.Cmd) error {
	if out, err := cmd.CombinedOutput(); err != nil {
		const tail = 2000

		return fmt.Errorf("%s: %w\n%s", strings.Join(cmd.Args, " "), err, out[max(0, len(out)-tail):])
	}

	return nil
}
