package resolve

import (
	"cmp"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
)

// flake resolves the flake of a NixOS machine.
func (r *resolver) flake() {
	if r.nix == nil {
		return
	}

	b := r.out.Boot

	switch {
	case b.Source == "":
	case b.OS != machine.OSNixOS:
		r.add(field.Invalid(r.at.Child("image"), message.Excerpt(b.Image),
			"nix needs a NixOS image: name an image with os: nixos in the catalogue, or the VMID or volume of a NixOS template"))
	case !b.CloudInit:
		r.add(field.Invalid(r.at.Child("image"), message.Excerpt(b.Image), "nix needs an image that reads cloud-init data"))
	}

	r.out.Nix = &machine.Nix{
		FlakeRef:    r.nix.FlakeRef,
		Schedule:    r.nix.Schedule,
		Reboot:      strings.ToLower(cmp.Or(r.nix.Reboot, "Never")),
		HealthCheck: r.nix.HealthCheck,
	}

	if !strings.Contains(r.nix.FlakeRef, "#") {
		// A configuration has the host's short name, because dots separate attributes in Nix.
		short, _, _ := strings.Cut(r.out.Hostname, ".")
		r.out.Nix.FlakeRef += "#" + short
	}
}
