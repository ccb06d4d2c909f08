package cluster

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
)

// TestReportedTurn: a turn that goes on is reported as what began it, since the status has a word for each action and none for keeping.
func TestReportedTurn(t *testing.T) {
	cases := map[string]struct {
		reason string
		step   Step
		want   string
	}{
		"Begins":    {"The first call of a turn.", Step{Action: ActionChange, State: StateChanging}, "Change"},
		"Created":   {"The node has not joined yet.", Step{Action: ActionKeep, State: StateCreating}, "Create"},
		"Changed":   {"The node takes its change up.", Step{Action: ActionKeep, State: StateChanging}, "Change"},
		"Replaced":  {"The new VM is not ready yet.", Step{Action: ActionKeep, State: StateReplacing}, "Replace"},
		"Leaves":    {"Its deletion has begun.", Step{Action: ActionKeep, State: StateLeaving}, "Remove"},
		"Power":     {"A power cycle begins.", Step{Action: ActionReboot, State: StateChanging}, "Reboot"},
		"Unhealthy": {"It has its turn, and its state is that of a node that is not ready.", Step{Action: ActionKeep, State: StateNotReady}, "Change"},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := ReportOn(Plan{State: v1alpha1.RolloutProgressing, Turn: &tc.step}, nil, "", Refusals{}).Status.Rollout.Turn.Action
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestReportedNodes: the status says of each node which role it has and whether it serves, for a person and for metrics.
func TestReportedNodes(t *testing.T) {
	s := newStory(t, claimed(1, 1))
	s.complete(20)
	s.site.nodes["worker-0"].child.Silent = []string{"NodeReady KubeletSilent"}

	p := Decide(s.world())

	type said struct {
		Name  string
		Role  v1alpha1.K3sRole
		Ready bool
	}

	var got []said
	for _, n := range ReportOn(p, s.site.children(), "", Refusals{}).Status.Nodes {
		got = append(got, said{n.Name, n.Role, n.Ready})
	}

	want := []said{{"server-0", v1alpha1.K3sServer, true}, {"worker-0", v1alpha1.K3sAgent, false}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("nodes: -want, +got:\n%s", diff)
	}
}

// TestTurnIsAnnouncedOnce: an event for each turn that begins, also for a second edit of the node whose turn it is.
func TestTurnIsAnnouncedOnce(t *testing.T) {
	turn := func(action string, fields ...string) v1alpha1.RolloutStatus {
		return v1alpha1.RolloutStatus{Turn: &v1alpha1.TurnStatus{Node: "server-1", Action: action, Fields: fields}}
	}

	cases := map[string]struct {
		reason string
		before v1alpha1.RolloutStatus
		step   Step
		want   int
	}{
		"Begins":      {"Nobody had a turn.", v1alpha1.RolloutStatus{}, Step{Action: ActionChange, Fields: []string{"tags"}}, 1},
		"Again":       {"The same call once more.", turn("Change", "tags"), Step{Action: ActionChange, Fields: []string{"tags"}}, 0},
		"GoesOn":      {"The turn is under way.", turn("Change", "tags"), Step{Action: ActionKeep, State: StateChanging}, 0},
		"SecondEdit":  {"Another edit reaches the node in its turn.", turn("Change"), Step{Action: ActionChange, Fields: []string{"class"}}, 1},
		"ThenReplace": {"The change needs a new VM.", turn("Change"), Step{Action: ActionReplace}, 1},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			tc.step.Node = "server-1"
			if got := Events(tc.before, Plan{State: v1alpha1.RolloutProgressing, Turn: &tc.step, Message: "m"}); len(got) != tc.want {
				t.Errorf("%s: events are %v, want %d", tc.reason, got, tc.want)
			}
		})
	}
}
