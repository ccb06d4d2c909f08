package lifecycle

import (
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

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

// A BlockReason is why a replacement, or another planned outage, may not begin.
type BlockReason string

// The reasons that block a replacement. The last three block every planned outage of a K3s server.
const (
	// BlockedBySameVMID: the claim fixes the VMID, and the active VM has it. Both VMs exist for a while.
	BlockedBySameVMID BlockReason = "SameVMID"
	// BlockedByFaults: no VM could be created from the claim and its catalogue, although the active VM can follow them.
	BlockedByFaults BlockReason = "Faults"
	// BlockedByApproval: nobody has approved it.
	BlockedByApproval BlockReason = "Approval"
	// BlockedByOnlyServer: no other server of the cluster is known.
	BlockedByOnlyServer BlockReason = "OnlyServer"
	// BlockedByJoin: another server was replaced, and nobody said that the new one has joined.
	BlockedByJoin BlockReason = "Join"
	// BlockedBySameTrigger: the same trigger replaced another server in an earlier release, and nobody knows whether the new one
	// has joined.
	BlockedBySameTrigger BlockReason = "SameTrigger"
	// BlockedByNoCluster: a K3s server without a cluster name, so that nobody can count the other servers.
	BlockedByNoCluster BlockReason = "NoCluster"
	// BlockedByQuorum: the other servers that are ready are no quorum.
	BlockedByQuorum BlockReason = "Quorum"
	// BlockedByOtherServer: another server is away, or about to be.
	BlockedByOtherServer BlockReason = "OtherServer"
	// BlockedByWave: it is not the machine's turn in its group. It blocks every planned outage but a stop and a drain.
	BlockedByWave BlockReason = "Wave"
	// BlockedByCrossplane: Crossplane runs on the VM, and could not start it again. It blocks every planned outage that stops the VM, and its
	// replacement.
	BlockedByCrossplane BlockReason = "Crossplane"
	// BlockedByUpgrade: system-upgrade-controller upgrades K3s in the VM.
	BlockedByUpgrade BlockReason = "Upgrade"
)

// A Blocker is what keeps a replacement, or another planned outage, from beginning. Only the fields of its reason are set.
type Blocker struct {
	Reason  BlockReason
	VMID    int64           // SameVMID, Crossplane
	Faults  field.ErrorList // Faults
	Cluster string          // OnlyServer, Quorum, Join, SameTrigger, OtherServer
	Server  string          // Join, SameTrigger, OtherServer: the other server.
	Trigger string          // Join: the value of spec.lifecycle.replace that led to the other server's VM.
	Outage  Outage          // OtherServer: what the other server is away for. Crossplane: what the VM would be away for.

	Servers int // Quorum: all servers, this one included.
	Ready   int // Quorum: other servers that are ready.
	Needed  int // Quorum: other servers that have to be ready.
	Missing []MissingServer
	// Strangers: Quorum, OnlyServer: servers of other namespaces that do not count although they are well.
	Strangers int
	// Holding: Quorum: servers of other namespaces among Missing of which nobody knows whether they serve the cluster.
	Holding int
	// Leaves: Quorum: the server leaves its cluster, so that Servers are those that remain.
	Leaves bool

	// Waves: Wave: those that the machine waits for. None where it has only to announce its turn.
	Waves []WaveWait
}

// NeedsEdit says whether what keeps a replacement from beginning stays until somebody edits the claim or the catalogue.
func (b Blocker) NeedsEdit() bool {
	return slices.Contains([]BlockReason{
		BlockedBySameVMID, BlockedByFaults, BlockedByOnlyServer, BlockedBySameTrigger, BlockedByNoCluster, BlockedByCrossplane,
	}, b.Reason)
}

// A Decision says whether a VM may be replaced, or away for something else, now. The zero value grants it.
type Decision struct {
	Permission Permission
	Blocker    Blocker // Zero unless refused.
}

// Announces says whether the active VM carries the announcement for other servers to see.
func (d Decision) Announces() bool {
	return d.Permission == PermissionAnnounced || d.Permission == PermissionAwaited
}

func refuse(b Blocker) Decision { return Decision{Permission: PermissionRefused, Blocker: b} }

// Names of servers that do not count, each once.
func (b Blocker) Names() []string {
	names := map[string]bool{}
	for _, m := range b.Missing {
		names[m.Machine] = true
	}

	return slices.Sorted(maps.Keys(names))
}
