package status

import (
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
	"github.com/homelab-io/function-proxmox-machine/internal/node"
	"github.com/homelab-io/function-proxmox-machine/internal/object"
)

// A zoneReport is about the zone label of the Kubernetes Node behind the VM.
type zoneReport struct {
	machine *machine.Machine
	plan    *lifecycle.Plan
	before  *v1alpha1.Status
}

// conditions on the zone label: none for a machine whose cluster never asked for it.
func (r *zoneReport) conditions() []Condition {
	z, name := r.plan.Zone, r.plan.Node.Name
	c := Condition{Type: TypeZoneLabelled, Status: metav1.ConditionFalse}

	switch z.State {
	case lifecycle.ZoneUnasked:
		if meta.FindStatusCondition(r.before.Conditions, TypeZoneLabelled) == nil {
			return nil
		}

		c.Status, c.Reason = metav1.ConditionUnknown, ReasonZoneUnasked
		c.Message = "The catalogue does not ask for the label " + node.ZoneLabel + " any more. What the Node has stays."
	case lifecycle.ZoneNoNode:
		c.Status, c.Reason = metav1.ConditionUnknown, ReasonNoNode
		c.Message = "No Node " + name + " is proven to be this machine's VM by its system UUID or its label, or the VM's Proxmox node is not known: see condition NodeJoined."
	case lifecycle.ZoneClaimed:
		c.Reason = ReasonZoneClaimed
		c.Message = "spec.k3s.labels has " + node.ZoneLabel + ", which K3s writes again whenever it starts, so the label does not follow the VM."
	case lifecycle.ZoneLabelled:
		c.Status, c.Reason = metav1.ConditionTrue, ReasonLabelled
		c.Message = fmt.Sprintf("Node %s has the label %s=%s, the Proxmox node of its VM.", name, node.ZoneLabel, message.Excerpt(z.Found))
	case lifecycle.ZoneWriting:
		c.Reason, c.Message = r.unwritten()
	case lifecycle.ZoneNoKind:
		c.Reason = ReasonZoneUnwritten
		c.Message = "Nobody can write the label " + node.ZoneLabel + " of Node " + name + ": provider-kubernetes is not installed, or its kind Object is not active. Install it, or " +
			"remove zoneLabel from the cluster's entry of the catalogue."
	case lifecycle.ZoneOther:
		c.Reason = ReasonOtherZone
		c.Message = fmt.Sprintf("Node %s has the label %s=%s, which somebody else wrote. It stays, and does not follow the VM: for that, run `kubectl label node %s %s-`.",
			name, node.ZoneLabel, message.Excerpt(z.Found), name, node.ZoneLabel)
	}

	return []Condition{c}
}

// unwritten says why the label is not written yet.
func (r *zoneReport) unwritten() (reason, text string) {
	is := r.plan.Zone.Object
	text = fmt.Sprintf("Node %s is to get the label %s=%s.", is.Node, node.ZoneLabel, is.Zone)

	if o := r.plan.Objects.Zone; o != nil && o.Zone() == *is {
		switch o.Sight() {
		case object.SightForbidden:
			return ReasonZoneUnwritten, text + " Provider-kubernetes may not patch Nodes: give the identity of its configuration " + r.machine.K3s.NodesConfig +
				" the rights of the ClusterRole provider-kubernetes-nodes, in the cluster that the machine joins."
		case object.SightNoConfig, object.SightUnreachable:
			return ReasonZoneUnwritten, text + " Provider-kubernetes cannot write it: `kubectl describe` shows the cause, with composed resource " + object.NodeZone + " of this machine."
		case object.SightClear, object.SightPending, object.SightNoKind, object.SightNoNamespace, object.SightNoPlans:
		}
	}

	return ReasonZonePending, text + " Provider-kubernetes has not been seen to write it yet."
}

// zone tells of a label that cannot be written, or that somebody else wrote.
func (t *transitions) zone() []Event {
	c := t.now.condition(TypeZoneLabelled)
	if previousCondition(t.before, TypeZoneLabelled) == c.Reason || c.Reason != ReasonZoneUnwritten && c.Reason != ReasonOtherZone {
		return nil
	}

	return []Event{{Warning: true, Reason: c.Reason, Message: c.Message}}
}
