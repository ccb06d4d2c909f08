package lifecycle

import (
	"cmp"
	"slices"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// create decides about a VM that does not exist yet. It is created once everything that it is made from is there, the VM that it
// replaces has made way, and the provider, asked once more after all of that, has found no VM with its VMID. Until then its
// VMID is checked, and a VM that could not be created stays as it is.
func (p *Plan) create(d Description) {
	s, name := &p.Situation, p.Roles.Described()
	p.Waiting = d.Missing

	if p.PoolAddress.Lacks() {
		p.Steps[name] = withoutAddress(p.State, p.MayDelete())
		return
	}

	question := vmidQuestionOf(&s.Request, s.vm, s.State)
	p.Check = question.checkVMID()

	if p.Check == nil && p.State == StateChecking && !proxmox.Reserves(p.vm) {
		forgetChecked(p, name)
		return
	}

	p.Namesake, p.ServerBehind = hasNamesake(s), serverBehind(s)
	ready := len(p.Waiting) == 0 && p.PoolAddress.Settled() && candidateMayBeMade(s) && !p.Namesake && !hindered(p)
	free := p.Check == nil || p.Check.Outcome == OutcomeFree && p.Check.Asked

	switch {
	case ready && free && !reservesFirst(&p.Situation):
		p.Steps[name] = Step{
			Action: ActionCreate, MayDelete: p.MayDelete(), SeenInCheck: seenInCheck(p), Join: join(s), Forced: forcedAtBirth(p.Machine), Drain: drainAtBirth(p.Machine),
			SearchedFrom: question.passedContainers(),
		}
	case p.Check != nil:
		// The first question is the last one where nothing is missing. A question that was put stays: to take it back is to ask anew.
		ask := p.Check.Outcome == OutcomeFree || p.Check.Asked || p.State != StateChecking
		p.Steps[name] = question.checkStep(d.Parameters.NodeName, cmp.Or(p.VMID.VMID, p.Check.VMID), ready && ask)

		if p.Steps[name].Ask && p.Check.confirms(p.vm) {
			p.Check.Outcome = OutcomeConfirming
		}
	case p.State == StateFailed:
		p.Steps[name] = Step{Action: ActionKeep, MayDelete: p.MayDelete()}
	case p.PoolAddress != nil && p.PoolAddress.Claimed == nil, p.Machine.Placement.Reserves == machine.ReservesSize:
		p.Steps[name] = Step{Action: ActionReserve, MayDelete: p.MayDelete()}
	default:
		p.Steps[name] = Step{Action: ActionWait}
	}
}

// seenInCheck is what an earlier check saw: it stays in the managed resource until the provider sees this VM, also where a creation that failed is tried again.
func seenInCheck(p *Plan) string {
	switch {
	case p.Check != nil && p.vm.Status.AtProvider.ID != "":
		return proxmox.SeenInCheck(p.vm.Status.AtProvider)
	case p.vm.ObserveOnly():
		return ""
	default:
		return p.vm.Metadata.Annotations[proxmox.SeenInCheckAnnotation]
	}
}

// reservesFirst says whether a VM has to be seen by others before it is created. Calls of one moment do not see what the others are answered: two machines
// that wait for nothing would both get the last room of a quota, or one address.
func reservesFirst(s *Situation) bool {
	return s.Machine.Placement.Reserves == machine.ReservesSize && s.State == StateAbsent
}

// forgetChecked has Proxmox choose the VMID from now on. The provider remembers the VM that it saw last, and would take that one: its managed resource goes,
// which leaves the VM alone, and the next call makes another managed resource. A Usage that keeps it goes first.
func forgetChecked(p *Plan, name string) {
	if _, unknown := p.Steps[name]; !unknown {
		p.Steps[name] = Step{Action: ActionRelease}
	}

	if p.HAUses[name] || p.Objects.Uses[name] {
		p.Steps[name] = Step{Action: ActionKeep}
	}
}

// retiring is the replacement that ends with the step of a retired VM; nil where it is over. A VM that stays in Proxmox is stopped before it is
// released.
func retiring(r Roles, name string, step Step) *Replacement {
	if step.Action != ActionRetire || !step.Stop {
		return nil
	}

	return &Replacement{Trigger: last(r.Triggers), Stage: StageRetiring, Old: name, New: r.Active, Stopped: true}
}

// replace decides about the active VM while another one is to replace it. It stays as it is: its claim describes the
// candidate now.
func (p *Plan) replace() haHold {
	r := &Replacement{Trigger: p.Roles.Trigger, Old: p.Roles.Active, New: p.Roles.Candidate}

	switch {
	case p.Roles.Trigger == "":
		return haFree
	case !p.Replacing():
		r.Stage, r.Blocker = StageBlocked, p.Decision.Blocker
		p.Replacement = r

		return haFree
	}

	s, lost := &p.Situation, p.Lost(p.Roles.Active)
	step := Step{Action: ActionReplaced, NodeRemoved: p.NodeRemoved}
	// Nothing can be destroyed on a node that does not come back, and what waits for that never goes.
	step.MayDelete = proxmox.Deletion(p.Machine.DeletionPolicy == v1alpha1.DeletionDelete && !lost)
	r.Stage = StagePreparing

	if p.Decision.Announces() {
		step.Announce = p.Roles.Trigger
	}

	if slices.Contains([]Action{ActionCreate, ActionFollow, ActionKeep}, p.Steps[p.Roles.Candidate].Action) {
		r.Stage = StageMaking
	}

	if r.Stage == StageMaking && proven(s) && awaitsNode(s) {
		r.Stage = StageJoining
	}

	stops := !RunsSideBySide(p.Machine) && (r.Stage == StageMaking || r.Stage == StageJoining || p.prepared())

	hold := haFree
	drain, drains := drainer{s}.drainsFirst(stops && !lost)

	switch {
	case drains:
		r.Stage = StageDraining
	case stops && !knownOfHA(&p.Request).letsStop(p.Roles.Active):
		hold = haHolds
	case stops:
		r.Stopped, step.Stop = true, true

		if r.Stage == StagePreparing {
			r.Stage = StageStopping
		}
	}

	p.Drain = drain
	step.Drain = drain.Memory
	p.Approval = replacementApproval(s)
	step.Approval = p.Approval.Memory
	p.Steps[p.Roles.Active] = step
	p.Replacement = r

	// What the active VM could not follow, the candidate has.
	p.Held, p.Pending = nil, nil

	return hold
}

// hindered says whether something beside the machine keeps its VM from being made: another one that has its address, or a server that is to be upgraded first.
func hindered(p *Plan) bool { return p.Shares != nil || p.ServerBehind != nil }

// prepared says whether a candidate waits for nothing but the active VM.
func (p *Plan) prepared() bool {
	return p.State != StateLiving && p.Decision.Permission != PermissionAwaited && len(p.Waiting) == 0 && p.PoolAddress.Settled() && !hindered(p) &&
		(p.Check == nil || p.Check.Outcome == OutcomeFree || p.Check.Outcome == OutcomeConfirming || p.Check.Outcome == OutcomeChecking && p.Check.Asked)
}

// candidateMayBeMade says whether the candidate can be made beside the active VM: the two can run side by side, or the active VM is stopped, or
// lost.
func candidateMayBeMade(s *Situation) bool {
	if !s.Replacing() || RunsSideBySide(s.Machine) {
		return true
	}

	if s.Decision.Permission == PermissionAwaited {
		return false
	}

	return isOff(&s.Request, s.Roles.Active) && s.rival() == "" && knownOfHA(&s.Request).letsStop(s.Roles.Active) && !departure{s}.inTheWay()
}
