package container

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/status"
)

// spreadConditions has the condition on the spread of a container, where it is on one node with another one of its group, or had the condition. The provider
// would not find a container that moved, so it is the VMs among them that can part.
func spreadConditions(t reporter, before v1alpha1.ContainerStatus) []status.Condition {
	meets := lifecycle.Meeting{}
	if t.exists() && !t.gone() {
		meets = t.plan.Owner.Meeting(lifecycle.HostOfContainer(t.o), t.plan.Apart)
	}

	part := fmt.Sprintf("To part them: move a VM among them there, or replace the container by an empty one, with spec.proxmox.node: %s (docs/containers.md, Replacing a container).", meets.Free)

	had := meta.FindStatusCondition(before.Conditions, status.TypeSpreadBroken) != nil

	return status.SpreadConditions(meets, t.title(), t.plan.Container.Placement.Spread, part, had)
}

// spreadEvents has an event once the container meets another one of its group.
func spreadEvents(now []status.Condition, before v1alpha1.ContainerStatus) []status.Event {
	i := slices.IndexFunc(now, func(c status.Condition) bool { return c.Type == status.TypeSpreadBroken })
	if i < 0 || now[i].Status != metav1.ConditionTrue || meta.IsStatusConditionTrue(before.Conditions, status.TypeSpreadBroken) {
		return nil
	}

	return []status.Event{{Warning: true, Reason: now[i].Type, Message: now[i].Message}}
}
