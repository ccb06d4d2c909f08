package cluster

import (
	"strings"
	"testing"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
)

// TestAReplacedServerHasToJoin: what its VM before had reported says nothing of the new one, and without the Nodes nothing else would.
func TestAReplacedServerHasToJoin(t *testing.T) {
	t.Parallel()

	for name, tc := range map[string]struct {
		reason, status, word, lifecycle string
		serves                          bool
	}{
		"Joined":        {"The guest reports it.", "True", "Joined", "b", true},
		"Waits":         {"The guest reports that it waits, whatever was confirmed.", "False", "NotYet", "b", false},
		"SilentNew":     {"Nobody knows whether the new VM has joined.", "Unknown", "NotReported", "a", false},
		"SilentForLong": {"It has joined, and its guest agent does not answer.", "Unknown", "NotReported", "b", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			c, err := Observe(map[string]any{
				"metadata": map[string]any{"name": "home-server-0", "annotations": map[string]any{JoinedAnnotation: "true"}},
				"spec":     map[string]any{"k3s": map[string]any{"role": "server"}, "lifecycle": map[string]any{"replace": "b", "joined": tc.lifecycle}},
				"status": map[string]any{"conditions": []any{
					map[string]any{"type": "Ready", "status": "True"},
					map[string]any{"type": "NodeJoined", "status": tc.status, "reason": tc.word},
				}},
			})
			if err != nil {
				t.Fatal(err)
			}

			c.Answered = true
			if c.serves() != tc.serves {
				t.Errorf("%s: want serves %t, silent: %v", tc.reason, tc.serves, c.Silent)
			}
		})
	}
}

// TestSaysWhatTheOneMissesForWhomItWaits: the cluster knows nothing against the other servers.
func TestSaysWhatTheOneMissesForWhomItWaits(t *testing.T) {
	t.Parallel()

	for name, tc := range map[string]struct {
		reason string
		child  Child
		state  v1alpha1.RolloutState
		want   string
	}{
		"Quorum": {
			reason: "It goes on by itself, when the others are there.", child: Child{Quorum: "Not ready: home-server-1."},
			state: v1alpha1.RolloutWaiting, want: " server-0 says: Not ready: home-server-1.",
		},
		"Held": {
			reason: "Only a person can help it.", child: Child{Answered: true, Held: Hold{Reason: "DrainBlocked", Message: "Set spec.lifecycle.force."}, Quorum: "Not ready."},
			state: v1alpha1.RolloutBlocked, want: " server-0 cannot go on: DrainBlocked: Set spec.nodes[server-0].lifecycle.force.",
		},
		"AnotherOne": {
			reason: "What it says of another node is that one's.", child: Child{Quorum: "Not ready: home-server-1 (its spec.lifecycle.joined does not say `a`). Set spec.lifecycle.force."},
			state: v1alpha1.RolloutWaiting, want: " server-0 says: Not ready: home-server-1 (its lifecycle.joined does not say `a`). Set spec.nodes[server-0].lifecycle.force.",
		},
		"NotAnswered": {
			reason: "What it said was about another spec.", child: Child{Held: Hold{Reason: "DrainBlocked", Message: "Set spec.lifecycle.force."}},
			state: v1alpha1.RolloutWaiting, want: "The next turn waits for server-0; 0 of 0 nodes are done.",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			now := &situation{World: World{Children: map[string]Child{"server-0": tc.child}}}
			if state, got := waiting(now, []string{"server-0"}, Plan{}); state != tc.state || !strings.HasSuffix(got, tc.want) {
				t.Errorf("%s\nwant %s ...%s\ngot %s %s", tc.reason, tc.state, tc.want, state, got)
			}
		})
	}
}
