package lifecycle

import (
	"slices"

	"github.com/homelab-io/function-proxmox-machine/internal/change"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// An Adoption is what is known of a VM that is to be adopted.
type Adoption struct {
	// VMIDCheck of the VM: its outcome is Free where there is no such VM, and Claimed where it is another machine's.
	VMIDCheck

	Plan        string  // What approves the changes; empty until they are known.
	Consent     Consent // Whether the claim approves them: with ConsentGiven, the VM is adopted now.
	Unsupported string  // Why the VM cannot be adopted, and what to do, in a sentence; empty where it can.
	Changes     []change.Change
	// Found is what the provider has read; nil until then, and where it cannot be adopted.
	Found *proxmox.VMParameters
	// Reserves is what a tenant's quota counts before the adoption; empty where nothing counts it.
	Reserves string
	// Firewall is the VM as far as its own firewall depends on it; nil where the VM is not read, or cannot be adopted.
	Firewall *FirewalledGuest
}

// ReadsRules says whether the plan waits for the rules of the VM's firewall, which the provider has not read yet.
func (a Adoption) ReadsRules() bool { return a.Firewall != nil && a.Plan == "" }

// An adoptionStep is what this call does with a VM that is to be adopted.
type adoptionStep struct {
	adoption Adoption
	step     Step
	// held are the changes that the VM cannot follow, and pending those that it takes up at its next power cycle: once it is adopted.
	held, pending []change.Change
}

// adopt decides about a VM that is to be adopted: it is read first, and adopted once a person has approved exactly what that
// would change.
func adopt(s *Situation, d Description) adoptionStep {
	m := s.Machine
	question := vmidQuestionOf(&s.Request, s.vm, s.State)
	out := adoptionStep{adoption: Adoption{VMIDCheck: question.check(m.Adopt.VMID)}}
	a := &out.adoption

	if left := question.manages(m.Adopt.VMID); left != nil {
		a.VMIDCheck = *left
	}

	// The provider is asked once more before anything is written, and what it answers is compared with what was approved.
	ask := a.Asked && a.Outcome == OutcomeChecking && m.Adopt.Approve != ""
	found := s.vm.Status.AtProvider.Parameters

	if a.Outcome == OutcomeTaken && found != nil {
		a.Unsupported = found.Unsupported
	}

	if a.Outcome == OutcomeTaken && found != nil && a.Unsupported == "" {
		has := found.VMParameters
		has.VMID = &a.VMID
		a.Found = &found.VMParameters
		wanted := d.Parameters
		wanted.Started = startedUnlessSaid(m.Power, has.Started)

		a.Firewall = &FirewalledGuest{Name: s.Roles.Described(), Node: has.NodeName, VMID: a.VMID, Wanted: m.Firewall, Observed: s.Observed.Firewalls}

		filter, read := a.Firewall.Adoption()
		if !read {
			out.step = question.checkStep(d.Parameters.NodeName, m.Adopt.VMID, false)
			return out
		}

		guarded := change.Guard(wanted, has, circumstances(s, d))
		a.Changes = slices.Concat(guarded.Changes, change.Beside(has, guarded.VM, found.Unset), withMove(m, guarded.Held), filter)
		a.Plan = planHash(m.Identity, a)
		a.Changes = change.AsTyped(a.Changes, m.Typed)
		a.Consent = ConsentTo(a.Plan, m.Adopt.Approve)
		ask = a.Consent == ConsentGiven

		if ask && a.Asked {
			out.step = Step{Action: ActionAdopt, MayDelete: s.MayDelete(), VMID: a.VMID, Parameters: guarded.VM, Approval: approver{s}.adopted(guarded.Held)}
			out.pending, out.step.RunsWith = pendingChanges(s, guarded)
			out.held = refused(a.Changes)

			return out
		}
	}

	out.step = question.checkStep(d.Parameters.NodeName, m.Adopt.VMID, ask)

	return out
}

// withMove are changes that the adoption itself does not make. A VM that the claim moves is moved as soon as it is the claim's, so that the move is a
// part of what is approved, and not refused.
func withMove(m *machine.Machine, held []change.Change) []change.Change {
	out := slices.Clone(held)

	for i := range out {
		if out[i].Field == nodeField && m.Placement.Migrate {
			out[i].Effect = change.InPlace
		}
	}

	return out
}

// planHash identifies what a person approves: which VM, and all that would become of it.
func planHash(id machine.Identity, a *Adoption) string {
	parts := []string{"adopt", proxmox.ImportName("", a.VMID), a.Name}
	for _, c := range a.Changes {
		parts = append(parts, string(c.Effect), c.Recorded())
	}

	return Lettered(id.Hash(parts...))
}

func refused(all []change.Change) []change.Change {
	var out []change.Change

	for _, c := range all {
		if c.Effect == change.Refused {
			out = append(out, c)
		}
	}

	return out
}
