package cluster

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
)

// TestUnmade: a node that is refused, and has no VM, says why, and keeps no other node from its turn. One that has a VM does.
func TestUnmade(t *testing.T) {
	const says = "The machine does not change until this is corrected: kind: tenant ours has no room for this"

	cases := map[string]struct {
		reason, node string
		edit         func(c *Child)
		state        v1alpha1.RolloutState
		message      string
		turns        []string // Nodes whose change begins.
	}{
		"Agent":  {reason: "It is no node yet.", node: "worker-1", edit: func(c *Child) { c.Unmade = true }, state: v1alpha1.RolloutProgressing, turns: []string{"server-0"}},
		"Server": {reason: "It is no member yet.", node: "server-2", edit: func(c *Child) { c.Unmade = true }, state: v1alpha1.RolloutProgressing, turns: []string{"server-0"}},
		"Made": {
			reason: "It may join at any moment.", node: "worker-1", edit: func(*Child) {}, state: v1alpha1.RolloutBlocked,
			message: "worker-1 is being created, and has not joined yet, and cannot go on: " + says,
		},
		"Joined": {
			reason: "It is a node.", node: "worker-1", edit: func(c *Child) { c.Joined, c.Trouble = true, "SpecValid ConfigurationError" }, state: v1alpha1.RolloutBlocked,
			message: "worker-1 cannot go on: " + says,
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := newStory(t, claimed(3, 2))
			s.complete(40)

			s.spec.Servers.Class = "huge"

			w := s.world()
			was := w.Children[tc.node]
			c := Child{Machine: was.Machine, Role: was.Role, Spec: was.Spec, Template: was.Template, Refused: says}
			tc.edit(&c)
			w.Children[tc.node] = c

			p := Decide(w)

			var turns []string

			for _, step := range p.Steps {
				if step.Action == ActionChange {
					turns = append(turns, step.Node)
				}
			}

			if diff := cmp.Diff(tc.turns, turns); diff != "" || p.State != tc.state || !strings.Contains(p.Message, tc.message) {
				t.Errorf("%s\n%s: %s; turns: -want, +got:\n%s", tc.reason, p.State, p.Message, diff)
			}
		})
	}
}
