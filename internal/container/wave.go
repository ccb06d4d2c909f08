package container

import (
	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/change"
	"github.com/homelab-io/function-proxmox-machine/internal/container/replacement"
	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// waveFacts are the facts of the container, for its wave. One that is to replace another one waits for nobody: the group waits for the old one.
func waveFacts(p *Plan, o proxmox.ObservedContainer) lifecycle.WaveFacts {
	if p.Container.Rollout == nil || p.Beside != 0 {
		return lifecycle.WaveFacts{}
	}

	out := lifecycle.WaveFacts{Place: p.Container.Rollout, Group: p.Rollout}

	switch {
	case p.State != StateLiving:
	case isAway(p, o), p.Rollout.Before == v1alpha1.WaveBegun && !isBack(o):
		out.Presence = lifecycle.WaveAbsent
	}

	return out
}

// isAway says whether a container that lives is away for a restart or a replacement that has begun. A replacement begins with its announcement.
func isAway(p *Plan, o proxmox.ObservedContainer) bool {
	announced := o.Metadata.Annotations[proxmox.ReplacingAnnotation]
	next := readiness(p.Next)

	switch o.Metadata.Annotations[proxmox.StoppedForAnnotation] {
	case "":
	case startedAgain:
		return !o.Status.AtProvider.Started
	default:
		return true
	}

	return p.Roles.Trigger != "" && (announced == p.Roles.Trigger || next == replacement.Begun || next == replacement.Runs)
}

// isBack says whether the provider has done everything, and the container runs or is stopped as it was written.
func isBack(o proxmox.ObservedContainer) bool {
	return o.Resting() && !isGone(o) && o.Spec.ForProvider.Started == o.Status.AtProvider.Started
}

// takeTurn says which outages of the container may begin with this call, as far as other waves go. The restart and the approval are decided as if it were in
// no group: what is not approved does not wait for other waves yet.
func takeTurn(p *Plan, o proxmox.ObservedContainer) lifecycle.Turn {
	facts := waveFacts(p, o)
	if facts.Place == nil || p.Approval.Waits() {
		return lifecycle.Turn{}
	}

	var wanted []lifecycle.Outage

	// While an approved replacement is blocked, no other part of the edit takes effect.
	if o.Status.AtProvider.Started && p.Power.StoppedFor == stoppedForRestart && !p.Approval.Has(lifecycle.EffectReplace) {
		wanted = append(wanted, lifecycle.OutageReboot)
	}

	if p.Roles.Trigger != "" && hindrance(p, o) == replacement.HinderedByNothing {
		wanted = append(wanted, lifecycle.OutageReplacement)
	}

	_, turn := facts.Take(wanted)

	return turn
}

// holdRestart of a container that waits for other waves: what takes effect without a restart does, and the rest waits for it.
func holdRestart(p *Plan, o proxmox.ObservedContainer, c comparison) {
	m := *p.Container
	m.Lifecycle.Reboot, m.Lifecycle.RebootPolicy = "", v1alpha1.RebootOnRequest

	asked := p.Container
	p.Container = &m
	p.Power = p.power(o)
	p.Container = asked

	p.Parameters = c.with(change.InPlace)
	p.Parameters.Started = p.Power.Started
	p.MayUpdate = !sameParameters(p.Parameters, o)
}

// settle the turn, after everything else is decided.
func settle(p *Plan, o proxmox.ObservedContainer) lifecycle.Turn {
	facts := waveFacts(p, o)
	if facts.Place == nil {
		return p.Turn
	}

	out := lifecycle.WaveOutcome{Turn: p.Turn, Lacks: lacks(p, o)}
	if p.Power.Phase.Restarts() || p.Replacement.Begun() {
		out.Progress = lifecycle.WaveBegins
	}

	return facts.Settle(out)
}

// lacks is what keeps the container from being finished. A change that is refused does not: nobody carries it out.
func lacks(p *Plan, o proxmox.ObservedContainer) lifecycle.WaveLack {
	switch {
	case p.State != StateLiving || p.Action != ActionFollow:
		return lifecycle.WaveLacksVM
	case p.Firewall.Stage.OnItsWay(), p.Roles.Trigger != "", p.Approval.Waits(), p.Approval.Consent == lifecycle.ConsentGiven, len(p.Pending) > 0:
		return lifecycle.WaveLacksChange
	case p.MayUpdate, !isBack(o), p.Power.Started != o.Status.AtProvider.Started:
		return lifecycle.WaveLacksVM
	}

	return lifecycle.WaveLacksNothing
}
