package cluster

import (
	"strings"
	"testing"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
)

// TestALostMajority follows docs/clusters.md, The majority of the servers is lost: two of three servers are on a Proxmox node that is dead. What a person
// does on the server that is left is not the function's; no call touches that server.
func TestALostMajority(t *testing.T) {
	s := newStory(t, claimed(3, 1))
	s.until(40, v1alpha1.RolloutComplete)

	for name, n := range s.site.nodes {
		n.child.ProxmoxNode = "pve1"
		if name == "server-1" || name == "server-2" {
			n.child.ProxmoxNode, n.dead = "pve2", true
		}
	}

	s.call() // The function hears of it.

	untouched := func() {
		t.Helper()

		if n := s.site.nodes["server-0"]; n.replaced > 0 || n.reboots > 0 || n.child.Deleting || group(n.child.Spec, "lifecycle")["replace"] != nil {
			t.Fatalf("the server that is left was touched: %v", s.log)
		}
	}

	// An edit meanwhile takes nothing away, whatever the person says of the lost servers.
	s.spec.Servers.Class = "huge"

	for _, name := range []string{"server-1", "server-2"} {
		s.setNode(name, func(n *v1alpha1.ClusterNode) { n.Lost = true })
	}

	var p Plan

	for range 20 {
		p = s.call()
		untouched()
	}

	if want := "Without server-1, server-2, the servers are no majority: docs/clusters.md#the-majority-of-the-servers-is-lost."; !strings.Contains(p.Lost, want) {
		t.Errorf("%q is not in %s", want, p.Lost)
	}

	if p.State != v1alpha1.RolloutBlocked {
		t.Errorf("%s: %s", p.State, p.Message)
	}

	// One after the other, and the other one waits for a word of its own.
	for i, name := range []string{"server-1", "server-2"} {
		s.setNode(name, func(n *v1alpha1.ClusterNode) { n.Lifecycle.Replace, n.Lifecycle.Force = "a", "a" })

		for range 20 {
			p = s.call()

			if i == 0 {
				untouched()
			}
		}

		if n := s.site.nodes[name]; n.replaced != 1 || !n.child.serves() || founds(n.child.Spec) {
			t.Fatalf("%s was replaced %d times, and starts a cluster: %t; %s", name, n.replaced, founds(n.child.Spec), p.Message)
		}
	}

	// With the majority, the edit goes on, on the server that was left, too.
	s.until(60, v1alpha1.RolloutComplete)

	if n := s.site.nodes["server-0"]; n.replaced != 0 || n.reboots != 1 {
		t.Errorf("server-0 was replaced %d times and restarted %d times; want the restart of the edit", n.replaced, n.reboots)
	}
}
