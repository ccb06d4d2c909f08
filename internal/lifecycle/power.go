package lifecycle

import (
	"encoding/json"
	"reflect"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/change"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/succession"
)

// A Power is what becomes of a living VM's power with this call.
type Power struct {
	// Started says whether the VM is to run.
	Started bool
	Phase   PowerPhase
	// StoppedFor names what the VM is stopped for, to be started again; empty where it is not.
	StoppedFor string
	// RebootingFor is the value of spec.lifecycle.reboot for which the VM is stopped; empty where there is none.
	RebootingFor string
	// AwaitsRestart is the boot of the VM that a person has to end, since Crossplane runs on it.
	AwaitsRestart AwaitedRestart
	// Followed are the values of spec.lifecycle.reboot that the VM has followed.
	Followed []string
}

// A PowerPhase is what is under way with a VM's power.
type PowerPhase string

// The phases.
const (
	PowerAsItIs PowerPhase = ""
	// PowerFirstStart: the VM was created, is to run, and has not been seen to run yet.
	PowerFirstStart PowerPhase = "FirstStart"
	// PowerRestarts: the VM is stopped or started now because a power cycle was asked for.
	PowerRestarts PowerPhase = "Restarts"
	// PowerRestartsUnmanaged: the VM is started now after a power cycle, and its power is nobody's business else.
	PowerRestartsUnmanaged PowerPhase = "RestartsUnmanaged"
	// PowerStartsAgain: such a VM was to start with an earlier call, and has not been seen to run since. Of an old provider nobody can tell whether it has
	// tried, so the order stands until the VM runs.
	PowerStartsAgain PowerPhase = "StartsAgain"
	// PowerReleased: the provider may change nothing, so that it does not start a VM that somebody stopped.
	PowerReleased PowerPhase = "Released"
)

// Restarts says whether the VM is stopped or started now because a power cycle was asked for.
func (p PowerPhase) Restarts() bool { return p == PowerRestarts || p == PowerRestartsUnmanaged }

// StartsAgain says whether the order to start stands until the VM runs.
func (p PowerPhase) StartsAgain() bool { return p == PowerRestartsUnmanaged || p == PowerStartsAgain }

// What a VM is stopped for, as [proxmox.StoppedForAnnotation] says it.
const (
	StoppedForRestart     = "restart"
	StoppedForReplacement = "replacement"
)

// StartedAtBirth says whether the described VM is to run when it is created. A candidate always is: its claim's power counts
// once it has proven itself, since the VM that it replaces may be destroyed then.
func StartedAtBirth(s Situation) bool {
	return s.Replacing() || startedUnlessSaid(s.Machine.Power, true)
}

// startedUnlessSaid says whether a VM is to run, where nobody restarts it. has is whether it runs now, or was started last.
func startedUnlessSaid(p v1alpha1.Power, has bool) bool {
	switch p {
	case v1alpha1.PowerStopped:
		return false
	case v1alpha1.PowerUnmanaged:
		return has
	case v1alpha1.PowerRunning:
	}

	return true
}

