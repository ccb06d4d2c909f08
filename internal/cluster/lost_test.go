package cluster

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
)

// lostHost is a cluster of three servers and two agents, of which server-1 and worker-0 were on pve2, which is dead.
func lostHost(t *testing.T) *story {
	t.Helper()

	s := newStory(t, claimed(3, 2))
	s.until(40, v1alpha1.RolloutComplete)

	for name, n := range s.site.nodes {
		n.child.ProxmoxNode = "pve1"
		if name == "server-1" || name == "worker-0" {
			n.child.ProxmoxNode, n.dead = "pve2", true
		}
	}

	s.call()

	return s
}

// until the rollout is in a state, so many calls at most.
func (s *story) until(calls int, state v1alpha1.RolloutState) Plan {
	s.Helper()

	var p Plan
	for range calls {
		if p = s.call(); p.State == state {
			return p
		}
	}

	s.Fatalf("the rollout is %s: %s", p.State, p.Message)

	return p
}

// setNode edits what the claim says of a node.
func (s *story) setNode(name string, edit func(n *v1alpha1.ClusterNode)) {
	for i := range s.spec.Nodes {
		if s.spec.Nodes[i].Name == name {
			edit(&s.spec.Nodes[i])
			return
		}
	}

	s.spec.Nodes = append(s.spec.Nodes, v1alpha1.ClusterNode{Name: name})
	edit(&s.spec.Nodes[len(s.spec.Nodes)-1])
}

// living holds that the servers that live are the VMs that they were, and that none of them is away while server-1 is.
func (s *story) living() {
	s.Helper()

	for _, name := range []string{"server-0", "server-2"} {
		n := s.site.nodes[name]
		if n.replaced > 0 || !s.site.nodes["server-1"].child.serves() && (n.reboots > 0 || !n.child.Ready) {
			s.Fatalf("%s was touched while server-1 is out: %v", name, s.log)
		}
	}
}

// TestTheWordBeforeTheProviderLooks: a person says that a server is lost, and its composite says that all is well, since the provider read the VM
// before its Proxmox node died.
func TestTheWordBeforeTheProviderLooks(t *testing.T) {
	for name, tc := range map[string]struct {
		reason      string
		role        v1alpha1.K3sRole
		versionSeen bool
		want        int64 // Restarts of server-0.
	}{
		"Unread":   {"Nothing shows that it serves, and of three servers one is out already.", v1alpha1.K3sServer, false, 0},
		"NodeSeen": {"Its Node is Ready: somebody named the wrong one.", v1alpha1.K3sServer, true, 1},
		"Agent":    {"An agent has no vote.", v1alpha1.K3sAgent, false, 1},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStory(t, claimed(3, 2))
			s.until(40, v1alpha1.RolloutComplete)

			node := map[v1alpha1.K3sRole]string{v1alpha1.K3sServer: "server-1", v1alpha1.K3sAgent: "worker-0"}[tc.role]
			s.site.nodes[node].child.ProxmoxNode, s.site.nodes[node].child.VersionSeen = "pve2", tc.versionSeen
			s.setNode(node, func(n *v1alpha1.ClusterNode) { n.Lost = true })
			s.spec.Servers.Class = "huge"

			var p Plan
			for range 20 {
				p = s.call()
			}

			if got := int64(s.site.nodes["server-0"].reboots); got != tc.want {
				t.Errorf("%s: server-0 restarted %d times: %s: %s; %v", tc.reason, got, p.State, p.Message, s.log)
			}

			if tc.want == 0 && !strings.Contains(p.Message, "server-1 ("+saidLost+")") {
				t.Errorf("%s: %s: %s", tc.reason, p.State, p.Message)
			}
		})
	}
}

