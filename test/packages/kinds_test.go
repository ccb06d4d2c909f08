package packages

import (
	"bytes"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/homelab-io/function-proxmox-machine/internal/claim"
)

// command of kubectl that names objects, up to the end of its line or of its code quotes.
var command = regexp.MustCompile("kubectl(?: -{1,2}[a-z-]+[ =][^ `]+)*(?: -A)? (?:get|delete|describe|annotate|patch|label|edit|wait|explain) [^`|\n\\\\]*")

// TestKindsHaveTheirGroup: wherever a person is given a command, in docs and in what programs print, our kinds have their group. Without it kubectl takes the group
// whose version is more stable, and `kubectl delete machines` deletes those of Cluster API.
func TestKindsHaveTheirGroup(t *testing.T) {
	for text, want := range map[string]string{
		"kubectl get machines":                                "machines",
		"kubectl -n infra delete machine a":                   "machine",
		"kubectl -n infra get xmachines.homelab.io,xk3snodes": "xk3snodes",
		"kubectl get -n infra k3sclusters -w":                 "k3sclusters",
		"kubectl delete node server-1":                        "",
		"kubectl -n infra get machines.homelab.io":            "",
	} {
		if got := strings.Join(ungrouped(text), " "); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}

	out, err := exec.CommandContext(t.Context(), "git", "-C", root, "ls-files", "-z", "--cached", "--others", "--exclude-standard").Output()
	if err != nil {
		t.Fatal(err)
	}

	for name := range bytes.SplitSeq(bytes.TrimRight(out, "\x00"), []byte{0}) {
		file := string(name)

		// What earlier releases said stays as it was; this file has examples of what is wrong.
		if strings.HasPrefix(file, "test/upgrade/") || file == "CHANGELOG.md" || file == "test/packages/kinds_test.go" ||
			!slices.Contains([]string{".md", ".go", ".yaml", ".sh", ".ts", ".vue", ".json"}, filepath.Ext(file)) {
			continue
		}

		for _, bare := range ungrouped(readPage(t, file)) {
			t.Errorf("%s: kubectl is told %s without its group, want %s.homelab.io", file, bare, bare)
		}
	}
}

// ungrouped are our kinds that kubectl is told without their group.
func ungrouped(text string) []string {
	var bare []string

	for _, c := range command.FindAllString(text, -1) {
		for word := range strings.FieldsSeq(c) {
			for name := range strings.SplitSeq(word, ",") {
				singular := strings.TrimSuffix(strings.TrimPrefix(name, "x"), "s")

				for _, kind := range claim.Kinds() {
					if singular == strings.ToLower(kind) {
						bare = append(bare, name)
					}
				}
			}
		}
	}

	return bare
}
