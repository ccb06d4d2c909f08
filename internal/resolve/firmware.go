package resolve

import (
	"cmp"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
)

// firmware of a machine: the claim's fields over the image's. A clone keeps its template's firmware, and an adopted VM
// keeps its own, for all fields that the claim leaves out.
func firmware(g *given, n *notes, source machine.Source, image *v1alpha1.Firmware) *v1alpha1.Firmware {
	claimed := g.spec.Firmware
	has := ""

	switch {
	case g.existing.Adopting:
		image, has = nil, "an adopted VM keeps its own firmware"
	case source == machine.SourceClone:
		has = "a clone keeps its template's firmware"
	}

	if has != "" && claimed == nil && image == nil {
		return nil
	}

	f := v1alpha1.Firmware{}
	if image != nil {
		f = *image
	}

	if claimed != nil {
		if claimed.Type != "" && claimed.Type != f.Type {
			// Secure Boot belongs to the image's firmware, which the claim replaces.
			f.Type, f.SecureBoot = claimed.Type, false
		}

		f.SecureBoot = f.SecureBoot || claimed.SecureBoot
		f.TPM = f.TPM || claimed.TPM
		f.Machine = cmp.Or(claimed.Machine, f.Machine)
	}

	if has != "" {
		if f.Type == "" {
			n.add(field.Required(g.at.Child("firmware", "type"), has+": set type to that firmware, BIOS or UEFI, or leave firmware out"))
		}
	} else {
		f.Type = cmp.Or(f.Type, v1alpha1.FirmwareBIOS)
		f.Machine = cmp.Or(f.Machine, "q35")
	}

	return &f
}
