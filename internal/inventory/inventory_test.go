package inventory

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/validate"
	"github.com/homelab-io/function-proxmox-machine/test/program"
)

var update = flag.Bool("update", false, "rewrite the files of expected results")

// TestCatalogue compares the catalogue of each answer with what was agreed on, and has the function take it.
func TestCatalogue(t *testing.T) {
	files, err := filepath.Glob("testdata/*.json")
	if err != nil || len(files) < 2 {
		t.Fatalf("want answers, got %v, %v", files, err)
	}

	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			answers, err := os.Open(file)
			if err != nil {
				t.Fatal(err)
			}
			defer answers.Close()

			site, err := Read(answers)
			if err != nil {
				t.Fatal(err)
			}

			site.Name, site.VMIDs = "home", [2]int64{4100, 4199}

			got, err := site.Catalogue("machine-catalog")
			if err != nil {
				t.Fatal(err)
			}

			golden := strings.TrimSuffix(file, ".json") + ".yaml"
			if *update {
				if err := os.WriteFile(golden, got, 0o600); err != nil {
					t.Fatal(err)
				}
			}

			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}

			if diff := cmp.Diff(string(want), string(got)); diff != "" {
				t.Errorf("%s (go test ./internal/inventory -update rewrites it): -want, +got:\n%s", golden, diff)
			}

			// The comments are a catalogue, too, once somebody uncomments them.
			taken(t, string(got))
			taken(t, uncommented(string(got)))
		})
	}
}

// taken has the function read a catalogue.
func taken(t *testing.T, document string) {
	t.Helper()

	object := struct {
		Data map[string]any `json:"data"`
	}{}
	if err := yaml.Unmarshal([]byte(document), &object); err != nil {
		t.Fatalf("%v:\n%s", err, document)
	}

	c, faults := catalog.FromValue(object.Data, "data")
	for _, err := range append(faults, validate.Catalog(c)...) {
		t.Errorf("%v:\n%s", err, document)
	}
}

// uncommented is a catalogue with the examples at its end, as its comment says.
func uncommented(document string) string {
	head, examples, _ := strings.Cut(document, "one blank away.\n")
	head += "\n"

	for line := range strings.Lines(examples) {
		head += strings.TrimPrefix(line, "# ")
	}

	return head
}

func TestReadRefuses(t *testing.T) {
	for name, tc := range map[string]struct{ reason, answers, want string }{
		"Nothing": {"an empty answer names no node", "", "the answers name no node"},
		"Bare":    {"an answer without its path could be of anything", `[{"node": "pve"}]`, "must be what `kubectl machine init --script` prints"},
		"NoJSON":  {"text is no answer", "bash: pvesh: command not found", "must be what `kubectl machine init --script` prints"},
		"Shape":   {"an answer of another shape", `{"path": "/nodes", "answer": {"node": 1}}`, "cannot read the answer of /nodes"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := Read(strings.NewReader(tc.answers)); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%s: want an error with %q, got %v", tc.reason, tc.want, err)
			}
		})
	}
}

// TestScript runs the script with a pvesh that answers the path and fails for mappings, as nodes without any do.
func TestScript(t *testing.T) {
	dir := t.TempDir()
	if err := program.Write(filepath.Join(dir, "pvesh"), []byte("#!/bin/sh\n[ \"$1\" = get ] || exit 9\ncase $2 in /cluster/*) exit 1;; /nodes) echo '[{\"node\":\"pve\"}]';; *) echo '[]';; esac\n"), 0o700); err != nil {
		t.Fatal(err)
	}

	cmd := exec.CommandContext(t.Context(), "sh", "-c", Script) //nolint:gosec // Our own script.
	cmd.Env = []string{"PATH=" + dir + ":/usr/bin:/bin"}

	out, err := cmd.Output()
	if err != nil {
		t.Log(err) // ls of a folder that only Proxmox has.
	}

	site, err := Read(strings.NewReader(string(out)))
	if err != nil || len(site.Nodes) != 1 || site.Nodes[0].Name != "pve" {
		t.Errorf("want node pve, got %+v, %v of:\n%s", site, err, out)
	}
}
