package status

import (
	"cmp"

	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/bootstrap"
	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// An Input is all that is known of a machine: what it should be, what is rendered for it, and what was found.
type Input struct {
	Machine   *machine.Machine
	Bootstrap *bootstrap.Bootstrap
	// Plan is what this call does with each VM, and why.
	Plan lifecycle.Plan
	// Desired is what is rendered, and State what was found.
	Desired proxmox.Desired
	State   proxmox.State
	// Paused are the composed resources that an error has paused, with the name of the error's row in package diagnose.
	Paused map[string]string
	// Previous is the composite's status as it is now, conditions included.
	Previous v1alpha1.Status
	// Spec is the spec as the person wrote it.
	Spec map[string]any
}

// An Output is what there is to say about a machine.
type Output struct {
	// Status of the composite. Its conditions are empty: they are returned apart.
	Status v1alpha1.Status
	// Ready by composed resource name, for every name that is rendered.
	Ready map[string]bool
	// Conditions, one of each type, always in the same order.
	Conditions []Condition
	// Events are the transitions between Previous and Status; none where nothing happened.
	Events []Event
}

// Machine says what became of a machine whose spec was understood.
func Machine(in Input) Output {
	s := newReporter(in)

	out := Output{
		Status: s.status(),
		Ready:  s.ready(),
		Conditions: []Condition{
			s.specValid(),
			s.machineReady(),
			s.bootstrapCurrent(),
			s.replacementRequired(),
			s.rebootPending(),
			s.vmIDInUse(),
			s.providerHealthy(),
		},
	}
	out.Status.AppliedSpec = s.applied(out.Ready)
	out.Events = s.events(out)

	return out
}

// A reporter is what was found of a machine, looked at once.
type reporter struct {
	in Input
	// before is the status as it was, as far as it is about the VM that the machine is now.
	before v1alpha1.Status

	name     string // Of the VM's composed resource.
	vm       proxmox.ObservedVM
	observed bool // Whether the VM's managed resource is there.
	made     bool // Whether there is a VM, or may be one in the making. One that is only looked at is another's.

	findings  []finding
	addresses addresses
}

func newReporter(in Input) reporter {
	s := reporter{
		in: in, before: in.Previous, name: cmp.Or(in.Plan.Roles.Active, lifecycle.FirstVM),
		findings: findings(in, previousReason(in.Previous, TypeProviderHealthy)),
	}

	s.vm, s.observed = in.State.VMs[s.name]
	s.made = lifecycle.Lives(in.State.VMs, s.name)

	if was, is := in.Previous.VMID, s.vmID(); was != nil && is != nil && *was != *is {
		// Nothing that was known of another VM, for instance its address, is true of this one.
		s.before = v1alpha1.Status{Conditions: in.Previous.Conditions}
	}

	s.addresses = s.knownAddresses()

	return s
}

// knownAddresses are the machine's addresses as far as they are known while it runs. A machine that is stopped has none:
// it may get another one when it starts.
func (s reporter) knownAddresses() addresses {
	if !s.exists() || !s.vm.Status.AtProvider.Started {
		return addresses{}
	}

	nics, before := s.in.Machine.NICs, s.before
	now := guestAddresses(s.vm, nics, before.PrimaryAddress)

	switch {
	case !now.silent:
		return now
	case !s.hasGuestAgent():
		now = staticAddresses(nics)
		now.silent = true
	default:
		now.all, now.primary = before.Addresses, before.PrimaryAddress
	}

	return now
}

// exists says whether the provider has seen the VM, even if its last look failed.
func (s reporter) exists() bool {
	return s.observed && !s.vm.ObserveOnly() && !isFalse(s.vm.Condition(managedReady)) && (s.vm.Status.AtProvider.ID != "" || s.vm.Found())
}

// previousReason is a condition's reason as it was where the condition had an answer, and nothing where it had none: after
// a run that failed, Crossplane makes conditions Unknown.
func previousReason(before v1alpha1.Status, typ string) string {
	c := meta.FindStatusCondition(before.Conditions, typ)
	if c == nil || c.Status == "Unknown" {
		return ""
	}

	return c.Reason
}
