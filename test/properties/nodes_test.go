package properties

import (
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// A nodeCondition is how it is with the Kubernetes Node of a machine's name.
type nodeCondition string

const (
	nodeUnread nodeCondition = ""       // Nobody reads the Nodes of the cluster.
	nodeNone   nodeCondition = "none"   // Nobody has joined under the name.
	nodeOther  nodeCondition = "other"  // Another machine has.
	nodeSilent nodeCondition = "silent" // Somebody has of whom nothing is known.
	nodeJoins  nodeCondition = "joins"  // The machine's VM joins as soon as it runs.
)

// drawNode of a pair, from a sequence of its own, so that the rest of a pair stays what it was.
func drawNode(p pair) nodeCondition {
	h := fnv.New64a()
	fmt.Fprint(h, p.first, p.second)

	d := newDraw(h.Sum64(), 1)
	if p.kind != "K3sNode" || d.chance(40) {
		return nodeUnread
	}

	return pick(d, nodeNone, nodeOther, nodeSilent, nodeJoins, nodeJoins)
}

// appear in the machine's cluster.
func (c nodeCondition) appear(m *world.Machine) {
	node := map[string]any{"apiVersion": "v1", "kind": "Node", "metadata": map[string]any{"name": m.NodeName()}}

	switch c {
	case nodeUnread, nodeNone:
	case nodeOther:
		node["status"] = map[string]any{"nodeInfo": map[string]any{"systemUUID": "00112233-4455-6677-8899-aabbccddeeff"}}
		m.Cluster().AddNode(m.NodeName(), node)
	case nodeSilent:
		m.Cluster().AddNode(m.NodeName(), node)
	case nodeJoins:
		m.Joins = true
	}
}

// catalogue of the pair, of before or after somebody changed it. The cluster home is observed where the pair has a Node.
func (p pair) catalogue(moved bool) map[string]any {
	if p.node == nodeUnread {
		return catalogues[moved]
	}

	return observedIn[drawObservation(p)][moved]
}

// An observation is how the Nodes of all clusters are read.
type observation string

const (
	observedHere    observation = "Here"         // By Crossplane.
	observedDeletes observation = "Here+Objects" // By Crossplane, and a machine's Node goes with it.
	observedObject  observation = "Object"       // By provider-kubernetes, and a machine's Node goes with it.
)

// drawObservation of a pair, from a sequence of its own.
func drawObservation(p pair) observation {
	h := fnv.New64a()
	fmt.Fprint(h, p.first, p.second, "observation")

	return pick(newDraw(h.Sum64(), 1), observedHere, observedDeletes, observedObject)
}

// observedIn are the catalogues in which the Nodes of all K3s clusters are read.
var observedIn = func() map[observation]map[bool]map[string]any {
	out := map[observation]map[bool]map[string]any{}

	for _, how := range []observation{observedHere, observedDeletes, observedObject} {
		out[how] = map[bool]map[string]any{}

		for moved, c := range catalogues {
			c = world.Object(world.Copy(c))
			for _, cluster := range world.Object(world.Object(c["data"])["clusters"]) {
				observe, objects := strings.CutSuffix(string(how), "+Objects")
				if world.Object(cluster)["observe"] = observe; objects || how == observedObject {
					world.Object(cluster)["providerConfig"] = "home"
				}
			}

			out[how][moved] = c
		}
	}

	return out
}()

// TestPairsHaveEveryNode: the drawing of pairs forgets none of the conditions.
func TestPairsHaveEveryNode(t *testing.T) {
	t.Parallel()

	drawn := map[nodeCondition]int{}

	for i := range uint64(300) {
		d := newDraw(*seed, i)
		drawn[drawNode(pair{kind: "K3sNode", first: map[string]any{"i": i, "d": d.IntN(9)}})]++
	}

	for _, c := range []nodeCondition{nodeUnread, nodeNone, nodeOther, nodeSilent, nodeJoins} {
		if drawn[c] == 0 {
			t.Errorf("no pair has a Node that is %q", c)
		}
	}
}

// TestNobodyGoesWithoutVotes: one of three servers has lost its vote, although its VM is well, and one commit asks an outage of each.
// Whatever the order of the calls, the two that vote stay where they are; only the one that counts for nothing may go.
func TestNobodyGoesWithoutVotes(t *testing.T) {
	t.Parallel()

	const worlds, steps = 6, 200

	lostWent := 0

	for i := range uint64(worlds) {
		d := newDraw(*seed, i+1<<42)
		w := newServerWorld(t, d, 3)
		how := pick(d, observedHere, observedDeletes, observedObject)

		for _, m := range w.servers {
			m.Catalogue = observedIn[how][false]
			m.Join(int(world.Status(m.Call())["vmId"].(float64)))
		}

		w.servers[0].Rest()
		w.proxmox.Done = nil
		w.look()

		lost := pick(d, w.servers...)
		condition := pick(d, "Ready", "EtcdIsVoter")
		lost.Cluster().SetNode(lost.NodeName(), condition, "False", "Lost")

		// Through an Object, a Node is seen as it was at the last poll.
		for _, m := range w.servers {
			m.Provide()
		}

		kinds := slices.Sorted(maps.Keys(wishes))
		for _, m := range w.servers {
			wishes[pick(d, kinds...)](m)
		}

		for range steps {
			w.step()

			for _, a := range w.away() {
				if !strings.HasPrefix(a, lost.Name()+" ") {
					t.Fatalf("seed %d, world %d: %s is away, and %s has lost its %s; done: %s", *seed, i, a, lost.Name(), condition, strings.Join(w.proxmox.Done, ", "))
				}
			}
		}

		if len(w.proxmox.Done) > 0 {
			lostWent++
		}
	}

	if lostWent == 0 {
		t.Error("the server that has lost its vote never went in any world")
	}
}
