package cluster

import (
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
)

// voting are servers of which the first so many serve, and the others are silent.
func voting(all, serve int) Children {
	out := Children{"worker-0": {Role: v1alpha1.K3sAgent, Answered: true, Joined: true, Ready: true}}

	for i := range all {
		c := Child{Role: v1alpha1.K3sServer, Answered: true, Joined: true, Ready: true}
		if i >= serve {
			c.Silent = []string{"NodeReady KubeletSilent"}
		}

		out["server-"+strconv.Itoa(i)] = c
	}

	return out
}

// TestQuorum: what the servers can bear, by how many there are and how many of them serve. server-0 is the one that is to leave.
func TestQuorum(t *testing.T) {
	type bears struct{ Quorate, WithoutOne, OneMore bool }

	cases := map[string]struct {
		reason     string
		all, serve int
		want       bears
	}{
		"None":        {"There is nothing that could lose its quorum, and none to have it.", 0, 0, bears{}},
		"One":         {"The only one cannot leave; one more could be out at first, and it alone is no majority of two.", 1, 1, bears{Quorate: true}},
		"OneIsOut":    {"Nobody serves.", 1, 0, bears{}},
		"Two":         {"Of two, one can leave while both serve: etcd removes it first.", 2, 2, bears{Quorate: true, WithoutOne: true, OneMore: true}},
		"TwoOneIsOut": {"One of two is no majority.", 2, 1, bears{}},
		"Three":       {"The usual.", 3, 3, bears{Quorate: true, WithoutOne: true, OneMore: true}},
		"OneOfThree":  {"Two are a majority, and of four they are none.", 3, 2, bears{Quorate: true}},
		"TwoOfThree":  {"One is left.", 3, 1, bears{}},
		"OneOfFive":   {"Four are a majority of six, and three of five.", 5, 4, bears{Quorate: true, WithoutOne: true, OneMore: true}},
		"TwoOfFive":   {"Three are a majority of five, and of six they are none.", 5, 3, bears{Quorate: true}},
		"ThreeOfFive": {"Two are left.", 5, 2, bears{}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			c := voting(tc.all, tc.serve)

			if diff := cmp.Diff(tc.want, bears{c.quorate(), c.majority("server-0"), c.takesUp()}); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestMarginBesideALostServer: no server has its turn beside a lost one that the others cannot do without.
func TestMarginBesideALostServer(t *testing.T) {
	cases := map[string]struct {
		reason     string
		all, serve int
		lost       string
		one, other bool // Of server-0, and of a server that does not exist yet.
	}{
		"Three":  {"Two are left: one less is no majority, and of four they are none.", 3, 2, "server-2", false, false},
		"Five":   {"Four are left.", 5, 4, "server-4", true, true},
		"FiveIn": {"Three are left.", 5, 3, "server-4", false, false},
		"Agent":  {"An agent has no vote.", 3, 2, "worker-0", true, true},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			whole := losses{children: voting(tc.all, tc.serve)}
			l := losses{children: whole.children, members: map[string]Member{tc.lost: {Lifecycle: map[string]any{lostField: "dead"}}}}

			c := l.children[tc.lost]
			c.ProxmoxNode, c.Silent = "dead", []string{"NodeReady KubeletSilent"}
			l.children[tc.lost] = c

			got := []bool{l.margin("server-0"), l.margin("server-9"), whole.margin("server-0")}
			if diff := cmp.Diff([]bool{tc.one, tc.other, true}, got); diff != "" {
				t.Errorf("%s\nof server-0, of one more, where nothing is lost: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestRejoins: a lost server that a new VM replaces is not at rest: its member of etcd goes, and another one comes.
func TestRejoins(t *testing.T) {
	cases := map[string]struct {
		reason string
		child  Child
		want   bool
	}{
		"Server": {"It is being replaced.", Child{Role: v1alpha1.K3sServer, Need: NeedReplacing}, true},
		"Agent":  {"It has no member.", Child{Role: v1alpha1.K3sAgent, Need: NeedReplacing}, false},
		"Lost":   {"Nobody has asked for a new VM.", Child{Role: v1alpha1.K3sServer, Need: NeedNewVM}, false},
		"Held":   {"Its replacement waits for a person, and the others do not.", Child{Role: v1alpha1.K3sServer, Need: NeedBlocked}, false},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := (losses{children: Children{"server-1": tc.child}}).rejoins("server-1"); got != tc.want {
				t.Errorf("%s\ngot %t, want %t", tc.reason, got, tc.want)
			}
		})
	}
}

// TestProven: what is read of a cluster is shown to who has a server that is seen there.
func TestProven(t *testing.T) {
	cases := map[string]struct {
		reason string
		child  Child
		want   bool
	}{
		"Seen":   {"Its Node was read.", Child{Role: v1alpha1.K3sServer, VersionSeen: true}, true},
		"Unseen": {"Anybody can write a cluster's name into a claim.", Child{Role: v1alpha1.K3sServer, Joined: true, Ready: true, Version: "v1.33.6+k3s1"}, false},
		"Agent":  {"An agent proves nothing.", Child{Role: v1alpha1.K3sAgent, VersionSeen: true}, false},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := (Children{"a": tc.child}).Proven(); got != tc.want {
				t.Errorf("%s\ngot %t, want %t", tc.reason, got, tc.want)
			}
		})
	}
}
