package status

import (
	"fmt"

	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
)

// blocked says what keeps a replacement from beginning, and what to do.
func blocked(b lifecycle.Blocker) string {
	switch b.Reason {
	case lifecycle.BlockedBySameVMID:
		return fmt.Sprintf("The old and the new VM exist at the same time, and spec.proxmox.vmId is the old VM's VMID, %d: choose another VMID, or "+
			"remove the field.", b.VMID)
	case lifecycle.BlockedByNoCluster:
		return "This is a K3s server, and the function cannot check its cluster's quorum: set spec.k3s.cluster in the claims of all servers of the cluster."
	case lifecycle.BlockedByOnlyServer:
		return fmt.Sprintf("This is the only known server of K3s cluster %s, and the cluster's state would be lost with it: first add servers, for "+
			"three in total.", b.Cluster)
	case lifecycle.BlockedByQuorum:
		return fmt.Sprintf("K3s cluster %s has %d servers, this one included. Other servers that are ready: %d; needed for etcd's quorum: %d. "+
			"First add or repair servers.",
			b.Cluster, b.Servers, b.Ready, b.Needed)
	case lifecycle.BlockedBySameTrigger:
		return fmt.Sprintf("The same value of spec.lifecycle.replace already replaced %s, another server of K3s cluster %s. The function replaces "+
			"servers one by one: set another value when `kubectl get nodes` shows that %s has joined.", b.Server, b.Cluster, b.Server)
	case lifecycle.BlockedByOtherServer:
		return fmt.Sprintf("Server %s of K3s cluster %s is being replaced. The function replaces servers one by one.", b.Server, b.Cluster)
	}

	return ""
}
