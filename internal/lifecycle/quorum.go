package lifecycle

import (
	"fmt"
	"slices"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// A Facts is what there is to know before a VM is replaced.
type Facts struct {
	// Token is the word that asks for it.
	Token string
	// VMID is the number that the claim fixes; 0 where it fixes none.
	VMID int64
	// Server says whether the machine is a server of K3s, Cluster which one's, Datastore whether that keeps its state
	// outside of its servers.
	Server    bool
	Cluster   string
	Datastore bool
	// Siblings are the VMs of the cluster's servers, the machine's own not among them.
	Siblings []proxmox.ObservedVM
}

// A Verdict says whether a VM may be replaced.
type Verdict struct {
	// Blocked says why it may not, and what to do; empty where it may.
	Blocked string
	// Announce says that others have to know before anything is done, and Hold that nothing may be done yet: the others may
	// not know, or are about to do the same.
	Announce, Hold bool
}

// Judge says whether a VM may be replaced.
//
// Servers of one cluster are replaced one at a time, also where one commit asks for all of them. They cannot see each other
// begin, since their composites are reconciled side by side. So each announces on its VM what it is about to do, and
// does it one call later, if no other has announced the same by then. Of two that have, the one whose managed resource is
// older waits, and the other one takes back what it announced.
func Judge(current proxmox.ObservedVM, f Facts) Verdict {
	if has := proxmox.NumberOf(current); f.VMID != 0 && f.VMID == has {
		return Verdict{Blocked: fmt.Sprintf("Both VMs exist for a while, and spec.proxmox.vmId gives the new one the number of the old one, %d: choose another number, or take the field out.", has)}
	}

	if !f.Server {
		return Verdict{}
	}

	if why := f.quorum(); why != "" {
		return Verdict{Blocked: why}
	}

	out := Verdict{Announce: true, Hold: current.Metadata.Annotations[proxmox.ReplacingAnnotation] != f.Token}

	for _, s := range f.Siblings {
		name := s.Metadata.Labels[proxmox.MachineLabel]

		switch announced := s.Metadata.Annotations[proxmox.ReplacingAnnotation]; {
		case slices.Contains(tokensOf(s), f.Token):
			return Verdict{Blocked: fmt.Sprintf("The same word led to a new VM for %s, another server of K3s cluster %s. Servers are replaced one by one: "+
				"choose another word once `kubectl get nodes` shows that %s has joined.", name, f.Cluster, name)}
		case announced != "" && s.Before(current):
			return Verdict{Blocked: fmt.Sprintf("Server %s of K3s cluster %s is being replaced. Servers are replaced one by one.", name, f.Cluster)}
		case announced != "":
			out.Hold = true
		}
	}

	return out
}

// quorum says why a cluster cannot do without one of its servers.
func (f Facts) quorum() string {
	servers, ready := members(f.Siblings)
	needed := (servers+1)/2 + 1

	if f.Datastore {
		needed = 1
	}

	switch {
	case f.Cluster == "":
		return "This is a K3s server, and nobody can tell whether its cluster can do without it: name the cluster in spec.k3s.cluster, in the claims of all of its servers."
	case servers == 0:
		return fmt.Sprintf("This is the only server of K3s cluster %s that is known here, and its state would be lost with it: add servers first, three in all.", f.Cluster)
	case ready < needed:
		return fmt.Sprintf("K3s cluster %s has %d servers with this one, and the others that are ready are %d of the %d that its etcd needs: add or mend servers first.",
			f.Cluster, servers+1, ready, needed)
	}

	return ""
}

// members counts the servers of a cluster, and those of them that are ready. A server that is being replaced has two VMs
// and counts once; it is not ready, since the one is about to stop and the other one has joined nothing yet.
func members(vms []proxmox.ObservedVM) (servers, ready int) {
	counted := map[string]bool{}

	for _, vm := range vms {
		owner := vm.Metadata.Namespace + "/" + vm.Metadata.Labels[proxmox.CompositeLabel]
		leaves := vm.Metadata.Annotations[proxmox.StoppedForAnnotation] != ""
		joins := vm.Metadata.Annotations[proxmox.CandidateAnnotation] != ""
		ok := vm.Found() && vm.Status.AtProvider.Started && !leaves && !joins

		counted[owner] = counted[owner] || ok
	}

	for _, ok := range counted {
		if ok {
			ready++
		}
	}

	return len(counted), ready
}
