package world

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// isNode says whether a composed resource is a node of a K3sCluster.
func isNode(o map[string]any) bool {
	return strings.TrimPrefix(fmt.Sprint(o["kind"]), "X") == "K3sNode"
}

// A Nodes is what becomes of the nodes of a K3sCluster.
type Nodes struct {
	// Defaults completes what Crossplane writes of a node, as the API server does. Nil: it is complete.
	Defaults func(node map[string]any)
	// Refuses says whether the API server refuses what Crossplane writes of a node. Nil: it takes all.
	Refuses func(spec map[string]any) bool

	machines map[string]*Machine // By composed resource name.
	refused  []string
	created  int
}

// RunNodes lets the nodes of a K3sCluster be machines of their own, whose composites Crossplane reconciles as well. Without it they are objects that
// nobody works on.
func (m *Machine) RunNodes() *Nodes {
	m.nodes = &Nodes{machines: map[string]*Machine{}}

	return m.nodes
}

// Names of the nodes, sorted.
func (n *Nodes) Names() []string { return slices.Sorted(maps.Keys(n.machines)) }

// Named is the machine of a node; nil where there is none.
func (n *Nodes) Named(name string) *Machine { return n.machines[name] }

// write the nodes that Crossplane has applied. What the API server refuses stays as it is.
func (n *Nodes) write(m *Machine, before map[string]map[string]any) {
	n.refused = nil

	for _, name := range Keys(m.Observed) {
		if !isNode(m.Observed[name]) {
			continue
		}

		if n.Refuses != nil && n.Refuses(Object(m.Observed[name]["spec"])) {
			n.refused = append(n.refused, name)

			if m.Observed[name] = before[name]; before[name] == nil {
				delete(m.Observed, name)
			}

			continue
		}

		if n.Defaults != nil {
			n.Defaults(m.Observed[name])
		}

		n.take(m, name, Object(before[name]["metadata"]))
	}

	n.conditions(m)
}

// add a node of a cluster, of which nothing is there yet. Its provider is as that of the cluster.
func (n *Nodes) add(m *Machine, name string) *Machine {
	node := &Machine{
		Provider: &Provider{Fails: map[string]string{}, Every: m.Provider.Every, TellsAfter: m.Provider.TellsAfter},
		Proxmox:  m.Proxmox, Observed: map[string]map[string]any{}, cluster: m.cluster,
	}
	n.machines[name] = node
	m.cluster.Machines = append(m.cluster.Machines, node)
	n.created++

	return node
}

// take what is written of a node as its composite, which has its UID from the API server. was is its metadata before.
func (n *Nodes) take(m *Machine, name string, was map[string]any) {
	o, uid := m.Observed[name], was["uid"]
	meta := Object(o["metadata"])

	node := n.machines[name]
	if node == nil {
		node = n.add(m, name)
		uid = fmt.Sprintf("7b1c8f0e-5a44-4b39-9d0e-%012d", n.created)
	}

	meta["uid"] = uid
	Object(List(meta["ownerReferences"])[0])["uid"] = Object(m.Composite["metadata"])["uid"]

	// What a machine composes has the name of the composite, and not of the composed resource.
	meta["name"] = cmp.Or(was["name"], any(m.Name()+"-"+name))
	node.Composite, node.Input, node.Capabilities, node.StepRequires = o, m.Input, m.Capabilities, m.StepRequires
	node.Catalogue, node.Secrets, node.Neighbours, node.Joins, node.AsksAtOnce = m.Catalogue, m.Secrets, m.Neighbours, m.Joins, m.AsksAtOnce
	node.Constant = m.Constant
}

// remove a node that is desired no more, with what it composed, as the garbage collector does. A Usage can keep it.
func (n *Nodes) remove(m *Machine, name string, was map[string]any) {
	node := n.machines[name]

	if node.isKept() {
		m.Observed[name] = was
		n.refused = append(n.refused, name)
		n.conditions(m)

		return
	}

	delete(n.machines, name)
	node.Leave()
}

// Leave deletes the nodes of a cluster whose claim is gone, as the garbage collector does, time and again: those that no Usage keeps.
func (n *Nodes) Leave() {
	for _, name := range n.Names() {
		if node := n.machines[name]; !node.isKept() {
			delete(n.machines, name)
			node.Leave()
		}
	}
}

// conditions that Crossplane itself writes of the cluster.
func (n *Nodes) conditions(m *Machine) {
	if len(n.refused) == 0 {
		return
	}

	SetConditions(m.Composite, Condition("Synced", "False", "ReconcileError", "Unsynced resources: "+strings.Join(n.refused, ", "), nil))
}