// TestALostHost: from the loss of a Proxmox node with a server and an agent on it to five nodes that are ready again.
func TestALostHost(t *testing.T) {
	s := lostHost(t)

	// Without a word, a dead node holds all.
	s.spec.Agents[0].Class, s.spec.Servers.Class = "huge", "huge"

	p := s.call()
	if want := v1alpha1.RolloutWaiting; p.State != want || p.Lost != "" {
		t.Errorf("%s: %s; lost: %s", p.State, p.Message, p.Lost)
	}

	for _, name := range []string{"server-1", "worker-0"} {
		s.setNode(name, func(n *v1alpha1.ClusterNode) { n.Lost = true })
	}

	// The other agent has its turn, and no server that the majority needs.
	for range 20 {
		p = s.call()
		s.living()
	}

	if n := s.site.nodes["worker-1"]; n.reboots != 1 {
		t.Errorf("worker-1 did not have its turn: %s; %v", p.Message, s.log)
	}

	for _, want := range []string{
		"server-1 is lost with Proxmox node pve2: set lifecycle.replace to a new value for it in spec.nodes.",
		"worker-0 is lost with Proxmox node pve2: set lifecycle.replace to a new value for it in spec.nodes.",
		"See docs/clusters.md#a-proxmox-node-that-does-not-come-back.",
	} {
		if !strings.Contains(p.Lost, want) {
			t.Errorf("%q is not in %s", want, p.Lost)
		}
	}

	if p.State != v1alpha1.RolloutBlocked || p.Message != p.Lost {
		t.Errorf("%s: %s", p.State, p.Message)
	}

	for _, name := range []string{"server-1", "worker-0"} {
		s.setNode(name, func(n *v1alpha1.ClusterNode) { n.Lifecycle.Replace = "lost" })
	}

	for range 60 {
		p = s.call()
		s.living()
	}

	if p.State != v1alpha1.RolloutComplete || p.Lost != "" {
		t.Errorf("%s: %s; %s; %v", p.State, p.Message, p.Lost, s.log)
	}

	// The word stays in the claim, and is about the Proxmox node of then.
	for _, name := range []string{"server-1", "worker-0"} {
		n := s.site.nodes[name]
		if diff := cmp.Diff([]any{"pve2", 1}, []any{group(n.child.Spec, "lifecycle")["lost"], n.replaced}); diff != "" {
			t.Errorf("%s: -want, +got:\n%s", name, diff)
		}
	}

	// When it leaves, nothing of it remains.
	s.setNode("server-1", func(n *v1alpha1.ClusterNode) { n.Lost = false })
	s.call()

	if lost := group(s.site.nodes["server-1"].child.Spec, "lifecycle")["lost"]; lost != nil {
		t.Errorf("lifecycle.lost is %v", lost)
	}
}

// TestLost: who is lost, and what is said of it.
func TestLost(t *testing.T) {
	cases := map[string]struct {
		reason string
		edit   func(s *story)
		says   string // Empty where nobody is lost.
	}{
		"Dead": {reason: "A VM that does not answer may come back.", edit: func(*story) {}},
		"OutOfTheCatalogue": {
			reason: "Its new VM needs a person's word about the old one.",
			edit:   func(s *story) { s.site.nodes["server-1"].child.HostGone = true },
			says:   "server-1 is lost with Proxmox node pve2, which the catalogue does not have: when its VM is off for good, set lost: true for it in spec.nodes.",
		},
		"Serves": {
			reason: "A node that serves is not lost, whatever anybody says.",
			edit: func(s *story) {
				s.setNode("server-0", func(n *v1alpha1.ClusterNode) { n.Lost = true })
			},
		},
		"NoMajority": {
			reason: "A member that is out counts: two of three is no majority of one.",
			edit: func(s *story) {
				for _, name := range []string{"server-0", "server-1"} {
					s.site.nodes[name].dead, s.site.nodes[name].child.Ready = true, false
					s.setNode(name, func(n *v1alpha1.ClusterNode) { n.Lost = true })
				}
			},
			says: "Without server-0, server-1, the servers are no majority: docs/clusters.md#the-majority-of-the-servers-is-lost.",
		},
		"Blocked": {
			reason: "The node says why its replacement waits.",
			edit: func(s *story) {
				c := &s.site.nodes["server-1"].child
				c.Need, c.Held = NeedBlocked, Hold{Reason: "ReplacementBlocked", Message: "The VMID is fixed."}
				s.setNode("server-1", func(n *v1alpha1.ClusterNode) { n.Lost = true })
			},
			says: "server-1 is lost with Proxmox node pve2, and its replacement waits: The VMID is fixed.",
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := lostHost(t)
			s.call()
			tc.edit(s)

			p := Decide(s.world())
			if tc.says == "" && p.Lost != "" || !strings.Contains(p.Lost, tc.says) {
				t.Errorf("%s\nwant %q, got %q", tc.reason, tc.says, p.Lost)
			}

			var said []string

			for _, c := range ReportOn(p, s.world().Children, "", Refusals{}).Conditions {
				said = append(said, c.Type)
			}

			if slices.Contains(said, TypeNodesLost) != (p.Lost != "") {
				t.Errorf("conditions: %v", said)
			}
		})
	}
}

// TestALostNodeIsNotUpgraded: the controller's Job would wait for ever on a VM that is off for good, and the VM that replaces it gets the release.
func TestALostNodeIsNotUpgraded(t *testing.T) {
	s := upgraded(t, 3, 2)

	n := s.site.nodes["server-2"]
	n.child.ProxmoxNode, n.dead = "pve2", true
	s.call()

	s.setNode("server-2", func(n *v1alpha1.ClusterNode) { n.Lost = true })
	s.spec.Version = newRelease

	for range 40 {
		for _, step := range s.call().Steps {
			if step.Node == "server-2" && step.Action == ActionUpgrade {
				t.Fatalf("a lost node has the turn to be upgraded: %s", step.Why)
			}
		}
	}
}

