package status

import (
	"strings"
	"testing"

	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
)

// TestBlocked: each reason says what keeps the replacement from beginning, and what to do.
func TestBlocked(t *testing.T) {
	cases := map[lifecycle.Blocker]string{
		{Reason: lifecycle.BlockedBySameVMID, VMID: 153}:                                      "spec.proxmox.vmId gives the new one the number of the old one, 153: choose another number",
		{Reason: lifecycle.BlockedByNoCluster}:                                                "name the cluster in spec.k3s.cluster",
		{Reason: lifecycle.BlockedByOnlyServer, Cluster: "home"}:                              "the only server of K3s cluster home",
		{Reason: lifecycle.BlockedByQuorum, Cluster: "home", Servers: 3, Ready: 1, Needed: 2}: "home has 3 servers with this one, and the others that are ready are 1 of the 2 that its etcd needs",
		{Reason: lifecycle.BlockedBySameTrigger, Cluster: "home", Server: "server-1"}:         "once `kubectl get nodes` shows that server-1 has joined",
		{Reason: lifecycle.BlockedByOtherServer, Cluster: "home", Server: "server-1"}:         "Server server-1 of K3s cluster home is being replaced",
	}

	for b, want := range cases {
		if got := blocked(b); !strings.Contains(got, want) {
			t.Errorf("%s: want %q in it, got %q", b.Reason, want, got)
		}
	}
}
