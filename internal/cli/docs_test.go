package cli

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite what the documentation shows")

var (
	docFile    = regexp.MustCompile("(?s)<!-- file (\\S+) -->\n\n```\\w+\n(.*?)```\n")
	docConsole = regexp.MustCompile("(?s)<!-- console -->\n\n```console\n\\$ kubectl machine ([^\n]*)\n.*?```\n")
)

// TestDocs runs the commands of the documentation on the files that it shows, and compares what it shows with what they print.
func TestDocs(t *testing.T) {
	for _, name := range []string{"lint.md", "start.md", "troubleshooting.md"} {
		t.Run(name, func(t *testing.T) {
			page, err := filepath.Abs(filepath.Join("..", "..", "docs", name))
			if err != nil {
				t.Fatal(err)
			}

			b, err := os.ReadFile(page) //nolint:gosec // A page of the documentation.
			if err != nil {
				t.Fatal(err)
			}

			files := map[string]string{}
			for _, m := range docFile.FindAllStringSubmatch(string(b), -1) {
				files[m[1]] = m[2]
			}

			lintFiles(t, files)

			ran := 0
			shown := docConsole.ReplaceAllStringFunc(string(b), func(block string) string {
				ran++

				command := docConsole.FindStringSubmatch(block)[1]
				_, out, said := runAt(t, "", strings.Fields(command)...)

				var remarks strings.Builder
				for line := range strings.Lines(said) {
					if !strings.HasPrefix(line, "# ") {
						remarks.WriteString(line)
					}
				}

				return "<!-- console -->\n\n```console\n$ kubectl machine " + command + "\n" + out + remarks.String() + "```\n"
			})

			if ran == 0 {
				t.Fatalf("%s shows no command", name)
			}

			if *update {
				if err := os.WriteFile(page, []byte(shown), 0o644); err != nil { //nolint:gosec // A page of the documentation.
					t.Fatal(err)
				}
			} else if diff := cmp.Diff(string(b), shown); diff != "" {
				t.Errorf("docs/%s shows something else (go test ./internal/cli -update rewrites it): -shown, +printed:\n%s", name, diff)
			}
		})
	}
}

// TestStartCatalogue holds the catalogue that docs/start.md shows to what init writes of the Proxmox that the page describes.
func TestStartCatalogue(t *testing.T) {
	answers, err := filepath.Abs(filepath.Join("testdata", "start.json"))
	if err != nil {
		t.Fatal(err)
	}

	b, err := os.ReadFile(filepath.Join("..", "..", "docs", "start.md"))
	if err != nil {
		t.Fatal(err)
	}

	shown := ""

	for _, m := range docFile.FindAllStringSubmatch(string(b), -1) {
		if m[1] == "catalogue.yaml" {
			shown = m[2]
		}
	}

	lintFiles(t, map[string]string{"id_ed25519.pub": "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ4yyXq0Hn7d2M0b5xw1lVxJXr5m1m2oYv2m0uX0exam ops@home\n"})

	code, out, said := runAt(t, "", "init", "--from", answers, "--ssh-key", "id_ed25519.pub")
	if code != ExitOK {
		t.Fatalf("exit code %d: %s", code, said)
	}

	if diff := cmp.Diff(out, shown); diff != "" {
		t.Errorf("docs/start.md shows another catalogue than init writes: -init, +page:\n%s", diff)
	}
}
