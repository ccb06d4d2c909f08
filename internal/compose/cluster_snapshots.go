package compose

import (
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/cluster"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/status"
)

// Names of what the function asks Crossplane for about snapshots of etcd.
const (
	snapshotKindRequirement = "k3s-snapshot-kind"
	snapshotsRequirement    = "k3s-snapshots"
)

// A snapshotReport is what is to be said of snapshots of etcd; without a condition where nothing is.
type snapshotReport struct {
	status    *v1alpha1.SnapshotsStatus
	condition *status.Condition
}

// readSnapshots of etcd, where the catalogue says that somebody may, and the claim has a server that is known to be one of the
// cluster's. Nothing else waits for the answer: Crossplane calls again when it has fetched it.
func readSnapshots(c clusterCall, children cluster.Children, cat catalog.Catalog) (out snapshotReport, err error) {
	entry := cat.Clusters[c.spec.Cluster]
	observed := entry.ObserveSnapshots && entry.Observe == machine.ObserveHere

	switch {
	case observed && children.Proven():
	case observed && had(c, cluster.TypeSnapshotsTaken):
		out.condition = new(cluster.SnapshotsOfOthers())
		return out, nil
	case had(c, cluster.TypeSnapshotsTaken):
		out.condition = new(cluster.SnapshotsNotObserved())
		return out, nil
	default:
		return out, nil
	}

	switch missing, known := isMissing(c.call, snapshotKindRequirement, cluster.SnapshotDefinition, cluster.SnapshotVersion); {
	case !known:
		return out, nil
	case missing:
		out.condition = new(cluster.SnapshotsUnserved())
		return out, nil
	}

	all, known, err := requireByLabels(c.call, snapshotsRequirement, cluster.SnapshotAPIVersion, cluster.SnapshotKind, nil,
		func(o *structpb.Struct) (cluster.Snapshot, error) { return cluster.ReadSnapshot(o.AsMap()) })
	if !known || err != nil {
		return out, err
	}

	taken, condition := cluster.ReportSnapshots(all, c.spec.Servers.Snapshots)

	return snapshotReport{status: taken, condition: &condition}, nil
}
