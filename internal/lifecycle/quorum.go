package lifecycle

import (
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// quorum is why a cluster cannot do without one of its servers; the zero Blocker where it can.
func (r ReplacementRequest) quorum() Blocker {
	servers, ready := members(r.OtherServers)

	needed := (servers+1)/2 + 1
	if r.ExternalDatastore {
		needed = 1
	}

	switch {
	case r.Cluster == "":
		return Blocker{Reason: BlockedByNoCluster}
	case servers == 0:
		return Blocker{Reason: BlockedByOnlyServer, Cluster: r.Cluster}
	case ready < needed:
		return Blocker{Reason: BlockedByQuorum, Cluster: r.Cluster, Servers: servers + 1, Ready: ready, Needed: needed}
	}

	return Blocker{}
}

// members counts the servers of a cluster, and the servers that are ready. A server that is being replaced has two VMs and
// counts once; it is not ready, since the old VM is about to stop and the new one has joined nothing yet.
func members(vms []proxmox.ObservedVM) (servers, ready int) {
	counted := map[string]bool{}

	for _, vm := range vms {
		owner := vm.Metadata.Namespace + "/" + vm.Metadata.Labels[proxmox.CompositeLabel]
		leaves := vm.Metadata.Annotations[proxmox.StoppedForAnnotation] != ""
		joins := vm.Metadata.Annotations[proxmox.CandidateAnnotation] != ""

		ok := Ready(vm, Readiness{Running: true}) && !leaves && !joins
		counted[owner] = counted[owner] || ok
	}

	for _, ok := range counted {
		if ok {
			ready++
		}
	}

	return len(counted), ready
}
