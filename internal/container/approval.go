package container

import (
	"encoding/json"
	"slices"
	"strconv"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/change"
	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// approve is what an edit does to the container that lives, and whether somebody approved it, as [lifecycle.Approval] says it of a VM. all are the changes
// of the edit; the power of the plan is decided. A container that has not run yet waits for nobody: nothing depends on it.
func (p *Plan) approve(o proxmox.ObservedContainer, all []change.Change) lifecycle.Approval {
	memory := lifecycle.ReadApproval(o.Metadata.Metadata)

	switch {
	case !lifecycle.AsksApproval(&p.Container.Machine):
		return lifecycle.Approval{Memory: memory.Done()}
	case p.Power.FirstStart || proxmox.CreatingIn(o.Metadata.Metadata):
		return lifecycle.Approval{Consent: lifecycle.ConsentNotNeeded, Memory: memory.Done()}
	}

	target := p.target()
	a := lifecycle.Approval{Memory: memory, Changes: asPlanned(all, false)}
	parts := []string{"edit", Name, o.Metadata.ExternalName(), memory.Plan, target}

	if Replaces(p.Container, o, true) {
		a.Effects = []v1alpha1.PlanEffect{lifecycle.EffectReplace}
		parts = append(parts, p.Container.Lifecycle.Replace)
		parts = append(parts, p.Destroyed()...)
	} else {
		a.Memory.Refused = slices.DeleteFunc(slices.Clone(memory.Refused), func(h string) bool { return !slices.Contains(p.hashes(), h) })
		a.Closes = p.closes(o)
		a.Effects = p.effects(o, a, memory)
	}

	if len(a.Effects) == 0 {
		return lifecycle.Approval{Consent: lifecycle.ConsentNotNeeded, Memory: a.Memory.Done()}
	}

	for _, e := range a.Effects {
		parts = append(parts, string(e))
	}

	for _, c := range a.Changes {
		parts = append(parts, string(c.Effect), c.String())
	}

	a.Hash = lifecycle.Lettered(p.Container.Identity.Hash(append(parts, a.Closes...)...))
	a = a.Judge(target, p.Container.Lifecycle.Approve)

	if a.Consent == lifecycle.ConsentGiven && !a.Has(lifecycle.EffectReplace) {
		a.Memory.Refused = p.hashes()
	}

	return a
}

// effects of an edit that need approval; none where nothing does.
func (p *Plan) effects(o proxmox.ObservedContainer, a lifecycle.Approval, memory lifecycle.ApprovalMemory) []v1alpha1.PlanEffect {
	var out []v1alpha1.PlanEffect

	unknown := func(h string) bool { return !slices.Contains(memory.Refused, h) }

	switch runs := o.Status.AtProvider.Started; {
	case runs && p.Power.StoppedFor == stoppedForRestart:
		out = append(out, lifecycle.EffectReboot)
	case runs && !p.Power.Started:
		out = append(out, lifecycle.EffectStop)
	}

	if len(a.Closes) > 0 {
		out = append(out, lifecycle.EffectClose)
	}

	if slices.ContainsFunc(p.hashes(), unknown) {
		out = append(out, lifecycle.EffectRefuse)
	}

	if len(out) == 0 && p.MayUpdate && len(of(change.InPlace, a.Changes)) > 0 && p.Container.Lifecycle.Approval == v1alpha1.ApprovalAlways {
		out = append(out, lifecycle.EffectChange)
	}

	return out
}

// closes is what the edit of the firewall closes, in clauses.
func (p *Plan) closes(o proxmox.ObservedContainer) []string {
	if p.Container.Firewall != nil && p.Container.Keeps(machine.PartSite) {
		return nil
	}

	return firewallOf(*p, o).Closes
}

// hashes of the changes that the container cannot make.
func (p *Plan) hashes() []string {
	out := make([]string, 0, len(p.Refused))
	for _, c := range p.Refused {
		out = append(out, p.Container.Identity.Hash("refused", c.String()))
	}

	return out
}

// target is a hash of all that claim and catalogue want of the container.
func (p *Plan) target() string {
	content, err := json.Marshal(p.Described)
	if err != nil {
		return ""
	}

	return p.Container.Identity.Hash("target", lifecycle.TargetOf(&p.Container.Machine), string(content), strconv.FormatBool(bool(p.Deletion())))
}

// stand keeps the container as it was last written while an edit waits: no part of the edit takes effect. One that was stopped for a restart starts again.
func (p *Plan) stand(o proxmox.ObservedContainer, c comparison) {
	m := *p.Container
	m.Lifecycle.Reboot, m.Lifecycle.RebootPolicy = "", v1alpha1.RebootOnRequest

	switch {
	case m.Power == v1alpha1.PowerUnmanaged:
	case o.Spec.ForProvider.Started || o.Metadata.Annotations[proxmox.StoppedForAnnotation] != "":
		m.Power = v1alpha1.PowerRunning
	default:
		m.Power = v1alpha1.PowerStopped
	}

	asked := p.Container
	p.Container = &m
	p.Power = p.power(o)
	p.Container = asked

	known := lifecycle.ReadApproval(o.Metadata.Metadata).Refused
	p.Refused = slices.DeleteFunc(slices.Clone(p.Refused), func(r change.Change) bool {
		return !slices.Contains(known, asked.Identity.Hash("refused", r.String()))
	})
	p.Pending = nil

	p.Parameters = clone(c.has)
	p.Parameters.Started = p.Power.Started
	p.MayUpdate = p.Parameters.Started != c.has.Started
}
