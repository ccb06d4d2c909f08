package status

import (
	"fmt"

	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
)

// blocked says what keeps a replacement from beginning, and what to do.
func blocked(b lifecycle.Blocker) string {
	switch b.Reason {
	case lifecycle.BlockedBySameVMID:
		return fmt.Sprintf("Both VMs exist for a while, and spec.proxmox.vmId gives the new one the number of the old one, %d: choose another number, or take the field out.", b.VMID)
	case lifecycle.BlockedByNoCluster:
		return "This is a K3s server, and nobody can tell whether its cluster can do without it: name the cluster in spec.k3s.cluster, in the claims of all of its servers."
	case lifecycle.BlockedByOnlyServer:
		return fmt.Sprintf("This is the only server of K3s cluster %s that is known here, and its state would be lost with it: add servers first, three in all.", b.Cluster)
	case lifecycle.BlockedByQuorum:
		return fmt.Sprintf("K3s cluster %s has %d servers with this one, and the others that are ready are %d of the %d that its etcd needs: add or mend servers first.",
			b.Cluster, b.Servers, b.Ready, b.Needed)
	case lifecycle.BlockedBySameTrigger:
		return fmt.Sprintf("The same word led to a new VM for %s, another server of K3s cluster %s. Servers are replaced one by one: "+
			"choose another word once `kubectl get nodes` shows that %s has joined.", b.Server, b.Cluster, b.Server)
	case lifecycle.BlockedByOtherServer:
		return fmt.Sprintf("Server %s of K3s cluster %s is being replaced. Servers are replaced one by one.", b.Server, b.Cluster)
	}

	return ""
}
