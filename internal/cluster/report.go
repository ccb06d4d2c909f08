package cluster

import (
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
	"github.com/homelab-io/function-proxmox-machine/internal/status"
)

// The types of the conditions of a cluster, beside [status.TypeSpecValid].
const (
	// TypeRolledOut says whether every node is as the claim describes it.
	TypeRolledOut = "RolledOut"
	// TypeServersReady says whether all servers are ready.
	TypeServersReady = "ServersReady"
	// TypeNodesLost says whether nodes are lost with their Proxmox nodes. Only a cluster has it that has, or had, such nodes.
	TypeNodesLost = "NodesLost"
)

// Reasons of [TypeRolledOut] are the states of a rollout. Reasons of [TypeServersReady].
const (
	ReasonAllReady = "AllReady"
	ReasonNotReady = "NotReady"
	// ReasonHostLost and ReasonNoneLost are those of [TypeNodesLost].
	ReasonHostLost = "HostLost"
	ReasonNoneLost = "NoneLost"
)

// Reasons of events of a cluster.
const (
	ReasonTurnBegan       = "TurnBegan"
	ReasonRolloutComplete = "RolloutComplete"
	ReasonRolloutBlocked  = "RolloutBlocked"
)

// A Report is what is to be said of a cluster.
type Report struct {
	Status     v1alpha1.K3sClusterStatus
	Conditions []status.Condition
}

// ReportOn says what there is to say of a cluster.
func ReportOn(plan Plan, children map[string]Child, version string, refused Refusals) Report {
	out := Report{Status: v1alpha1.K3sClusterStatus{
		Version: version,
		Servers: count(plan, v1alpha1.K3sServer), Agents: count(plan, v1alpha1.K3sAgent),
		Rollout: &v1alpha1.RolloutStatus{State: plan.State, Done: fmt.Sprintf("%d/%d", plan.Done, wanted(plan)), Message: plan.Message},
	}}

	if t := plan.Turn; t != nil {
		out.Status.Rollout.Turn = &v1alpha1.TurnStatus{Node: t.Node, Action: string(actionOf(*t)), Fields: t.Fields}
	}

	for _, s := range plan.Steps {
		c := children[s.Node]
		out.Status.Nodes = append(out.Status.Nodes, v1alpha1.ClusterNodeStatus{
			Name: s.Node, Machine: s.Machine, Role: s.Role, State: string(s.State), Ready: s.Ready,
			VMID: c.VMID, ProxmoxNode: c.ProxmoxNode, Address: c.Address, Version: c.Version,
		})
	}

	out.Conditions = []status.Condition{
		specValid(refused, plan.Announced),
		{Type: TypeRolledOut, Status: status.Truth(plan.State == v1alpha1.RolloutComplete), Reason: string(plan.State), Message: plan.Message},
		servers(plan),
	}

	if plan.Lost != "" {
		out.Conditions = append(out.Conditions, status.Condition{Type: TypeNodesLost, Status: metav1.ConditionTrue, Reason: ReasonHostLost, Message: plan.Lost})
	}

	return out
}

// NoneLost is the condition of a cluster that had lost nodes, and has none any more.
func NoneLost() status.Condition {
	return status.Condition{Type: TypeNodesLost, Status: metav1.ConditionFalse, Reason: ReasonNoneLost, Message: "No node is lost with its Proxmox node."}
}

// actionOf a turn. A turn that goes on has in its state what began it.
func actionOf(s Step) Action {
	if s.Action != ActionKeep {
		return s.Action
	}

	switch s.State {
	case StateAdopting:
		return ActionAdopt
	case StateCreating:
		return ActionCreate
	case StateReplacing:
		return ActionReplace
	case StateLeaving:
		return ActionRemove
	case StateWaiting, StateReady, StateOutdated, StateChanging, StateNotReady:
	}

	return ActionChange
}

func wanted(plan Plan) int {
	n := 0

	for _, s := range plan.Steps {
		if s.Wanted {
			n++
		}
	}

	return n
}

// count the nodes of a role.
func count(plan Plan, role Role) *v1alpha1.PoolStatus {
	ready, all := 0, 0

	for _, s := range plan.Steps {
		if s.Role != role || !s.Wanted {
			continue
		}

		all++

		if s.Ready {
			ready++
		}
	}

	return &v1alpha1.PoolStatus{Ready: fmt.Sprintf("%d/%d", ready, all)}
}

// servers is the condition on the servers.
func servers(plan Plan) status.Condition {
	var not []string

	for _, s := range plan.Steps {
		if s.Role == v1alpha1.K3sServer && s.Wanted && !s.Ready {
			not = append(not, s.Node)
		}
	}

	if len(not) > 0 {
		return status.Condition{
			Type: TypeServersReady, Status: metav1.ConditionFalse, Reason: ReasonNotReady, Message: "Servers are not ready: " + strings.Join(not, ", ") + ".",
		}
	}

	return status.Condition{Type: TypeServersReady, Status: metav1.ConditionTrue, Reason: ReasonAllReady, Message: "All servers are ready."}
}

// Events are what a person may want to see of what this call begins, by what the status said before.
func Events(before v1alpha1.RolloutStatus, plan Plan) []status.Event {
	t := plan.Turn
	known := t != nil && before.Turn != nil && before.Turn.Node == t.Node && before.Turn.Action == string(t.Action) && slices.Equal(before.Turn.Fields, t.Fields)

	switch {
	case t != nil && t.Action != ActionKeep && !known:
		return []status.Event{{Reason: ReasonTurnBegan, Message: plan.Message}}
	case plan.State == v1alpha1.RolloutComplete && before.State != "" && before.State != plan.State:
		return []status.Event{{Reason: ReasonRolloutComplete, Message: plan.Message}}
	case plan.State == v1alpha1.RolloutBlocked && before.State != plan.State:
		return []status.Event{{Warning: true, Reason: ReasonRolloutBlocked, Message: plan.Message}}
	default:
		return nil
	}
}

// specValid is the condition on the claim, also on what of it is refused while the rest takes effect.
func specValid(refused Refusals, announced []string) status.Condition {
	if text := status.OfCluster.Refused(refused.All()); text != "" {
		return status.Condition{Type: status.TypeSpecValid, Status: metav1.ConditionFalse, Reason: status.ReasonValidationFailed, Message: text}
	}

	return status.Condition{
		Type: status.TypeSpecValid, Status: metav1.ConditionTrue, Reason: status.ReasonValid,
		Message: message.Text(strings.Join(slices.Concat([]string{"The claim is valid."}, refused.Useless(), announced), " ")),
	}
}

// Warnings are events of what the condition on a valid claim says since this call.
func (r Report) Warnings(plan Plan, refused Refusals, before string) []status.Event {
	if r.Conditions[0].Status != metav1.ConditionTrue {
		return nil
	}

	return status.WarningEvents(slices.Concat(refused.Useless(), plan.Announced), []metav1.Condition{{Type: status.TypeSpecValid, Message: before}})
}
