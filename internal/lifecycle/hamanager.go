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

// haLetsStop says whether the provider can stop a VM without the HA manager starting it again: a call of the API that stops a VM is no more than a
// request to the HA manager, while that manages the VM, and the HA manager starts a VM that stops in another way.
func haLetsStop(r *Request, vm string) bool {
	o, there := r.Observed.HAResources[proxmox.HAResourceOf(vm)]
	if !there {
		return !looksForHA(r, vm)
	}

	return proxmox.LetsStop(o)
}

// haReleases says whether a VM that retires is out of the HA manager's hands: it is ignored, and deleting the managed resource deletes the entry, so
// that the HA manager cannot start the VM beside the one that has replaced it.
func haReleases(r *Request, vm string) bool {
	o, there := r.Observed.HAResources[proxmox.HAResourceOf(vm)]

	switch {
	case !there:
		return !looksForHA(r, vm)
	case proxmox.LooksForHA(o):
		return proxmox.HAHasNone(o) || r.Machine.HA == nil
	default:
		return proxmox.LetsStop(o) && proxmox.MayDelete(o.Spec.ManagementPolicies)
	}
}

// looksForHA says whether the provider has to look for an entry of a VM before it stops the VM or destroys it: the VM runs, and the claim asks for HA, to which
// somebody can have added the VM before. A candidate is nobody's to add.
func looksForHA(r *Request, name string) bool {
	vm := r.Observed.VMs[name]

	return r.Machine.HA != nil && !r.HAUnread && !r.Lost(name) && mayLookForHA(vm) && vm.Status.AtProvider.Started && !vm.ObserveOnly() &&
		vm.Metadata.Annotations[proxmox.CandidateAnnotation] == ""
}