// TestNoServerBesideALostOne: a member that has just joined can be out, too, and two of four are no majority.
func TestNoServerBesideALostOne(t *testing.T) {
	s := lostHost(t)

	for _, name := range []string{"server-1", "worker-0"} {
		s.setNode(name, func(n *v1alpha1.ClusterNode) { n.Lost = true })
	}

	s.spec.Servers.Count = new(int64(5))

	for range 10 {
		for _, step := range s.call().Steps {
			if step.Role == v1alpha1.K3sServer && step.Action == ActionCreate {
				t.Fatalf("%s joins while server-1 is lost: %s", step.Node, step.Why)
			}
		}
	}
}

// TestALostNodeLeaves: a node that the claim has no more, on a Proxmox node that does not come back, gives its VM up before it goes: the provider would try to delete
// it for ever. Without a person's word it stays, and says which one.
func TestALostNodeLeaves(t *testing.T) {
	s := lostHost(t)
	// Its own protection is gone already.
	s.spec.DeletionPolicy, s.spec.DeletionProtection = v1alpha1.DeletionDelete, new(false)
	for range 3 {
		s.call()
	}

	s.site.nodes["worker-0"], s.site.nodes["worker-1"] = s.site.nodes["worker-1"], s.site.nodes["worker-0"]

	for _, name := range []string{"server-1", "worker-1"} {
		s.site.nodes[name].child.HostGone = true
	}

	s.spec.Agents[0].Count = 1

	var p Plan
	for range 5 {
		p = s.call()
	}

	if c := s.site.nodes["worker-1"].child; c.Deleting {
		t.Fatal("it goes, and hangs")
	}

	if want := "worker-1 is lost with Proxmox node pve2, which the catalogue does not have: when its VM is off for good, set lost: true for it in spec.nodes."; !strings.Contains(p.Lost, want) {
		t.Errorf("want %q, got %q", want, p.Lost)
	}

	// The word is enough, also while the catalogue has the Proxmox node.
	s.site.nodes["worker-1"].child.Answered, s.site.nodes["worker-1"].child.HostGone = true, false
	s.setNode("worker-1", func(n *v1alpha1.ClusterNode) { n.Lost = true })
	s.call()

	if n := s.site.nodes["worker-1"]; n.child.Deleting || group(n.child.Spec, "lifecycle")["lost"] != "pve2" {
		t.Fatalf("want the word before it goes, got %v, deleting %v", n.child.Spec, n.child.Deleting)
	}

	s.site.nodes["worker-1"].child.Answered = true

	for range 5 {
		s.call()
	}

	if n, there := s.site.nodes["worker-1"]; there && !n.child.Deleting {
		t.Error("it does not go")
	}
}

// TestTheWordOfALostNode: a person's word counts for the Proxmox node on which the VM was when the word came, and for no other one.
func TestTheWordOfALostNode(t *testing.T) {
	type want struct {
		Word          any // Of the node's lifecycle.
		Fenced, Gives bool
	}

	lost := func(host string) map[string]any { return map[string]any{"lifecycle": map[string]any{lostField: host}} }

	cases := map[string]struct {
		reason string
		child  Child
		silent bool // The claim has no word.
		leaves bool // The claim does not describe the node.
		want   want
	}{
		"Now":     {reason: "The VM is there.", child: Child{ProxmoxNode: "pve2"}, want: want{Word: "pve2", Fenced: true, Gives: true}},
		"Before":  {reason: "The VM that follows is elsewhere.", child: Child{ProxmoxNode: "pve1", Requested: map[string]any{lostField: "pve2"}}, want: want{Word: "pve2", Gives: true}},
		"Nowhere": {reason: "Nobody knows where the VM is.", child: Child{}},
		"Silent":  {reason: "Nobody said anything.", child: Child{ProxmoxNode: "pve2"}, silent: true},
		"Told":    {reason: "The node has given up what was there.", child: Child{ProxmoxNode: "pve2", Spec: lost("pve2"), Answered: true}, want: want{Word: "pve2", Fenced: true}},
		"Leaves":  {reason: "The word is in its own spec.", child: Child{ProxmoxNode: "pve2", Spec: lost("pve2")}, leaves: true, want: want{Fenced: true}},
		"Taken":   {reason: "The claim's word is gone.", child: Child{ProxmoxNode: "pve2", Spec: lost("pve2")}, silent: true},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			children := Children{"server-1": tc.child}
			m := declaredLost([]Member{{Node: "server-1", Lost: !tc.silent}}, children)[0]

			l := losses{children: children, members: map[string]Member{}}
			if !tc.leaves {
				l.members["server-1"] = m
			} else {
				m.Lifecycle = nil
			}

			got := want{m.Lifecycle[lostField], l.fenced("server-1"), givesUp(&Step{Spec: map[string]any{"lifecycle": m.Lifecycle}}, tc.child)}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
