package cluster

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/status"
)

// at is a time of the day of these tests.
func at(hour int) metav1.Time {
	return metav1.NewTime(time.Date(2026, 11, 22, hour, 0, 0, 0, time.UTC))
}

func TestReadSnapshot(t *testing.T) {
	cases := map[string]struct {
		reason, object string
		want           Snapshot
	}{
		"Taken": {
			reason: "As K3s lists one in S3.",
			object: `
metadata: {name: s3-etcd-snapshot-server-0-1-a, creationTimestamp: "2026-11-22T06:05:00Z"}
spec: {snapshotName: etcd-snapshot-server-0-1, nodeName: s3, location: "s3://etcd/home/etcd-snapshot-server-0-1"}
status: {creationTime: "2026-11-22T06:00:00Z", readyToUse: true, size: "2891808"}`,
			want: Snapshot{
				Object: "s3-etcd-snapshot-server-0-1-a", Name: "etcd-snapshot-server-0-1", Location: "s3://etcd/home/etcd-snapshot-server-0-1", Time: at(6), State: SnapshotUsable,
			},
		},
		"Failed": {
			reason: "Its time is that of the error, and nothing of the message is kept.",
			object: `
metadata: {name: local-x, creationTimestamp: "2026-11-22T06:00:00Z"}
spec: {snapshotName: x, nodeName: server-0, location: ""}
status: {readyToUse: false, error: {time: "2026-11-22T07:00:00Z", message: "secret"}}`,
			want: Snapshot{Object: "local-x", Name: "x", Time: at(7), State: SnapshotFailed},
		},
		"Running": {
			reason: "It is neither.",
			object: `{metadata: {name: local-x, creationTimestamp: "2026-11-22T06:00:00Z"}, spec: {snapshotName: x}}`,
			want:   Snapshot{Object: "local-x", Name: "x", Time: at(6)},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			content := map[string]any{}
			if err := yaml.Unmarshal([]byte(tc.object), &content); err != nil {
				t.Fatal(err)
			}

			got, err := ReadSnapshot(content)
			if err != nil {
				t.Fatal(err)
			}

			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nReadSnapshot(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}

	if _, err := ReadSnapshot(map[string]any{"status": map[string]any{"creationTime": "yesterday"}}); err == nil {
		t.Error("ReadSnapshot() reads a time that is none")
	}
}

func TestReportSnapshots(t *testing.T) {
	local := func(name string, hour int) Snapshot {
		return Snapshot{Object: "local-" + name, Name: name, Location: "file:///s/" + name, Time: at(hour), State: SnapshotUsable}
	}
	remote := func(name string, hour int) Snapshot {
		return Snapshot{Object: "s3-" + name, Name: name, Location: "s3://b/" + name, Time: at(hour), State: SnapshotUsable}
	}
	failed := func(s Snapshot) Snapshot {
		s.State = SnapshotFailed
		return s
	}

	cases := map[string]struct {
		reason  string
		all     []Snapshot
		claimed *v1alpha1.EtcdSnapshots
		status  *v1alpha1.SnapshotsStatus
		says    status.Condition
	}{
		"None": {
			reason: "Nobody could restore the cluster.",
			says:   status.Condition{Status: metav1.ConditionFalse, Reason: ReasonNoSnapshot, Message: "There is no snapshot of etcd."},
		},
		"Newest": {
			reason: "By time, and of two copies the one that does not go with its server.",
			all:    []Snapshot{local("b", 12), remote("b", 12), local("a", 6), {Object: "local-c", Name: "c", Time: at(18)}},
			status: &v1alpha1.SnapshotsStatus{Newest: "b", Time: "2026-11-22T12:00:00Z", Location: "s3://b/b", Count: 3},
			says: status.Condition{
				Status: metav1.ConditionTrue, Reason: ReasonSnapshotTaken, Message: "The newest snapshot of etcd, b, is of 2026-11-22T12:00:00Z.",
			},
		},
		"OnlyOnDisks": {
			reason: "The claim wants them in S3, and those on the disks go with their servers.", claimed: inS3(), all: []Snapshot{local("a", 6)},
			says: status.Condition{Status: metav1.ConditionFalse, Reason: ReasonNoSnapshot, Message: "There is no snapshot of etcd in S3."},
		},
		"LastFailed": {
			reason: "The one before can be restored, and grows old.", claimed: inS3(), all: []Snapshot{remote("a", 6), failed(remote("b", 12)), local("b", 12)},
			status: &v1alpha1.SnapshotsStatus{Newest: "a", Time: "2026-11-22T06:00:00Z", Location: "s3://b/a", Count: 1},
			says: status.Condition{
				Status: metav1.ConditionFalse, Reason: ReasonSnapshotFailed,
				Message: "Snapshot b of etcd failed at 2026-11-22T12:00:00Z, and the newest one in S3 that can be restored, a, is of 2026-11-22T06:00:00Z: " +
					"kubectl describe etcdsnapshotfile s3-b says why.",
			},
		},
		"FailedBefore": {
			reason: "A later one did not fail.", all: []Snapshot{failed(local("a", 6)), local("b", 12)},
			status: &v1alpha1.SnapshotsStatus{Newest: "b", Time: "2026-11-22T12:00:00Z", Location: "file:///s/b", Count: 1},
			says: status.Condition{
				Status: metav1.ConditionTrue, Reason: ReasonSnapshotTaken, Message: "The newest snapshot of etcd, b, is of 2026-11-22T12:00:00Z.",
			},
		},
		"AllFailed": {
			reason: "The first one that failed says why, too.", all: []Snapshot{failed(local("a", 6))},
			says: status.Condition{
				Status: metav1.ConditionFalse, Reason: ReasonSnapshotFailed,
				Message: "Snapshot a of etcd failed at 2026-11-22T06:00:00Z, and there is none that can be restored: kubectl describe etcdsnapshotfile local-a says why.",
			},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, says := ReportSnapshots(tc.all, tc.claimed)
			tc.says.Type = TypeSnapshotsTaken

			if diff := cmp.Diff(tc.status, got); diff != "" {
				t.Errorf("%s\nstatus: -want, +got:\n%s", tc.reason, diff)
			}

			if diff := cmp.Diff(tc.says, says); diff != "" {
				t.Errorf("%s\ncondition: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
