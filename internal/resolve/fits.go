package resolve

import (
	"regexp"
	"slices"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
)

// beforeV3 are the CPU types of Proxmox that lack AVX2 or another part of x86-64-v3.
var beforeV3 = regexp.MustCompile(`^(?:x86-64-v2(?:-AES)?|(?:kvm|qemu)(?:32|64)|486|athlon|core2?duo|pentium[23]?|phenom|` +
	`Conroe|Penryn|(?:Nehalem|Westmere|SandyBridge|IvyBridge)(?:-IBRS)?|Opteron_G[1-5])$`)

// fitsImage warns of a new machine that its image does not fit: it does not boot on this CPU, it has no driver for a device, or nothing of its first boot
// happens. All are told by the name of the image's file, so that somebody may know better.
func fitsImage(g *given, n *notes, m *machine.Machine, image catalog.Image) {
	if !g.isNew() {
		return
	}

	if image.NeedsV3() && beforeV3.MatchString(m.CPUType) {
		n.warn("%s: %s is less than x86-64-v3, for which image %s is built: the VM does not boot (\"Fatal glibc error: CPU does not support x86-64-v3\"). "+
			"Set x86-64-v3, or host, where the Proxmox nodes' processors have it (Intel's since Haswell, AMD's since Zen), or take an image for x86-64-v2.",
			sizeField(g, "cpuType", g.spec.Size.CPUType != ""), m.CPUType, message.Excerpt(m.Boot.Image))
	}

	// Snippets that nobody reads here may install a kernel.
	why, remedy, words := image.Driverless()
	b := g.spec.Bootstrap
	knows := b.Snippets.UserData+b.Snippets.VendorData != "" || slices.ContainsFunc(words, func(word string) bool { return strings.Contains(b.UserData, word) })

	if why != "" && len(m.PCI)+len(m.USB) > 0 && !knows {
		n.warn("%s: the guest may have no driver for what is passed through: %s. %s.", g.at.Child("devices"), why, remedy)
	}

	// NVIDIA/gpu-operator issues 141 and 1142. Of NixOS, starts says that it does not boot at all.
	if m.Firmware != nil && m.Firmware.SecureBoot && len(m.PCI) > 0 && m.Boot.OS != machine.OSNixOS {
		n.warn("%s: with Secure Boot, the guest's kernel refuses drivers that are built in the guest, as NVIDIA's are by DKMS or the GPU Operator (\"Key was rejected by service\"). "+
			"Take the ones that the distribution has signed (of Ubuntu, linux-modules-nvidia-...), or leave secureBoot out.", g.at.Child("firmware", "secureBoot"))
	}

	starts(g, n, m, image)

	if g.k3s != nil && image.ReadOnlyRoot() {
		n.warn("Image %s: its root is read-only, and changes with transactional-update and a restart alone: K3s' programs may find no place in /usr/local/bin, and SELinux may keep them from "+
			"running. Take an image with an ordinary root, such as one of openSUSE Leap, Debian or Ubuntu.", message.Excerpt(m.Boot.Image))
	}

	why, deaf := image.SetUpOtherwise()
	if unheard := firstBoot(g, deaf); why != "" && len(unheard) > 0 {
		n.warn("Image %s: %s, so that nothing comes of %s. Take an image with cloud-init and systemd, such as one of Debian or Ubuntu.", message.Excerpt(m.Boot.Image), why, strings.Join(unheard, ", "))
	}
}

// starts warns of a firmware that does not start the image.
func starts(g *given, n *notes, m *machine.Machine, image catalog.Image) {
	if m.Firmware == nil {
		return // Of a template.
	}

	at := g.at.Child("firmware")
	with, refused := image.Starts()
	refused = refused || m.Boot.OS == machine.OSNixOS // NixOS/nixpkgs issue 42127, nix-community/lanzaboote issue 447.

	switch {
	case with != "" && with != m.Firmware.Type:
		n.warn("%s: image %s is for %s by the name of its file, and with %s the VM finds nothing to start (\"No bootable device\"). Set {type: %s}, here or at the image, or take its image for %s.",
			at.Child("type"), message.Excerpt(m.Boot.Image), with, m.Firmware.Type, with, m.Firmware.Type)
	case m.Firmware.SecureBoot && refused:
		n.warn("%s: the boot loader of image %s is signed by nobody whose keys Secure Boot has, so that the VM does not boot (\"Access Denied\"): set secureBoot: false, unless the image's is signed.",
			at.Child("secureBoot"), message.Excerpt(m.Boot.Image))
	}
}

// fitsWindows warns of a new machine with Windows what its setup does not get over, and what Proxmox does with it alone.
func fitsWindows(g *given, n *notes, m *machine.Machine, image catalog.Image) {
	named, eleven := image.Windows()
	if !g.isNew() || !named && m.Boot.OS != machine.OSWindows {
		return
	}

	shown, firmware := message.Excerpt(m.Boot.Image), g.at.Child("firmware")

	if m.Boot.OS != machine.OSWindows {
		n.warn("Image %s: its file has a name of Windows, and the VM is made for another system. Set images.<image>.os of the catalogue to windows.", shown)
	}

	if m.Boot.Source == machine.SourceClone || m.Firmware == nil {
		return // The template has what it needs.
	}

	if eleven && (m.Firmware.Type != v1alpha1.FirmwareUEFI || !m.Firmware.TPM) {
		n.warn("%s: the setup of Windows 11 ends without UEFI and a TPM (\"This PC can't run Windows 11\"). Set {type: UEFI, secureBoot: true, tpm: true}, here or at the image, "+
			"and spec.size to 4Gi of memory and 64Gi of disk.", firmware)
	}

	// POST /nodes/{node}/qemu in PVE/API2/Qemu.pm pins it. Telmate/terraform-provider-proxmox issue 984.
	if m.Boot.OS == machine.OSWindows && !strings.Contains(m.Firmware.Machine, "-") {
		n.warn("%s: Proxmox pins a new VM with Windows to today's version of its chipset, since another one is other hardware to Windows, whose network settings go with it; the provider takes "+
			"that for a change, and writes %s again. Write the version of the node's QEMU, as `kvm --version` shows it, such as pc-q35-9.2.", firmware.Child("machine"), m.Firmware.Machine)
	}

	if m.Boot.Source == machine.SourceISO {
		n.warn("Image %s: the setup of Windows has no driver for the disk and the network interface (VirtIO), and the provider has one CD drive only. Create the VM with spec.power Stopped, add the "+
			"drivers on its node (`qm set <vmId> --ide0 local:iso/virtio-win.iso,media=cdrom`), and set spec.power to Running.", shown)
	}
}

// firstBoot are the parts of a claim that a unit of systemd does at the first boot; and those that cloud-init does, to an image that is deaf to it.
func firstBoot(g *given, deaf bool) (out []string) {
	for _, part := range []struct {
		name string
		said bool
	}{
		{"K3s", g.k3s != nil},
		{"secretStore", g.spec.Bootstrap.SecretStore != nil},
		{"bootstrap.userData", deaf && g.spec.Bootstrap.UserData != ""},
		{"bootstrap.secrets", deaf && len(g.spec.Bootstrap.Secrets) > 0},
		{"bootstrap.adminUser", deaf && g.spec.Bootstrap.AdminUser != ""},
		{"filesystem of disks", slices.ContainsFunc(g.spec.Disks, func(d v1alpha1.Disk) bool { return d.Filesystem != "" })},
	} {
		if part.said {
			out = append(out, part.name)
		}
	}

	return out
}
