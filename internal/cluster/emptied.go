package cluster

import (
	"maps"
)

// emptied is the server with which the state of the cluster is gone; empty where none is. It was the only one that kept the state, somebody destroyed its VM in
// Proxmox, the provider made the VM again with empty disks, and nobody has confirmed that. It may run, and serve a new cluster without a word of the
// old one. Among others, a server that was made again joins them.
func (w World) emptied() string {
	voters := w.voters()
	if len(voters) != 1 {
		return ""
	}

	for name, c := range voters {
		if c.votes() && c.Joined && c.Recreated {
			return name
		}
	}

	return ""
}

// withoutState are the nodes, of which the one whose state is gone is not ready: what serves under its name is another cluster.
func (w World) withoutState() map[string]Child {
	name := w.emptied()
	if name == "" {
		return w.Children
	}

	out := maps.Clone(w.Children)
	c := out[name]
	c.Ready = false
	out[name] = c

	return out
}

// emptiedMessage says what happened to the state of the cluster, and the two ways out; empty where nothing did.
func (d *decision) emptiedMessage() string {
	name := d.emptied()
	if name == "" {
		return ""
	}

	return "The VM of " + name + ", the only server, was gone from Proxmox and was created again with empty disks: the state of the cluster is lost, and what it serves is a new cluster, " +
		"of which the agents are no nodes. Restore a snapshot of etcd (docs/clusters.md#all-servers-are-lost), or go on with the new cluster and replace the agents. Then confirm that " +
		"you have read this: condition MachineReady of " + name + " has the command."
}
