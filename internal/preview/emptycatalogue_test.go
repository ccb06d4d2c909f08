package preview

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/homelab-io/function-proxmox-machine/internal/manifest"
)

// TestEmptyCatalogue: a catalogue that somebody emptied is said to be empty, and not to be missing.
func TestEmptyCatalogue(t *testing.T) {
	t.Parallel()

	cases := map[string]struct {
		reason, file, content string
		named                 string
		empty                 bool
	}{
		"Empty":    {"Nothing is in it.", "catalogue.yaml", "", "", true},
		"Comments": {"All is a comment, in a file of another name.", "machine-catalog.yml", "---\n# kind: Machine\n", "", true},
		"Other":    {"Empty files of others are theirs.", "values.yaml", "", "", false},
		"List":     {"A list of nothing is somebody's word.", "catalogue.yaml", "apiVersion: v1\nkind: List\nitems: []\n", "", false},
		"None":     {"The person wants none.", "catalogue.yaml", "", NoFile, false},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			folder := t.TempDir()
			path := filepath.Join(folder, tc.file)

			if err := os.WriteFile(path, []byte(tc.content), 0o600); err != nil {
				t.Fatal(err)
			}

			claim := Claim{File: filepath.Join(folder, "a.yaml"), Object: unstructured.Unstructured{Object: map[string]any{"kind": "Machine"}}}

			want, got := "", ""
			if tc.empty {
				want = path + ":1:1: " + manifest.EmptyCatalogue
			}

			if _, err := (Files{Catalogue: tc.named}).Story(context.Background(), claim); err != nil {
				got = err.Error()
			}

			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s:\n%s", tc.reason, diff)
			}
		})
	}
}
