package container

import (
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/change"
	"github.com/homelab-io/function-proxmox-machine/internal/container/replacement"
	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/status"
)

// replacementCondition is the condition on changes that the container cannot follow, and on the new one that can.
func replacementCondition(p Plan, errors []status.Finding) status.Condition {
	c := status.Condition{
		Type: status.TypeReplacementRequired, Status: metav1.ConditionFalse, Reason: status.ReasonNotRequired, Message: "The container can follow its claim.",
	}

	switch {
	case p.Replacement != nil:
		c.Status = metav1.ConditionTrue
		c.Reason, c.Message = p.Replacement.Condition(wordsOf(p, errors))
	case len(p.Refused) > 0:
		c.Status, c.Reason = metav1.ConditionTrue, status.ReasonImmutableFieldChanged
		c.Message = "The container cannot make these changes, and keeps its values: " + strings.Join(linesOf(p.Container, p.Refused), "; ") + ". " + wayOut(p)
	case len(keptOnes(p)) > 0:
		c.Message = strings.Join(keptOnes(p), " ")
	}

	return c
}

// keptOnes says of containers that were replaced why they are still there.
func keptOnes(p Plan) []string {
	var out []string

	for _, name := range p.Roles.Retired {
		if p.Departures[name] == replacement.Kept {
			out = append(out, leaver(&p, name).Permission.Kept(proxmox.VMIDOfContainer(p.Observed.Containers[name])))
		}
	}

	return out
}

// wayOut says how to end the disagreement.
func wayOut(p Plan) string {
	const other = "create another container from another claim, with another VMID, move the data, and delete this claim."

	at := p.Container.Placement.Reconnected
	reconnected := at != "" && slices.ContainsFunc(p.Refused, func(c change.Change) bool { return c.Field == at })

	if reconnected && len(p.Refused) == 1 {
		has := p.Observed.Containers[p.Guest].Spec.ProviderConfigRef

		return status.Connection{Guest: "container", Has: has.Name, Shared: p.Owner.Proxmoxes.Shared(has, p.Owner.ProviderConfigRef)}.WayOut()
	}

	nowhere := status.NoNode(p.Container.Placement.NoNode, p.Refused)
	if nowhere != "" && len(p.Refused) == 1 {
		return nowhere
	} else if nowhere != "" {
		nowhere = " " + nowhere
	}

	if p.Adopted {
		return "Take them back in the claim. Or " + other + nowhere
	}

	return "Take them back in the claim. Or set spec.lifecycle.replace to a new value: a new container with another VMID replaces this one, which " + wordsOf(p, nil).Clause() + ". Or " + other + nowhere
}

// wordsOf a replacement of the container that there is.
func wordsOf(p Plan, errors []status.Finding) replacement.Words {
	out := replacement.Words{Old: p.vmID(), Fate: replacement.Left, Destroyed: destroyed(&p)}

	if bool(p.Deletion()) {
		out.Fate = replacement.Destroyed
	}

	if p.Turn.Holds(lifecycle.OutageReplacement) {
		out.Wave = waveSentence(p)
	}

	if len(p.Faults) > 0 {
		out.Fault = p.Faults[0].Error()
	}

	if p.Next == nil {
		return out
	}

	out.New, out.Waiting = VMIDOf(p.Next.Container), p.Next.Waiting

	if a := p.Next.PoolAddress; a.Lacks() {
		out.Lacks = status.PoolExhausted(*a)
	}

	if s := p.Next.Shares; s != nil {
		out.Lacks = status.AddressInUse("The new container", *s)
	}

	if c := p.Next.Check; c != nil && c.Outcome.InUse() {
		out.InUse = (reporter{plan: *p.Next}).whoHas()
	}

	for _, f := range errors {
		if f.Name == p.Next.Guest {
			out.Error = f.Name
		}
	}

	return out
}

// acts are what the plan of an edit does to the container as a whole, in clauses.
func acts(p Plan) []string {
	old := "c" + strings.TrimPrefix(reporter{plan: p}.title(), "C")

	own := map[v1alpha1.PlanEffect]string{}
	if p.Approval.Has(lifecycle.EffectReplace) {
		own[lifecycle.EffectReplace] = "the provider stops " + old + ", and a new container replaces it; when that one runs, " + old + " " + wordsOf(p, nil).Clause()
	}

	return status.ActsOf(p.Approval, old, own)
}

// approvalConditions has the condition on approval, where the claim asks for approvals, or did.
func approvalConditions(t reporter, before v1alpha1.ContainerStatus) []status.Condition {
	return status.ApprovalConditions(t.plan.Approval, status.ApprovedGuest{
		Kind: kindContainer, Title: t.title(), Summary: strings.Join(acts(t.plan), "; "), Approve: t.plan.Container.Lifecycle.Approve, Before: before.Conditions,
	})
}

// planned is the plan of an edit, while it waits for approval or is carried out; nil where there is none.
func planned(p Plan) *v1alpha1.PlanStatus {
	a := p.Approval
	if a.Hash == "" {
		return nil
	}

	words := map[change.Effect]string{change.InPlace: "at once", change.Reboot: "at a restart", change.Refused: "refused"}
	if a.Has(lifecycle.EffectReplace) {
		words = map[change.Effect]string{change.InPlace: "in the new container", change.Reboot: "in the new container", change.Refused: "in the new container"}
	}

	out := acts(p)
	for _, c := range change.AsTyped(a.Changes, p.Container.Typed) {
		out = append(out, message.Text(c.String())+" ("+words[c.Effect]+")")
	}

	return &v1alpha1.PlanStatus{Hash: a.Hash, Effects: a.Effects, Changes: out}
}

// replacing is the new container in the status; nil where none is to replace another one.
func replacing(p Plan) *v1alpha1.ReplacementStatus {
	if !p.Replacement.Begun() || p.Next == nil {
		return nil
	}

	out := &v1alpha1.ReplacementStatus{Token: p.Replacement.Trigger, Node: p.Next.Container.Placement.Node}
	if id := VMIDOf(p.Next.Container); id != 0 {
		out.VMID = &id
	}

	return out
}

// left are the containers that were replaced and stayed in Proxmox.
func left(p Plan) []string {
	var out []string

	for _, l := range leftBy(p, p.Observed.Containers[p.Guest]) {
		if node, id, ok := strings.Cut(l, "/"); ok {
			out = append(out, "container "+id+" on node "+node)
		}
	}

	return out
}
