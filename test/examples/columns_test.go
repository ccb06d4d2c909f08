package examples

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/homelab-io/function-proxmox-machine/internal/world"
	"github.com/homelab-io/function-proxmox-machine/test/fake"
)

// TestColumns: each machine of the examples is in what the control planes' suite holds of `kubectl get`. That suite is in no presubmit, and would be the first to
// tell that an example is new.
func TestColumns(t *testing.T) {
	planes, err := filepath.Glob("../controlplane/testdata/columns/*")
	if err != nil || len(planes) == 0 {
		t.Fatalf("no planes: %v", err)
	}

	for _, e := range fake.Examples(t) {
		name := world.Object(e.Claim["metadata"])["name"].(string)
		line := regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(name) + ` `)

		for _, plane := range planes {
			file := filepath.Join(plane, path.Dir(e.Name)+".txt")

			columns, err := os.ReadFile(file)
			if err != nil || !line.Match(columns) {
				t.Errorf("%s: %s has no line of %s (%v): make e2e RUN=TestExamples says which", e.Name, file, name, err)
			}
		}
	}
}
