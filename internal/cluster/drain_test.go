package cluster

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/status"
)

// drained is the value of lifecycle.drain of a node; empty for none.
func (s *story) drained(name string) string {
	l, _ := s.site.nodes[name].child.Spec["lifecycle"].(map[string]any)
	drain, _ := l["drain"].(string)

	return drain
}

// scaled is a cluster of a server and three agents, of which two are to go.
func scaled(t *testing.T, drain bool) *story {
	t.Helper()

	spec := claimed(1, 3)
	spec.Rollout.Drain = drain

	s := newStory(t, spec)
	s.complete(40)

	s.log = nil
	s.spec.Agents[0].Count = 1

	return s
}

// TestRemovalDrains: with rollout.drain, the pods of a node go before the node, and one node goes after the other.
func TestRemovalDrains(t *testing.T) {
	s := scaled(t, true)
	was := map[string]string{}

	for range 40 {
		before := s.site.children()
		p := s.call()

		for name, c := range before {
			if n, there := s.site.nodes[name]; there && n.child.Deleting && !c.Deleting {
				was[name] = c.Drain
			}
		}

		if p.State == v1alpha1.RolloutComplete {
			break
		}

		if s.site.nodes["worker-1"] != nil && s.drained("worker-1") != "" && s.site.nodes["worker-2"] != nil {
			t.Fatal("worker-1 is drained while worker-2 is there")
		}
	}

	for _, name := range []string{"worker-1", "worker-2"} {
		if was[name] != status.ReasonDrained {
			t.Errorf("%s went while its Node was %q", name, was[name])
		}
	}

	s.logged("worker-2 Remove", "worker-1 Remove")
}

// TestRemovalDoesNotDrain: without rollout.drain nobody cordons anything, and nobody drains a node that does not serve its cluster, or where no Job
// could be had.
func TestRemovalDoesNotDrain(t *testing.T) {
	cases := map[string]struct {
		reason string
		drain  bool
		edit   func(w *World, s *story)
	}{
		"NotAsked":    {"The claim does not ask for it.", false, func(*World, *story) {}},
		"NoProvider":  {"provider-kubernetes creates the Jobs.", true, func(w *World, _ *story) { w.NodesLeave = false }},
		"Broken":      {"Its kubelet ends no pods.", true, func(_ *World, s *story) { s.site.nodes["worker-2"].child.Ready = false }},
		"NeverJoined": {"It never had a pod.", true, func(_ *World, s *story) { s.site.nodes["worker-2"].child.Joined = false }},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := scaled(t, tc.drain)
			w := s.world()
			tc.edit(&w, s)
			w.Children = s.site.children()

			for _, step := range Decide(w).Steps {
				if l, _ := step.Spec["lifecycle"].(map[string]any); l["drain"] != nil {
					t.Errorf("%s %s is drained", tc.reason, step.Node)
				}

				if step.Node == "worker-2" && step.Action != ActionRemove {
					t.Errorf("%s %s is not removed: %s %s", tc.reason, step.Node, step.Action, step.Why)
				}
			}
		})
	}
}

// TestDrainIsTakenBack: a node that was to be removed, and is wanted again, gets pods again; what a person asked for before stays.
func TestDrainIsTakenBack(t *testing.T) {
	for name, byHand := range map[string]string{"ByTheCluster": "", "ByHandBefore": "2026-11-23"} {
		t.Run(name, func(t *testing.T) {
			s := scaled(t, true)
			if byHand != "" {
				s.spec.Nodes = []v1alpha1.ClusterNode{{Name: "worker-2", Lifecycle: v1alpha1.NodeLifecycle{Drain: byHand}}}
			}

			s.call()

			if got := s.drained("worker-2"); got != lifecycle.DrainForRemoval {
				t.Fatalf("worker-2 has lifecycle.drain %q", got)
			}

			s.spec.Agents[0].Count = 3
			s.complete(40)

			if got := s.drained("worker-2"); got != byHand {
				t.Errorf("worker-2 has lifecycle.drain %q, want %q", got, byHand)
			}

			if _, there := s.site.nodes["worker-2"]; !there {
				t.Error("worker-2 went")
			}
		})
	}
}

// TestBlockedDrain: a drain that cannot begin holds the removal, and says so; without rollout.drain the removal goes on.
func TestBlockedDrain(t *testing.T) {
	s := scaled(t, true)
	s.site.nodes["worker-2"].undrainable = true

	var p Plan
	for range 20 {
		p = s.call()
	}

	if _, there := s.site.nodes["worker-2"]; !there || !strings.Contains(p.Message, "its Node is drained first (NodeDrained DrainBlocked)") {
		t.Errorf("worker-2 is there: %t; the rollout says %q", there, p.Message)
	}

	s.spec.Rollout.Drain = false
	s.complete(60)
}

// TestDrainOfTurns: rollout.drain is k3s.drain of every node, unless a pool says otherwise.
func TestDrainOfTurns(t *testing.T) {
	spec := claimed(1, 1)
	spec.Rollout.Drain = true
	spec.Agents[0].Template = v1alpha1.NodeTemplate{"k3s": map[string]any{"drain": false}}

	members, err := Members(identity, spec, false)
	if err != nil {
		t.Fatal(err)
	}

	for _, m := range members {
		if got, want := group(m.Spec, "k3s")["drain"], m.Role == v1alpha1.K3sServer; got != want {
			t.Errorf("%s has k3s.drain %v, want %t", m.Node, got, want)
		}
	}
}

// TestDrains: a node's own word comes before that of the cluster.
func TestDrains(t *testing.T) {
	said := func(word any) map[string]any { return map[string]any{"k3s": map[string]any{"drain": word}} }

	got := []bool{
		drains(&SystemUpgrade{Drains: true}, nil), drains(&SystemUpgrade{Drains: true}, said(false)), drains(&SystemUpgrade{Drains: true}, said(true)),
		drains(&SystemUpgrade{}, nil), drains(&SystemUpgrade{}, said(false)), drains(&SystemUpgrade{}, said(true)),
	}
	if diff := cmp.Diff([]bool{true, false, true, false, false, true}, got); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

// TestOrderOfRemovals: agents leave before servers, and the highest numbers first, as numbers.
func TestOrderOfRemovals(t *testing.T) {
	s := newStory(t, claimed(3, 11))
	s.spec.Agents[0].Name = "gpu"
	s.complete(200)
	s.log = nil

	s.spec.Servers.Count, s.spec.Agents[0].Count = new(int64(1)), 8
	s.complete(200)
	s.logged("gpu-10 Remove", "gpu-9 Remove", "gpu-8 Remove", "server-2 Remove", "server-1 Remove")
}
