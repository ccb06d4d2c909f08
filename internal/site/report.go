package site

import (
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
	"github.com/homelab-io/function-proxmox-machine/internal/status"
)

// States of a part, as the status spells them.
const (
	stateChecking = "Checking"
	stateWaiting  = "Waiting"
	stateTaken    = "Taken"
	stateCreating = "Creating"
	statePresent  = "Present"
	stateKept     = "Kept"
)

// A Report is what is to be said of a site.
type Report struct {
	Status     v1alpha1.ProxmoxSiteStatus
	Conditions []status.Condition
	// Ready by composed resource name.
	Ready map[string]bool
}

// ReportOn says what there is to say of a site. spec is the claim's, as the person wrote it; before is what of it had arrived before.
func ReportOn(p Plan, r Rendering, spec map[string]any, before v1alpha1.AppliedSpec) Report {
	t := reporter{plan: p, errors: errorsOf(p)}
	out := Report{Ready: map[string]bool{}, Status: t.status()}

	for name := range r.Parts {
		out.Ready[name] = false
	}

	for name := range r.Looks {
		out.Ready[name] = false
	}

	for _, part := range p.Parts {
		_, rendered := r.Parts[part.Resource]
		out.Ready[part.Resource] = rendered && (t.present(part) || part.Removed)

		if !rendered {
			delete(out.Ready, part.Resource)
		}
	}

	// A look that goes on while its part exists is about a change that waits.
	for name := range p.Needs {
		out.Ready[name] = !slices.ContainsFunc(p.Parts, func(part Part) bool { return !part.Removed && !t.present(part) })
	}

	out.Status.AppliedSpec = t.applied(out.Ready, spec, before)
	out.Conditions = []status.Condition{t.spec(), t.ready(), t.interruption(), t.refusals(), t.provider()}

	return out
}

// A reporter says what there is to say of a site.
type reporter struct {
	plan   Plan
	errors []status.Finding
}

// present says whether a part is in Proxmox, and the claim's.
func (t reporter) present(part Part) bool {
	o := t.plan.Observed.SiteParts[part.Resource]

	return part.State == StateLiving && o.Status.AtProvider.ID != "" && !isGone(o)
}

// spec is the condition on the claim.
func (t reporter) spec() status.Condition {
	if t.plan.lacksEntry() {
		return status.KeptCondition("site", t.plan.Site.Kept, []string{heldSentence})
	}

	return status.Condition{Type: status.TypeSpecValid, Status: metav1.ConditionTrue, Reason: status.ReasonValid, Message: "The claim is valid."}
}

// title of a part, in messages.
func title(part Part) string {
	if part.Kind == machine.SitePool {
		return "pool " + message.Excerpt(part.Name)
	}

	return string(part.Kind) + " " + part.Node + "/" + message.Excerpt(part.Name)
}

// ready is the condition on the whole.
func (t reporter) ready() status.Condition {
	c := status.Condition{Type: TypeSiteReady, Status: metav1.ConditionFalse}

	var problems, waits []string

	taken, absent := false, false

	for _, part := range t.plan.Parts {
		absent = absent || !part.Removed && !t.present(part)

		switch {
		case part.Removed:
		case part.Problem != "" && !t.present(part):
			problems = append(problems, title(part)+": "+part.Problem)
			taken = taken || part.Look == LookTaken
		case part.Waits != "" && !t.present(part):
			waits = append(waits, title(part)+": "+part.Waits)
		}
	}

	switch {
	case taken:
		c.Reason, c.Message = ReasonNameTaken, strings.Join(problems, " ")
	case len(problems) > 0:
		c.Reason, c.Message = ReasonInterfaceUnfit, strings.Join(problems, " ")
	case absent && len(t.errors) > 0:
		c.Reason = ReasonProviderError
		c.Message = "The provider reports an error of " + t.errors[0].Name + ". Condition " + status.TypeProviderHealthy + " says what to do."
	case len(waits) > 0:
		c.Reason, c.Message = ReasonLooking, strings.Join(waits, " ")
	case absent:
		c.Reason, c.Message = ReasonCreating, "The provider is creating what is not there yet."
	default:
		c.Status, c.Reason, c.Message = metav1.ConditionTrue, ReasonAllPresent, "All interfaces and pools of the claim are in Proxmox."
	}

	return c
}