// power decides whether a living VM runs, and restarts it where that was asked for. A restart is a stop and a start:
// Proxmox applies pending changes when a VM starts, and a reboot from within would not do. The trigger counts as followed
// once the VM is seen stopped, so that neither a restart of this function nor a slow shutdown repeats it. While nobody knows
// whether the VM runs, everything stays as it was written: to start it would forget what it was stopped for. The trigger for which
// it is stopped is remembered, since an edit that waits for approval hides the claim's.
func power(s *Situation, away absence, pending []change.Change, wanted proxmox.VMParameters) (Power, haHold) {
	var out Power

	followed, trigger := ReadTriggers(s.vm, proxmox.RebootTriggersAnnotation), s.Machine.Lifecycle.Reboot
	rebootingFor, startsAgain := s.vm.Metadata.Annotations[proxmox.RebootingForAnnotation], s.vm.Metadata.Annotations[proxmox.StartingAgainAnnotation] != ""
	waits := away.outage.Waits() || away.turn.Holds(OutageReboot, OutagePowerCycle)
	asksReboot := asksForReboot(s, pending)
	asked := !waits && (asksReboot || s.Machine.Lifecycle.RebootPolicy == v1alpha1.RebootWhenNeeded && len(pending) > 0)
	known, mark := powerKnown(s.vm), s.vm.Metadata.Annotations[proxmox.StoppedForAnnotation]
	stopped := known && !s.vm.Status.AtProvider.Started

	switch {
	case unstarted(s):
		out = firstStart(s, wanted.Started || s.Provisional(), mark)
	case !known:
		out = asWritten(s, mark, startsAgain)
		out.RebootingFor = rebootingFor
	case away.outage.Waits() && away.outage.Is(OutageStop):
		// A K3s server that its cluster needs runs on.
		out.Started = true
	case s.Machine.Power == v1alpha1.PowerStopped && !s.Provisional():
	case s.Machine.Power == v1alpha1.PowerStopped:
		// A candidate boots once, and follows its claim's power when it has proven itself.
		out.Started = true
	case asked && !stopped:
		out.Phase, out.StoppedFor = PowerRestarts, StoppedForRestart

		if asksReboot {
			out.RebootingFor = trigger
		}
	case mark != "":
		out = out.again(s, mark, stopped)
	case startsAgain && stopped:
		out.Started, out.Phase = true, PowerStartsAgain
	default:
		out.Started = startedUnlessSaid(s.Machine.Power, lastPower(s))
	}

	out.Followed = followed
	if stopped || restartedByHand(s) || isNeedless(s, pending) {
		out.Followed = succession.With(succession.With(followed, rebootingFor), trigger)
	}

	out.AwaitsRestart = awaitsRestart(s, away.outage.Decision)

	out, hold := awaitHA(s, out)
	if unmanaged(s, out, wanted) {
		out.Phase = PowerReleased
	}

	return out, hold
}

// TurnWord begins the values that a K3sCluster gives to the triggers of its nodes.
const TurnWord = "turn-"

// asksForReboot says whether the claim asks for a restart that was not made yet.
func asksForReboot(s *Situation, pending []change.Change) bool {
	return succession.Asks(s.Machine.Lifecycle.Reboot, ReadTriggers(s.vm, proxmox.RebootTriggersAnnotation)) && !restartedByHand(s) && !isNeedless(s, pending)
}

// isNeedless says whether a restart that has not begun is that of a turn of a K3sCluster, and the edit that needed it was taken back: the VM runs as it is
// written. What a person asks for is never needless.
func isNeedless(s *Situation, pending []change.Change) bool {
	a := s.vm.Metadata.Annotations
	says := announcementOf(s.vm)
	begun := says.Begun && says.Outage != OutageStart || a[proxmox.RebootingForAnnotation] != "" || a[proxmox.StoppedForAnnotation] != ""

	return strings.HasPrefix(s.Machine.Lifecycle.Reboot, TurnWord) && len(pending) == 0 && powerKnown(s.vm) && !begun
}

// asWritten is the power of a VM of which nobody knows whether it runs.
func asWritten(s *Situation, mark string, startsAgain bool) Power {
	out := Power{Started: s.vm.Spec.ForProvider.Started, StoppedFor: mark}

	switch {
	case mark == StoppedForRestart:
		out.Phase = PowerRestarts
	case startsAgain:
		out.Phase = PowerStartsAgain
	}

	return out
}

// firstStart of a VM that was created stopped: it starts as a new VM does, unless the VM that was to replace it, before it ever ran, is still to go.
func firstStart(s *Situation, wanted bool, mark string) Power {
	if wanted && waitsForRival(s, mark) {
		return Power{StoppedFor: mark, Phase: PowerFirstStart}
	}

	if !wanted {
		return Power{}
	}

	return Power{Started: true, Phase: PowerFirstStart}
}

// waitsForRival says whether a VM was stopped for one that was to replace it, and that may still run.
func waitsForRival(s *Situation, mark string) bool {
	return mark == StoppedForReplacement && s.rival() != ""
}

