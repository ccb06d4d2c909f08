package cluster

import (
	"cmp"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/status"
)

// TestSpreadBroken: what is said of servers on one Proxmox node, by sites with nodes of the same names.
func TestSpreadBroken(t *testing.T) {
	server := func(site, node string) Child {
		return Child{Role: v1alpha1.K3sServer, ProxmoxNode: node, Spec: map[string]any{"proxmox": map[string]any{"site": site}}}
	}
	knows := func(c Child) Child { c.NoBetterNode = true; return c }
	agent, leaves := server("", "pve1"), server("", "pve1")
	agent.Role, leaves.Deleting = v1alpha1.K3sAgent, true

	broken := func(is, reason, message string) *status.Condition {
		return &status.Condition{Type: "SpreadBroken", Status: status.Truth(is == "True"), Reason: reason, Message: message}
	}

	cases := map[string]struct {
		reason   string
		children map[string]Child
		nodes    []string
		want     *status.Condition
		news     int
	}{
		"None":  {reason: "Before there is a VM.", children: map[string]Child{"a": server("", ""), "b": server("", "")}},
		"Apart": {reason: "Each has a node; an agent, and a server that leaves, may be beside it.", children: map[string]Child{"a": server("", "pve1"), "b": server("", "pve2"), "c": agent, "d": leaves}},
		"Sites": {reason: "Nodes of other sites are others.", children: map[string]Child{"a": server("home", "pve1"), "b": server("lab", "pve1")}},
		"Meet": {
			reason: "The default site is the one of the name.", children: map[string]Child{"a": server("home", "pve1"), "b": server("", "pve1"), "c": server("", "pve3")},
			nodes: []string{"pve1", "pve2", "pve3"}, news: 1,
			want: broken("True", "OnOneNode", "Servers a, b are on Proxmox node pve1: an outage of it stops all of them. Move one from pve1 to pve2: "+
				"docs/day-two.md#machines-that-meet. The function moves none by itself."),
		},
		"Beside": {
			reason:   "A server with a claim of its own is on the node that no server of the cluster is on: each server knows of it.",
			children: map[string]Child{"a": knows(server("", "pve1")), "b": knows(server("", "pve1")), "c": server("", "pve2")}, nodes: []string{"pve1", "pve2", "pve3"},
			want: broken("False", "TooFewNodes", "Servers a, b are on Proxmox node pve1: an outage of it stops all of them. No other node that is known has fewer "+
				"servers, so there is nothing to do."),
		},
		"OneKnows": {
			reason: "One of them does not know that there is no better node.", children: map[string]Child{"a": knows(server("", "pve1")), "b": server("", "pve1")}, nodes: []string{"pve1", "pve2"}, news: 1,
			want: broken("True", "OnOneNode", "Servers a, b are on Proxmox node pve1: an outage of it stops all of them. Move one from pve1 to pve2: "+
				"docs/day-two.md#machines-that-meet. The function moves none by itself."),
		},
		"TooFewNodes": {
			reason: "Three servers on two nodes.", children: map[string]Child{"a": server("", "pve1"), "b": server("", "pve1"), "c": server("", "pve2")}, nodes: []string{"pve1", "pve2"},
			want: broken("False", "TooFewNodes", "Servers a, b are on Proxmox node pve1: an outage of it stops all of them. No other node that is known has fewer "+
				"servers, so there is nothing to do."),
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := SpreadBroken(tc.children, func(name string) Site { return Site{Name: cmp.Or(name, "home"), Nodes: tc.nodes} })
			if diff := gocmp.Diff(tc.want, got); diff != "" {
				t.Fatalf("%s: -want, +got:\n%s", tc.reason, diff)
			}

			_, began := SaySpread(got, "Apart")
			if _, goesOn := SaySpread(got, "OnOneNode"); len(began) != tc.news || len(goesOn) != 0 {
				t.Errorf("%s: when it begins %v, later %v", tc.reason, began, goesOn)
			}
		})
	}
}

// TestServersPartAgain: the condition stays once it was there, since Crossplane keeps what a function does not set any more.
func TestServersPartAgain(t *testing.T) {
	want := []status.Condition{{Type: "SpreadBroken", Status: "False", Reason: "Apart", Message: "No two servers are on one Proxmox node."}}

	if said, events := SaySpread(nil, "OnOneNode"); gocmp.Diff(want, said) != "" || len(events) > 0 {
		t.Errorf("want %v, got %v, %v", want, said, events)
	}

	if said, _ := SaySpread(nil, ""); said != nil {
		t.Errorf("of servers that never met: %v", said)
	}
}
