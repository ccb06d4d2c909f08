package properties

import (
	"fmt"
	"testing"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/internal/compose"
	"github.com/homelab-io/function-proxmox-machine/internal/world"
	"github.com/homelab-io/function-proxmox-machine/test/fake"
)

// A crowd is a site with an inventory, and machines that choose its nodes.
type crowd struct {
	t        *testing.T
	d        draw
	machines []*world.Machine
	gib      map[string]int64  // What each node has for VMs; a node that is not in it has no inventory.
	created  map[string]string // The node of each VM that was created, by composite.
	refused  int
}

func (c *crowd) nodes() []string { return []string{"pve1", "pve2", "pve3"} }

// newCrowd of machines of 1 to 6 GiB, of which some name their node.
func newCrowd(t *testing.T, d draw) *crowd {
	t.Helper()

	cluster := fake.NewCluster(t, compose.Answer)
	cluster.Memory = memory
	site := cluster.NewProxmox()
	c := &crowd{t: t, d: d, created: map[string]string{}}
	in := world.Installations[d.IntN(len(world.Installations))]

	for i := range 3 + d.IntN(6) {
		place := map[string]any{}
		d.maybe(place, 20, "node", pick(d, c.nodes()...))
		d.maybe(place, 20, "avoid", []any{pick(d, c.nodes()...)})
		d.maybe(place, 20, "spread", "dns")

		spec := map[string]any{
			"size": map[string]any{"cores": 2, "memory": fmt.Sprintf("%dGi", 1+d.IntN(6)), "disk": "10Gi"}, "proxmox": place, "network": map[string]any{"dhcp": true},
			"image": pick(d, "debian-13", "local:import/own.qcow2"),
		}
		d.maybe(spec, 40, "role", "edge")
		d.maybe(spec, 30, "bootstrap", map[string]any{"userData": "#cloud-config\ntimezone: UTC\n"})

		c.machines = append(c.machines, cluster.AddOn(site, world.NewMachine(world.NewClaim("Machine", "infra", fmt.Sprintf("m%d", i), spec), in)))
	}

	c.edit()

	return c
}

// edit the inventory.
func (c *crowd) edit() {
	nodes := map[string]any{}
	c.gib = map[string]int64{}

	for _, n := range c.nodes() {
		node := map[string]any{"datastores": map[string]any{"snippets": "local"}, "reserve": "1Gi"}

		if c.d.chance(85) {
			c.gib[n] = int64(1 + c.d.IntN(16))
			node["memory"] = fmt.Sprintf("%dGi", c.gib[n]+1)
		} else {
			delete(node, "reserve")
		}

		nodes[n] = node
	}

	for _, m := range c.machines {
		m.Catalogue = map[string]any{
			"apiVersion": "apiextensions.crossplane.io/v1beta1", "kind": "EnvironmentConfig", "metadata": map[string]any{"name": "machine-catalog"},
			"data": map[string]any{
				"defaults": map[string]any{"site": "home"},
				"sites":    map[string]any{"home": map[string]any{"nodes": nodes, "vmIds": map[string]any{"from": 100, "to": 999}}},
			},
		}
	}
}

// used is the memory of the VMs on a node in GiB, without that of a machine, and without those that are not created yet unless all count.
// A VM that a claim pins to the node counts once others can see it: the function does not refuse it, whoever was first.
func (c *crowd) used(node string, without *world.Machine, all bool) int64 {
	sum := int64(0)

	for _, m := range c.machines {
		vm := m.Observed["vm"]
		seen := vm != nil && world.Object(world.Object(vm["spec"])["forProvider"])["nodeName"] == node && (all || world.Policies(vm) != "Observe")
		now := c.created[m.Name()] == node && world.Object(m.Spec()["proxmox"])["node"] == nil

		if m != without && (seen || now) {
			sum += c.need(m)
		}
	}

	return sum
}

// room says whether a node has room for a machine.
func (c *crowd) room(node string, m *world.Machine, all bool) bool {
	capacity, known := c.gib[node]

	return !known || c.used(node, m, all)+c.need(m) <= capacity
}