// again is the power of a VM that we stopped, for a restart or a replacement. Its own power is not asked: it ran before. Where a replacement was taken back,
// the VM that was to replace it goes first.
func (p Power) again(s *Situation, mark string, stopped bool) Power {
	if waitsForRival(s, mark) {
		p.StoppedFor = mark
		return p
	}

	p.Started = true

	switch {
	case stopped && s.Machine.Power == v1alpha1.PowerUnmanaged:
		p.Phase = PowerRestartsUnmanaged
	case stopped:
		p.Phase = PowerRestarts
	}

	return p
}

// unstarted says whether the VM was created, and has not run yet.
func unstarted(s *Situation) bool {
	first := proxmox.CreationOf(s.vm) == proxmox.CreationOurs || s.vm.Metadata.Annotations[proxmox.FirstStartAnnotation] != ""

	return first && !(powerKnown(s.vm) && s.vm.Status.AtProvider.Started)
}

// lastPower is whether the VM runs, where the claim leaves that to people. While the provider still carries out what was
// last written, that counts: what it reports may be older.
func lastPower(s *Situation) bool {
	if !powerKnown(s.vm) || proxmox.MayUpdate(s.vm.Spec.ManagementPolicies) && !s.vm.Resting() {
		return s.vm.Spec.ForProvider.Started
	}

	return s.vm.Status.AtProvider.Started
}

// unmanaged says whether the provider loses its right to change a VM, since there is nothing to change. It looks at a VM every
// few minutes, and would start a VM that somebody stopped in the very same turn, before anybody else could see it stopped.
func unmanaged(s *Situation, power Power, want proxmox.VMParameters) bool {
	if s.Machine.Power != v1alpha1.PowerUnmanaged || power.Phase != PowerAsItIs {
		return false
	}

	has := s.vm.Spec.ForProvider
	has.Started, want.Started = power.Started, power.Started

	settled := !proxmox.MayUpdate(s.vm.Spec.ManagementPolicies) || s.vm.Resting() && s.vm.Status.AtProvider.Started == want.Started

	return settled && reflect.DeepEqual(has, want)
}

// mayStart says whether a VM that was seen stopped may run by now, with what was written before: its start is ordered, and the provider has not
// looked since, or is about it. What an edit changes then, the guest may have started without.
func mayStart(vm proxmox.ObservedVM) bool {
	return vm.Spec.ForProvider.Started && proxmox.MayUpdate(vm.Spec.ManagementPolicies) && (!vm.Fresh(proxmox.ConditionSynced) || vm.Working())
}

// pendingChanges are the changes that the VM applies at its next power cycle, and what it runs with until then, by field:
// Proxmox shows only what the VM will have. A VM that does not run has nothing pending, and neither has a VM that the provider
// created again, of what the VM before it waited for.
func pendingChanges(s *Situation, g change.Guarded) (changes []change.Change, runsWith map[string]string) {
	if powerKnown(s.vm) && !s.vm.Status.AtProvider.Started && !mayStart(s.vm) {
		return nil, nil
	}

	changes = outstanding(s, g)
	if len(changes) == 0 {
		return nil, nil
	}

	runsWith = make(map[string]string, len(changes))
	for _, c := range changes {
		runsWith[c.Field] = c.Has
	}

	return changes, runsWith
}

// outstanding are the changes that a VM which runs has to take up at a power cycle.
func outstanding(s *Situation, g change.Guarded) []change.Change {
	has := map[string]string{}

	if !anotherVM(s.vm) && !restartedByHand(s) {
		// An annotation that somebody broke is as good as none.
		_ = json.Unmarshal([]byte(s.vm.Metadata.Annotations[proxmox.RebootPendingAnnotation]), &has)
	}

	for _, c := range g.Changes {
		if _, waiting := has[c.Field]; c.Effect == change.Reboot && !waiting {
			has[c.Field] = c.Has
		}
	}

	return change.Outstanding(has, g.VM)
}
