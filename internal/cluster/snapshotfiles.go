package cluster

import (
	"encoding/json"
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/status"
)

// The kind of which K3s writes an object for each snapshot of etcd, also for one that failed: https://docs.k3s.io/cli/etcd-snapshot.
const (
	SnapshotAPIVersion = "k3s.cattle.io/" + SnapshotVersion
	SnapshotVersion    = "v1"
	SnapshotKind       = "ETCDSnapshotFile"
	SnapshotDefinition = "etcdsnapshotfiles.k3s.cattle.io"
)

// TypeSnapshotsTaken says whether there is a snapshot of etcd, and the newest one did not fail. Only a cluster has it whose entry of the catalogue has
// observeSnapshots.
const TypeSnapshotsTaken = "SnapshotsTaken"

// Reasons of [TypeSnapshotsTaken].
const (
	ReasonSnapshotTaken  = "SnapshotTaken"
	ReasonNoSnapshot     = "NoSnapshot"
	ReasonSnapshotFailed = "SnapshotFailed"
	ReasonNotObserved    = "NotObserved"
)

// A SnapshotState says whether a snapshot can be restored.
type SnapshotState string

// The states of a snapshot.
const (
	SnapshotBeing  SnapshotState = "" // It is not complete yet.
	SnapshotUsable SnapshotState = "Usable"
	SnapshotFailed SnapshotState = "Failed"
)

// A Snapshot of etcd, as K3s lists it.
type Snapshot struct {
	// Object is the name of the ETCDSnapshotFile, and Name that of the snapshot.
	Object, Name string
	Location     string
	// Time is when etcd took it or, of one that failed, when that was noticed.
	Time  metav1.Time
	State SnapshotState
}

// ReadSnapshot from the content of an ETCDSnapshotFile.
func ReadSnapshot(content map[string]any) (Snapshot, error) {
	var o struct {
		Metadata struct {
			Name              string      `json:"name"`
			CreationTimestamp metav1.Time `json:"creationTimestamp"`
		} `json:"metadata"`
		Spec struct {
			SnapshotName string `json:"snapshotName"`
			Location     string `json:"location"`
		} `json:"spec"`
		Status struct {
			CreationTime *metav1.Time `json:"creationTime"`
			ReadyToUse   bool         `json:"readyToUse"`
			// Nothing of the message is passed on.
			Error *struct {
				Time *metav1.Time `json:"time"`
			} `json:"error"`
		} `json:"status"`
	}

	b, err := json.Marshal(content)
	if err == nil {
		err = json.Unmarshal(b, &o)
	}

	if err != nil {
		return Snapshot{}, errors.Wrap(err, "cannot read a snapshot of etcd")
	}

	out := Snapshot{
		Object: o.Metadata.Name, Name: o.Spec.SnapshotName, Location: o.Spec.Location, Time: o.Metadata.CreationTimestamp,
	}

	switch {
	case o.Status.Error != nil:
		out.State = SnapshotFailed
	case o.Status.ReadyToUse:
		out.State = SnapshotUsable
	}

	if t := o.Status.CreationTime; t != nil {
		out.Time = *t
	}

	// K3s tries a snapshot again under the same name.
	if e := o.Status.Error; e != nil && e.Time != nil {
		out.Time = *e.Time
	}

	return out, nil
}

func (s Snapshot) inS3() bool { return strings.HasPrefix(s.Location, "s3://") }

// newer says whether a snapshot is to be named before another one: the later one and, of the same time, the one that does not go with its server.
func (s Snapshot) newer(than *Snapshot) bool {
	switch {
	case than == nil || than.Time.Before(&s.Time):
		return true
	case s.Time.Before(&than.Time):
		return false
	case s.inS3() != than.inS3():
		return s.inS3()
	default:
		return s.Object < than.Object
	}
}

// ReportSnapshots says which snapshots of etcd there are. With S3 in the claim only those in S3 count: the others go with their servers.
func ReportSnapshots(all []Snapshot, claimed *v1alpha1.EtcdSnapshots) (*v1alpha1.SnapshotsStatus, status.Condition) {
	var newest, failed *Snapshot

	count, where := int64(0), ""
	wantsS3 := claimed != nil && claimed.S3 != nil

	if wantsS3 {
		where = " in S3"
	}

	for _, s := range all {
		switch {
		case wantsS3 && !s.inS3():
		case s.State == SnapshotUsable:
			count++

			if s.newer(newest) {
				newest = &s
			}
		case s.State == SnapshotFailed && s.newer(failed):
			failed = &s
		}
	}

	var out *v1alpha1.SnapshotsStatus
	if newest != nil {
		out = &v1alpha1.SnapshotsStatus{Newest: newest.Name, Time: stamp(newest.Time), Location: newest.Location, Count: count}
	}

	return out, snapshotsTaken(newest, failed, where)
}

func snapshotsTaken(newest, failed *Snapshot, where string) status.Condition {
	out := status.Condition{Type: TypeSnapshotsTaken, Status: metav1.ConditionFalse}

	switch {
	case failed != nil && (newest == nil || newest.Time.Before(&failed.Time)):
		last := "there is none that can be restored" + where
		if newest != nil {
			last = fmt.Sprintf("the newest one%s that can be restored, %s, is of %s", where, newest.Name, stamp(newest.Time))
		}

		out.Reason = ReasonSnapshotFailed
		out.Message = fmt.Sprintf("Snapshot %s of etcd failed at %s, and %s: kubectl describe etcdsnapshotfile %s says why.", failed.Name, stamp(failed.Time), last, failed.Object)
	case newest == nil:
		out.Reason, out.Message = ReasonNoSnapshot, "There is no snapshot of etcd"+where+"."
	default:
		out.Status, out.Reason = metav1.ConditionTrue, ReasonSnapshotTaken
		out.Message = fmt.Sprintf("The newest snapshot of etcd%s, %s, is of %s.", where, newest.Name, stamp(newest.Time))
	}

	return out
}

// SnapshotsUnserved is the condition of a cluster whose API server has no list of snapshots.
func SnapshotsUnserved() status.Condition {
	return status.Condition{
		Type: TypeSnapshotsTaken, Status: metav1.ConditionFalse, Reason: ReasonNoSnapshot,
		Message: "The cluster in which Crossplane runs lists no snapshots of etcd: servers of K3s v1.28.4 and later with a member of etcd do.",
	}
}

// SnapshotsNotObserved is the condition of a cluster of which nobody reads the snapshots any more.
func SnapshotsNotObserved() status.Condition {
	return status.Condition{
		Type: TypeSnapshotsTaken, Status: metav1.ConditionUnknown, Reason: ReasonNotObserved,
		Message: "Nobody reads the snapshots of etcd: set observeSnapshots in the catalogue's entry of the cluster.",
	}
}

// SnapshotsOfOthers is the condition of a cluster of whose servers none is known to be a Node of the cluster any more, so that the snapshots may be others'.
func SnapshotsOfOthers() status.Condition {
	return status.Condition{
		Type: TypeSnapshotsTaken, Status: metav1.ConditionUnknown, Reason: ReasonNotObserved,
		Message: "None of the servers of this claim is known to be a Node of the cluster, and the snapshots of etcd are shown to who has one.",
	}
}

// stamp is a time as Kubernetes writes it.
func stamp(t metav1.Time) string { return t.UTC().Format("2006-01-02T15:04:05Z") }
