package lifecycle

import (
	"slices"

	"github.com/homelab-io/function-proxmox-machine/internal/change"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// follow decides about an existing VM: it follows its claim as far as the provider can change it in place.
func (p *Plan) follow(d Description) haHold {
	e := judge(&p.Situation, d)
	p.Machine, p.Decision = e.machine, e.decision
	p.Approval, p.Held, p.Moves = e.approval, e.held, e.moves

	s, name := &p.Situation, p.Roles.Described()
	step := Step{
		Action: ActionFollow, Stands: e.stands, Approval: e.approval.Memory, MayDelete: s.MayDelete(), Join: join(s), NodeJoin: nodeJoin(s, name),
	}
	p.Pending, step.RunsWith = pendingChanges(s, e.guarded)
	step.Origin = origin(s, len(step.RunsWith) > 0)

	p.MovesWhen = moveWhen(s.vm, p.Pending)
	if made := change.AsMade(s.vm); e.guarded.VM.NodeName != made.NodeName && p.MovesWhen != MoveNow {
		p.Moves = &change.Change{Field: nodeField, Has: made.NodeName, Wanted: e.guarded.VM.NodeName, Effect: change.InPlace}
		e.guarded = stay(e.guarded, made)
	}

	away := plannedOutage(s, e.guarded, p.Pending)
	p.Outage, p.Turn, p.Drain, p.Upgrade = away.outage, away.turn, away.drain, away.upgrade
	step.Outage, step.Forced = away.outage.Announcement, away.outage.Forced
	step.Drain = away.drain.Memory

	if s.Provisional() {
		step.Drain = ReadDrain(s.vm)
	}

	if away.outage.Waits() && away.outage.Is(OutageMigration) || away.turn.Holds(OutageMigration) {
		e.guarded = stay(e.guarded, change.AsMade(s.vm))
	}

	if away.outage.Waits() && away.outage.Is(OutageReconnection) {
		connected := change.StayConnected(e.guarded.VM, s.vm.Spec.ForProvider)
		p.Reconnects = change.Compare(connected, e.guarded.VM)
		e.guarded.VM = connected
	}

	var hold haHold

	step.Parameters = e.guarded.VM
	step.Power, hold = power(s, away, p.Pending, e.guarded.VM)
	p.Restarting = step.Power.Phase.Restarts()

	// A boot of its Proxmox node starts it no sooner than this call would.
	if step.Power.StoppedFor == StoppedForReplacement {
		step.Parameters.OnBoot = false
	}

	// The outage has not begun: a VM that runs would count as back from it.
	if hold == haHolds {
		step.Outage.Begun, step.Outage.BootID = false, ""
	}

	p.Steps[name] = step

	return hold
}

// MoveWhen is what a move to another node waits for.
type MoveWhen string

// What it waits for.
const (
	MoveNow           MoveWhen = ""          // At most the VM's snippets on that node.
	MoveWithoutDevice MoveWhen = "NoDevice"  // The power cycle that takes devices of its node from the VM.
	MoveWhenRestarted MoveWhen = "RunsAgain" // The end of the VM's restart.
)

// moveWhen says what a move waits for, of a VM that has not taken up some changes.
func moveWhen(vm proxmox.ObservedVM, pending []change.Change) MoveWhen {
	switch {
	case slices.ContainsFunc(pending, runsWithDevice):
		return MoveWithoutDevice
	case restarts(vm):
		return MoveWhenRestarted
	}

	return MoveNow
}

// runsWithDevice says whether a VM runs with devices of its node that its claim has otherwise since. Proxmox moves no VM that runs with one, and does all else
// that is asked with the move only after it: it would neither move nor restart.
func runsWithDevice(c change.Change) bool { return c.Has != "" && change.OfDevices(c) }

// restarts says whether a VM is stopped to be started again. It moves when it runs: with its disks, that takes longer than a restart. One that does not start
// where it is may do so elsewhere.
func restarts(vm proxmox.ObservedVM) bool {
	stopped := vm.Metadata.Annotations[proxmox.StoppedForAnnotation] == StoppedForRestart || vm.Metadata.Annotations[proxmox.StartingAgainAnnotation] != ""

	return stopped && !vm.WriteFailed()
}

// stay leaves a VM that is to move where it is, for now. The move is not refused, so it is no change that is held back.
func stay(g change.Guarded, made proxmox.VMParameters) change.Guarded {
	g.VM.NodeName, g.VM.Migrate = made.NodeName, false

	return g
}
