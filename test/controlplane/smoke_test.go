package controlplane

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// smoke is what TestSmoke does on every installation: parts of the other suites, by name.
var smoke = struct {
	lives map[string]brief
	// refusedAtOnce and refusedByFunction are rows of the tables of these names, troubles those of [troublesOfAccess].
	refusedAtOnce, refusedByFunction, troubles []string
}{
	lives: map[string]brief{
		"Machine":       {of: classes, steps: []string{"a claim is applied", "a larger class"}},
		"MachineDelete": {of: deleted},
		"K3sNode":       {of: protected},
		"Container":     {of: deletedContainer, steps: []string{"a claim is applied", "Stopped", "Running", "the claim is deleted"}},
		"ProxmoxSite":   {of: siteEdits},
	},
	refusedAtOnce:     []string{"VLAN", "SecureBoot"}, // By the schema, and by a rule.
	refusedByFunction: []string{"Class"},
	troubles:          []string{"Credentials"},
}

// A brief life is one with some of its steps only.
type brief struct {
	of    func() life
	steps []string // All if there are none.
}

func (b brief) life(t *testing.T) life {
	t.Helper()

	l := b.of()
	if b.steps == nil {
		return l
	}

	all := l.steps
	l.steps = nil

	for _, name := range b.steps {
		i := slices.IndexFunc(all, func(s step) bool { return s.does == name })
		if i < 0 {
			t.Fatalf("there is no step %q in: %s", name, l.reason)
		}

		l.steps = append(l.steps, all[i])
	}

	return l
}

// rows of a table, by name.
func rows[T any](t *testing.T, table map[string]T, names ...string) map[string]T {
	t.Helper()

	out := maps.Clone(table)
	maps.DeleteFunc(out, func(name string, _ T) bool { return !slices.Contains(names, name) })

	if len(out) != len(names) {
		t.Fatalf("of %q there are only %q", names, slices.Sorted(maps.Keys(out)))
	}

	return out
}

// TestSmoke is short: on every installation one birth, one edit and one end of each kind, claims that are refused, and one fault. All of it is
// in other suites, too, so a run of all suites need not have it. It needs nothing but a control plane and our packages.
func TestSmoke(t *testing.T) {
	everywhere(t, func(t *testing.T, r *rig) {
		c := &clusterRun{nodesRun: &nodesRun{rig: r, k3s: r.observing(t, "Here")}, claim: clusterClaim()}
		c.claim = counted(edited(c.claim, map[string]any{"servers.count": int64(1), "agents": c.agentsOf(0)}))

		c.grant(t)

		for name, b := range smoke.lives {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				r.live(t, b.life(t))
			})
		}

		t.Run("K3sCluster", func(t *testing.T) {
			t.Parallel()
			c.live(t, []nodesStep{{"Birth", c.smallBirth}, {"Edit", c.firstAgent}, {"End", c.ends}})
		})

		for name, tc := range rows(t, refusedAtOnce(), smoke.refusedAtOnce...) {
			t.Run("RefusedAtOnce/"+name, func(t *testing.T) {
				t.Parallel()
				r.refusesAtOnce(t, tc)
			})
		}

		t.Run("RefusedByFunction", func(t *testing.T) {
			t.Parallel()
			r.refusesByFunction(t, rows(t, refusedByFunction(), smoke.refusedByFunction...))
		})

		for i, name := range smoke.troubles {
			t.Run("Trouble/"+name, func(t *testing.T) {
				t.Parallel()
				r.trouble(t, rows(t, troublesOfAccess(), name)[name], "trouble-"+strings.ToLower(name), 5602+i)
			})
		}
	})
}

// smallBirth is a cluster of one server.
func (c *clusterRun) smallBirth(t *testing.T) {
	must(t, c.apply(t.Context(), c.claim))
	c.complete(t, "birth of one server")
	c.consists(t, "server-0")
}

// firstAgent joins it.
func (c *clusterRun) firstAgent(t *testing.T) {
	c.change(t, map[string]any{"agents": c.agentsOf(1), "nodes": c.withNode(t, "worker-0")})

	c.numbers(t, 2)
	c.complete(t, "an agent has joined")
	c.consists(t, "server-0", "worker-0")
}
