package resolve

import (
	"cmp"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
)

// flake of a NixOS machine; nil for any other.
func flake(g *given, n *notes, b machine.Boot, hostname string) *machine.Nix {
	if g.nix == nil {
		return nil
	}

	switch {
	case b.Source == "":
	case b.OS != machine.OSNixOS:
		n.add(field.Invalid(g.at.Child("image"), message.Excerpt(b.Image),
			"nix needs a NixOS image: name an image with os: nixos in the catalogue, or the VMID or volume of a NixOS template"))
	case !b.CloudInit:
		n.add(field.Invalid(g.at.Child("image"), message.Excerpt(b.Image), "nix needs an image that reads cloud-init data"))
	}

	flakeRef(g.at.Child("nix", "flakeRef"), n, g.nix.FlakeRef)
	schedule(g.at.Child("nix", "schedule"), n, g.nix.Schedule)
	stands(g.at.Child("nix", "schedule"), n, g.nix.FlakeRef, g.nix.Schedule)

	out := &machine.Nix{
		FlakeRef:    g.nix.FlakeRef,
		Schedule:    g.nix.Schedule,
		Reboot:      strings.ToLower(cmp.Or(g.nix.Reboot, "Never")),
		HealthCheck: g.nix.HealthCheck,
	}

	if !strings.Contains(g.nix.FlakeRef, "#") {
		// A configuration has the host's short name, because dots separate attributes in Nix.
		short, _, _ := strings.Cut(hostname, ".")
		out.FlakeRef += "#" + short
	}

	return out
}

// leastToEvaluate is what the evaluation of a configuration needs, beside the system and what it builds (NixOS/nix issues 2664 and 8621, NixOS/nixpkgs issue
// 375725): example/nix/README.md, The template.
const leastToEvaluate = 2048

// fitsNixOS warns of a new NixOS machine that does not converge as it is sized. What is in its flake is not known here.
func fitsNixOS(g *given, n *notes, m *machine.Machine) {
	if m.Nix == nil || !g.isNew() {
		return
	}

	if m.MemoryMiB > 0 && m.MemoryMiB < leastToEvaluate {
		n.warn("%s: %dMi is less than the 2Gi that a NixOS machine needs to evaluate its flake: the kernel kills Nix, and the machine stays what its image is. Set 2Gi or more.",
			sizeField(g, "memory", g.spec.Size.Memory != ""), m.MemoryMiB)
	}
}
