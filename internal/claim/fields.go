package claim

import (
	"slices"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/strict"
)

// FieldNames are the fields of the specs of both kinds, in their order; those of Machine first.
func FieldNames() []string {
	out := strict.FieldNames(v1alpha1.MachineSpec{})

	for _, name := range strict.FieldNames(v1alpha1.K3sNodeSpec{}) {
		if !slices.Contains(out, name) {
			out = append(out, name)
		}
	}

	return out
}
