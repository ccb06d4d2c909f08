package status

import (
	"strings"
	"testing"

	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
)

// TestBlocked: each reason says what keeps the replacement from beginning, and what to do.
func TestBlocked(t *testing.T) {
	cases := map[lifecycle.Blocker]string{
		{Reason: lifecycle.BlockedBySameVMID, VMID: 153}:                                      "spec.proxmox.vmId is the old VM's VMID, 153: choose another VMID",
		{Reason: lifecycle.BlockedByNoCluster}:                                                "set spec.k3s.cluster in the claims of all servers",
		{Reason: lifecycle.BlockedByOnlyServer, Cluster: "home"}:                              "the only known server of K3s cluster home",
		{Reason: lifecycle.BlockedByQuorum, Cluster: "home", Servers: 3, Ready: 1, Needed: 2}: "home has 3 servers, this one included. Other servers that are ready: 1; needed for etcd's quorum: 2",
		{Reason: lifecycle.BlockedBySameTrigger, Cluster: "home", Server: "server-1"}:         "when `kubectl get nodes` shows that server-1 has joined",
		{Reason: lifecycle.BlockedByOtherServer, Cluster: "home", Server: "server-1"}:         "Server server-1 of K3s cluster home is being replaced",
	}

	for b, want := range cases {
		if got := blocked(b); !strings.Contains(got, want) {
			t.Errorf("%s: want %q in it, got %q", b.Reason, want, got)
		}
	}
}
