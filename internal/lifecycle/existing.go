package lifecycle

import (
	"cmp"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/resolve"
)

// Existing is what the described VM has already, and keeps. A VM that the provider may only observe has nothing yet.
func Existing(claimed *v1alpha1.Adopt, r Roles, vms map[string]proxmox.ObservedVM) resolve.Existing {
	name := r.Described()
	out := resolve.Existing{Adopting: Adopts(claimed, r, vms)}

	vm, observed := vms[name]
	if !observed || vm.ObserveOnly() {
		return out
	}

	p := vm.Spec.ForProvider
	out.Node = cmp.Or(vm.Status.AtProvider.NodeName, p.NodeName)

	if len(p.Disk) > 0 {
		out.DiskDatastore = p.Disk[0].DatastoreID
	}

	if Lives(vms, name) {
		out.Has = entriesOf(vm)
	}

	return out
}
