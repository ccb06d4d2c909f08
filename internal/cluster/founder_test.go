package cluster

import (
	"testing"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
)

// TestTheFounderIsMadeAgain: its new VM joins the others, also while they do not answer, and starts no second cluster.
func TestTheFounderIsMadeAgain(t *testing.T) {
	cases := map[string]struct {
		reason  string
		servers int64
		away    bool // Whether another server is away.
		force   string
		init    bool
	}{
		"Others":     {reason: "It joins them.", servers: 3},
		"OneIsAway":  {reason: "The cluster's address may not answer, and there is a cluster all the same.", servers: 3, away: true},
		"Forced":     {reason: "Nobody forces a second cluster.", servers: 3, away: true, force: "1"},
		"OnlyServer": {reason: "There is nobody to join; the node refuses the replacement.", servers: 1, init: true},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := newStory(t, claimed(tc.servers, 1))
			s.until(40, v1alpha1.RolloutComplete)

			if !founds(s.site.nodes["server-0"].child.Spec) {
				t.Fatal("server-0 did not start the cluster")
			}

			if tc.away {
				s.site.nodes["server-1"].dead = true
				s.call()
			}

			s.setNode("server-0", func(n *v1alpha1.ClusterNode) { n.Lifecycle.Replace, n.Lifecycle.Force = "a", tc.force })

			step := Decide(s.world()).Steps[0]
			if group(step.Spec, "lifecycle")["replace"] != "a" || founds(step.Spec) != tc.init {
				t.Errorf("%s\nthe new VM starts a cluster: %v; %v", tc.reason, founds(step.Spec), step.Spec)
			}

			if tc.init {
				return
			}

			// It stays so.
			for range 20 {
				s.call()
			}

			if founds(s.site.nodes["server-0"].child.Spec) {
				t.Errorf("%s\nthe node starts a cluster with its next VM", tc.reason)
			}
		})
	}
}
