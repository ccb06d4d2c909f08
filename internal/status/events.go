package status

import (
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
)

// transitions are what happened to a machine between two calls.
type transitions struct {
	machine    *machine.Machine
	plan       *lifecycle.Plan
	vm         *activeVM
	recreation *recreationReport
	before     *v1alpha1.Status
	now        Output
}

// events are the transitions that matter from the status as it was to the one after it.
func (t *transitions) events() []Event {
	before, now := t.before, t.now

	out := t.replacement()
	out = append(out, t.life()...)
	out = append(out, t.asking()...)
	out = append(out, WarningEvents(t.machine.Warnings, t.before.Conditions)...)
	out = append(out, t.node()...)
	out = append(out, t.drain()...)
	out = append(out, t.zone()...)

	c := now.condition(TypeProviderHealthy)

	known := previousReason(before, c.Type)
	if was := meta.FindStatusCondition(before.Conditions, c.Type); was != nil && was.Reason == ReasonWaitingForProvider {
		known = was.Reason
	}

	switch {
	case c.Status == metav1.ConditionFalse && known != c.Reason:
		out = append(out, Event{Warning: true, Reason: c.Reason, Message: c.Message})
	case c.Status == metav1.ConditionTrue && known != "" && known != c.Reason:
		out = append(out, Event{Reason: EventProviderRecovered, Message: c.Message})
	}

	return out
}

// life tells of a VM that came to be, became ready, or restarts.
func (t *transitions) life() []Event {
	before, now := t.before, t.now

	var out []Event

	switch {
	case before.VMID != nil || now.Status.VMID == nil:
	case t.plan.Adopted:
		out = append(out, Event{Reason: EventVMAdopted, Message: "The claim adopted " + t.vm.title() + "."})
	default:
		out = append(out, Event{Reason: EventVMCreated, Message: "The provider created the VM."})
	}

	if t.recreation.news(before) {
		out = append(out, Event{Warning: true, Reason: ReasonRecreated, Message: t.recreation.message()})
	}

	if c := now.condition(TypeMachineReady); c.Status == metav1.ConditionTrue && becameReady(before) {
		out = append(out, Event{Reason: EventBecameReady, Message: c.Message})
	}

	if c := now.condition(TypeRebootPending); c.Reason == ReasonRebooting && previousReason(before, c.Type) != c.Reason {
		out = append(out, Event{Reason: c.Reason, Message: c.Message})
	}

	return out
}

// replacement tells of a new VM that is to take the machine's place, and of what became of that.
func (t *transitions) replacement() []Event {
	before, now := t.before, t.now

	var out []Event

	was, is := before.Replacement, now.Status.Replacement
	from, to := before.VMID, now.Status.VMID
	replaced := from != nil && to != nil && *from != *to

	if is != nil && (was == nil || was.Token != is.Token) {
		out = append(out, Event{Reason: ReasonReplacing, Message: now.condition(TypeReplacementRequired).Message})
	}

	if replaced {
		out = append(out, Event{Reason: EventReplaced, Message: fmt.Sprintf("%s replaced VM %d, which %s.", t.vm.title(), *from, fate(t.machine))})
	}

	if was != nil && is == nil && !replaced && to != nil && (was.VMID == nil || *was.VMID != *to) {
		out = append(out, Event{Reason: EventReplacementTakenBack, Message: t.vm.title() + " stays the active VM; the provider removes the new VM."})
	}

	return out
}

