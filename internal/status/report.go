package status

import (
	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/bootstrap"
	"github.com/homelab-io/function-proxmox-machine/internal/externaldns"
	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// An Input is all that is known of a machine: what it should be, what is rendered for it, and what was found.
type Input struct {
	Machine   *machine.Machine
	Bootstrap *bootstrap.Bootstrap
	// Plan is what this call does with each VM, and why.
	Plan *lifecycle.Plan
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
	// Records that external-dns is to be told; nil for none.
	Records []externaldns.Record
	// Events are the transitions between Previous and Status; none where nothing happened.
	Events []Event
}

// Machine says what became of a machine whose spec was understood.
func Machine(in Input) Output {
	s := newReporter(&in)

	out := Output{
		Status:  s.status(),
		Ready:   s.ready.all(),
		Records: s.record.records,
		Conditions: []Condition{
			specCondition(in.Machine),
			s.running.condition(),
			s.bootstrap.condition(),
			s.replacement.condition(),
			s.reboot.condition(),
			s.number.condition(),
			s.errors.condition(),
		},
	}
	out.Conditions = append(out.Conditions, s.node.conditions()...)
	out.Conditions = append(out.Conditions, s.drain.conditions()...)
	out.Conditions = append(out.Conditions, s.zone.conditions()...)
	out.Conditions = append(out.Conditions, s.convergence.conditions()...)
	out.Conditions = append(out.Conditions, s.approval.conditions()...)
	out.Conditions = append(out.Conditions, s.wave.conditions()...)
	out.Conditions = append(out.Conditions, s.availability.conditions()...)
	out.Conditions = append(out.Conditions, s.firewall.conditions()...)
	out.Conditions = append(out.Conditions, s.record.conditions()...)
	out.Conditions = append(out.Conditions, spreadConditions(in.Plan.Machine, lifecycle.MeetingOf(in.Plan.Request), s.vm.shortTitle(), s.vm.numberOf(""),
		meta.FindStatusCondition(in.Previous.Conditions, TypeSpreadBroken) != nil)...)
	out.Status.AppliedSpec = s.applied.status(out.Ready)
	out.Events = (&transitions{machine: in.Machine, plan: in.Plan, vm: s.vm, recreation: s.recreation, before: &in.Previous, now: out}).events()

	return out
}

// A reporter has a report for each concern. Each report knows what it is about, and those that it builds upon.
type reporter struct {
	machine *machine.Machine
	plan    *lifecycle.Plan
	// before is the status as it was, as far as it is about the VM that the machine is now.
	before *v1alpha1.Status

	vm           *activeVM
	addresses    addresses
	errors       *providerErrors
	ready        *readyReport
	adoption     *adoptionReport
	running      *machineReport
	bootstrap    *bootstrapReport
	replacement  *replacementReport
	reboot       *rebootReport
	number       *numberReport
	recreation   *recreationReport
	node         *nodeReport
	drain        *drainReport
	zone         *zoneReport
	convergence  *convergenceReport
	approval     *approvalReport
	wave         *waveReport
	availability *availabilityReport
	firewall     *firewallReport
	record       *dnsReport
	applied      *appliedReport
}

func newReporter(in *Input) *reporter {
	m, plan, vm := in.Machine, in.Plan, newActiveVM(in)

	before := &in.Previous
	if was, is := before.VMID, vm.id(); was != nil && is != nil && *was != *is {
		// Nothing that was known of another VM, for instance its address, is true of this one.
		before = &v1alpha1.Status{Conditions: before.Conditions}
	}

	found := findings(in, previousReason(&in.Previous, TypeProviderHealthy))
	errors := &providerErrors{plan: plan, desired: in.Desired, state: in.State, paused: in.Paused, vm: vm, found: found}
	known := knownAddresses(vm, before, recorded(plan.DNSRecord))
	ready := &readyReport{plan: plan, desired: in.Desired, state: in.State, vm: vm, errors: errors, addresses: known, before: before}
	ready.active = ready.asAsked()
	adoption := &adoptionReport{Adoption: plan.Adoption, machine: m}

	recreation := &recreationReport{plan: plan, vm: vm}

	return &reporter{
		machine: m, plan: plan, before: before, vm: vm, addresses: known, errors: errors, ready: ready, adoption: adoption, recreation: recreation,
		running: &machineReport{
			machine: m, plan: plan, desired: in.Desired, vm: vm, errors: errors, ready: ready, adoption: adoption, bootstrap: in.Bootstrap,
			recreation: recreation,
		},
		bootstrap:    &bootstrapReport{machine: m, now: in.Bootstrap, plan: plan, vm: vm, files: in.State.Files},
		replacement:  &replacementReport{machine: m, plan: plan, state: in.State, vm: vm, errors: errors},
		reboot:       &rebootReport{policy: m.Lifecycle.RebootPolicy, plan: plan, vm: vm},
		node:         &nodeReport{machine: m, plan: plan, vm: vm, before: &in.Previous},
		drain:        &drainReport{machine: m, plan: plan, vm: vm, before: &in.Previous},
		zone:         &zoneReport{machine: m, plan: plan, before: &in.Previous},
		convergence:  newConvergenceReport(m, vm, &in.Previous),
		approval:     &approvalReport{machine: m, plan: plan, vm: vm, before: &in.Previous},
		wave:         &waveReport{machine: m, plan: plan, vm: vm, before: &in.Previous},
		availability: &availabilityReport{plan: plan, state: in.State, vm: vm, before: &in.Previous},
		firewall:     &firewallReport{machine: m, plan: plan, vm: vm, before: &in.Previous},
		record:       newDNSReport(m, plan.DNSRecord, known, &in.Previous),
		number:       &numberReport{plan: plan, state: in.State, vm: vm, adoption: adoption},
		applied: &appliedReport{
			machine: m, spec: in.Spec, before: in.Previous.AppliedSpec, plan: plan, desired: in.Desired, state: in.State, vm: vm,
			errors: errors,
		},
	}
}
