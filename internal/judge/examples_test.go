package judge

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/homelab-io/function-proxmox-machine/internal/lint"
	"github.com/homelab-io/function-proxmox-machine/internal/manifest"
)

// TestExamples: every example of this repository is without a fault and without a warning, for both judges.
func TestExamples(t *testing.T) {
	j, err := New()
	if err != nil {
		t.Fatal(err)
	}

	readmes, err := filepath.Glob("../../example/*/README.md")
	if err != nil || len(readmes) < 7 {
		t.Fatalf("want examples, got %v, %v", readmes, err)
	}

	claims := 0

	for _, readme := range readmes {
		files, err := manifest.ReadRaw([]string{filepath.Dir(readme)}, nil)
		if err != nil {
			t.Fatal(err)
		}

		report := lint.Check(files, nil, lint.Options{Judge: j})
		claims += report.Claims

		for _, f := range report.Faults {
			// The Secrets of examples, which are no real ones, are there to be read.
			if filepath.Base(f.File) != "secrets.yaml" || f.Path != "stringData" || f.Severity != lint.Warning {
				t.Error(f)
			}
		}
	}

	if claims < 15 {
		t.Errorf("only %d claims were read", claims)
	}
}

// TestTutorial: the claims and the catalogue of docs/start.md are without a fault for the API server, too.
func TestTutorial(t *testing.T) {
	j, err := New()
	if err != nil {
		t.Fatal(err)
	}

	page, err := os.ReadFile("../../docs/start.md")
	if err != nil {
		t.Fatal(err)
	}

	var files []manifest.Raw

	for _, m := range regexp.MustCompile("(?s)<!-- file (\\S+) -->\n\n```yaml\n(.*?)```\n").FindAllStringSubmatch(string(page), -1) {
		files = append(files, manifest.Raw{File: m[1], Documents: manifest.RawDocuments([]byte(m[2]))})
	}

	report := lint.Check(files, nil, lint.Options{Judge: j})
	for _, f := range report.Faults {
		t.Error(f)
	}

	if report.Claims != 2 || report.Catalogues != 1 {
		t.Errorf("want 2 claims and a catalogue, got %d and %d", report.Claims, report.Catalogues)
	}
}
