package cluster

import (
	"maps"
	"slices"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
)

// emptied is the server with which the state of the cluster is gone; empty where none is. It was the only one that kept the state, somebody destroyed its VM in
// Proxmox, the provider made the VM again with empty disks, and nobody has confirmed that. It may run, and serve a new cluster without a word of the
// old one. Among others, a server that was made again joins them, and may be the only one later.
func (c Children) emptied() string {
	voters := c.voters()
	if len(voters) != 1 {
		return ""
	}

	for name, n := range voters {
		if n.votes() && n.Joined && n.VM == VMStateRecreated {
			return name
		}
	}

	return ""
}

// withoutState are the nodes, of which the one whose state is gone is not ready: what serves under its name is another cluster.
func (c Children) withoutState() Children {
	name := c.emptied()
	if name == "" {
		return c
	}

	out := maps.Clone(c)
	n := out[name]
	n.Ready = false
	out[name] = n

	return out
}

// emptiedMessage says what happened to the state of the cluster with a server, and the two ways out; empty where nothing did.
func emptiedMessage(now *situation) string {
	if now.emptied == "" {
		return ""
	}

	agents, replaced := "", ""
	if slices.ContainsFunc(slices.Collect(maps.Values(now.Children)), func(c Child) bool { return c.Role == v1alpha1.K3sAgent }) {
		agents, replaced = ", of which the agents are no nodes", " and replace the agents"
	}

	return "The VM of " + now.emptied + ", the only server, was gone from Proxmox and was created again with empty disks: the state of the cluster is lost, and what it serves is a new cluster" + agents +
		". Restore a snapshot of etcd (docs/clusters.md#all-servers-are-lost), or go on with the new cluster" + replaced + ". Then confirm that you have read this: condition MachineReady of " +
		now.emptied + " has the command."
}
