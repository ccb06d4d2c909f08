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

	Plan        string // What approves the changes.
	Approved    bool   // Whether the VM is adopted now.
	Stale       bool   // Whether the claim approves another plan.
	Unsupported string // Why the VM cannot be adopted, and what to do, in a sentence; empty where it can.
	Changes     []change.Change
}

// adopt decides about a VM that is to be adopted: it is read first, and adopted once a person has approved exactly what that
// would change.
func (p *Plan) adopt(d Description) {
	id := p.Machine.Adopt.VMID
	a := &Adoption{VMIDCheck: p.check(id)}
	p.Adoption = a

	// The provider is asked once more before anything is written, and what it answers is compared with what was approved.
	ask := a.Asked && a.Outcome == OutcomeChecking && p.Machine.Adopt.Approve != ""
	found := p.vm.Status.AtProvider.Parameters

	if a.Outcome == OutcomeTaken && found != nil {
		a.Unsupported = found.Unsupported
	}

	if a.Outcome == OutcomeTaken && found != nil && a.Unsupported == "" {
		has := found.VMParameters
		has.VMID = &a.VMID
		wanted := d.Parameters
		wanted.Started = startedUnlessSaid(p.Machine.Power, has.Started)

		guarded := change.Guard(wanted, has, p.circumstances(d))
		a.Changes = slices.Concat(guarded.Changes, change.Beside(has, guarded.VM, found.Unset), withMove(p.Machine, guarded.Held))
		a.Plan = planHash(p.Machine.Identity, a)
		a.Changes = change.AsTyped(a.Changes, p.Machine.Typed)
		a.Approved = p.Machine.Adopt.Approve == a.Plan
		a.Stale = p.Machine.Adopt.Approve != "" && !a.Approved

		ask = a.Approved

		if a.Approved && a.Asked {
			p.Steps[p.Roles.Described()] = Step{
				Action: ActionAdopt, MayDelete: p.MayDelete(), VMID: a.VMID, Parameters: guarded.VM, RunsWith: p.pending(guarded),
				Approval: approver{p}.adopted(guarded.Held),
			}
			p.Held = refused(a.Changes)

			return
		}
	}

	p.Steps[p.Roles.Described()] = p.checkStep(d, id, ask)
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
		parts = append(parts, string(c.Effect), c.String())
	}

	return lettered(id.Hash(parts...))
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
