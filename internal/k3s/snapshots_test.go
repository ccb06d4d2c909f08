package k3s

import "testing"

func TestNeedsForS3Secret(t *testing.T) {
	cases := map[string]struct{ reason, release, want string }{
		"Before":     {"A minor release that never got it.", "v1.27.16+k3s1", "v1.28.13+k3s1"},
		"EarlyPatch": {"Its first patch is named.", "v1.29.7+k3s1", "v1.29.8+k3s1"},
		"First":      {"The release itself has it.", "v1.30.4+k3s1", ""},
		"Later":      {"Every later minor release has it.", "v1.36.0+k3s1", ""},
		"Unread":     {"What is no release is refused elsewhere.", "stable", ""},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := NeedsForS3Secret(tc.release); got != tc.want {
				t.Errorf("%s\nNeedsForS3Secret(%q) = %q, want %q", tc.reason, tc.release, got, tc.want)
			}
		})
	}
}

// TestHidesS3Secret: every option of S3 that K3s has, but the two that belong together.
func TestHidesS3Secret(t *testing.T) {
	for key, want := range map[string]bool{
		KeyS3: false, KeyS3Secret: false, "etcd-s3-bucket": true, "etcd-s3-retention": true, KeySnapshotRetention: false,
	} {
		if got := HidesS3Secret(key); got != want {
			t.Errorf("HidesS3Secret(%q) = %t, want %t", key, got, want)
		}
	}
}

// TestSnapshotKeys: K3s has the keys, and none of them needs a statement of more than that it has no effect elsewhere.
func TestSnapshotKeys(t *testing.T) {
	for _, key := range []string{KeySnapshotSchedule, KeySnapshotRetention, KeySnapshotsOff, KeyS3, KeyS3Secret} {
		if _, known := configKeys()[key]; !known {
			t.Errorf("K3s has no key %s", key)
		}
	}
}