// asking tells of what somebody has to decide or to put right.
func (t *transitions) asking() []Event {
	before, now := t.before, t.now

	var out []Event

	news := func(c Condition) bool { return previousReason(before, c.Type) != c.Reason }

	if c := now.condition(TypeSpecValid); c.Reason == ReasonCatalogueEntryMissing && news(c) {
		out = append(out, Event{Warning: true, Reason: c.Reason, Message: c.Message})
	}

	if c := now.condition(TypeMachineReady); isAdoptionNews(c.Reason) && news(c) {
		out = append(out, Event{Warning: c.Reason != ReasonWaitingForApproval, Reason: c.Reason, Message: c.Message})
	}

	// A plan that changes while it waits is another question.
	if c := now.condition(TypeApproved); c.Status == metav1.ConditionFalse && (news(c) || before.Plan == nil || before.Plan.Hash != now.Status.Plan.Hash) {
		out = append(out, Event{Warning: c.Reason == ReasonOtherPlan, Reason: c.Reason, Message: c.Message})
	}

	if c := now.condition(TypeRolloutFinished); c.Reason == ReasonWaitingForWave {
		out = append(out, t.waiting(c)...)
	}

	if c := now.condition(TypeVMIDInUse); c.Status == metav1.ConditionTrue && news(c) {
		trying := t.plan.Check != nil && t.plan.Check.Next != 0
		out = append(out, Event{Warning: !trying, Reason: c.Type, Message: c.Message})
	}

	if c := now.condition(TypeSpreadBroken); c.Status == metav1.ConditionTrue && news(c) {
		out = append(out, Event{Warning: true, Reason: c.Type, Message: c.Message})
	}

	if c := now.condition(TypeConverged); c.Reason == ReasonRolledBack && news(c) {
		out = append(out, Event{Warning: true, Reason: c.Reason, Message: c.Message})
	}

	switch c := now.condition(TypeReplacementRequired); {
	case !news(c):
	case c.Reason == ReasonReplacementBlocked:
		out = append(out, Event{Warning: true, Reason: c.Reason, Message: c.Message})
	case c.Reason == ReasonImmutableFieldChanged:
		out = append(out, Event{Warning: true, Reason: c.Type, Message: c.Message})
	}

	return append(out, pendingEvents(t, news)...)
}

// pendingEvents tell of what the machine waits with for somebody: a power cycle, and new bootstrap data.
func pendingEvents(t *transitions, news func(Condition) bool) []Event {
	before, now := t.before, t.now

	var out []Event

	if c := now.condition(TypeRebootPending); c.Reason == ReasonChangesPending && len(before.PendingReboot) == 0 {
		out = append(out, Event{Warning: true, Reason: c.Type, Message: c.Message})
	}

	// A server that only waits for its announcement to be seen is no news.
	if t.plan.Outage.Decision.Permission == lifecycle.PermissionRefused && !waitedForQuorum(before) {
		out = append(out, Event{Warning: true, Reason: outageReason(t.plan), Message: t.vm.title() + " waits. " + waitsForQuorum(t.plan)})
	}

	if c := now.condition(TypeBootstrapCurrent); c.Status == metav1.ConditionFalse && news(c) {
		out = append(out, Event{Warning: true, Reason: c.Reason, Message: c.Message})
	}

	return out
}

// waiting tells once of a machine that waits for other machines of its group.
func (t *transitions) waiting(c Condition) []Event {
	if previousReason(t.before, c.Type) == c.Reason {
		return nil
	}

	return []Event{{Reason: c.Reason, Message: c.Message}}
}

// isAdoptionNews says whether a reason of [TypeMachineReady] asks a person about a VM that is to be taken over.
func isAdoptionNews(reason string) bool {
	switch reason {
	case ReasonWaitingForApproval, ReasonAdoptionPlanChanged, ReasonAdoptionTargetMissing, ReasonAdoptionTargetSilent, ReasonAdoptionTargetUnfit:
		return true
	}

	return false
}

// becameReady says whether a machine that is ready was not so before. Coming back from an error of the provider does not
// count where the VM was there: that has an event of its own. Where a run that failed blotted the condition out, the
// phase remembers.
func becameReady(before *v1alpha1.Status) bool {
	switch c := meta.FindStatusCondition(before.Conditions, TypeMachineReady); {
	case c != nil && c.Status == metav1.ConditionTrue:
		return false
	case c != nil && c.Status == metav1.ConditionFalse:
		return c.Reason != ReasonProviderError && c.Reason != ReasonWaitingForProvider || before.VMID == nil
	}

	return before.Phase != v1alpha1.PhaseRunning && before.Phase != v1alpha1.PhaseStopped && before.Phase != v1alpha1.PhaseReplacing
}
