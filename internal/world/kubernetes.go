package world

import (
	"fmt"
	"slices"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/internal/object"
)

// ObjectKind is the kind of provider-kubernetes' managed resource.
const ObjectKind = "Object"

// notThere is what the provider's runtime says of an Object that may only observe and that finds nothing.
const notThere = "observe failed: external resource does not exist"

// A Kubernetes is provider-kubernetes, as far as it reads and deletes Nodes, and K3s, as far as it lets them go. What it does was read in
// the source of provider-kubernetes v1.2.1 and its runtime.
type Kubernetes struct {
	// Missing says that it is not installed.
	Missing bool
	// Fails is what it says of every Object instead of working on it; empty: nothing.
	Fails string
	// Every is how many turns lie between two polls of an Object that saw its Node well; 0 and 1: none.
	Every int
	// Backoff is how many turns lie between two looks at an Object that is deleted; 0 and 1: none.
	Backoff int
	// Holds says that K3s cannot remove members from etcd, so that the Nodes of servers do not go.
	Holds bool
	// Keeps says of the Node of a server that K3s cannot remove its member now, as that of the last one. Nil: it can.
	Keeps func(node string) bool

	// Jobs that drain or uncordon Nodes, by name, and what becomes of those that are created from now on.
	Jobs  map[string]map[string]any
	Drain JobFate

	// Upgrader upgrades K3s on Nodes, as Plans say.
	Upgrader Upgrader

	going []going
	turn  int
	looks int
}

// A going Object was deleted, and is there until the Node is gone.
type going struct {
	machine *Machine
	name    string
	object  map[string]any
}

// Deleting says whether an Object was deleted and is not gone yet.
func (k *Kubernetes) Deleting() bool { return len(k.going) > 0 }

// nodeOf an Object.
func nodeOf(o map[string]any) string {
	manifest := Object(Object(Object(o["spec"])["forProvider"])["manifest"])

	return fmt.Sprint(Object(manifest["metadata"])["name"])
}

// observe a Node through an Object. What an Object that may delete has seen stays when the Node is gone, without an error.
func (k *Kubernetes) observe(c *Cluster, o map[string]any, generation any) {
	node := c.Nodes[nodeOf(o)]

	if k.Every > 1 && Object(Object(o["status"])["atProvider"])["manifest"] != nil && generation == Object(o["status"])["observedGeneration"] {
		if k.turn++; k.turn%k.Every != 0 {
			return
		}
	}

	defer func() { Object(o["status"])["observedGeneration"] = generation }()

	switch {
	case k.Fails != "":
		SetConditions(o, Condition("Synced", "False", "ReconcileError", k.Fails, generation))
	case node == nil && Policies(o) == onlyObserves:
		SetConditions(o, Condition("Synced", "False", "ReconcileError", notThere, generation))
	case node == nil:
		SetConditions(o, Condition("Synced", "True", "ReconcileSuccess", "", generation))
	default:
		status := Object(o["status"])
		status["atProvider"] = map[string]any{"manifest": Copy(node)}
		o["status"] = status
		SetConditions(o, Condition("Ready", "True", "Available", "", generation), Condition("Synced", "True", "ReconcileSuccess", "", generation))
	}
}

// begin the deletion of an Object. Crossplane takes its own label off what it deletes.
func (k *Kubernetes) begin(m *Machine, name string, o map[string]any) {
	o = Object(Copy(o))
	meta := Object(o["metadata"])
	meta["deletionTimestamp"] = "2026-01-02T00:00:00Z"
	delete(Object(meta["labels"]), compositeLabel)
	k.going = append(k.going, going{m, name, o})
}

// work on the Objects that are deleted: the provider deletes the Node, time and again, until there is none of its name.
func (k *Kubernetes) work(c *Cluster) {
	// A finalizer of K3s keeps the Node of a server until its member is out of etcd.
	works := func(node string) bool { return memberWorks(c, node) }

	for _, name := range Keys(c.Nodes) {
		if Object(c.Nodes[name]["metadata"])["deletionTimestamp"] != nil && !k.Holds && !(k.Keeps == nil && keepsMember(c, name, works)) {
			c.DeleteNode(name)
		}
	}

	if k.looks++; k.Backoff > 1 && k.looks%k.Backoff != 0 {
		return
	}

	k.going = slices.DeleteFunc(k.going, func(g going) bool {
		name := nodeOf(g.object)
		node := c.Nodes[name]

		switch {
		case k.Fails != "":
			return false
		case node == nil || !strings.Contains(Policies(g.object), "Delete"):
			return true
		case k.Keeps != nil && k.Keeps(name):
			return false
		}

		if whose := c.registrants[name]; whose != g.vm() {
			c.Fault("the Object of %s deletes Node %s, which is %q", g.vm(), name, whose)
		}

		meta := Object(node["metadata"])
		if meta["deletionTimestamp"] == nil {
			g.machine.Proxmox.note("delete node %s", name)
			c.wrote(name)

			// What went lately no call can know of.
			if k.Keeps == nil && isMember(node) && keepsMember(c, name, func(node string) bool { return works(node) || c.Lately[node] }) {
				c.Fault("Node %s is deleted, whose member etcd cannot let go: K3s would remove it whenever it can", name)
			}
		}

		if !isMember(node) {
			c.DeleteNode(name)
		}

		meta["deletionTimestamp"] = "2026-01-02T00:00:00Z"

		return false
	})
}

// vm whose Node the Object deletes, as it owns its VM in Proxmox.
func (g going) vm() string {
	return OwnerOf(g.machine, strings.TrimPrefix(g.name, "node-deletion-"))
}

// ForeignNode is the name of the Node that would go with a desired Object although it is not the VM's that the Object is for; empty for all
// others.
func (m *Machine) ForeignNode(name string, o map[string]any) string {
	if o["kind"] != ObjectKind || !strings.Contains(Policies(o), "Delete") || m.cluster.registrants[nodeOf(o)] == (going{machine: m, name: name}).vm() {
		return ""
	}

	return nodeOf(o)
}

// definitions of the kind Object, of claims and of namespaced machines.
func (k *Kubernetes) definitions() []map[string]any {
	if k.Missing {
		return nil
	}

	var out []map[string]any

	for _, f := range []object.Flavour{object.Cluster, object.Namespaced} {
		out = append(out, served(f.Definition(), f.Version()))
	}

	return out
}

// reconcile an Object: one with a Job, with a Plan, or with a Node.
func (k *Kubernetes) reconcile(m *Machine, name string, o map[string]any, generation any) {
	switch {
	case jobOf(o) != nil:
		k.workJob(m, name, o, generation)
	case planOf(o) != nil:
		k.workPlan(o, generation)
	case zoneOf(o) != "":
		k.label(m, o, generation)
	default:
		k.observe(m.cluster, o, generation)
	}
}

// finalize an Object that Crossplane deleted. A Plan goes with it where it may delete one, and of a Node is waited until it is gone.
func (k *Kubernetes) finalize(m *Machine, name string, o map[string]any, destroys bool) {
	if plan := planOf(o); plan == nil {
		k.begin(m, name, o)
	} else if destroys {
		k.deletePlan(fmt.Sprint(Object(plan["metadata"])["name"]))
	}
}
