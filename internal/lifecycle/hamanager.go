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
func haLetsStop(resources map[string]proxmox.ObservedHAResource, vm string) bool {
	o, there := resources[proxmox.HAResourceOf(vm)]

	return !there || proxmox.LetsStop(o)
}

// haReleases says whether a VM that retires is out of the HA manager's hands: it is ignored, and deleting the managed resource deletes the entry, so
// that the HA manager cannot start the VM beside the one that has replaced it.
func haReleases(resources map[string]proxmox.ObservedHAResource, vm string) bool {
	o, there := resources[proxmox.HAResourceOf(vm)]

	return !there || proxmox.LetsStop(o) && proxmox.MayDelete(o.Spec.ManagementPolicies)
}
