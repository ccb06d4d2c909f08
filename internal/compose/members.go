package compose

import (
	"slices"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/object"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// Names of what the function asks Crossplane for about all nodes of a K3s cluster.
const (
	membersRequirement     = "k3s-members"
	memberNodesRequirement = "k3s-member-nodes"
)

// A membership reads the Kubernetes Nodes of other machines of a K3s cluster.
type membership struct{ call *call }

// ask for all other nodes of the machine's K3s cluster, with their Kubernetes Nodes, while its own node is to be upgraded and
// is not: each node waits for its turn.
func (c membership) ask() (known bool, err error) {
	k := c.call.facts.Machine.K3s
	labels := map[string]string{proxmox.ClusterLabel: k.Cluster}

	vms, known, err := c.call.vms(membersRequirement, labels)
	if !known || err != nil {
		return known, err
	}

	all := &c.call.facts.Members
	*all = lifecycle.Servers{Known: true, VMs: slices.DeleteFunc(vms, c.call.facts.Owner.Owns)}

	if k.Observe == machine.ObserveObject {
		known, err = c.nodesOfObjects(memberNodesRequirement, labels, all)
	} else {
		known, err = c.nodesHere(all)
	}

	if !known || err != nil {
		return known, err
	}

	// The servers are among them.
	countServers(c.call, slices.DeleteFunc(slices.Clone(all.VMs), func(vm proxmox.ObservedVM) bool {
		return vm.Metadata.Labels[proxmox.K3sRoleLabel] != string(v1alpha1.K3sServer)
	}), *all)

	return true, nil
}

// plansOfNode is the Object of the Plan for the machine's own Node, by composed resource name.
func plansOfNode(is lifecycle.Objects) map[string]object.ObservedPlan {
	if is.Plan == nil {
		return nil
	}

	return map[string]object.ObservedPlan{object.NodePlan: *is.Plan}
}

// zonesOfNode is the Object that writes the zone label of the machine's own Node, by composed resource name.
func zonesOfNode(is lifecycle.Objects) map[string]object.ObservedZone {
	if is.Zone == nil {
		return nil
	}

	return map[string]object.ObservedZone{object.NodeZone: *is.Zone}
}
