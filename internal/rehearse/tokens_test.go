package rehearse

import (
	"slices"
	"strings"
	"testing"
)

// TestTokens: K3s refuses a new VM that was made with another token than the cluster's, and the rehearsal says so in the place of a node that joins.
func TestTokens(t *testing.T) {
	const (
		own     = "{name: server-1, ip: 192.168.4.212}"
		renewed = "{name: server-1, ip: 192.168.4.212, lifecycle: {replace: a}}"
	)

	cases := map[string]struct {
		reason string
		edit   []string
		want   bool // Whether somebody is refused.
	}{
		"Replaced":       {"It has the token of the others.", []string{own, renewed}, false},
		"Edited":         {"Nobody joins.", []string{"{name: k3s-token}", "{name: another}"}, false},
		"EditedReplaced": {"The new VM has the token that the cluster does not know.", []string{"{name: k3s-token}", "{name: another}", own, renewed}, true},
		"EditedAdded": {
			"Of a node that is new, nobody knows whether a Secret that nobody has seen holds the token of another one.",
			[]string{"{name: k3s-token}", "{name: another}", "count: 2, class: agent", "count: 3, class: agent"},
			false,
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			r := rehearsed(t, editOf(t, aCluster, tc.edit, nil))

			refused := slices.ContainsFunc(r.Verdict.Waits, func(w Wait) bool {
				return w.Machine == "server-1" && w.Reason == ReasonOtherToken && strings.Contains(w.Todo, "k3s token rotate")
			})

			if refused != tc.want || refused != (r.Verdict.Outcome == Waits) {
				t.Errorf("%s\nwant refused: %t, got %s: %v", tc.reason, tc.want, r.Verdict.Outcome, r.Verdict.Waits)
			}
		})
	}
}

// TestSharedToken: of a Secret that nobody has seen, whoever begins the cluster says which kind of token it holds, also where the name of one who joins comes first.
func TestSharedToken(t *testing.T) {
	agent := strings.NewReplacer("name: server-2", "name: agent-1", "role: server", "role: agent").Replace(aServer(2, ""))

	in := editOf(t, agent+"---\n"+aServer(3, ", init: true"), nil, nil)
	for i := range in.Machines {
		in.Machines[i].Was = nil
	}

	if r := rehearsed(t, in); r.Verdict.Outcome != Done || len(r.Sums.Made) != 2 {
		t.Errorf("%v are made, and %+v; want two, and done", r.Sums.Made, r.Verdict)
	}
}
