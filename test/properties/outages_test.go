package properties

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/internal/compose"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/world"
	"github.com/homelab-io/function-proxmox-machine/test/fake"
)

// A view is what Crossplane's cache held of every server at some moment.
type view map[*world.Machine]map[string]map[string]any

// A serverWorld of servers of one K3s cluster. Each server is a composite of its own. Its calls see a view of any age, though none older
// than what it wrote last, and its answers are applied when something else may have happened in between.
type serverWorld struct {
	d       draw
	servers []*world.Machine
	proxmox *world.Proxmox

	views   []view                 // In their order; the last one is of now.
	written map[*world.Machine]int // The first view that has what a server wrote last.
	answers map[*world.Machine]*fnv1.RunFunctionResponse
}

// newWorld of servers that run.
func newServerWorld(t *testing.T, d draw, n int) *serverWorld {
	t.Helper()

	c := fake.NewCluster(t, compose.Answer)
	c.Memory = memory
	w := &serverWorld{d: d, proxmox: c.NewProxmox(), written: map[*world.Machine]int{}, answers: map[*world.Machine]*fnv1.RunFunctionResponse{}}

	for i := range n {
		spec := map[string]any{
			"k3s":     map[string]any{"role": "server", "cluster": "home", "init": i == 0},
			"network": map[string]any{"ip": fmt.Sprintf("192.168.4.%d", 60+i)},
			"proxmox": map[string]any{"node": fmt.Sprintf("pve%d", i%3+1), "migrate": true},
			"image":   "debian",
		}
		if i == 0 {
			delete(world.Object(spec["k3s"]), "token")
		}

		m := c.AddOn(w.proxmox, world.NewMachine(world.NewClaim("K3sNode", "infra", fmt.Sprintf("server-%d", i+1), spec), world.Installations[0]))
		m.Catalogue, m.Secrets, m.Constant = catalogues[false], joinSecrets, true
		w.servers = append(w.servers, m)
	}

	c.Rest()
	w.proxmox.Done = nil
	w.look()

	return w
}

// look at everything as it is now.
func (w *serverWorld) look() {
	v := view{}

	for _, m := range w.servers {
		v[m] = map[string]map[string]any{}
		for name, o := range m.Observed {
			v[m][name] = world.Object(world.Copy(o))
		}
	}

	w.views = append(w.views, v)
}

// call a server's function with a view of any age.
func (w *serverWorld) call(m *world.Machine) {
	first := w.written[m]
	v := w.views[first+w.d.IntN(len(w.views)-first)]

	// An informer never goes back.
	w.written[m] = max(first, slices.IndexFunc(w.views, func(o view) bool { return fmt.Sprintf("%p", o) == fmt.Sprintf("%p", v) }))

	now := map[*world.Machine]map[string]map[string]any{}
	for _, s := range w.servers {
		now[s], s.Observed = s.Observed, v[s]
	}

	w.answers[m] = m.Call()

	for s, o := range now {
		s.Observed = o
	}
}

// step is one thing that happens: a call, the write of an answer, or work of the provider.
func (w *serverWorld) step() {
	m := w.servers[w.d.IntN(len(w.servers))]

	switch answer := w.answers[m]; {
	case answer != nil && w.d.chance(60):
		m.Apply(answer)
		delete(w.answers, m)
		w.look()
		w.written[m] = len(w.views) - 1
	case w.d.chance(50):
		m.Provide()
		w.look()
	case answer == nil:
		w.call(m)
	}
}

// away are the servers that a planned outage keeps away now: their VM does not run, or is written to stop, or is on its way.
func (w *serverWorld) away() []string {
	var out []string

	for _, m := range w.servers {
		vm := m.Observed["vm"]
		is := world.Object(world.Object(vm["spec"])["forProvider"])

		g := w.proxmox.VMs[int(is["vmId"].(float64))]
		if g.Running == nil || is["started"] != true || is["nodeName"] != g.Config["nodeName"] {
			out = append(out, m.Name()+" ("+world.Annotation(vm, proxmox.OutageAnnotation)+")")
		}
	}

	return out
}

