package lifecycle

import (
	"slices"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// A ReplacementRequest is what has to be known before a VM is replaced.
type ReplacementRequest struct {
	// Trigger asks for the replacement.
	Trigger string
	// VMID that the claim fixes; 0 where it fixes none.
	VMID int64
	// Server says whether the machine is a server of K3s, Cluster which one's, ExternalDatastore whether the cluster keeps its
	// state outside of its servers.
	Server            bool
	Cluster           string
	ExternalDatastore bool
	// OtherServers are the VMs of the cluster's other servers.
	OtherServers []proxmox.ObservedVM
}

// A Permission is the answer to the question whether something may be done now.
type Permission string

// The permissions.
const (
	// PermissionGranted: nothing speaks against it.
	PermissionGranted Permission = "Granted"
	// PermissionAnnounced: nothing speaks against it; the announcement on the VM stays for others to see.
	PermissionAnnounced Permission = "Announced"
	// PermissionAwaited: this call announces it. Nothing may be done yet, since others may not know, or announced the same.
	PermissionAwaited Permission = "Awaited"
	// PermissionRefused: it may not be done; the blocker says why.
	PermissionRefused Permission = "Refused"
)

// A BlockReason is why a replacement may not begin.
type BlockReason string

// The reasons that block a replacement.
const (
	// BlockedBySameVMID: the claim fixes the VMID, and the active VM has it. Both VMs exist for a while.
	BlockedBySameVMID BlockReason = "SameVMID"
	// BlockedByNoCluster: a K3s server without a cluster name, so that nobody can count the other servers.
	BlockedByNoCluster BlockReason = "NoCluster"
	// BlockedByOnlyServer: no other server of the cluster is known.
	BlockedByOnlyServer BlockReason = "OnlyServer"
	// BlockedByQuorum: the other servers that are ready are no quorum.
	BlockedByQuorum BlockReason = "Quorum"
	// BlockedBySameTrigger: the same trigger replaced another server, and nobody knows whether the new one has joined.
	BlockedBySameTrigger BlockReason = "SameTrigger"
	// BlockedByOtherServer: another server is being replaced.
	BlockedByOtherServer BlockReason = "OtherServer"
)

// A Blocker is what keeps a replacement from beginning. Only the fields of its reason are set.
type Blocker struct {
	Reason  BlockReason
	VMID    int64  // SameVMID
	Cluster string // OnlyServer, Quorum, SameTrigger, OtherServer
	Server  string // SameTrigger, OtherServer: the other server.

	Servers int // Quorum: all servers, this one included.
	Ready   int // Quorum: other servers that are ready.
	Needed  int // Quorum: other servers that have to be ready.
}

// A Decision says whether a VM may be replaced now. The zero value grants it.
type Decision struct {
	Permission Permission
	Blocker    Blocker // Zero unless refused.
}

// Announces says whether the active VM carries the announcement for other servers to see.
func (d Decision) Announces() bool {
	return d.Permission == PermissionAnnounced || d.Permission == PermissionAwaited
}

// CheckReplacement says whether the active VM may be replaced.
//
// Servers of one cluster are replaced one at a time, also where one commit asks for all of them. They cannot see each other
// begin, since their composites are reconciled side by side. So each server announces its replacement on its VM, and begins
// one call later, if no other server has announced the same by then. Of two that have, the server whose managed resource is
// older begins, and the other one takes its announcement back.
func CheckReplacement(active proxmox.ObservedVM, r ReplacementRequest) Decision {
	if has := proxmox.VMIDOf(active); r.VMID != 0 && r.VMID == has {
		return refuse(Blocker{Reason: BlockedBySameVMID, VMID: has})
	}

	if !r.Server {
		return Decision{Permission: PermissionGranted}
	}

	if b := r.quorum(); b.Reason != "" {
		return refuse(b)
	}

	out := Decision{Permission: PermissionAnnounced}
	if active.Metadata.Annotations[proxmox.ReplacingAnnotation] != r.Trigger {
		out.Permission = PermissionAwaited
	}

	for _, s := range r.OtherServers {
		other := Blocker{Cluster: r.Cluster, Server: s.Metadata.Labels[proxmox.MachineLabel]}

		switch announced := s.Metadata.Annotations[proxmox.ReplacingAnnotation]; {
		case slices.Contains(replaceTriggers(s), r.Trigger):
			other.Reason = BlockedBySameTrigger
			return refuse(other)
		case announced != "" && s.Before(active):
			other.Reason = BlockedByOtherServer
			return refuse(other)
		case announced != "":
			out.Permission = PermissionAwaited
		}
	}

	return out
}

func refuse(b Blocker) Decision { return Decision{Permission: PermissionRefused, Blocker: b} }

// Apply a decision to the roles: without permission to begin there is no candidate.
func (d Decision) Apply(r Roles, vms map[string]proxmox.ObservedVM) Roles {
	if d.Permission != PermissionRefused {
		return r
	}

	return r.withoutCandidate(vms)
}

// A Stage is how far a replacement has come.
type Stage string

// The stages of a replacement, in their order.
const (
	// StageBlocked: it cannot be begun.
	StageBlocked Stage = "Blocked"
	// StagePreparing: snippets, image and VMID of the new VM are prepared; the old VM is as it was.
	StagePreparing Stage = "Preparing"
	// StageStopping: the old VM is shut down, since the two cannot run side by side.
	StageStopping Stage = "Stopping"
	// StageMaking: the new VM is made; it is not ready yet.
	StageMaking Stage = "Making"
	// StageRetiring: the new VM is ready, and the old one, which stays in Proxmox, is shut down.
	StageRetiring Stage = "Retiring"
)

// A Replacement is a new VM in the place of an old one.
type Replacement struct {
	Trigger string
	Stage   Stage
	Blocker Blocker // StageBlocked only.
	Old     string  // Composed resource name of the old VM.
	New     string  // Composed resource name of the new VM.
	// Stopped says whether the old VM is kept stopped meanwhile.
	Stopped bool
}
