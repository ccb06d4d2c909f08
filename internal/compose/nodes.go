package compose

import (
	"github.com/crossplane/function-sdk-go/errors"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/node"
	"github.com/homelab-io/function-proxmox-machine/internal/status"
)

// nodeRequirement is the machine's Kubernetes Node, among what the function asks Crossplane for.
const nodeRequirement = "k3s-node"

// readNode reads the machine's Kubernetes Node, where the catalogue observes its cluster. Of Crossplane it asks for the Node by name: an
// event of another Node then wakes nobody. Only clusters that the catalogue observes are asked, since without rights on Nodes Crossplane
// does not answer at all.
func (c *call) readNode() (known bool, err error) {
	m := c.facts.Machine

	switch {
	case m.K3s == nil:
		return true, nil
	case !m.K3s.Observe.Reads():
		c.facts.Node.ReadyBefore = c.previous.AppliedSpec != nil
		return true, nil
	}

	if m.K3s.NodesConfig != "" && !c.findObjectKind() {
		return false, nil
	}

	read := lifecycle.ReadNode{Name: c.facts.NodeName(c.previous.Hostname), ReadyBefore: status.ReadyUnobserved(&c.previous)}
	known = true

	if m.K3s.Observe == machine.ObserveObject {
		read.Node, read.Sight = c.readNodeThroughObject(read.Name)
	} else {
		read.Node, known, err = c.node(nodeRequirement, read.Name)
	}

	c.facts.Node = read

	if !known || err != nil {
		return known, err
	}

	servers := c.serversForRemoval

	switch now := lifecycle.Assess(c.facts); {
	case lifecycle.AsksForMembers(now):
		servers = membership{c}.ask
	case lifecycle.AsksForServersRelease(now):
		servers = func() (bool, error) { return serversOfCluster(c) }
	}

	// All at once: Crossplane calls a function five times at most.
	for _, ask := range []func() (bool, error){c.findGoingNode, c.readVolumes, servers} {
		have, err := ask()
		if err != nil {
			return known, err
		}

		known = known && have
	}

	return known, nil
}

// serversForRemoval asks for the other servers where it has to be known whether this one may be deleted.
func (c *call) serversForRemoval() (known bool, err error) {
	if !lifecycle.AsksForRemoval(c.facts) || c.facts.Node.Node == nil {
		return true, nil
	}

	return serversOfCluster(c)
}

// serversOfCluster asks for the other servers of the machine's cluster, and for their Nodes: where one is to be deleted, or an agent is to be made, which must
// not be newer than they are.
func serversOfCluster(c *call) (known bool, err error) {
	if known, err := c.otherServers(c.facts.Machine.K3s.Cluster); !known || err != nil {
		return known, err
	}

	return c.serverNodes(c.facts.Machine.K3s.Observe, c.facts.Machine.K3s.Cluster)
}

// serverNodes asks for the Nodes of the other servers of a K3s cluster, if the cluster is observed. Only a server that is to be away for
// a while has to know them, and an agent that is to be made.
func (c *call) serverNodes(observed machine.Observation, cluster string) (known bool, err error) {
	switch {
	case !observed.Reads():
		return true, nil
	case observed == machine.ObserveObject:
		return c.serverObjects(cluster)
	}

	return membership{c}.nodesHere(&c.facts.Servers)
}

// nodesHere asks for the Nodes of some VMs of the K3s cluster that Crossplane runs in.
func (c membership) nodesHere(of *lifecycle.Servers) (known bool, err error) {
	of.Reading, of.Nodes, known = lifecycle.NodesRead, map[string]node.Node{}, true

	for _, vm := range of.VMs {
		name := lifecycle.NodeNameOf(vm)
		if name == "" {
			continue
		}

		n, have, err := c.call.node(nodeRequirement+"-"+name, name)
		if err != nil {
			return true, err
		}

		known = known && have

		if n != nil {
			of.Nodes[name] = *n
		}
	}

	return known, nil
}

// node asks for a Node by its name; nil if there is none.
func (c *call) node(requirement, name string) (n *node.Node, known bool, err error) {
	items, known := require(c.req, c.rsp, requirement, &fnv1.ResourceSelector{
		ApiVersion: node.APIVersion,
		Kind:       node.Kind,
		Match:      &fnv1.ResourceSelector_MatchName{MatchName: name},
	})

	object := first(items)
	if object == nil || nameOf(object) != name {
		return nil, known, nil
	}

	read, err := node.Observe(object)

	return &read, known, errors.Wrapf(err, "cannot read %s %q", node.Kind, name)
}
