package lifecycle

import "github.com/homelab-io/function-proxmox-machine/internal/proxmox"

// disown the VMs whose VMID another VM has by now, whatever else was decided about them. Only when the provider may do no more than observe, which
// the next call sees, can a managed resource go, or look for another VMID: it would destroy a stranger's VM before.
func disown(vms map[string]proxmox.ObservedVM, steps map[string]Step) {
	for name, vm := range vms {
		if proxmox.TakenOver(vm) {
			steps[name] = Step{Action: ActionDisown, ImportName: proxmox.ImportName(vm.Spec.ForProvider.NodeName, proxmox.VMIDOf(vm))}
		}
	}
}

// takenBy says which VM has the VMID of a VM that was the machine's. Where the provider finds none any more, that is as it was.
func takenBy(vm proxmox.ObservedVM) *VMIDCheck {
	at := vm.Status.AtProvider

	return &VMIDCheck{VMID: proxmox.VMIDOf(vm), Outcome: OutcomeTaken, Name: at.Name, Node: at.NodeName}
}
