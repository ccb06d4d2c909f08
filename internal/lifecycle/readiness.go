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
	case vm.ObserveOnly(), !vm.Found(), at.ID == "", at.Started != r.Running, proxmox.Unread(vm), proxmox.TakenOver(vm):
		return false
	case r.Idle && vm.Working():
		return false
	case r.Running && r.GuestAgent && !r.AddressKnown:
		return proxmox.Addressed(vm)
	}

	return true
}

// A Stop is how the provider stops a running VM.
type Stop string

// The ways to stop a VM.
const (
	// StopShutDown: Proxmox asks the guest agent to shut the guest down, and switches the VM off if it still runs after half an hour.
	StopShutDown Stop = "ShutDown"
	// StopSwitchedOff: the VM is switched off as if the power failed. The provider sends no ACPI event to a VM whose guest agent
	// is disabled in Proxmox (terraform-provider-proxmox 0.111.1, vmPowerTracker.EnsureStopped: POST status/stop).
	StopSwitchedOff Stop = "SwitchedOff"
)

// StopOf a VM, as it is written.
func StopOf(p proxmox.VMParameters) Stop {
	if HasGuestAgent(p) {
		return StopShutDown
	}

	return StopSwitchedOff
}

// HasGuestAgent says whether a VM's guest agent is expected to answer.
func HasGuestAgent(p proxmox.VMParameters) bool {
	return slices.ContainsFunc(p.Agent, func(a proxmox.Agent) bool { return a.Enabled })
}

// answers says whether a VM runs, the provider read it without an error, and its guest agent, if it has one, reports an address now.
func answers(vm proxmox.ObservedVM) bool {
	return Ready(vm, Readiness{Running: true, GuestAgent: HasGuestAgent(vm.Spec.ForProvider)})
}
