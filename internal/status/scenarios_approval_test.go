package status

import (
	"testing"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/change"
	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
)

// toApprove is dns01 with a plan, after it was settled without one.
func toApprove(t *testing.T, consent lifecycle.Consent) Input {
	t.Helper()

	in := settled(t)
	in.Machine.Lifecycle.Approval = v1alpha1.ApprovalOnRisk
	in.Plan.Machine = in.Machine
	in.Plan.Approval = lifecycle.Approval{Consent: lifecycle.ConsentNotNeeded}
	in.Previous = after(Machine(in))

	if consent == lifecycle.ConsentNotNeeded {
		return in
	}

	in.Plan.Approval = lifecycle.Approval{
		Consent: consent, Hash: "d19a0c71d2", Effects: []v1alpha1.PlanEffect{lifecycle.EffectReboot, lifecycle.EffectMove, lifecycle.EffectRefuse},
		Changes: []change.Change{
			{Field: "spec.size.cores", Has: "2", Wanted: "4", Effect: change.Reboot},
			{Field: "spec.proxmox.node", Has: "pve", Wanted: "pve2", Effect: change.InPlace},
			{Field: "spec.size.disk", Has: "60Gi", Wanted: "30Gi", Effect: change.Refused},
		},
	}

	if consent == lifecycle.ConsentAwaited || consent == lifecycle.ConsentOtherPlan {
		step := in.Plan.Steps[lifecycle.FirstVM]
		step.Stands = true
		in.Plan.Steps = map[string]lifecycle.Step{lifecycle.FirstVM: step}
	}

	in.Machine.Placement.Node = "pve2"

	return in
}

// approvals are the moments of an edit that waits for approval.
func approvals() map[string]scenario {
	const (
		acts = "the provider stops VM 153 and starts it again; Proxmox moves VM 153 to node pve2; VM 153 cannot make some of the changes, and keeps its own values"
		asks = "An edit waits for approval, and VM 153 on node pve keeps what it has: " + acts + ". status.plan lists the changes. To approve this plan, set " +
			`spec.lifecycle.approve to "d19a0c71d2". To drop it, undo the edit.`
		other = "spec.lifecycle.approve does not name the current plan, for instance because the claim, the catalogue or the VM changed. " + asks
	)

	planned := func(s *v1alpha1.Status) {
		s.Plan = &v1alpha1.PlanStatus{Hash: "d19a0c71d2", Effects: []v1alpha1.PlanEffect{"Reboot", "Move", "Refuse"}, Changes: []string{
			"the provider stops VM 153 and starts it again", "Proxmox moves VM 153 to node pve2", "VM 153 cannot make some of the changes, and keeps its own values",
			"spec.size.cores: 2 to 4 (at a power cycle)", "spec.proxmox.node: pve to pve2 (at once)", "spec.size.disk: 60 GiB to 30 GiB (refused)",
		}}
	}
	of := func(reason string, in func(t *testing.T) Input, edit func(*v1alpha1.Status), c Condition, events ...Event) scenario {
		return scenario{reason: reason, in: in, want: Output{
			Status: made(edit), Ready: readiness(true, true, true), Conditions: conditions(c), Events: events,
		}}
	}
	with := func(c lifecycle.Consent) func(t *testing.T) Input {
		return func(t *testing.T) Input { t.Helper(); return toApprove(t, c) }
	}

	return map[string]scenario{
		"ApprovalNotNeeded": of("Nothing waits.", with(lifecycle.ConsentNotNeeded), func(*v1alpha1.Status) {},
			Condition{"Approved", "True", "NothingToApprove", "Nothing waits for approval."}),
		"ApprovalOfNoPlan": of("An approval that approves nothing is told of.", func(t *testing.T) Input {
			t.Helper()

			in := toApprove(t, lifecycle.ConsentNotNeeded)
			in.Machine.Lifecycle.Approve = "d19a0c71d2"

			return in
		}, func(*v1alpha1.Status) {}, Condition{
			"Approved", "True", "NothingToApprove", "Nothing waits for approval. spec.lifecycle.approve names no plan that waits, and does nothing.",
		}),
		"ApprovalAwaited": of("The plan, and what to write.", with(lifecycle.ConsentAwaited), planned,
			Condition{"Approved", "False", "WaitingForApproval", asks}, Event{Reason: "WaitingForApproval", Message: asks}),
		"ApprovalOtherPlan": of("Another plan is approved.", with(lifecycle.ConsentOtherPlan), planned,
			Condition{"Approved", "False", "OtherPlan", other}, Event{Warning: true, Reason: "OtherPlan", Message: other}),
		"ApprovalGiven": of("The plan is carried out.", with(lifecycle.ConsentGiven), planned,
			Condition{"Approved", "True", "PlanApproved", "Plan d19a0c71d2 is approved and not finished: " + acts + "."}),
		"ApprovalNeverAgain": of("The claim does not ask any more: the condition does not stay as it was.", func(t *testing.T) Input {
			t.Helper()

			in := toApprove(t, lifecycle.ConsentAwaited)
			in.Previous = after(Machine(in))
			in.Plan.Approval, in.Plan.Steps, in.Machine.Placement.Node = lifecycle.Approval{}, settled(t).Plan.Steps, "pve"

			return in
		}, func(*v1alpha1.Status) {}, Condition{"Approved", "True", "NothingToApprove", "Nothing waits for approval: spec.lifecycle.approval is Never."}),
	}
}
