package cluster

import (
	"testing"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
)

// TestKeptRelease: a version that is for new nodes only is not passed over in silence, as long as nodes are known to have another one.
func TestKeptRelease(t *testing.T) {
	const all = "All nodes are as the claim describes them."

	cases := map[string]struct {
		reason  string
		upgrade v1alpha1.Upgrade
		seen    string // By who reads the Nodes of the cluster; empty for nobody.
		want    string
	}{
		"None": {
			reason: "Nobody brings it to the nodes, nor knows what the servers run.",
			want: all + " version is for new nodes, since upgrade is None: another release of K3s is on server-0, server-1." +
				" Upgrade the servers before a new agent is made: no agent may be newer than its servers.",
		},
		"ByHand":  {reason: "A person has.", seen: "v1.34.1+k3s1", want: all},
		"Behind":  {reason: "A person has not yet.", seen: "v1.33.6+k3s1", want: all + " version is for new nodes, since upgrade is None: another release of K3s is on server-0, server-1."},
		"Replace": {reason: "The rollout does.", upgrade: v1alpha1.UpgradeReplace, want: all},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			w := World{Upgrade: tc.upgrade, Children: Children{}}

			for _, node := range []string{"server-0", "server-1"} {
				w.Members = append(w.Members, Member{Node: node, Spec: map[string]any{"k3s": map[string]any{"version": "v1.34.1+k3s1"}}})
				w.Children[node] = Child{Role: v1alpha1.K3sServer, VersionChanged: true, Version: tc.seen, VersionSeen: tc.seen != ""}
			}

			if got := completed(&situation{World: w}); got != tc.want {
				t.Errorf("%s\nwant %s\ngot  %s", tc.reason, tc.want, got)
			}
		})
	}
}
