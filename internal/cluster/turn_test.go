package cluster

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
)

// TestFinish: when the turn of a node is over, so that what comes up later is no reason for a new VM.
func TestFinish(t *testing.T) {
	well := Child{Answered: true, Joined: true, Ready: true, Template: "new", Spec: map[string]any{"lifecycle": map[string]any{"replace": "new"}}}
	joined := map[string]any{"lifecycle": map[string]any{"replace": "new", "joined": "new"}}

	with := func(turn Turn, edit func(*Child)) Child {
		c := well
		c.Turn = turn

		if edit != nil {
			edit(&c)
		}

		return c
	}

	otherRelease := func(c *Child) { c.VersionChanged = true }

	cases := map[string]struct {
		reason  string
		child   Child
		role    Role
		upgrade v1alpha1.Upgrade
		turn    Turn           // That the node has from now on; empty where nothing is said.
		spec    map[string]any // With which it goes on.
	}{
		"InPlace":    {reason: "The VM took the change up as it is.", child: with(TurnMayReplace, nil), turn: TurnEdit},
		"Outdated":   {reason: "It does not have the change yet.", child: with(TurnMayReplace, func(c *Child) { c.Template = "old" })},
		"Broken":     {reason: "It is not back.", child: with(TurnMayReplace, func(c *Child) { c.Ready = false })},
		"Silent":     {reason: "Nor is a server whose member does not vote.", child: with(TurnMayReplace, func(c *Child) { c.Silent = []string{"etcd"} })},
		"Needs":      {reason: "The change waits for a new VM.", child: with(TurnMayReplace, func(c *Child) { c.Need = NeedNewVM })},
		"Release":    {reason: "Another release is brought by a new VM.", child: with(TurnMayReplace, otherRelease), upgrade: v1alpha1.UpgradeReplace},
		"ForNewVMs":  {reason: "Or it is for new VMs only.", child: with(TurnMayReplace, otherRelease), turn: TurnEdit},
		"Restarts":   {reason: "The power cycle is not over.", child: with(TurnRebooted, func(c *Child) { c.Restart = RestartPending })},
		"Restarted":  {reason: "It is.", child: with(TurnRebooted, nil), turn: TurnEdit},
		"Replaced":   {reason: "A server that was replaced has joined.", child: with(TurnReplaced, nil), role: v1alpha1.K3sServer, spec: joined},
		"Agent":      {reason: "Nobody counts on an agent.", child: with(TurnReplaced, nil), role: v1alpha1.K3sAgent},
		"Confirmed":  {reason: "It is said once.", child: with(TurnReplaced, func(c *Child) { c.Spec = joined }), role: v1alpha1.K3sServer},
		"NotJoined":  {reason: "Before it serves, nobody says so.", child: with(TurnReplaced, func(c *Child) { c.Joined = false }), role: v1alpha1.K3sServer},
		"BeforeWord": {reason: "A turn without a word for a new VM has none to confirm.", child: with(TurnReplaced, func(c *Child) { c.Spec = nil }), role: v1alpha1.K3sServer},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := Step{}
			if tc.spec != nil {
				got.Spec = tc.child.Spec
			}

			want := Step{Turn: tc.turn, Spec: tc.spec}
			finish(&situation{World: World{Upgrade: tc.upgrade}}, &got, Member{Node: "server-1", Role: tc.role, Template: "new"}, tc.child)

			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
