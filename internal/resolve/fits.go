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

	// NVIDIA/gpu-operator issues 141 and 1142. Of NixOS, fitsNixOS has said that it does not boot at all.
	if m.Firmware != nil && m.Firmware.SecureBoot && len(m.PCI) > 0 && m.Nix == nil {
		n.warn("%s: with Secure Boot, the guest's kernel refuses drivers that are built in the guest, as NVIDIA's are by DKMS or the GPU Operator (\"Key was rejected by service\"). "+
			"Take the ones that the distribution has signed (of Ubuntu, linux-modules-nvidia-...), or leave secureBoot out.", g.at.Child("firmware", "secureBoot"))
	}

	if g.k3s != nil && image.ReadOnlyRoot() {
		n.warn("Image %s: its root is read-only, and changes with transactional-update and a restart alone: K3s' programs may find no place in /usr/local/bin, and SELinux may keep them from "+
			"running. Take an image with an ordinary root, such as one of openSUSE Leap, Debian or Ubuntu.", message.Excerpt(m.Boot.Image))
	}

	if why, unheard := image.SetUpOtherwise(), firstBoot(g); why != "" && len(unheard) > 0 {
		n.warn("Image %s: %s, so that nothing comes of %s. Take an image with cloud-init and systemd, such as one of Debian or Ubuntu.", message.Excerpt(m.Boot.Image), why, strings.Join(unheard, ", "))
	}
}

// firstBoot are the parts of a claim that a unit of systemd does at the first boot.
func firstBoot(g *given) (out []string) {
	for _, part := range []struct {
		name string
		said bool
	}{
		{"K3s", g.k3s != nil},
		{"secretStore", g.spec.Bootstrap.SecretStore != nil},
		{"filesystem of disks", slices.ContainsFunc(g.spec.Disks, func(d v1alpha1.Disk) bool { return d.Filesystem != "" })},
	} {
		if part.said {
			out = append(out, part.name)
		}
	}

	return out
}
