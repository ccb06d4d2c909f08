package lifecycle

import (
	"github.com/homelab-io/function-proxmox-machine/internal/diagnose"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// A State is how far a VM has come, as its managed resource tells.
type State string

// The states of a VM, in their order.
const (
	// StateAbsent: there is no managed resource of the VM.
	StateAbsent State = "Absent"
	// StateChecking: the provider may only observe, to check a VMID or to read a VM that is to be adopted. Whatever it
	// reports is a VM that this machine has not made. So is a VM that somebody else made under the VMID while the provider
	// was to create one.
	StateChecking State = "Checking"
	// StateFailed: the provider says that it could not create the VM, or that it does not begin with such a manifest. Nothing exists that
	// could break, so the managed resource may still become another VM.
	StateFailed State = "Failed"
	// StateCreating: the provider was asked to create the VM, and has seen none yet. It counts as a VM that may exist.
	StateCreating State = "Creating"
	// StateLiving: the VM exists, or may be in the making. From the first call that asks the provider to create it, a VM
	// counts as living.
	StateLiving State = "Living"
)

// StateOf the VM with a composed resource name.
func StateOf(vms map[string]proxmox.ObservedVM, name string) State {
	vm, ok := vms[name]

	switch {
	case !ok:
		return StateAbsent
	case vm.ObserveOnly():
		return StateChecking
	case vm.Status.AtProvider.ID == "" && !vm.MayExist() && !lostStatus(vm):
		return StateFailed
	case proxmox.CreationOf(vm) != proxmox.CreationUnseen:
		return StateLiving
	case neverBegins(vm):
		return StateFailed
	}

	return StateCreating
}

// lostStatus says whether a VM of which no creation is under way lacks what the provider said of it: it was made, or adopted.
func lostStatus(vm proxmox.ObservedVM) bool {
	return !proxmox.CreatingIn(vm.Metadata.Metadata) && vm.Condition(proxmox.ConditionReady).Status == ""
}

// neverBegins says whether the provider does not begin to create a VM, because of an error that only an edit of the claim mends.
func neverBegins(vm proxmox.ObservedVM) bool {
	_, hopeless := diagnose.Pauses(vm)

	return !proxmox.CreationBegan(vm) && (hopeless || PausedByUs(vm.Metadata.Metadata))
}

// Lives says whether a VM exists, or may be in the making.
func Lives(vms map[string]proxmox.ObservedVM, name string) bool {
	state := StateOf(vms, name)

	return state == StateLiving || state == StateCreating
}

// powerKnown says whether the provider has told whether the VM runs.
func powerKnown(vm proxmox.ObservedVM) bool { return vm.Status.AtProvider.ID != "" }
