package lifecycle

import (
	"slices"

	"github.com/homelab-io/function-proxmox-machine/internal/change"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// follow decides about an existing VM: it follows its claim as far as the provider can change it in place.
func (p *Plan) follow(d Description) {
	made := change.AsMade(p.vm)
	guarded := change.Guard(d.Parameters, made, p.circumstances(d))

	rest, moves := movesLater(p.Machine, guarded.Held)
	held := slices.Concat(rest, p.otherProviderConfig(d), p.addressLater())
	p.Moves = moves

	approver := approver{p}
	p.Approval = approver.approval(d, guarded, held)

	// While an approved replacement is blocked, no other part of the edit takes effect, either.
	stands := p.Approval.Waits() || p.Approval.Has(EffectReplace)
	if stands {
		guarded, held = approver.stand(held)
		p.Moves = nil
	}

	if p.Approval.Waits() && p.Roles.Trigger != "" {
		p.Decision = refuse(Blocker{Reason: BlockedByApproval})
	}

	step := Step{
		Action: ActionFollow, Stands: stands, Approval: p.Approval.Memory, MayDelete: p.MayDelete(), Join: p.join(), NodeJoin: p.nodeJoin(p.Roles.Described()),
	}
	step.RunsWith = p.pending(guarded)
	step.Origin = p.origin(len(step.RunsWith) > 0)

	p.Outage = outagePlanner{drainer{p}}.plannedOutage(guarded)
	step.Outage, step.Forced = p.Outage.Announcement, p.Outage.Forced
	step.Drain = p.Drain.Memory

	if p.onTrial() {
		step.Drain = ReadDrain(p.vm)
	}

	if p.Outage.Waits() && p.Outage.Is(OutageMigration) || p.Turn.Holds(OutageMigration) {
		guarded = stay(guarded, made)
	}

	p.Held = held
	step.Parameters = guarded.VM
	step.Power = p.power(guarded.VM)
	p.Restarting = step.Power.Restarting

	// The outage has not begun: a VM that runs would count as back from it.
	if p.Availability.Holds {
		step.Outage.Begun, step.Outage.BootID = false, ""
	}

	p.Steps[p.Roles.Described()] = step
}

// stay leaves a VM that is to move where it is, for now. The move is not refused, so it is no change that is held back.
func stay(g change.Guarded, made proxmox.VMParameters) change.Guarded {
	g.VM.NodeName, g.VM.Migrate = made.NodeName, false

	return g
}

// movesLater are the refused changes without that of the node, where the claim moves the VM: it waits for its snippets there, and is not refused.
func movesLater(m *machine.Machine, held []change.Change) (rest []change.Change, moves *change.Change) {
	i := slices.IndexFunc(held, func(c change.Change) bool { return c.Field == nodeField })
	if i < 0 || !m.Placement.Migrate || m.Placement.Elsewhere {
		return held, nil
	}

	move := held[i]
	move.Effect = change.InPlace

	return slices.Delete(slices.Clone(held), i, i+1), &move
}

// otherProviderConfig is the change that another site would be: with another provider configuration the managed resource would
// stand for another VM, so a living VM keeps its own.
func (p *Plan) otherProviderConfig(d Description) []change.Change {
	has, wanted := p.vm.Spec.ProviderConfigRef, d.ProviderConfigRef
	if has == wanted {
		return nil
	}

	const which = "provider configuration "

	return []change.Change{{Field: "spec.proxmox.site", Has: which + has.Name, Wanted: which + wanted.Name, Effect: change.Refused}}
}
