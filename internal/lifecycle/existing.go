package lifecycle

import (
	"cmp"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/resolve"
)

// Existing is what the described VM has already, and keeps. A VM that does not exist yet has nothing, also where the provider
// failed to create it: its node, its datastore and its size are the claim's.
func Existing(claimed *v1alpha1.Adopt, r Roles, vms map[string]proxmox.ObservedVM) resolve.Existing {
	name := r.Described()
	out := resolve.Existing{Adopting: Adopts(claimed, r, vms)}

	if !Lives(vms, name) {
		return out
	}

	vm := vms[name]
	p := vm.Spec.ForProvider
	out.Node = cmp.Or(vm.Status.AtProvider.NodeName, p.NodeName)

	if len(p.Disk) > 0 {
		out.DiskDatastore = p.Disk[0].DatastoreID
	}

	out.Has = entriesOf(vm)
	out.BuiltIn = proxmox.ReadBuiltIn(vm.Metadata.Annotations[proxmox.BuiltInAnnotation])

	return out
}
