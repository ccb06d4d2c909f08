package status

import (
	"strings"
	"testing"

	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
)

// TestBlocked: each reason says what keeps the replacement from beginning, and what to do.
func TestBlocked(t *testing.T) {
	cases := []struct {
		blocker lifecycle.Blocker
		want    string
	}{
		{lifecycle.Blocker{Reason: lifecycle.BlockedBySameVMID, VMID: 153}, "spec.proxmox.vmId is the old VM's VMID, 153: choose another VMID"},
		{lifecycle.Blocker{Reason: lifecycle.BlockedByNoCluster}, "set spec.k3s.cluster in the claims of all servers"},
		{lifecycle.Blocker{Reason: lifecycle.BlockedByOnlyServer, Cluster: "home"}, "the only known server of K3s cluster home"},
		{lifecycle.Blocker{Reason: lifecycle.BlockedByQuorum, Cluster: "home", Servers: 3, Ready: 1, Needed: 2}, "home has 3 servers, this one included. Other servers that are ready: 1; needed for etcd's quorum: 2"},
		{lifecycle.Blocker{Reason: lifecycle.BlockedByQuorum, Cluster: "home", Strangers: 2}, "do not count for this: 2. If they serve it, list their namespaces in clusters.home.namespaces"},
		{lifecycle.Blocker{Reason: lifecycle.BlockedByQuorum, Cluster: "home", Holding: 2}, "among those that are missing: 2. Nobody knows whether they serve the cluster: list the namespaces of its servers in clusters.home.namespaces"},
		{lifecycle.Blocker{Reason: lifecycle.BlockedByOnlyServer, Cluster: "home", Strangers: 1}, "do not count for this: 1. If they serve it, list their namespaces in clusters.home.namespaces"},
		{lifecycle.Blocker{Reason: lifecycle.BlockedBySameTrigger, Cluster: "home", Server: "server-1"}, "when `kubectl get nodes` shows that server-1 has joined"},
		{lifecycle.Blocker{Reason: lifecycle.BlockedByOtherServer, Cluster: "home", Server: "server-1"}, "Server server-1 of K3s cluster home is being replaced"},
		{lifecycle.Blocker{Reason: lifecycle.BlockedByOtherServer, Cluster: "home", Server: "server-1", Outage: lifecycle.OutageReboot}, "Server server-1 of K3s cluster home is being restarted"},
		{lifecycle.Blocker{Reason: lifecycle.BlockedByJoin, Cluster: "home", Server: "server-1", Trigger: "a"}, "set spec.lifecycle.joined to `a` in its claim"},
		{
			lifecycle.Blocker{Reason: lifecycle.BlockedByQuorum, Missing: []lifecycle.MissingServer{
				{Machine: "s1", Reason: lifecycle.MissingJoining, Trigger: "a"},
				{Machine: "s2", Reason: lifecycle.MissingOutage},
				{Machine: "s3", Reason: lifecycle.MissingStopped},
				{Machine: "s4", Reason: lifecycle.MissingUnread},
				{Machine: "s5", Reason: lifecycle.MissingSilent},
				{Machine: "s6", Reason: lifecycle.MissingNode},
				{Machine: "s7", Reason: lifecycle.MissingNotReady},
				{Machine: "s8", Reason: lifecycle.MissingVote},
			}},
			"Not ready: s1 (was replaced, and its spec.lifecycle.joined does not say `a` yet), s2 (restarts, moves, is being upgraded or replaced), s3 (is stopped), " +
				"s4 (cannot be read by the provider), s5 (runs, but its guest agent reports no address), s6 (no Node in the cluster is known to be its VM), " +
				"s7 (its Node is not Ready), s8 (its etcd member does not vote).",
		},
	}

	for _, tc := range cases {
		b, want := tc.blocker, tc.want
		if got := blocked(b); !strings.Contains(got, want) {
			t.Errorf("%s: want %q in it, got %q", b.Reason, want, got)
		}
	}
}
