package status

import (
	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
)

// newMachine says how to get a new VM.
func newMachine(m *machine.Machine) string {
	return "set spec.lifecycle.replace to a new value: a new VM replaces this VM, which then " + fate(m) +
		" (change or remove a fixed spec.proxmox.vmId in the same commit). Or apply a new claim under another name, move your data, and delete this claim"
}

// fate is what becomes of a VM whose place another one takes.
func fate(m *machine.Machine) string {
	if m.DeletionPolicy == v1alpha1.DeletionOrphan {
		return "stays in Proxmox, stopped"
	}

	return "is destroyed with all its disks, data disks included"
}
