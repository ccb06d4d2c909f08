package lifecycle

import (
	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/guestreport"
	"github.com/homelab-io/function-proxmox-machine/internal/node"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// A NodeJoin is what is remembered of the join of a VM's Node, as the value of [proxmox.NodeJoinedAnnotation].
type NodeJoin string

// What is remembered.
const (
	NodeJoinNone NodeJoin = ""
	// NodeJoinSeen: the VM's Node was seen.
	NodeJoinSeen NodeJoin = "Seen"
	// NodeJoinReported: nobody reads the Nodes of the cluster, and the guest reported that K3s has served.
	NodeJoinReported NodeJoin = "Reported"
	// NodeJoinAssumed: the machine was ready before anybody read its Node, and stays so.
	NodeJoinAssumed NodeJoin = "Assumed"
)

// nodeJoin is what is known with this call of the join of one of the machine's VMs. A join is never forgotten: the Node of a machine
// that is ready may go, and its kubelet may fail. A Node that somebody has deleted already proves no join.
func nodeJoin(s *Situation, vm string) NodeJoin {
	o := s.Observed.VMs[vm]
	remembered := NodeJoin(o.Metadata.Annotations[proxmox.NodeJoinedAnnotation])

	switch {
	case remembered == NodeJoinSeen:
		return remembered
	case seesNode(s, vm):
		return NodeJoinSeen
	case remembered != NodeJoinNone, !awaitsJoin(s):
		return remembered
	case s.Node.ReadyBefore && vm == s.Roles.Active && Lives(s.Observed.VMs, vm):
		return NodeJoinAssumed
	case s.Node.Name == "" && K3sReport(o).State == guestreport.K3sJoined:
		return NodeJoinReported
	}

	return NodeJoinNone
}

// awaitsJoin says whether the join of a VM has to be remembered: its Node is read, or its machine is ready only when its guest reported it.
func awaitsJoin(s *Situation) bool {
	k := s.Machine.K3s

	return s.Node.Name != "" || k != nil && k.ReadyWhen == v1alpha1.ReadyWhenJoined && !s.Machine.Silent
}

// seesNode says whether the Node of one of the machine's VMs is there, whatever becomes of it later.
func seesNode(s *Situation, vm string) bool {
	if s.Node.Name == "" {
		return false
	}

	owner := s.NodeOwner()

	return owner.Ownership == OwnershipOurs && owner.VM == vm && !s.Node.Node.Leaving()
}

// ActiveNodeJoin is what is known of the join of the active VM's Node.
func ActiveNodeJoin(s Situation) NodeJoin { return nodeJoin(&s, s.Roles.Active) }

// ReadyAsNode says whether a machine is ready as far as its Kubernetes Node goes. A VM that is to be stopped needs no Node. Where nobody reads
// Nodes, a claim can wait for the guest's report.
func ReadyAsNode(s Situation) bool {
	if !awaitsJoin(&s) || s.Machine.Power == v1alpha1.PowerStopped {
		return true
	}

	if s.Machine.Power == v1alpha1.PowerUnmanaged && !s.Observed.VMs[s.Roles.Active].Status.AtProvider.Started {
		return true
	}

	switch s.Machine.K3s.ReadyWhen {
	case v1alpha1.ReadyWhenJoined:
		return ActiveNodeJoin(s) != NodeJoinNone
	case v1alpha1.ReadyWhenReady:
		return s.NodeOwner().Ownership == OwnershipOurs && s.Node.Node.Health() == node.HealthReady
	case v1alpha1.ReadyWhenVM:
	}

	return true
}
