package cluster

import (
	std "cmp"
	"strings"
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

// TestNotOlder: where a person upgrades K3s, the next VM of a node, and a new node, come with no earlier release than what runs, and the claim's stays where it
// is the later one.
func TestNotOlder(t *testing.T) {
	const first, claimed, runs, late = "v1.34.9+k3s1", "v1.35.6+k3s1", "v1.36.5+k3s1", "v1.36.6+k3s1"

	server, agent := v1alpha1.K3sServer, v1alpha1.K3sAgent
	spec := func(version string) map[string]any { return withVersion(map[string]any{}, version) }
	seen := func(version string) Child { return Child{Joined: true, VersionSeen: true, Version: version} }

	cases := map[string]struct {
		reason  string
		role    Role
		child   *Child // Nil where it does not exist yet. Its spec has the claim's release, where it says no other one.
		claim   string // The claim's release, where it is not the usual one; "-" for none.
		edit    func(*World)
		servers string // What the other server runs; empty for what is not known.

		want, has string // In the spec that the node is to have, and in the one that it has now.
		earlier   string
	}{
		"New":         {reason: "Its servers run it.", role: server, servers: runs, want: runs, earlier: claimed},
		"NewAgent":    {reason: "So does an agent that is new.", role: agent, servers: runs, want: runs, earlier: claimed},
		"NewBehind":   {reason: "What runs is older than the claim.", role: server, servers: first, want: claimed},
		"NewUnseen":   {reason: "Nobody knows what runs.", role: server, want: claimed},
		"NewAdopts":   {reason: "The VM that becomes the node has what it has.", role: server, servers: runs, edit: func(w *World) { w.Members[0].Adopts = "old" }, want: claimed},
		"Replace":     {reason: "New VMs bring what the claim says.", role: server, servers: runs, edit: func(w *World) { w.Upgrade = v1alpha1.UpgradeReplace }, want: claimed},
		"NewText":     {reason: "A Node can report any text.", role: server, servers: runs + ";reboot", want: claimed},
		"ByHand":      {reason: "Its next VM has what the node runs.", role: server, child: new(seen(runs)), servers: runs, want: runs, has: runs, earlier: claimed},
		"ByHandFirst": {reason: "It was upgraded before the others.", role: server, child: new(seen(runs)), servers: claimed, want: runs, has: runs, earlier: claimed},
		"NotYet":      {reason: "The others were upgraded before it, and its next VM joins them.", role: server, child: new(seen(claimed)), servers: runs, want: claimed, has: claimed},
		"Text":        {reason: "A Node can report any text.", role: server, child: new(seen(runs + ";reboot")), servers: claimed, want: claimed, has: claimed},
		"TakenBack":   {reason: "An earlier release in the claim is for nobody who runs a later one.", role: server, child: &Child{Joined: true, VersionSeen: true, Version: runs, Spec: spec(runs)}, servers: runs, want: runs, has: runs, earlier: claimed},
		"NotUpgraded": {reason: "A claim that was never followed may be taken back.", role: server, child: &Child{Joined: true, VersionSeen: true, Version: claimed, Spec: spec(late)}, servers: claimed, want: claimed, has: late},
		"Followed":    {reason: "The claim names it now.", role: server, child: &Child{Joined: true, VersionSeen: true, Version: runs, Spec: spec(runs)}, claim: runs, servers: runs, want: runs, has: runs},
		"Follows":     {reason: "What it runs already takes no turn.", role: server, child: new(seen(runs)), claim: runs, servers: runs, want: runs, has: runs},
		"Waits":       {reason: "Its next VM may come before its turn.", role: server, child: new(seen(runs)), claim: late, servers: runs, want: late, has: runs},
		"WaitsMade":   {reason: "What its VM is being made with stays until its turn.", role: server, child: &Child{}, claim: late, servers: runs, want: late, has: claimed},
		"Later":       {reason: "The claim goes on.", role: server, child: &Child{Joined: true, VersionSeen: true, Version: runs, Spec: spec(runs)}, claim: late, servers: runs, want: late, has: runs},
		"Gone":        {reason: "Its Node is gone.", role: server, child: &Child{Joined: true, Version: claimed}, servers: runs, want: runs, has: runs, earlier: claimed},
		"GoneOnly":    {reason: "Its spec remembers.", role: server, child: &Child{Joined: true, Version: claimed, Spec: spec(runs)}, want: runs, has: runs, earlier: claimed},
		"GoneHere":    {reason: "Crossplane reads the Nodes of its own cluster.", role: server, child: &Child{Joined: true, Version: claimed, Spec: spec(runs)}, edit: func(w *World) { w.NodesLeave, w.Here = false, true }, want: runs, has: runs, earlier: claimed},
		"GoneUnread":  {reason: "Nobody ever reads Nodes.", role: server, child: &Child{Joined: true, Version: claimed, Spec: spec(runs)}, edit: func(w *World) { w.NodesLeave = false }, want: claimed, has: runs},
		"Made":        {reason: "What it was composed with is not written away before it has joined.", role: server, child: &Child{Spec: spec(runs)}, servers: runs, want: runs, has: runs, earlier: claimed},
		"Making":      {reason: "What a VM is being made with stays.", role: server, child: &Child{}, servers: runs, want: claimed, has: claimed},
		"Replacing":   {reason: "So does what replaces one.", role: server, child: &Child{Joined: true, Need: NeedReplacing}, servers: runs, want: claimed, has: claimed},
		"Corrected":   {reason: "A release with which it does not join may be taken back, to what the servers run.", role: server, child: &Child{Spec: spec(late)}, servers: runs, want: runs, has: late, earlier: claimed},
		"Agent":       {reason: "Its next VM has what the node runs.", role: agent, child: new(seen(runs)), servers: runs, want: runs, has: runs, earlier: claimed},
		"AgentAhead":  {reason: "No agent may be newer than a server.", role: agent, child: new(seen(late)), servers: runs, want: runs, has: runs, earlier: claimed},
		"AgentBehind": {reason: "An agent may be older than its servers.", role: agent, child: new(seen(claimed)), servers: runs, want: claimed, has: claimed},
		"AgentGone":   {reason: "Nobody knows what it ran.", role: agent, child: &Child{Joined: true}, servers: runs, want: claimed, has: claimed},
		"Catalogue":   {reason: "The catalogue's release is the one that is older.", role: server, child: new(seen(runs)), claim: "-", servers: runs, want: runs, has: runs, earlier: claimed},
		"CatalogueUp": {reason: "It has followed.", role: server, child: new(seen(claimed)), claim: "-", servers: claimed, want: "", has: ""},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			claim := strings.Trim(std.Or(tc.claim, claimed), "-")

			node := "node-0"
			m := Member{Node: node, Role: tc.role, Spec: spec(claim)}
			m.Template, _ = templateOf(m.Spec)

			w := World{
				Members: []Member{m}, Release: claimed, NodesLeave: true,
				Children: Children{"server-9": {Role: server, Joined: true, Version: tc.servers, VersionSeen: tc.servers != ""}},
			}

			if tc.child != nil {
				c := *tc.child
				if c.Role = tc.role; c.Spec == nil {
					c.Spec = spec(min(claim, claimed))
				}

				c.Template, _ = templateOf(c.Spec)
				w.Children[node] = c
			}

			if tc.edit != nil {
				tc.edit(&w)
			}

			got := recorded(w)
			is, c := got.Members[0], got.Children[node]

			if diff := cmp.Diff([]string{tc.want, tc.has, tc.earlier}, []string{versionOf(is.Spec), versionOf(c.Spec), is.Earlier}); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}

			// Who has what it is to have waits for no turn, and is offered none.
			if tc.child != nil && tc.want == tc.has && Changes(is, c) {
				t.Errorf("%s\nthe node is to change once more", tc.reason)
			}

			if again := recorded(World{Members: w.Members, Children: got.Children, Release: w.Release, NodesLeave: w.NodesLeave, Here: w.Here, Upgrade: w.Upgrade}); cmp.Diff(again.Children, got.Children) != "" {
				t.Errorf("%s\nthe next call writes something else:\n%s", tc.reason, cmp.Diff(got.Children, again.Children))
			}
		})
	}
}

