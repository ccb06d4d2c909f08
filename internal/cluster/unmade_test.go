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

// TestCorrected: a node that has not joined, and was edited since its VM was made, may never join with that VM: the cluster says what helps.
func TestCorrected(t *testing.T) {
	const hint = "set lifecycle.replace to a new value for worker-1 in spec.nodes"

	cases := map[string]struct {
		reason string
		edit   func(c *Child)
		told   bool
	}{
		"Edited":     {reason: "Only a new VM has what it is to have.", edit: func(c *Child) { c.Need = NeedNewVM }, told: true},
		"Unedited":   {reason: "It is about to join.", edit: func(*Child) {}},
		"Unanswered": {reason: "The need is that of the spec before.", edit: func(c *Child) { c.Need, c.Answered = NeedNewVM, false }},
		"Replaced":   {reason: "It gets its new VM.", edit: func(c *Child) { c.Need = NeedReplacing }},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := newStory(t, claimed(3, 2))
			s.complete(40)

			w := s.world()
			was := w.Children["worker-1"]
			c := Child{Machine: was.Machine, Role: was.Role, Spec: was.Spec, Template: was.Template, Answered: true}
			tc.edit(&c)
			w.Children["worker-1"] = c

			p := Decide(w)
			if got := strings.Contains(p.Message, hint); got != tc.told || p.State != v1alpha1.RolloutProgressing {
				t.Errorf("%s\n%s: %s", tc.reason, p.State, p.Message)
			}
		})
	}
}
