package k3s

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/internal/message"
)

// Keys of K3s' config.yaml for snapshots of etcd.
const (
	KeySnapshotSchedule  = "etcd-snapshot-schedule-cron"
	KeySnapshotRetention = "etcd-snapshot-retention"
	KeySnapshotsOff      = "etcd-disable-snapshots"
	KeyS3                = "etcd-s3"
	KeyS3Secret          = "etcd-s3-config-secret"
)

// firstWithS3Secret are the first releases of K3s that read [KeyS3Secret], by minor release; later minor releases all do:
// https://docs.k3s.io/cli/etcd-snapshot.
var firstWithS3Secret = map[int]string{28: "v1.28.13+k3s1", 29: "v1.29.8+k3s1", 30: "v1.30.4+k3s1"} //nolint:gochecknoglobals // A constant table.

// NeedsForS3Secret is the release to upgrade to before [KeyS3Secret] has an effect; empty where a release has it, or cannot be read.
func NeedsForS3Secret(release string) string {
	minor, ok := MinorOf(release)
	oldest := slices.Min(slices.Collect(maps.Keys(firstWithS3Secret)))

	switch first := firstWithS3Secret[max(minor, oldest)]; {
	case !ok || first == "":
		return ""
	case minor < oldest || OlderRelease(release, first):
		return first
	default:
		return ""
	}
}

// HidesS3Secret says whether a key makes K3s ignore [KeyS3Secret]: any other option of S3 does.
func HidesS3Secret(key string) bool { return strings.HasPrefix(key, KeyS3+"-") && key != KeyS3Secret }

// maxSnapshotName is the maximum length of a snapshot's name in characters.
const maxSnapshotName = 255

var snapshotName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)

// ValidateSnapshotName checks the name of a snapshot in a bucket.
func ValidateSnapshotName(name string, path *field.Path) field.ErrorList {
	const want = "must be the name of a snapshot in the bucket, without the folder, such as etcd-snapshot-home-server-0-1732240800"

	switch {
	case name == "":
		return field.ErrorList{field.Required(path, want)}
	case len(name) > maxSnapshotName || !snapshotName.MatchString(name):
		return field.ErrorList{field.Invalid(path, message.Excerpt(name), want)}
	default:
		return nil
	}
}