// wishes are what one commit asks of a server.
var wishes = map[string]func(m *world.Machine){
	"Reboot": func(m *world.Machine) {
		world.Merge(m.Spec(), map[string]any{"lifecycle": map[string]any{"reboot": "a"}})
	},
	"PowerCycle": func(m *world.Machine) {
		world.Merge(m.Spec(), map[string]any{"size": map[string]any{"cores": 6}, "lifecycle": map[string]any{"rebootPolicy": "WhenNeeded"}})
	},
	"Migration": func(m *world.Machine) {
		place := world.Object(m.Spec()["proxmox"])
		place["node"] = map[any]any{"pve1": "pve2", "pve2": "pve3", "pve3": "pve1"}[place["node"]]
	},
	"Stop": func(m *world.Machine) { m.Spec()["power"] = "Stopped" },
}

// TestServersGoOneByOne plays clusters of three and five servers that one commit asks for an outage, each server for the same
// or for one of its own, with calls in any order, answers that are applied late, and views of any age. Never are two away at
// once, and each gets its turn.
func TestServersGoOneByOne(t *testing.T) {
	t.Parallel()

	const worlds, steps = 8, 500

	turns := 0

	for i := range uint64(worlds) {
		d := newDraw(*seed, i+1<<40)
		w := newServerWorld(t, d, pick(d, 3, 3, 5))
		kinds := slices.Sorted(maps.Keys(wishes))
		kinds = slices.DeleteFunc(kinds, func(k string) bool { return k == "Stop" })
		same := pick(d, kinds...)

		for _, m := range w.servers {
			kind := same
			if i%2 == 1 {
				kind = pick(d, kinds...)
			}

			wishes[kind](m)
		}

		for range steps {
			w.step()

			if away := w.away(); len(away) > 1 {
				t.Fatalf("seed %d, world %d: two servers are away at once: %s; done: %s", *seed, i, strings.Join(away, ", "), strings.Join(w.proxmox.Done, ", "))
			}
		}

		// Whatever is left is done without delay.
		w.servers[0].Rest()

		for _, m := range w.servers {
			vm := m.Observed["vm"]
			if a := world.Annotation(vm, proxmox.OutageAnnotation); a != "" {
				t.Errorf("seed %d, world %d: %s still announces %q", *seed, i, m.Name(), a)
			}
		}

		for _, what := range []string{"stop", "start", "migrate"} {
			for _, done := range w.proxmox.Done {
				if strings.HasPrefix(done, what) {
					turns++
				}
			}
		}

		if cycles := done(w, "stop"); cycles > len(w.servers) || cycles != done(w, "start") || cycles+done(w, "migrate") != len(w.servers) {
			t.Errorf("seed %d, world %d: want one outage of each of %d servers, got: %s", *seed, i, len(w.servers), strings.Join(w.proxmox.Done, ", "))
		}
	}

	if turns == 0 {
		t.Error("nothing happened in any world")
	}
}

// done counts what was done in Proxmox.
func done(w *serverWorld, what string) (n int) {
	for _, d := range w.proxmox.Done {
		if strings.HasPrefix(d, what+" ") {
			n++
		}
	}

	return n
}

// TestAClusterKeepsAMajority: one commit stops all servers. As many stop as the cluster can do without, and the others say that
// they wait.
func TestAClusterKeepsAMajority(t *testing.T) {
	t.Parallel()

	for i := range uint64(4) {
		d := newDraw(*seed, i+1<<41)
		n := pick(d, 3, 5)
		w := newServerWorld(t, d, n)

		for _, m := range w.servers {
			wishes["Stop"](m)
		}

		running := func() (out int) {
			for _, g := range w.proxmox.VMs {
				if g.Running != nil {
					out++
				}
			}

			return out
		}

		for range 300 {
			w.step()

			if running() < n/2+1 {
				t.Fatalf("seed %d, world %d: %d of %d servers run; done: %s", *seed, i, running(), n, strings.Join(w.proxmox.Done, ", "))
			}
		}

		w.servers[0].Rest()

		if got := running(); got != n/2+1 {
			t.Errorf("seed %d, world %d: %d of %d servers run, want a bare majority; done: %s", *seed, i, got, n, strings.Join(w.proxmox.Done, ", "))
		}
	}
}
