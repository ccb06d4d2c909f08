package status

import (
	"fmt"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
)

// blocked says what keeps a replacement from beginning, and what to do.
func blocked(b lifecycle.Blocker) string {
	switch b.Reason {
	case lifecycle.BlockedBySameVMID:
		return fmt.Sprintf("The old and the new VM exist at the same time, and spec.proxmox.vmId is the old VM's VMID, %d: choose another VMID, or "+
			"remove the field.", b.VMID)
	case lifecycle.BlockedByFaults:
		return "No VM can be created from the claim and its catalogue; the VM that there is follows them as far as it can. Correct this first: " +
			strings.Join(limited(linesOf(b.Faults)), "; ") + "."
	case lifecycle.BlockedByApproval:
		return "The replacement waits for approval: condition " + TypeApproved + " says how to approve it."
	case lifecycle.BlockedByNoCluster:
		return "This is a K3s server, and the function cannot check its cluster's quorum: set spec.k3s.cluster in the claims of all servers of the cluster, " +
			"or spec.k3s.clusterName if the catalogue has no entry for it."
	case lifecycle.BlockedByOnlyServer:
		return fmt.Sprintf("This is the only known server of K3s cluster %s, and the cluster's state would be lost with it: first add servers, for "+
			"three in total.%s", b.Cluster, strangers(b))
	case lifecycle.BlockedByQuorum:
		if b.Leaves {
			return fmt.Sprintf("Without this server K3s cluster %s has %d servers. Of those, servers that are ready: %d; needed for etcd's quorum: %d. %sFirst repair "+
				"servers.%s", b.Cluster, b.Servers, b.Ready, b.Needed, missing(b.Missing), strangers(b))
		}

		return fmt.Sprintf("K3s cluster %s has %d servers, this one included. Other servers that are ready: %d; needed for etcd's quorum: %d. %s"+
			"First add or repair servers.%s",
			b.Cluster, b.Servers, b.Ready, b.Needed, missing(b.Missing), strangers(b))
	case lifecycle.BlockedByJoin:
		return fmt.Sprintf("Server %s of K3s cluster %s was replaced, and nobody confirmed that it has joined: when `kubectl get nodes` shows it "+
			"Ready, set spec.lifecycle.joined to %s in its claim.", b.Server, b.Cluster, quote(b.Trigger))
	case lifecycle.BlockedBySameTrigger:
		return fmt.Sprintf("The same value of spec.lifecycle.replace already replaced %s, another server of K3s cluster %s. The function replaces "+
			"servers one by one: set another value when `kubectl get nodes` shows that %s has joined.", b.Server, b.Cluster, b.Server)
	case lifecycle.BlockedByOtherServer:
		return fmt.Sprintf("Server %s of K3s cluster %s %s. The servers of a cluster go one by one.", b.Server, b.Cluster, away(b.Outage))
	case lifecycle.BlockedByWave:
		return waitsForWave(b)
	case lifecycle.BlockedByCrossplane:
		return hostsCrossplane(b)
	case lifecycle.BlockedByUpgrade:
		return "System-upgrade-controller upgrades K3s in this VM: condition " + TypeVersionCurrent + " has the details."
	}

	return ""
}

// strangers says that servers of other namespaces hold the cluster's, or do not count, and what to do where they do not serve it, or do; empty where there
// are none.
func strangers(b lifecycle.Blocker) string {
	if b.Holding > 0 {
		return fmt.Sprintf(" Servers of other namespaces among those that are missing: %d. Nobody knows whether they serve the cluster: list the namespaces of its servers in "+
			"clusters.%s.namespaces of the catalogue, and no others hold them.", b.Holding, b.Cluster)
	}

	if b.Strangers == 0 {
		return ""
	}

	return fmt.Sprintf(" Servers of other namespaces that name the cluster, and do not count for this: %d. If they serve it, list their namespaces in clusters.%s.namespaces "+
		"of the catalogue.", b.Strangers, b.Cluster)
}

// missing names the servers that do not count for a quorum, and why; empty where all do.
func missing(servers []lifecycle.MissingServer) string {
	if len(servers) == 0 {
		return ""
	}

	var out []string

	for _, m := range servers {
		out = append(out, m.Machine+" ("+missingWords(m)+")")
	}

	return "Not ready: " + strings.Join(out, ", ") + ". "
}

// missingWords say why a server does not count.
func missingWords(m lifecycle.MissingServer) string {
	return map[lifecycle.MissingReason]string{
		lifecycle.MissingJoining:  "was replaced, and its spec.lifecycle.joined does not say " + quote(m.Trigger) + " yet",
		lifecycle.MissingOutage:   "restarts, moves, is being upgraded or replaced",
		lifecycle.MissingLost:     "its Proxmox node does not come back, as its spec.lifecycle.lost says",
		lifecycle.MissingStopped:  "is stopped",
		lifecycle.MissingNode:     "no Node in the cluster is known to be its VM",
		lifecycle.MissingNotReady: "its Node is not Ready",
		lifecycle.MissingVote:     "its etcd member does not vote",
		lifecycle.MissingUnread:   "cannot be read by the provider",
		lifecycle.MissingSilent:   "runs, but its guest agent reports no address",
	}[m.Reason]
}

// away says what a server is away for, or about to be.
func away(o lifecycle.Outage) string {
	switch o {
	case lifecycle.OutageStop:
		return "is being stopped"
	case lifecycle.OutageReboot, lifecycle.OutagePowerCycle:
		return "is being restarted"
	case lifecycle.OutageStart:
		return "is being started"
	case lifecycle.OutageMigration:
		return "is moving to another node"
	case lifecycle.OutageReconnection:
		return "is being plugged into its network again"
	case lifecycle.OutageDrain:
		return "is being drained"
	case lifecycle.OutageUpgrade:
		return "is being upgraded"
	case lifecycle.OutageReplacement, lifecycle.OutageNone:
	}

	return "is being replaced"
}

// toForce is the way around everything that makes a server wait.
const toForce = " To begin in spite of that, set spec.lifecycle.force to a new value."

// hostsCrossplane says what a person has to do for a VM on which Crossplane runs.
func hostsCrossplane(b lifecycle.Blocker) string {
	const here = "Crossplane runs on this VM, and nothing could start it again: "

	switch b.Outage {
	case lifecycle.OutageStop:
		return here + "to stop it, shut it down in Proxmox."
	case lifecycle.OutageDrain:
		return here + "a drain would evict Crossplane, and no other server is there to go on."
	case lifecycle.OutageReplacement:
		return "Crossplane runs on this VM, and its state would be lost with it: set Crossplane up on another machine first, then remove spec.runsCrossplane here."
	case lifecycle.OutageReboot, lifecycle.OutagePowerCycle, lifecycle.OutageMigration, lifecycle.OutageReconnection, lifecycle.OutageUpgrade,
		lifecycle.OutageStart, lifecycle.OutageNone:
	}

	return fmt.Sprintf("%srestart it in Proxmox (`qm reboot %d` on its node), then the edit takes effect.", here, b.VMID)
}
