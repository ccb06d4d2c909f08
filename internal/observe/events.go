package observe

import (
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
)

// events are the transitions that matter from a status to the one after it.
func events(before v1alpha1.Status, now Output) []Event {
	var out []Event

	if before.VMID == nil && now.Status.VMID != nil {
		out = append(out, Event{Reason: EventVMCreated, Message: "The VM was made."})
	}

	if c := now.condition(TypeMachineReady); c.Status == metav1.ConditionTrue && becameReady(before) {
		out = append(out, Event{Reason: EventBecameReady, Message: c.Message})
	}

	if c := now.condition(TypeReplacementRequired); c.Status == metav1.ConditionTrue && previousReason(before, c.Type) != c.Reason {
		out = append(out, Event{Warning: true, Reason: c.Type, Message: c.Message})
	}

	if c := now.condition(TypeBootstrapCurrent); c.Status == metav1.ConditionFalse && previousReason(before, c.Type) != c.Reason {
		out = append(out, Event{Warning: true, Reason: c.Reason, Message: c.Message})
	}

	c := now.condition(TypeProviderHealthy)
	switch known := previousReason(before, c.Type); {
	case c.Status == metav1.ConditionFalse && known != c.Reason:
		out = append(out, Event{Warning: true, Reason: c.Reason, Message: c.Message})
	case c.Status == metav1.ConditionTrue && known != "" && known != c.Reason:
		out = append(out, Event{Reason: EventProviderRecovered, Message: c.Message})
	}

	return out
}

// becameReady says whether a machine that is ready was not so before. Coming back from an error of the provider does not
// count where the VM was there: that has an event of its own. Where a run that failed blotted the condition out, the
// phase remembers.
func becameReady(before v1alpha1.Status) bool {
	switch c := meta.FindStatusCondition(before.Conditions, TypeMachineReady); {
	case c != nil && c.Status == metav1.ConditionTrue:
		return false
	case c != nil && c.Status == metav1.ConditionFalse:
		return c.Reason != ReasonProviderError || before.VMID == nil
	}

	return before.Phase != v1alpha1.PhaseRunning && before.Phase != v1alpha1.PhaseStopped
}

func (o Output) condition(typ string) Condition {
	for _, c := range o.Conditions {
		if c.Type == typ {
			return c
		}
	}

	return Condition{}
}