// TestByHand: a cluster whose nodes a person upgraded beyond the claim keeps every VM, and says what its next ones come with.
func TestByHand(t *testing.T) {
	const runs, reason = "v1.34.2+k3s1", "it does not exist yet, and comes with K3s v1.34.2+k3s1, since that runs, not with the earlier v1.33.6+k3s1"

	s := newStory(t, claimed(3, 1))
	s.complete(40)
	s.log = nil

	for _, n := range s.site.nodes {
		n.child.Version = runs
	}

	s.complete(5)
	s.logged()

	want := "All nodes are as the claim describes them. The next VM of server-0, server-1, server-2 and 1 more comes with K3s v1.34.2+k3s1, and not with v1.33.6+k3s1, " +
		"which is older than what runs: write v1.34.2+k3s1 as the version."
	if diff := cmp.Diff(want, s.call().Message); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}

	s.setNode("server-1", func(n *v1alpha1.ClusterNode) { n.Lifecycle.Replace = "1" })
	s.spec.Agents[0].Count++

	p := s.call()
	if diff := cmp.Diff(reason, p.Steps[4].Why); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}

	s.complete(20)

	for name, n := range s.site.nodes {
		if n.child.Version != runs || n.replaced > 1 || n.replaced == 1 != (name == "server-1") {
			t.Errorf("%s runs %s and was replaced %d times", name, n.child.Version, n.replaced)
		}
	}

	s.spec.Version = runs
	s.log = nil
	s.complete(5)
	s.logged()
}
