package lifecycle

import "github.com/homelab-io/function-proxmox-machine/internal/proxmox"

// An HAStage is how far Proxmox's HA manager manages the VM of a machine.
type HAStage string

// The stages.
const (
	// HANone: the claim does not ask for it.
	HANone HAStage = ""
	// HAPending: the VM does not exist, has not run yet, or is not in HA yet.
	HAPending HAStage = "Pending"
	// HABlocked: the VM has something that keeps it from starting on another node.
	HABlocked HAStage = "Blocked"
	// HASuspended: the HA manager ignores the VM, or is asked to, while the provider stops it or starts it again.
	HASuspended HAStage = "Suspended"
	// HAManaged: the HA manager keeps the VM running, or stopped.
	HAManaged HAStage = "Managed"
)

// OnItsWay says whether the provider has still to write something of it. The HA manager ignores a VM while that restarts, which has its own end.
func (s HAStage) OnItsWay() bool { return s == HAPending }

// An haKnowledge is what is known of the HA manager and the machine's VMs.
type haKnowledge struct {
	resources map[string]proxmox.ObservedHAResource
	vms       map[string]proxmox.ObservedVM
	looks     bool                   // Whether the claim asks for HA, and the provider can look whether a VM is in HA.
	lost      func(name string) bool // Whether a VM is off for good.
}

// letsStop says whether the provider can stop a VM without the HA manager starting it again: a call of the API that stops a VM is no more than a
// request to the HA manager, while that manages the VM, and the HA manager starts a VM that stops in another way.
func (k haKnowledge) letsStop(vm string) bool {
	o, there := k.resources[proxmox.HAResourceOf(vm)]

	return !there && !k.unlooked(vm) || there && proxmox.LetsStop(o)
}

// releases says whether a VM that retires is out of the HA manager's hands: it is ignored, and deleting the managed resource deletes the entry, so
// that the HA manager cannot start the VM beside the one that has replaced it.
func (k haKnowledge) releases(vm string) bool {
	o, there := k.resources[proxmox.HAResourceOf(vm)]

	switch {
	case !there:
		return !k.unlooked(vm)
	case proxmox.LooksForHA(o):
		return proxmox.HAHasNone(o) || !k.looks
	default:
		return proxmox.LetsStop(o) && proxmox.MayDelete(o.Spec.ManagementPolicies)
	}
}

// unlooked says whether the provider has to look for an entry of a VM before it stops the VM or destroys it, and was not asked to: the VM runs, and the claim
// asks for HA, to which somebody can have added the VM before. A candidate is nobody's to add.
func (k haKnowledge) unlooked(name string) bool {
	vm := k.vms[name]
	_, there := k.resources[proxmox.HAResourceOf(name)]

	return !there && k.looks && !k.lost(name) && mayLookForHA(vm) && vm.Status.AtProvider.Started && !vm.ObserveOnly() &&
		vm.Metadata.Annotations[proxmox.CandidateAnnotation] == ""
}

// mayLookForHA says whether the provider can look whether a VM is in HA: it is ours, and was seen.
func mayLookForHA(vm proxmox.ObservedVM) bool {
	return powerKnown(vm) && proxmox.CreationOf(vm) != proxmox.CreationOurs
}
