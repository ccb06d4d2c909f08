package render

import (
	"cmp"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/object"
)

// maxNodeInPlan is how many characters of a Node's name are in the name of its Plan, which is part of the name of a label: 63 at most.
const maxNodeInPlan = 30

// planName is the name of a Node's Plan. All Plans of a K3s cluster are in one namespace, also those of claims in other namespaces, so a new one has the
// identity of its claim in its name. One that exists keeps its name: else it would be deleted, and another one upgrade its Node.
func planName(has *object.ObservedPlan, node string, id machine.Identity) string {
	if has != nil && has.Name() != "" {
		return has.Name()
	}

	return strings.TrimRight(node[:min(len(node), maxNodeInPlan)], "-.") + "-" + id.LongHash("upgrade")
}

// plans of system-upgrade-controller, by composed resource name; nil where there is none.
func (w writer) plans() map[string]object.Of[object.Plan] {
	is := w.plan.Upgrade.Plan
	if is == nil {
		return nil
	}

	if is.Effect == lifecycle.PlanLeaves {
		out := w.r.Objects.Plan.Retained(w.r.unsearched())
		out.Spec.ManagementPolicies = object.PlanPolicies(true)

		return map[string]object.Of[object.Plan]{object.NodePlan: out}
	}

	k, node := w.r.Machine.K3s, w.r.Node.Name
	u := object.Upgrade{
		Name: planName(w.r.Objects.Plan, node, w.r.Machine.Identity), Version: is.Release, Agents: k.Role == v1alpha1.K3sAgent,
		Namespace: k.SystemUpgrade.Namespace, ServiceAccount: k.SystemUpgrade.ServiceAccount, Image: k.SystemUpgrade.Image,
	}

	if is.Effect == lifecycle.PlanUpgrades {
		u.Nodes = []string{node}
	}

	if k.Drain.Outages {
		u.DrainMinutes = cmp.Or(k.Drain.TimeoutMinutes, object.DefaultDrainMinutes)
	}

	return map[string]object.Of[object.Plan]{
		object.NodePlan: object.NewPlan(object.FlavourOf(w.r.Flavour), k.NodesConfig, u, !is.Stays, w.r.unsearched()),
	}
}