// interruption is the condition on changes that wait for the claim's word, and on what was removed and waits.
func (t reporter) interruption() status.Condition {
	c := status.Condition{
		Type: TypeInterruptionPending, Status: metav1.ConditionFalse, Reason: ReasonNothingPending,
		Message: "No change waits because it interrupts traffic.",
	}

	var waiting, kept []string

	for _, part := range t.plan.Parts {
		switch {
		case len(part.Interruptions) > 0 && part.Problem != "":
			waiting = append(waiting, fmt.Sprintf("%s cannot change (%s): %s", title(part), strings.Join(status.Lines(part.Interruptions), "; "), part.Problem))
		case part.isAllowed():
			waiting = append(waiting, fmt.Sprintf("%s: %s. It is allowed. %s", title(part), strings.Join(status.Lines(part.Interruptions), "; "), part.Waits))
		case len(part.Interruptions) > 0:
			waiting = append(waiting, fmt.Sprintf("%s: %s. To allow it, set its allowInterruption to \"%s\".", title(part), strings.Join(status.Lines(part.Interruptions), "; "), part.Hash))
		case part.Removed && part.Problem != "":
			kept = append(kept, title(part)+": "+part.Problem)
		}
	}

	if len(waiting)+len(kept) > 0 {
		c.Status, c.Reason = metav1.ConditionTrue, ReasonWaitingForWord
		c.Message = "These wait for a word of the claim, because they may cut the node or its VMs off. " + strings.Join(append(waiting, kept...), " ")
	}

	return c
}

// refusals is the condition on changes that an interface cannot follow.
func (t reporter) refusals() status.Condition {
	c := status.Condition{
		Type: status.TypeReplacementRequired, Status: metav1.ConditionFalse, Reason: status.ReasonNotRequired,
		Message: "All interfaces and pools can follow the claim.",
	}

	var refused []string
	for _, part := range t.plan.Parts {
		refused = append(refused, status.Lines(part.Refused)...)
	}

	if len(refused) > 0 {
		c.Status, c.Reason = metav1.ConditionTrue, status.ReasonImmutableFieldChanged
		c.Message = "The provider cannot make these changes, and the interfaces keep their values: " + strings.Join(refused, "; ") + ". Take them back in the claim, or make them in " +
			"Proxmox by hand."
	}

	return c
}

// status of the composite.
func (t reporter) status() v1alpha1.ProxmoxSiteStatus {
	out := v1alpha1.ProxmoxSiteStatus{Site: t.plan.Site.Name}
	all, there := 0, 0

	for _, part := range t.plan.Parts {
		if part.Action == ActionDrop && part.Removed {
			continue
		}

		s := v1alpha1.ProxmoxSitePartStatus{
			Name: part.Name, State: t.state(part), Reason: message.Text(reasonOf(part)),
			Interruptions: status.Lines(part.Interruptions), Refused: status.Lines(part.Refused),
		}

		if len(part.Interruptions) > 0 {
			s.Allow = part.Hash
		}

		if !part.Removed {
			all++
		}

		if !part.Removed && t.present(part) {
			there++
		}

		if part.Kind == machine.SitePool {
			out.Pools = append(out.Pools, s)
			continue
		}

		s.Name = part.Key()
		out.Interfaces = append(out.Interfaces, s)
	}

	out.Present = fmt.Sprintf("%d/%d", there, all)

	return out
}

func reasonOf(part Part) string {
	if part.Problem != "" {
		return part.Problem
	}

	return part.Waits
}

func (t reporter) state(part Part) string {
	switch {
	case part.Removed:
		return stateKept
	case t.present(part):
		return statePresent
	case part.Look == LookTaken:
		return stateTaken
	case part.Action == ActionLook && part.Look == LookUnknown:
		return stateChecking
	case part.Action == ActionLook:
		return stateWaiting
	}

	return stateCreating
}
