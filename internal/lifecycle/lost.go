package lifecycle

import (
	"cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// IsLost says whether a VM is off for good: a person says of its Proxmox node that it does not come back (spec.lifecycle.lost), and the provider cannot
// read the VM there. A VM that the provider reads, or that somebody moved to another node, is none, whatever the claim says: it could be stopped.
func IsLost(vm proxmox.ObservedVM, node string) bool {
	return node != "" && HostOf(vm) == node && !vm.Found()
}

// HostOf a VM is the Proxmox node on which it is, or was when the provider read it last; empty for none.
func HostOf(vm proxmox.ObservedVM) string {
	return cmp.Or(vm.Status.AtProvider.NodeName, vm.Spec.ForProvider.NodeName)
}

// Lost says whether one of the machine's VMs is off for good.
func (r Request) Lost(name string) bool {
	vm, there := r.Observed.VMs[name]

	return there && r.Machine != nil && IsLost(vm, r.Machine.Lifecycle.Lost)
}

// LostNode says whether a Proxmox node does not come back, so that no file on it can be read or deleted: a person says so, and the provider reads none of
// the machine's VMs there.
func (r Request) LostNode(node string) bool {
	if node == "" || node != r.Machine.Lifecycle.Lost {
		return false
	}

	for name, vm := range r.Observed.VMs {
		if HostOf(vm) == node && !r.Lost(name) {
			return false
		}
	}

	return true
}

// isOff says whether the active VM is known to be stopped and to stay so, by the provider or by a person's word. The provider starts one that is to run at any
// moment: at the end of its creation, or since somebody has stopped it by hand.
func isOff(r *Request, name string) bool {
	vm := r.Observed.VMs[name]

	return powerKnown(vm) && !vm.Spec.ForProvider.Started && !vm.Status.AtProvider.Started || r.Lost(name)
}
