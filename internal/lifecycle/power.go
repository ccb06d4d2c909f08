package lifecycle

import (
	"encoding/json"
	"reflect"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/change"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// A Power is what becomes of a living VM's power with this call.
type Power struct {
	// Started says whether the VM is to run.
	Started bool
	// Restarting says that the VM is stopped or started now because a power cycle was asked for.
	Restarting bool
	// StoppedFor names what the VM is stopped for, to be started again; empty where it is not.
	StoppedFor string
	// StartsAgain says that the VM was stopped by us and is to start, and has not been seen to run since, where its power is nobody's business else:
	// of an old provider nobody can tell whether it has tried, so the order stands until the VM runs.
	StartsAgain bool
	// RebootingFor is the value of spec.lifecycle.reboot for which the VM is stopped; empty where there is none.
	RebootingFor string
	// AwaitsRestart is the boot of the VM that a person has to end, since Crossplane runs on it; empty where nobody waits for that.
	AwaitsRestart string
	// Followed are the values of spec.lifecycle.reboot that the VM has followed.
	Followed []string
	// FirstStart says that the VM was created, is to run, and has not been seen to run yet.
	FirstStart bool
	// Unmanaged says that the provider may change nothing, so that it does not start a VM that somebody stopped.
	Unmanaged bool
}

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
func (p *Plan) power(wanted proxmox.VMParameters) Power {
	var out Power

	followed, trigger := ReadTriggers(p.vm, proxmox.RebootTriggersAnnotation), p.Machine.Lifecycle.Reboot
	rebootingFor, startsAgain := p.vm.Metadata.Annotations[proxmox.RebootingForAnnotation], p.vm.Metadata.Annotations[proxmox.StartingAgainAnnotation] != ""
	waits := p.Outage.Waits() || p.Turn.Holds(OutageReboot, OutagePowerCycle)
	asksReboot := asks(trigger, followed) && !restartedByHand(&p.Situation)
	asked := !waits && (asksReboot || p.Machine.Lifecycle.RebootPolicy == v1alpha1.RebootWhenNeeded && len(p.Pending) > 0)
	known, mark := powerKnown(p.vm), p.vm.Metadata.Annotations[proxmox.StoppedForAnnotation]
	stopped := known && !p.vm.Status.AtProvider.Started

	switch {
	case p.unstarted():
		// It was created stopped, and starts as a new VM does.
		out.Started = wanted.Started || !p.Promoted
		out.FirstStart = out.Started
	case !known:
		out.Started, out.StoppedFor, out.Restarting = p.vm.Spec.ForProvider.Started, mark, mark == StoppedForRestart
		out.RebootingFor, out.StartsAgain = rebootingFor, startsAgain
	case p.Outage.Waits() && p.Outage.Is(OutageStop):
		// A K3s server that its cluster needs runs on.
		out.Started = true
	case p.Machine.Power == v1alpha1.PowerStopped && p.Promoted:
	case p.Machine.Power == v1alpha1.PowerStopped:
		// A candidate boots once, and follows its claim's power when it has proven itself.
		out.Started = true
	case asked && !stopped:
		out.Restarting, out.StoppedFor = true, StoppedForRestart

		if asksReboot {
			out.RebootingFor = trigger
		}
	case mark != "":
		// We stopped it, for a restart or a replacement. Its own power is not asked: it ran before.
		out.Started, out.Restarting = true, stopped
		out.StartsAgain = stopped && p.Machine.Power == v1alpha1.PowerUnmanaged
	case startsAgain && stopped:
		out.Started, out.StartsAgain = true, true
	default:
		out.Started = startedUnlessSaid(p.Machine.Power, p.lastPower())
	}

	out.Followed = followed
	if stopped || restartedByHand(&p.Situation) {
		out.Followed = with(with(followed, rebootingFor), trigger)
	}

	out.AwaitsRestart = awaitsRestart(p)

	availabilityPlanner{p}.await(&out)
	out.Unmanaged = p.unmanaged(out, wanted)

	return out
}

// unstarted says whether the VM was created, and has not run yet.
func (p *Plan) unstarted() bool {
	first := proxmox.CreationOf(p.vm) == proxmox.CreationOurs || p.vm.Metadata.Annotations[proxmox.FirstStartAnnotation] != ""

	return first && !(powerKnown(p.vm) && p.vm.Status.AtProvider.Started)
}

// lastPower is whether the VM runs, where the claim leaves that to people. While the provider still carries out what was
// last written, that counts: what it reports may be older.
func (p *Plan) lastPower() bool {
	if !powerKnown(p.vm) || proxmox.MayUpdate(p.vm.Spec.ManagementPolicies) && !p.vm.Resting() {
		return p.vm.Spec.ForProvider.Started
	}

	return p.vm.Status.AtProvider.Started
}

// unmanaged says whether the provider loses its right to change a VM, since there is nothing to change. It looks at a VM every
// few minutes, and would start a VM that somebody stopped in the very same turn, before anybody else could see it stopped.
func (p *Plan) unmanaged(power Power, want proxmox.VMParameters) bool {
	if p.Machine.Power != v1alpha1.PowerUnmanaged || power.Restarting || power.FirstStart || power.StartsAgain {
		return false
	}

	has := p.vm.Spec.ForProvider
	has.Started, want.Started = power.Started, power.Started

	settled := !proxmox.MayUpdate(p.vm.Spec.ManagementPolicies) || p.vm.Resting() && p.vm.Status.AtProvider.Started == want.Started

	return settled && reflect.DeepEqual(has, want)
}

// pending finds out which changes the VM applies at its next power cycle, and returns what it runs with until then, by field:
// Proxmox shows only what the VM will have. A VM that does not run has nothing pending, and neither has a VM that the provider
// created again, of what the VM before it waited for.
func (p *Plan) pending(g change.Guarded) map[string]string {
	if powerKnown(p.vm) && !p.vm.Status.AtProvider.Started {
		return nil
	}

	p.Pending = p.outstanding(g)
	if len(p.Pending) == 0 {
		return nil
	}

	runsWith := make(map[string]string, len(p.Pending))
	for _, c := range p.Pending {
		runsWith[c.Field] = c.Has
	}

	return runsWith
}

// outstanding are the changes that a VM which runs has to take up at a power cycle.
func (p *Plan) outstanding(g change.Guarded) []change.Change {
	has := map[string]string{}

	if !p.anotherVM() && !restartedByHand(&p.Situation) {
		// An annotation that somebody broke is as good as none.
		_ = json.Unmarshal([]byte(p.vm.Metadata.Annotations[proxmox.RebootPendingAnnotation]), &has)
	}

	for _, c := range g.Changes {
		if _, waiting := has[c.Field]; c.Effect == change.Reboot && !waiting {
			has[c.Field] = c.Has
		}
	}

	return change.Outstanding(has, g.VM)
}