// need of a machine in GiB.
func (c *crowd) need(m *world.Machine) (gib int64) {
	_, err := fmt.Sscanf(fmt.Sprint(world.Object(m.Spec()["size"])["memory"]), "%dGi", &gib)
	if err != nil {
		c.t.Fatal(err)
	}

	return gib
}

// check an answer before it is applied.
func (c *crowd) check(m *world.Machine, rsp *fnv1.RunFunctionResponse) {
	c.t.Helper()

	place := world.Object(m.Spec()["proxmox"])

	if msg := world.Fatal(rsp); msg != "" {
		c.checkRefusal(m, world.Reason(rsp, "SpecValid"), msg)
		return
	}

	for _, name := range world.Names(rsp) {
		vm := world.Desired(rsp, name)
		if vm["kind"] != world.VMKind {
			continue
		}

		node := fmt.Sprint(world.Object(world.Object(vm["spec"])["forProvider"])["nodeName"])

		switch was := c.created[m.Name()]; {
		case was != "" && was != node:
			c.t.Fatalf("%s goes from %s to %s, and has a VM", m.Name(), was, node)
		case was != "" || world.Policies(vm) == "Observe":
		case place["node"] != nil && place["node"] != node:
			c.t.Fatalf("%s is created on %s, and names %s", m.Name(), node, place["node"])
		case place["node"] == nil && avoids(m, node):
			c.t.Fatalf("%s is created on %s, which it avoids", m.Name(), node)
		case place["node"] == nil && !c.room(node, m, false):
			c.t.Fatalf("%s, which needs %d GiB, is created on %s: %d GiB of %d GiB are used", m.Name(), c.need(m), node, c.used(node, m, false), c.gib[node])
		default:
			c.created[m.Name()] = node
		}
	}
}

// avoids says whether a machine is not to be on a node.
func avoids(m *world.Machine, node string) bool {
	avoid, _ := world.Object(m.Spec()["proxmox"])["avoid"].([]any)

	return len(avoid) > 0 && avoid[0] == node
}

// checkRefusal of a machine: no node has room for it.
func (c *crowd) checkRefusal(m *world.Machine, reason, msg string) {
	c.t.Helper()
	c.refused++

	place := world.Object(m.Spec()["proxmox"])

	// On its own node it could never start, whatever runs there.
	if n, pinned := place["node"].(string); pinned && c.gib[n] > 0 && c.need(m) > c.gib[n] && c.created[m.Name()] == "" {
		return
	}

	for _, n := range c.nodes() {
		if !avoids(m, n) && c.room(n, m, true) {
			c.t.Fatalf("%s is refused although %s has room: %s", m.Name(), n, msg)
		}
	}

	if reason != "InsufficientCapacity" || place["node"] != nil || c.created[m.Name()] != "" {
		c.t.Fatalf("%s is refused: %s", m.Name(), msg)
	}
}

// TestPlacement: in random worlds, whatever is called at the same moment, no VM is created on a node without room, no machine is refused while a
// node has room, and no VM moves, whatever becomes of the inventory.
func TestPlacement(t *testing.T) {
	refused, created := 0, 0

	for i := range uint64(60) {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			c := newCrowd(t, newDraw(*seed, i))

			for range 40 {
				if c.d.chance(4) {
					c.edit()
				}

				// Some are called at the same moment: nothing of what they choose is seen by the others.
				answers := map[*world.Machine]*fnv1.RunFunctionResponse{}
				for _, m := range c.machines {
					if c.d.chance(50) {
						answers[m] = m.Call()
						c.check(m, answers[m])
					}
				}

				for _, m := range c.machines {
					if answers[m] != nil {
						m.Apply(answers[m])
					}

					if c.d.chance(50) {
						m.Provide()
					}
				}
			}

			refused += c.refused
			created += len(c.created)
		})
	}

	if refused < 100 || created < 100 {
		t.Errorf("%d answers were refusals, and %d VMs were created: too few to tell", refused, created)
	}
}
