package lifecycle

import (
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/succession"
)

// A ReplacementRequest is what has to be known before a VM is replaced.
type ReplacementRequest struct {
	// Trigger asks for the replacement.
	Trigger string
	// VMID that the claim fixes; 0 where it fixes none.
	VMID int64
	// Server says whether the machine is a server of K3s, and Cluster which one's.
	Server  bool
	Cluster Cluster
	// Force is the claim's spec.lifecycle.force.
	Force string
	// RunsCrossplane says that the claim says so of the VM.
	RunsCrossplane bool
	// Lost is the claim's spec.lifecycle.lost.
	Lost string
}

// CheckReplacement says whether the active VM may be replaced. A server of K3s is replaced as it may be away for anything else (see
// [Cluster.permit]), and only once every other server that was replaced has joined: until then its cluster lacks a member that
// nobody sees to be missing.
func CheckReplacement(active proxmox.ObservedVM, r ReplacementRequest) Decision {
	if has := proxmox.VMIDOf(active); r.VMID != 0 && r.VMID == has {
		return refuse(Blocker{Reason: BlockedBySameVMID, VMID: has})
	}

	if r.RunsCrossplane && !IsLost(active, r.Lost) {
		return refuse(Blocker{Reason: BlockedByCrossplane, Outage: OutageReplacement})
	}

	if !r.Server {
		return Decision{Permission: PermissionGranted}
	}

	if begunReplacement(active, r.Trigger) {
		// What has begun ends, as it was permitted: an earlier release counted every server with the cluster's label.
		r.Cluster.OtherServers, r.Cluster.Strangers = r.Cluster.others(), nil
	}

	if b := r.withoutForce(); b.Reason != "" {
		return refuse(b)
	}

	if succession.Asks(r.Force, ReadTriggers(active, proxmox.ForceTriggersAnnotation)) {
		return Decision{Permission: PermissionAnnounced}
	}

	if r.Cluster.Name == "" {
		return refuse(Blocker{Reason: BlockedByNoCluster})
	}

	if b := r.Cluster.withoutStrangers().quorum(); b.Reason != "" {
		return refuse(b)
	}

	if b := r.unjoined(); b.Reason != "" {
		return refuse(b)
	}

	if begunReplacement(active, r.Trigger) {
		// It is away already, or about to be when its drain has ended, and the others see that: to go on is over sooner than to begin anew.
		return Decision{Permission: PermissionAnnounced}
	}

	return r.Cluster.permit(active, active.Metadata.Annotations[proxmox.ReplacingAnnotation] == r.Trigger)
}

// begunReplacement says whether the active VM is stopped, or drained, for a replacement.
func begunReplacement(active proxmox.ObservedVM, trigger string) bool {
	has := active.Metadata.Annotations

	return has[proxmox.StoppedForAnnotation] == StoppedForReplacement || isDraining(active) && has[proxmox.ReplacingAnnotation] == trigger
}

// withoutForce is what nobody can force: the state of a cluster would be lost with its only server.
func (r ReplacementRequest) withoutForce() Blocker {
	if r.Cluster.Name != "" && len(r.Cluster.OtherServers) == 0 {
		return Blocker{Reason: BlockedByOnlyServer, Cluster: r.Cluster.Name, Strangers: len(machinesOf(r.Cluster.Strangers))}
	}

	return Blocker{}
}

// unjoined names another server that was replaced and may not have joined.
func (r ReplacementRequest) unjoined() Blocker {
	for _, s := range r.Cluster.others() {
		out := Blocker{Cluster: r.Cluster.Name, Server: r.Cluster.Kin.machineOf(s)}
		annotations := s.Metadata.Annotations

		switch joining := annotations[proxmox.JoiningAnnotation]; {
		case joining != "":
			out.Reason, out.Trigger = BlockedByJoin, joining
			return out
		case slices.Contains(replaceTriggers(s), r.Trigger) && annotations[proxmox.JoinedAnnotation] != r.Trigger:
			out.Reason = BlockedBySameTrigger
			return out
		}
	}

	return Blocker{}
}

// RefuseForApproval refuses a replacement that has not begun, because nobody has approved it.
func RefuseForApproval() Decision { return refuse(Blocker{Reason: BlockedByApproval}) }

// RefuseForFaults refuses a replacement that has not begun, because of the faults of a new VM.
func RefuseForFaults(faults field.ErrorList) Decision {
	return refuse(Blocker{Reason: BlockedByFaults, Faults: faults})
}

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
	// StageDraining: the Kubernetes Node of the old VM is drained, and the old VM runs.
	StageDraining Stage = "Draining"
	// StageStopping: the old VM is shut down, since the two cannot run side by side.
	StageStopping Stage = "Stopping"
	// StageMaking: the new VM is made; it is not ready yet.
	StageMaking Stage = "Making"
	// StageJoining: the new VM of a K3s node runs and answers, and its Kubernetes Node is not as the claim asks for.
	StageJoining Stage = "Joining"
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
