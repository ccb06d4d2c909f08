package properties

import (
	"strings"
	"testing"

	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// nodeTroubles are what can become of a Node, and of what a claim asks, at any time.
var nodeTroubles = map[string]func(m *world.Machine, d draw){
	"Foreign": func(m *world.Machine, _ draw) {
		m.Cluster().DeleteNode(m.NodeName())
		m.Cluster().AddNode(m.NodeName(), map[string]any{
			"apiVersion": "v1", "kind": "Node", "metadata": map[string]any{"name": m.NodeName()},
			"status": map[string]any{"nodeInfo": map[string]any{"systemUUID": "00112233-4455-6677-8899-aabbccddeeff"}},
		})
	},
	"Unknown": func(m *world.Machine, _ draw) {
		m.Cluster().DeleteNode(m.NodeName())
		m.Cluster().AddNode(m.NodeName(), map[string]any{"apiVersion": "v1", "kind": "Node", "metadata": map[string]any{"name": m.NodeName()}})
	},
	"Deleted": func(m *world.Machine, _ draw) { m.Cluster().DeleteNode(m.NodeName()) },
	"Vote": func(m *world.Machine, d draw) {
		if n := m.Cluster().Nodes[m.NodeName()]; len(world.List(world.Object(n["status"])["conditions"])) > 1 {
			m.Cluster().SetNode(m.NodeName(), "EtcdIsVoter", pick(d, "True", "False"), "Random")
		}
	},
	"Fails": func(m *world.Machine, d draw) {
		m.Cluster().Kubernetes.Fails = pick(d, "", "", "observe failed: nobody answers")
	},
	"Backoff": func(m *world.Machine, d draw) { m.Cluster().Kubernetes.Backoff = d.IntN(6) },
	"Holds":   func(m *world.Machine, d draw) { m.Cluster().Kubernetes.Holds = d.chance(30) },
	"Replace": func(m *world.Machine, d draw) {
		m.Spec()["lifecycle"] = map[string]any{"replace": pick(d, "a", "b", "c")}
	},
	"TakeBack": func(m *world.Machine, _ draw) { delete(m.Spec(), "lifecycle") },
	"Policy":   func(m *world.Machine, d draw) { m.Spec()["deletionPolicy"] = pick(d, "Delete", "Delete", "Orphan") },
	"Observe": func(m *world.Machine, d draw) {
		m.Catalogue = observedIn[pick(d, observedDeletes, observedDeletes, observedHere, observedObject)][false]
	},
}

// mendNodes lets every server join under its name, and vote.
func (w *serverWorld) mendNodes() {
	for _, m := range w.servers {
		c := m.Cluster()
		c.Kubernetes.Fails, c.Kubernetes.Backoff, c.Kubernetes.Holds = "", 0, false

		if c.Registered(m.NodeName()) == 0 {
			c.DeleteNode(m.NodeName())
		} else {
			c.SetNode(m.NodeName(), "EtcdIsVoter", "True", "MemberNotLearner")
		}

		m.Provide()
	}
}

// TestObjectsDeleteProvenNodesOnly: whatever becomes of Nodes, claims and provider-kubernetes, no answer has an Object that would delete a
// Node which is not proven to be its VM's, and none is left out with that right, as of what there was before the answer.
func TestObjectsDeleteProvenNodesOnly(t *testing.T) {
	t.Parallel()

	const worlds, steps = 8, 150

	may, gone := 0, 0

	for i := range uint64(worlds) {
		d := newDraw(*seed, i+1<<43)
		w := newServerWorld(t, d, 3)

		for _, m := range w.servers {
			m.Catalogue = observedIn[pick(d, observedDeletes, observedObject)][false]
			m.Spec()["deletionPolicy"], m.Spec()["deletionProtection"] = "Delete", false
			delete(m.Spec(), "protection")
			m.Joins = true
			m.Join(int(world.Status(m.Call())["vmId"].(float64)))
		}

		w.servers[0].Rest()
		w.proxmox.Done = nil

		for step := range steps {
			m := pick(d, w.servers...)

			// What becomes of a Node after its deletion has begun, nobody can take back.
			switch {
			case m.Cluster().Kubernetes.Deleting() || d.chance(70):
			case d.chance(50):
				w.mendNodes()
			default:
				nodeTroubles[pick(d, world.Keys(nodeTroubles)...)](m, d)
			}

			m.Provide()

			rsp := m.Call()
			if msg := world.Fatal(rsp); msg != "" {
				t.Fatalf("seed %d, world %d, step %d: %s", *seed, i, step, msg)
			}

			desired := world.Manifests(rsp)

			for name, o := range desired {
				if node := m.ForeignNode(name, o); node != "" {
					t.Fatalf("seed %d, world %d, step %d: %s of %s would delete Node %s", *seed, i, step, name, m.Name(), node)
				}

				if o["kind"] == world.ObjectKind && strings.Contains(world.Policies(o), "Delete") {
					may++
				}
			}

			for name, o := range m.Observed {
				if _, stays := desired[name]; !stays && m.ForeignNode(name, o) != "" {
					t.Fatalf("seed %d, world %d, step %d: %s of %s is left out, and deletes a Node", *seed, i, step, name, m.Name())
				}
			}

			m.Apply(rsp)
			m.Provide()
		}

		gone += strings.Count(strings.Join(w.proxmox.Done, ","), "delete node ")
	}

	if may == 0 || gone == 0 {
		t.Errorf("%d times an Object could delete a Node, and %d Nodes went: the worlds do not lead there", may, gone)
	}

	t.Logf("%d times an Object could delete a Node, and %d Nodes went", may, gone)
}
