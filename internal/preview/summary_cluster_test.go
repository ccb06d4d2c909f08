package preview

import (
	"strings"
	"testing"
)

// TestClusterInBrief: a node of a cluster is a line, what only some nodes have stands below theirs, and an image is named once. Wide says all of each.
func TestClusterInBrief(t *testing.T) {
	r, _ := renderCluster(t, FlavourNamespaced, strings.Replace(aCluster, "count: 2, class: small}", "count: 2, class: small, disks: [{name: data, size: 7Gi}]}", 1))

	brief, err := r.Summary()
	if err != nil {
		t.Fatal(err)
	}

	wide, err := r.Wide()
	if err != nil {
		t.Fatal(err)
	}

	for _, tc := range []struct {
		reason, of  string
		brief, wide int
	}{
		{"Each node is there.", "\n  turn ", 5, 5},
		{"Its VM is in its line.", ": VM ", 5, 0},
		{"Only the agents have a disk.", "\n    disk data: 7 GiB on ", 2, 0},
		{"Which is below the VM where all is said.", "\n      disk data: 7 GiB on ", 0, 2},
		{"The image is one, on three Proxmox nodes.", "shared by all machines there", 1, 5},
		{"Which are named.", " of pve1, pve2, pve3, ", 1, 0},
		{"Files are for who asks for all.", "\n    file ", 0, 10},
		{"What holds for all nodes is said once.", "Secret infra/k3s-token is not here", 1, 1},
	} {
		if b, w := strings.Count(brief, tc.of), strings.Count(wide, tc.of); b != tc.brief || w != tc.wide {
			t.Errorf("%s %q: want %d and %d times, got %d and %d\n%s\n%s", tc.reason, tc.of, tc.brief, tc.wide, b, w, brief, wide)
		}
	}
}
