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
