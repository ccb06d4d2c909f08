package container

import (
	"encoding/json"
	"slices"
	"strconv"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/change"
	"github.com/homelab-io/function-proxmox-machine/internal/container/replacement"
	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// notesField, as a change calls the notes of a claim, is of no consequence for what runs: an edit of it needs no approval, and does not change a plan.
const notesField = "description"

// An approver decides whether the edit of a container that lives has to be approved, and is.
type approver struct {
	plan *Plan
	o    proxmox.ObservedContainer
}

// approve is what an edit does to the container that lives, and whether somebody approved it, as [lifecycle.Approval] says it of a VM. all are the changes
// of the edit; the power of the plan is decided. A container that has not run yet waits for nobody: nothing depends on it.
func (a approver) approve(all []change.Change) lifecycle.Approval {
	p, memory := a.plan, lifecycle.ReadApproval(a.o.Metadata.Metadata)

	switch {
	case !lifecycle.AsksApproval(&p.Container.Machine):
		return lifecycle.Approval{Memory: memory.Done()}
	case p.Beside != 0, p.Power.Phase == PowerFirstStart, proxmox.CreatingIn(a.o.Metadata.Metadata):
		return lifecycle.Approval{Consent: lifecycle.ConsentNotNeeded, Memory: memory.Done()}
	}

	out := lifecycle.Approval{Memory: memory, Changes: asPlanned(all, false)}
	parts := []string{"edit", p.Guest, a.o.Metadata.ExternalName(), memory.Plan, a.target()}
	begun := readiness(p.Next)

	switch {
	case p.Roles.Trigger != "" && (begun == replacement.Begun || begun == replacement.Runs):
		return a.begun(out)
	// A replacement that would not begin is not put to approval: that of the claim which lifts the hindrance is.
	case p.Roles.Trigger != "" && (memory.Target != "" || !hindrance(p, a.o).IsOfClaim()):
		out.Effects = []v1alpha1.PlanEffect{lifecycle.EffectReplace}
		parts = append(append(parts, p.Roles.Trigger), destroyed(p)...)
	default:
		out.Memory.Refused = slices.DeleteFunc(slices.Clone(memory.Refused), func(h string) bool { return !slices.Contains(a.hashes(), h) })
		out.Closes = a.closes()
		out.Effects = a.effects(out, memory)
	}

	if len(out.Effects) == 0 {
		return lifecycle.Approval{Consent: lifecycle.ConsentNotNeeded, Memory: out.Memory.Done()}
	}

	for _, e := range out.Effects {
		parts = append(parts, string(e))
	}

	for _, c := range ofConsequence(out.Changes) {
		parts = append(parts, string(c.Effect), c.Recorded())
	}

	out.Hash = lifecycle.Lettered(p.Container.Identity.Hash(append(parts, out.Closes...)...))
	out = out.Judge(a.target(), p.Container.Lifecycle.Approve)

	if out.Consent == lifecycle.ConsentGiven && !out.Has(lifecycle.EffectReplace) {
		out.Memory.Refused = a.hashes()
	}

	return out
}

// begun is the approval of a replacement whose new container is made: it ends as it was approved, whatever the claim says since of the new one.
func (a approver) begun(out lifecycle.Approval) lifecycle.Approval {
	if out.Memory.Target == "" {
		return lifecycle.Approval{Consent: lifecycle.ConsentNotNeeded, Memory: out.Memory}
	}

	out.Consent, out.Hash, out.Effects = lifecycle.ConsentGiven, out.Memory.Plan, []v1alpha1.PlanEffect{lifecycle.EffectReplace}

	return out
}

// ofConsequence are the changes that may have to be approved.
func ofConsequence(all []change.Change) []change.Change {
	return slices.DeleteFunc(slices.Clone(all), func(c change.Change) bool { return c.Field == notesField })
}

// effects of an edit that need approval; none where nothing does.
func (a approver) effects(is lifecycle.Approval, memory lifecycle.ApprovalMemory) []v1alpha1.PlanEffect {
	p := a.plan

	var out []v1alpha1.PlanEffect

	unknown := func(h string) bool { return !slices.Contains(memory.Refused, h) }

	switch runs := a.o.Status.AtProvider.Started; {
	case runs && p.Power.StoppedFor == stoppedForRestart:
		out = append(out, lifecycle.EffectReboot)
	case runs && !p.Power.Started:
		out = append(out, lifecycle.EffectStop)
	}

	if len(is.Closes) > 0 {
		out = append(out, lifecycle.EffectClose)
	}

	// What it cannot make, the new container has, whose replacement is blocked as yet.
	if p.Roles.Trigger == "" && slices.ContainsFunc(a.hashes(), unknown) {
		out = append(out, lifecycle.EffectRefuse)
	}

	if len(out) == 0 && p.MayUpdate && len(of(change.InPlace, ofConsequence(is.Changes))) > 0 && p.Container.Lifecycle.Approval == v1alpha1.ApprovalAlways {
		out = append(out, lifecycle.EffectChange)
	}

	return out
}

// closes is what the edit of the firewall closes, in clauses.
func (a approver) closes() []string {
	if p := a.plan; p.Container.Firewall != nil && p.Container.Keeps(machine.PartSite, machine.PartFirewall) {
		return nil
	}

	return firewallOf(*a.plan, a.o).Closes
}

// hashes of the changes that the container cannot make.
func (a approver) hashes() []string {
	out := make([]string, 0, len(a.plan.Refused))
	for _, c := range a.plan.Refused {
		out = append(out, a.plan.Container.Identity.Hash("refused", c.Recorded()))
	}

	return out
}

// target is a hash of all that claim and catalogue want of the container, but for its notes.
func (a approver) target() string {
	m, described := a.plan.Container.Machine, a.plan.Described
	m.Notes, described.Description = "", ""

	content, err := json.Marshal(described)
	if err != nil {
		return ""
	}

	return m.Identity.Hash("target", lifecycle.TargetOf(&m), string(content), strconv.FormatBool(bool(a.plan.Deletion())))
}
