package properties

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// drainTroubles are what can become of a drain, and of what a claim asks, at any time.
var drainTroubles = map[string]func(m *world.Machine, d draw){
	"Name":  func(m *world.Machine, d draw) { nodeTroubles[pick(d, "Foreign", "Unknown")](m, d) },
	"Fails": nodeTroubles["Fails"],
	"Fate": func(m *world.Machine, d draw) {
		m.Cluster().Kubernetes.EndJobs(pick(d, world.JobCompletes, world.JobFails, world.JobFails, world.JobHangs))
	},
	"Reboot": func(m *world.Machine, d draw) { demand(m, "reboot", pick(d, "a", "b", "c", "d")) },
	"Drain":  func(m *world.Machine, d draw) { demand(m, "drain", pick(d, "a", "b", "")) },
	"Force":  func(m *world.Machine, d draw) { demand(m, "force", pick(d, "a", "")) },
	"Asked": func(m *world.Machine, d draw) {
		k3s := world.Object(m.Spec()["k3s"])
		k3s["drain"] = d.chance(80)
		m.Spec()["k3s"] = k3s
	},
	"Power":  func(m *world.Machine, d draw) { m.Spec()["power"] = pick(d, "Running", "Running", "Stopped") },
	"Cordon": func(m *world.Machine, d draw) { m.Cluster().Cordon(m.NodeName(), d.chance(50)) },
}

func demand(m *world.Machine, field, value string) {
	l := world.Object(m.Spec()["lifecycle"])
	if l[field] = value; value == "" {
		delete(l, field)
	}

	m.Spec()["lifecycle"] = l
}

// TestDrainsInRandomWorlds: whatever becomes of claims, Nodes, Jobs and provider-kubernetes, no Job works on a Node that is not its VM's, and no two
// servers are drained at a time (both faults of the fake). When all is well again, every Job ends, and nothing that the function cordoned stays so.
func TestDrainsInRandomWorlds(t *testing.T) {
	t.Parallel()

	const worlds, steps = 8, 200

	reached := map[lifecycle.DrainState]bool{}

	for i := range uint64(worlds) {
		d := newDraw(*seed, i+1<<44)
		w := newServerWorld(t, d, 3)
		how := pick(d, observedDeletes, observedObject)

		for _, m := range w.servers {
			m.Catalogue = observedIn[how][false]
			m.Joins = true
			m.Join(int(world.Status(m.Call())["vmId"].(float64)))
			drainTroubles["Asked"](m, d)
		}

		w.servers[0].Rest()

		for range steps {
			m := w.servers[d.IntN(len(w.servers))]

			if d.chance(30) {
				names := slices.Sorted(maps.Keys(drainTroubles))
				drainTroubles[names[d.IntN(len(names))]](m, d)
			}

			// Somebody sees to Nodes that are in the way, and to the provider.
			if c := m.Cluster(); d.chance(20) {
				if c.Kubernetes.Fails = ""; c.Registered(m.NodeName()) == 0 {
					c.DeleteNode(m.NodeName())
				}
			}

			// A call and what it leads to are apart, as in Crossplane.
			other := w.servers[d.IntN(len(w.servers))]
			rsp, late := m.Call(), other.Call()
			m.Apply(rsp)

			if d.chance(50) {
				m.Provide()
			}

			if other != m {
				other.Apply(late)
				other.Provide()
			}

			for _, m := range w.servers {
				state, _, _ := strings.Cut(strings.TrimLeft(world.Annotation(m.Observed["vm"], proxmox.DrainAnnotation), "0123456789 "), " ")
				reached[lifecycle.DrainState(state)] = true
			}
		}

		w.servers[0].Cluster().Kubernetes.EndJobs(world.JobCompletes)
		w.mendNodes()

		for _, m := range w.servers {
			delete(m.Spec(), "lifecycle")
			m.Spec()["power"] = "Running"
			m.Cluster().Cordon(m.NodeName(), false)
			m.Cluster().Repeat(m.NodeName())
		}

		for range 40 {
			for _, m := range w.servers {
				m.Turn()
			}
		}

		for _, m := range w.servers {
			a := world.Annotation(m.Observed["vm"], proxmox.DrainAnnotation)
			if a != "" && !strings.Contains(a, string(lifecycle.DrainNone)) && m.Cluster().Registered(m.NodeName()) != 0 {
				t.Errorf("world %d: %s ends as %q: %s", i, m.Name(), a, world.Message(m.Call(), "NodeDrained"))
			}

			if m.Cluster().Cordoned(m.NodeName()) {
				t.Errorf("world %d: Node %s stays cordoned", i, m.NodeName())
			}
		}
	}

	for _, s := range []lifecycle.DrainState{
		lifecycle.DrainNone, lifecycle.DrainRunning, lifecycle.DrainDone, lifecycle.DrainUnfinished, lifecycle.DrainUncordoning, lifecycle.DrainUncordonFailed,
	} {
		if !reached[s] {
			t.Errorf("no world reached %s", s)
		}
	}
}
