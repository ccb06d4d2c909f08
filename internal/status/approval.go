package status

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/change"
	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
)

// An approvalReport is about an edit that waits until somebody approves what it does to the VM.
type approvalReport struct {
	machine *machine.Machine
	plan    *lifecycle.Plan
	vm      *activeVM
	before  *v1alpha1.Status
}

// conditions has the condition on approval, where the claim asks for approvals, or did.
func (a *approvalReport) conditions() []Condition {
	return ApprovalConditions(a.plan.Approval, ApprovedGuest{
		Kind: "VM", Title: a.vm.title(), Summary: a.summary(), Approve: a.machine.Lifecycle.Approve, Before: a.before.Conditions,
	})
}

// An ApprovedGuest is the VM or the container of an edit that may have to be approved.
type ApprovedGuest struct {
	// Kind and Title of it, in messages: VM, and VM 161.
	Kind, Title string
	// Summary is what the plan does, in a clause.
	Summary string
	// Approve is the claim's spec.lifecycle.approve.
	Approve string
	// Before are the conditions of the composite's status as it is now.
	Before []metav1.Condition
}

// ApprovalConditions has the condition on approval, where the claim asks for approvals, or did.
func ApprovalConditions(approval lifecycle.Approval, g ApprovedGuest) []Condition {
	c := Condition{Type: TypeApproved, Status: metav1.ConditionTrue}

	switch approve := g.Approve; approval.Consent {
	case lifecycle.ConsentNever:
		if meta.FindStatusCondition(g.Before, TypeApproved) == nil {
			return nil
		}

		c.Reason, c.Message = ReasonNothingToApprove, "Nothing waits for approval: spec.lifecycle.approval is Never."
	case lifecycle.ConsentNotNeeded:
		c.Reason, c.Message = ReasonNothingToApprove, "Nothing waits for approval."
		if approve != "" && approve != approval.Memory.Plan {
			c.Message += " spec.lifecycle.approve names no plan that waits, and does nothing."
		}
	case lifecycle.ConsentGiven:
		c.Reason = ReasonPlanApproved
		c.Message = fmt.Sprintf("Plan %s is approved and not finished: %s.", approval.Hash, g.Summary)
	case lifecycle.ConsentAwaited:
		c.Status, c.Reason, c.Message = metav1.ConditionFalse, ReasonWaitingForApproval, g.request(approval)
	case lifecycle.ConsentOtherPlan:
		c.Status, c.Reason = metav1.ConditionFalse, ReasonOtherPlan
		c.Message = "spec.lifecycle.approve does not name the current plan, for instance because the claim, the catalogue or the " + g.Kind + " changed. " + g.request(approval)
	}

	return []Condition{c}
}

// request says what waits, and how to approve it.
func (g ApprovedGuest) request(a lifecycle.Approval) string {
	out := fmt.Sprintf("An edit waits for approval, and %s keeps what it has: %s. status.plan lists the changes. To approve this plan, set "+
		"spec.lifecycle.approve to \"%s\". To drop it, undo the edit.", g.Title, g.Summary, a.Hash)

	if g.Approve != "" && g.Approve == a.Memory.Plan {
		out += " Its value now is that of an earlier plan, and approves nothing more."
	}

	return out
}

// summary is what a plan does, in a clause.
func (a *approvalReport) summary() string {
	return strings.Join(acts(a.plan, a.machine, a.vm.shortTitle()), "; ")
}

// acts are what a plan does to a VM as a whole, in clauses.
func acts(plan *lifecycle.Plan, m *machine.Machine, vm string) []string {
	return ActsOf(plan.Approval, vm, map[v1alpha1.PlanEffect]string{
		lifecycle.EffectMove:    "Proxmox moves " + vm + " to node " + m.Placement.Node,
		lifecycle.EffectReplace: "a new VM replaces " + vm + ", which then " + fate(m),
	})
}

// ActsOf are what the effects of an approval do to a VM or a container as a whole, in clauses. own are those of effects which are the kind's own.
func ActsOf(a lifecycle.Approval, guest string, own map[v1alpha1.PlanEffect]string) []string {
	var out []string

	for _, e := range a.Effects {
		switch e {
		case lifecycle.EffectReboot:
			out = append(out, "the provider stops "+guest+" and starts it again")
		case lifecycle.EffectStop:
			out = append(out, "the provider stops "+guest)
		case lifecycle.EffectMove, lifecycle.EffectReplace:
			if text := own[e]; text != "" {
				out = append(out, text)
			}
		case lifecycle.EffectClose:
			out = append(out, "the firewall of "+guest+" drops what reaches the guest now: "+strings.Join(a.Closes, ", "))
		case lifecycle.EffectRefuse:
			out = append(out, guest+" cannot make some of the changes, and keeps its own values")
		case lifecycle.EffectChange:
			out = append(out, guest+" changes while it runs")
		}
	}

	return out
}

// PlanSentences are what a plan that waits for approval does, in sentences without a full stop.
func PlanSentences(plan *lifecycle.Plan, vm string) []string {
	out := acts(plan, plan.Machine, vm)
	words := map[change.Effect]string{change.InPlace: "at once", change.Reboot: "at a power cycle", change.Refused: "refused"}

	if plan.Approval.Has(lifecycle.EffectReplace) {
		words = map[change.Effect]string{change.InPlace: "in the new VM", change.Reboot: "in the new VM", change.Refused: "in the new VM"}
	}

	for _, c := range change.AsTyped(plan.Approval.Changes, plan.Machine.Typed) {
		out = append(out, message.Text(c.String())+" ("+words[c.Effect]+")")
	}

	return out
}

// status is the plan, while it waits or is carried out.
func (a *approvalReport) status() *v1alpha1.PlanStatus {
	approval := a.plan.Approval
	if approval.Hash == "" {
		return nil
	}

	return &v1alpha1.PlanStatus{Hash: approval.Hash, Effects: approval.Effects, Changes: PlanSentences(a.plan, a.vm.shortTitle())}
}

// asBefore repeats of the spec what the VM has, while an edit of it waits.
func (a *approvalReport) asBefore(out *v1alpha1.Status, before *v1alpha1.Status) {
	if !a.plan.Stands() {
		return
	}

	out.Class, out.Image, out.Hostname, out.Power, out.K3sVersion = before.Class, before.Image, before.Hostname, before.Power, before.K3sVersion
	out.Size, out.NixFileSystems = before.Size, before.NixFileSystems
}
