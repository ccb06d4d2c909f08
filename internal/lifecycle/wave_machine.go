package lifecycle

import (
	"cmp"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/change"
	"github.com/homelab-io/function-proxmox-machine/internal/guestreport"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// An outcome is what this call has decided, as far as the state depends on it that the other machines of the group see.
type outcome struct {
	turn         Turn // As far as it was decided with the outages.
	outage       PlannedOutage
	drain        Drain
	upgrade      UpgradeState
	approval     Approval
	step         Step            // Of the active VM.
	pending      []change.Change // See [Plan].
	restarting   bool
	firewall     FirewallStage
	availability HAStage
}

// A waver makes the facts of a machine that is in a group.
type waver struct{ s *Situation }

// facts of the machine, for its wave.
func (w waver) facts() WaveFacts {
	if w.s.Machine == nil || w.s.Machine.Rollout == nil {
		return WaveFacts{}
	}

	out := WaveFacts{Place: w.s.Machine.Rollout, Group: w.s.Rollout}
	if w.away() || w.notBack() {
		out.Presence = WaveAbsent
	}

	return out
}

// away says whether the active VM is away for an outage that has begun.
func (w waver) away() bool {
	return w.s.Replacing() || isAway(w.s.Observed.VMs[w.s.Roles.Active])
}

// GoesOn says whether a replacement belongs to an outage that has begun: the VM that it replaces is away, or not back. What is asked of such a VM may be what
// repairs it, while the other waves wait for it.
func GoesOn(before v1alpha1.WaveState, active proxmox.ObservedVM) bool {
	return isAway(active) || before == v1alpha1.WaveBegun && !isBack(active)
}

// isAway says whether a VM is away for an outage that has begun, as far as its managed resource says it, or is about to be and cannot go back.
func isAway(vm proxmox.ObservedVM) bool {
	has := announcementOf(vm)

	return has.Begun && has.Outage.isHeldByWaves() ||
		isDraining(vm) && vm.Metadata.Annotations[proxmox.ReplacingAnnotation] != ""
}

// settle the turn, after everything else is decided.
func (w waver) settle(o outcome) Turn {
	facts := w.facts()
	if facts.Place == nil {
		return o.turn
	}

	out := WaveOutcome{Turn: o.turn, Progress: o.progress(), Lacks: w.lacks(o), BootID: w.bootBefore(o.restarting)}
	if w.s.Roles.Trigger != "" {
		out.Blocker = w.s.Decision.Blocker
	}

	return facts.Settle(out)
}

// progress of the machine's outages with this call.
func (o outcome) progress() WaveProgress {
	granted := o.turn.Decision.Permission == PermissionGranted
	if o.restarting || granted && (!o.outage.Waits() || o.outage.Drains && o.drain.Memory.State == DrainRunning) {
		return WaveBegins
	}

	return WaveStands
}

// notBack says whether the VM is not back from what was begun in an earlier call. The Node of an agent, or of the only server, stays Ready for some time
// after its VM has stopped, as that of a server does: its new boot ID says that it is back.
func (w waver) notBack() bool {
	from := announcementOf(w.s.vm)
	from.BootID = cmp.Or(from.BootID, w.s.Rollout.BootID)

	return w.s.Rollout.Before == v1alpha1.WaveBegun && w.s.State == StateLiving && !back(w.s, from)
}

// bootBefore is the boot ID that the VM's Node had when the restart began that has begun with this call, or with an earlier one.
func (w waver) bootBefore(restarting bool) string {
	switch {
	case restarting && w.s.vm.Metadata.Annotations[proxmox.StoppedForAnnotation] == "":
		return bootID(w.s, OutageReboot)
	case w.s.Rollout.Before == v1alpha1.WaveBegun:
		return lastBoot(w.s, w.s.Rollout.BootID)
	}

	return ""
}

// lacks is what keeps the machine from being finished. A change that is refused does not: nobody carries it out. It is asked for the VM that is
// described and active in one, which follows its claim where it lives.
func (w waver) lacks(o outcome) WaveLack {
	// The step has the VM's power apart.
	has, wanted := w.s.vm.Spec.ForProvider, o.step.Parameters
	has.Started, wanted.Started = false, false

	switch changes := change.Compare(has, wanted); {
	case w.s.State != StateLiving:
		return WaveLacksVM
	case o.firewall.OnItsWay(), o.availability.OnItsWay(), w.s.Roles.Trigger != "", o.approval.Waits(), o.approval.Consent == ConsentGiven, len(o.pending) > 0, o.outage.Waits(),
		o.upgrade != UpgradeNone, o.drain.Wanted, ReadDrain(w.s.vm).State != DrainNone, o.step.Join.Awaited != "":
		return WaveLacksChange
	case len(changes) > 0, o.step.Power.Started != w.s.vm.Status.AtProvider.Started, !back(w.s, announcementOf(w.s.vm)):
		return WaveLacksVM
	case !o.step.Power.Started:
		return WaveLacksNothing
	case !w.joined():
		return WaveLacksNode
	case !w.converged():
		return WaveLacksConvergence
	}

	return WaveLacksNothing
}

// joined says whether a K3s node is in its cluster, as far as anybody reads that.
func (w waver) joined() bool {
	if w.s.Machine.K3s == nil {
		return true
	}

	if w.s.Node.Name != "" {
		return serves(w.s, w.s.Roles.Active)
	}

	says := K3sReport(w.s.vm).State

	return says == guestreport.K3sUnknown || says == guestreport.K3sJoined
}

// converged says whether a NixOS machine that reports it has converged since it booted.
func (w waver) converged() bool {
	if w.s.Machine.Nix == nil || w.s.Machine.Silent || w.s.Machine.Boot.OS != machine.OSNixOS {
		return true
	}

	says := NixReport(w.s.vm).State

	return says == guestreport.NixApplied || says == guestreport.NixRebootPending
}
