package container

import (
	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/status"
)

// applied is the spec as far as the container has it. While something of it is not ready, or the provider has something to write, it stays what it
// was: a GitOps tool that compares it with the spec knows then that a commit has not arrived. What waits for a restart has arrived, as with a
// machine; what the container cannot follow never becomes part of it.
func (t reporter) applied(ready map[string]bool, spec map[string]any, before v1alpha1.AppliedSpec) v1alpha1.AppliedSpec {
	if t.plan.Action != ActionFollow || t.plan.MayUpdate || t.plan.Replacement != nil || t.plan.Approval.Waits() || t.plan.Firewall.Stage.OnItsWay() {
		return before
	}

	for _, isReady := range ready {
		if !isReady {
			return before
		}
	}

	refused := status.KeptFields(t.plan.Container.Kept)
	for _, c := range t.plan.Refused {
		refused = append(refused, c.Field)
	}

	if t.plan.Firewall.Stage == lifecycle.FirewallStands {
		refused = append(refused, "firewall")
	}

	return status.AppliedSpec(spec, before, refused)
}
