package lifecycle

import (
	"slices"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// A Readiness has the conditions under which a VM is ready, beside that the provider has found it. The zero value is for a VM
// that is stopped.
type Readiness struct {
	// Running: the VM has to run. Else it has to be stopped.
	Running bool
	// GuestAgent: a VM that runs has to have an address, as its guest agent reports it.
	GuestAgent bool
	// AddressKnown: the guest agent reported an address before, which still counts although the agent does not answer now.
	AddressKnown bool
	// Idle: the provider must not be creating or changing the VM at this moment.
	Idle bool
}

// Ready says whether a VM meets the conditions. The provider's condition Ready means only that it found the VM at some time.
func Ready(vm proxmox.ObservedVM, r Readiness) bool {
	at := vm.Status.AtProvider

	switch {
	case vm.ObserveOnly(), !vm.Found(), at.ID == "", at.Started != r.Running:
		return false
	case r.Idle && vm.Working():
		return false
	case r.Running && r.GuestAgent && !r.AddressKnown:
		return proxmox.Addressed(vm)
	}

	return true
}

// HasGuestAgent says whether a VM's guest agent is expected to answer.
func HasGuestAgent(p proxmox.VMParameters) bool {
	return slices.ContainsFunc(p.Agent, func(a proxmox.Agent) bool { return a.Enabled })
}
