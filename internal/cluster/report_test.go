package cluster

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/status"
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

// TestReportCounts: the nodes that the claim describes are counted by their roles, and those that leave by none.
func TestReportCounts(t *testing.T) {
	step := func(node string, role Role, wanted, ready bool) Step {
		return Step{Node: node, Role: role, Wanted: wanted, Ready: ready, Action: ActionKeep}
	}

	cases := map[string]struct {
		reason  string
		steps   []Step
		servers string
		agents  string
		done    string
		said    status.Condition
	}{
		"Ready": {
			reason:  "All is well, and what leaves is nobody's.",
			steps:   []Step{step("server-0", v1alpha1.K3sServer, true, true), step("worker-0", v1alpha1.K3sAgent, true, false), step("server-3", v1alpha1.K3sServer, false, false)},
			servers: "1/1", agents: "0/1", done: "1/2",
			said: status.Condition{Type: TypeServersReady, Status: metav1.ConditionTrue, Reason: ReasonAllReady, Message: "All servers are ready."},
		},
		"NotReady": {
			reason:  "Two of three are out.",
			steps:   []Step{step("server-0", v1alpha1.K3sServer, true, true), step("server-1", v1alpha1.K3sServer, true, false), step("server-2", v1alpha1.K3sServer, true, false)},
			servers: "1/3", agents: "0/0", done: "1/3",
			said: status.Condition{Type: TypeServersReady, Status: metav1.ConditionFalse, Reason: ReasonNotReady, Message: "Servers are not ready: server-1, server-2."},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			r := ReportOn(Plan{State: v1alpha1.RolloutProgressing, Steps: tc.steps, Done: 1}, nil, "", Refusals{})

			got := []any{r.Status.Servers.Ready, r.Status.Agents.Ready, r.Status.Rollout.Done, r.Conditions[2]}
			if diff := cmp.Diff([]any{tc.servers, tc.agents, tc.done, tc.said}, got); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestWarnings: what a valid claim asks of nodes that run is an event once, and what is refused is told by the condition alone.
func TestWarnings(t *testing.T) {
	plan := Plan{Announced: []string{"spec.token: leave Secret old where it is."}}

	var refused Refusals
	refused.Refuse("server-0", field.ErrorList{field.Required(field.NewPath("spec", "cluster"), "must be set")})

	cases := map[string]struct {
		reason  string
		refused Refusals
		before  string
		want    []status.Event
	}{
		"New": {
			reason: "Nobody has read it.", before: "The claim is valid.",
			want: []status.Event{{Warning: true, Reason: "SpecWarning", Message: plan.Announced[0]}},
		},
		"Known":   {reason: "The condition had it already.", before: "The claim is valid. " + plan.Announced[0]},
		"Refused": {reason: "The claim is not valid.", refused: refused},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := ReportOn(plan, nil, "", tc.refused).Warnings(plan, tc.refused, tc.before)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestDisturbs: a plan that only waits, adopts or adds agents takes nothing away that serves.
func TestDisturbs(t *testing.T) {
	got := map[Action][2]bool{}
	for _, a := range []Action{ActionKeep, ActionWait, ActionAdopt, ActionCreate, ActionChange, ActionReplace, ActionReboot, ActionUpgrade, ActionRemove} {
		with := func(role Role) bool {
			return Plan{Steps: []Step{{Action: ActionKeep}, {Action: a, Role: role}}}.Disturbs()
		}
		got[a] = [2]bool{with(v1alpha1.K3sServer), with(v1alpha1.K3sAgent)}
	}

	want := map[Action][2]bool{
		ActionKeep: {}, ActionWait: {}, ActionAdopt: {},
		ActionCreate: {true, false}, // One more member of etcd can be out at first.
		ActionChange: {true, true}, ActionReplace: {true, true}, ActionReboot: {true, true}, ActionUpgrade: {true, true}, ActionRemove: {true, true},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("of a server and of an agent: -want, +got:\n%s", diff)
	}
}
