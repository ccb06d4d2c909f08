package cluster

import "maps"

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
func emptiedMessage(name string) string {
	if name == "" {
		return ""
	}

	return "The VM of " + name + ", the only server, was gone from Proxmox and was created again with empty disks: the state of the cluster is lost, and what it serves is a new cluster, " +
		"of which the agents are no nodes. Restore a snapshot of etcd (docs/clusters.md#all-servers-are-lost), or go on with the new cluster and replace the agents. Then confirm that " +
		"you have read this: condition MachineReady of " + name + " has the command."
}
