package cluster

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
)

// TestFollowServers: no agent gets a later release than the oldest that a server is known to run.
func TestFollowServers(t *testing.T) {
	const early, late = "v1.35.6+k3s1", "v1.36.5+k3s1"

	spec := func(version string) map[string]any { return map[string]any{"k3s": map[string]any{"version": version}} }

	cases := map[string]struct {
		reason  string
		upgrade v1alpha1.Upgrade
		server  Child
		agent   string // Release in the spec of one that exists; empty for none.
		want    string // Of the agent; the claim says the late one.
		later   string
	}{
		"New":      {reason: "A new one joins with what the servers run.", server: Child{Version: early, VersionSeen: true}, want: early, later: late},
		"Exists":   {reason: "One that exists keeps what it has.", server: Child{Version: early, VersionSeen: true}, agent: "v1.34.9+k3s1", want: "v1.34.9+k3s1", later: late},
		"Has":      {reason: "Nobody goes back.", server: Child{Version: early, VersionSeen: true}, agent: late, want: late},
		"Upgraded": {reason: "The servers run it.", server: Child{Version: late, VersionSeen: true}, want: late},
		"Unseen":   {reason: "Nobody knows what was upgraded by hand.", server: Child{Version: early}, want: late},
		"Replaced": {reason: "New VMs bring it.", upgrade: v1alpha1.UpgradeReplace, server: Child{Version: early}, want: early, later: late},
		"Leaves":   {reason: "A server that leaves holds nobody.", server: Child{Version: early, VersionSeen: true, Deleting: true}, want: late},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			tc.server.Role = v1alpha1.K3sServer
			w := World{
				Upgrade: tc.upgrade, Children: Children{"server-0": tc.server},
				Members: []Member{{Node: "server-0", Role: v1alpha1.K3sServer, Spec: spec(late)}, {Node: "worker-0", Role: v1alpha1.K3sAgent, Spec: spec(late)}},
			}

			if tc.agent != "" {
				w.Children["worker-0"] = Child{Role: v1alpha1.K3sAgent, Spec: spec(tc.agent)}
			}

			got := followServers(w).Members
			want := []string{late, tc.want, tc.later}

			if diff := cmp.Diff(want, []string{versionOf(got[0].Spec), versionOf(got[1].Spec), got[1].Later}); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestReleasesOfServers: with which release a node joins beside servers of several, and for which of them an agent waits.
func TestReleasesOfServers(t *testing.T) {
	const early, late = "v1.35.6+k3s1", "v1.36.5+k3s1"

	server := func(edit func(*Child)) Child {
		c := Child{Role: v1alpha1.K3sServer, Joined: true, VersionSeen: true, Version: early}
		edit(&c)

		return c
	}

	cases := map[string]struct {
		reason string
		child  Child // Beside a server that runs the late release.
		born   string
		before []string
	}{
		"Early":   {reason: "No node is newer than the servers.", child: server(func(*Child) {}), born: early, before: []string{"server-0"}},
		"Late":    {reason: "All run it.", child: server(func(c *Child) { c.Version = late }), born: late},
		"Leaves":  {reason: "Nobody waits for what goes; while it runs, no node is newer.", child: server(func(c *Child) { c.Deleting = true }), born: early},
		"Unseen":  {reason: "It may have been upgraded by hand; an agent's new VM waits for what is known.", child: server(func(c *Child) { c.VersionSeen = false }), born: late, before: []string{"server-0"}},
		"Unknown": {reason: "Nobody knows its release.", child: server(func(c *Child) { c.Version = "" }), born: late},
		"Agent":   {reason: "It is no server; a later node joins beside it.", child: server(func(c *Child) { c.Role = v1alpha1.K3sAgent }), born: late},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			r := releases{system: &SystemUpgrade{Version: late}, children: Children{"server-0": tc.child, "server-1": server(func(c *Child) { c.Version = late })}}

			got := []any{r.runs(), r.serversBefore(late)}
			if diff := cmp.Diff([]any{tc.born, tc.before}, got); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}

	if got := (releases{system: &SystemUpgrade{Version: late}}).runs(); got != late {
		t.Errorf("where no server is known: got %s, want %s", got, late)
	}
}

// TestAnAgentWaitsForItsServers: a rollout that brings a release with new VMs brings it to the servers first, and says for which of them an agent waits.
func TestAnAgentWaitsForItsServers(t *testing.T) {
	for name, tc := range map[string]struct {
		reason  string
		upgrade v1alpha1.Upgrade
		want    string
	}{
		"Replace": {"The rollout brings it.", v1alpha1.UpgradeReplace, "waits for server-0, server-1, server-2 to run K3s v1.34.2+k3s1"},
		"None":    {"Nobody brings it.", v1alpha1.UpgradeNone, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStory(t, claimed(3, 1))
			s.complete(40)

			s.spec.Version, s.spec.Upgrade = "v1.34.2+k3s1", tc.upgrade
			w := s.world()
			w.Members[3].Later = s.spec.Version

			p := Decide(w)
			if diff := cmp.Diff(tc.want, p.Steps[3].Why); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestNamedRelease: the spec of a node names the latest release that its next VM may need, and nobody goes back.
func TestNamedRelease(t *testing.T) {
	const first, between, wanted = "v1.33.6+k3s1", "v1.33.7+k3s1", "v1.33.7+k3s3"

	spec := func(version string) map[string]any { return withVersion(map[string]any{}, version) }

	cases := map[string]struct {
		reason string
		child  Child // Of a server that was made with the first release, where it says no other one.
		others string
		want   string
	}{
		"Before":    {reason: "It was not upgraded.", child: Child{Version: first, VersionSeen: true}, others: wanted, want: first},
		"Wanted":    {reason: "It was.", child: Child{Version: wanted, VersionSeen: true}, others: first, want: wanted},
		"Between":   {reason: "The claim has moved on since it was upgraded.", child: Child{Version: between, VersionSeen: true}, others: first, want: between},
		"Later":     {reason: "A VM that was made with a later release is not told an earlier one.", child: Child{Version: first, VersionSeen: true, Spec: spec(between)}, others: first, want: between},
		"Catalogue": {reason: "A VM that was made with the catalogue's release is told none before all run it.", child: Child{Version: between, VersionSeen: true, Spec: spec("")}, others: between, want: ""},
		"New":       {reason: "It has not joined: its VM is being made.", child: Child{Version: between, VersionSeen: true, Unmade: true}, others: between, want: first},
		"Gone":      {reason: "Its Node is gone, and all other servers run a later release.", child: Child{Version: first}, others: between, want: between},
		"GoneFirst": {reason: "Not yet.", child: Child{Version: first}, others: first, want: first},
		"GoneAll":   {reason: "The others run what the claim says.", child: Child{Version: first}, others: wanted, want: wanted},
		"GoneLater": {reason: "It had a later one itself.", child: Child{Version: first, Spec: spec(wanted)}, others: between, want: wanted},
		"GoneMade":  {reason: "What a VM is being made with stays.", child: Child{Version: first, Need: NeedReplacing}, others: between, want: first},
		"GoneAgent": {reason: "An agent may be older than its servers.", child: Child{Version: first, Role: v1alpha1.K3sAgent}, others: between, want: first},
		"Unread":    {reason: "Nobody knows of any server.", child: Child{Version: first}, want: first},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			c := tc.child
			c.Joined, c.Unmade = !c.Unmade, false

			if c.Spec == nil {
				c.Spec = spec(first)
			}

			if c.Role == "" {
				c.Role = v1alpha1.K3sServer
			}

			m := Member{Node: "node-0", Role: c.Role, Spec: spec(wanted)}
			w := World{
				System: &SystemUpgrade{Version: wanted}, Members: []Member{m},
				Children: Children{"node-0": c, "server-9": {Role: v1alpha1.K3sServer, Joined: true, Version: tc.others, VersionSeen: tc.others != ""}},
			}

			// What the claim asks of the node is the same: another release is no reason for a turn.
			got := recorded(w)
			if diff := cmp.Diff([]string{tc.want, tc.want}, []string{versionOf(got.Children["node-0"].Spec), versionOf(got.Members[0].Spec)}); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
