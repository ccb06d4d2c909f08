package lifecycle

import (
	"slices"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/change"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// A Description is the VM that the claim describes, as package render would make it today.
type Description struct {
	Parameters        proxmox.VMParameters
	ProviderConfigRef proxmox.ProviderConfigRef
	// Missing names what the VM is made from and what is not there yet: snippets and images by composed resource name, and
	// the Secret with its token; sorted.
	Missing []string
	// MayMigrate says that the claim moves the VM to another node, and that its snippets are there.
	MayMigrate bool
	// Native says whether the claim leaves the user-data to Proxmox.
	Native bool
	// AgentAtFirstBoot says whether a snippet of the first boot decides on the guest agent, and not the image.
	AgentAtFirstBoot bool
}

// circumstances of a change to the described VM.
func (p *Plan) circumstances(d Description) change.Circumstances {
	return change.Circumstances{
		Native:           d.Native,
		AgentAtFirstBoot: d.AgentAtFirstBoot,
		Adopted:          p.Adopted,
		FirmwareSaid:     p.Machine.Firmware != nil,
		// Where HA has moved the VM, it stays.
		NodeUnsaid:   p.Machine.Unsaid.Node || p.Machine.HA != nil,
		OnBootUnsaid: p.Machine.Unsaid.OnBoot,
		BackupUnsaid: p.Machine.Unsaid.Backup,
		SSDUnsaid:    p.Machine.Unsaid.SSD,
		Migrate:      d.MayMigrate,
		OtherProxmox: p.Machine.Placement.Elsewhere && len(p.otherProviderConfig(d)) > 0,
	}
}

// create decides about a VM that does not exist yet. It is created once everything that it is made from is there, the VM that it
// replaces has made way, and the provider, asked once more after all of that, has found no VM with its VMID. Until then its
// VMID is checked, and a VM that could not be created stays as it is.
func (p *Plan) create(d Description) {
	name := p.Roles.Described()
	p.Waiting = d.Missing

	if p.PoolAddress.Lacks() {
		p.withoutAddress()
		return
	}

	p.Check = p.checkVMID()

	if p.Check == nil && p.State == StateChecking && !proxmox.Reserves(p.vm) {
		// Proxmox is to choose the VMID now. The provider remembers the VM that it saw last, and would take that one: its
		// managed resource goes, which leaves the VM alone, and the next call makes another managed resource. A Usage that keeps it goes first.
		if _, unknown := p.Steps[name]; !unknown {
			p.Steps[name] = Step{Action: ActionRelease}
		}

		if p.HAUses[name] || p.Objects.Uses[name] {
			p.Steps[name] = Step{Action: ActionKeep}
		}

		return
	}

	p.Namesake = hasNamesake(&p.Situation)
	ready := len(p.Waiting) == 0 && p.PoolAddress.Settled() && p.candidateMayBeMade() && !p.Namesake
	free := p.Check == nil || p.Check.Outcome == OutcomeFree && p.Check.Asked

	switch {
	case ready && free:
		// What an earlier check saw stays in the managed resource until the provider sees this VM.
		seen := p.Check != nil && p.vm.Status.AtProvider.ID != ""
		p.Steps[name] = Step{
			Action: ActionCreate, MayDelete: p.MayDelete(), SeenInCheck: seen, Join: p.join(), Forced: p.forcedAtBirth(), Drain: drainer{p}.drainAtBirth(),
		}
	case p.Check != nil:
		// The first question is the last one where nothing is missing. A question that was put stays: to take it back is to ask anew.
		ask := p.Check.Outcome == OutcomeFree || p.Check.Asked || p.State != StateChecking
		p.Steps[name] = p.checkStep(d, p.VMID.VMID, ready && ask)

		if p.Steps[name].Ask && p.Check.confirms(p.vm) {
			p.Check.Outcome = OutcomeConfirming
		}
	case p.State == StateFailed:
		p.Steps[name] = Step{Action: ActionKeep, MayDelete: p.MayDelete()}
	case p.PoolAddress != nil && p.PoolAddress.Claimed == nil:
		p.Steps[name] = Step{Action: ActionReserve, MayDelete: p.MayDelete()}
	default:
		p.Steps[name] = Step{Action: ActionWait}
	}
}

// retire notes the step of a retired VM. A VM that stays in Proxmox is stopped before it is released.
func (p *Plan) retire(name string, step Step) {
	p.Steps[name] = step

	if step.Action == ActionRetire && step.Stop {
		p.Replacement = &Replacement{
			Trigger: last(p.Roles.Triggers), Stage: StageRetiring, Old: name, New: p.Roles.Active, Stopped: true,
		}
	}
}

// replace decides about the active VM while another one is to replace it. It stays as it is: its claim describes the
// candidate now.
func (p *Plan) replace() {
	r := &Replacement{Trigger: p.Roles.Trigger, Old: p.Roles.Active, New: p.Roles.Candidate}

	switch {
	case p.Roles.Trigger == "":
		return
	case !p.Replacing():
		r.Stage, r.Blocker = StageBlocked, p.Decision.Blocker
		p.Replacement = r

		return
	}

	lost := p.Lost(p.Roles.Active)
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

	if r.Stage == StageMaking && p.proven() && p.awaitsNode() {
		r.Stage = StageJoining
	}

	stops := !RunsSideBySide(p.Machine) && (r.Stage == StageMaking || r.Stage == StageJoining || p.prepared())

	switch drains := (drainer{p}).drainsFirst(stops && !lost); {
	case drains:
		r.Stage = StageDraining
	case stops && !p.haLetsStop(p.Roles.Active):
		p.Availability.Holds = true
	case stops:
		r.Stopped, step.Stop = true, true

		if r.Stage == StagePreparing {
			r.Stage = StageStopping
		}
	}

	step.Drain = p.Drain.Memory
	p.Approval = p.replacementApproval()
	step.Approval = p.Approval.Memory
	p.Steps[p.Roles.Active] = step
	p.Replacement = r

	// What the active VM could not follow, the candidate has.
	p.Held, p.Pending = nil, nil
}

// prepared says whether a candidate waits for nothing but the active VM.
func (p *Plan) prepared() bool {
	return p.State != StateLiving && p.Decision.Permission != PermissionAwaited && len(p.Waiting) == 0 && p.PoolAddress.Settled() &&
		(p.Check == nil || p.Check.Outcome == OutcomeFree || p.Check.Outcome == OutcomeConfirming || p.Check.Outcome == OutcomeChecking && p.Check.Asked)
}

// candidateMayBeMade says whether the candidate can be made beside the active VM: the two can run side by side, or the active VM is stopped, or
// lost.
func (p *Plan) candidateMayBeMade() bool {
	if !p.Replacing() || RunsSideBySide(p.Machine) {
		return true
	}

	if p.Decision.Permission == PermissionAwaited {
		return false
	}

	return p.isOff(p.Roles.Active) && p.haLetsStop(p.Roles.Active) && !departure{p}.inTheWay()
}
