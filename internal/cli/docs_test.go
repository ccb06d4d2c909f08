package cli

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"
)

var update = flag.Bool("update", false, "rewrite what the documentation shows")

var (
	docFile    = regexp.MustCompile("(?s)<!-- file (\\S+) -->\n\n```\\w+\n(.*?)```\n")
	docConsole = regexp.MustCompile("(?s)<!-- console -->\n\n```console\n\\$ kubectl machine ([^\n]*)\n.*?```\n")
)

// TestDocs runs the commands of the documentation on the files that it shows, and compares what it shows with what they print.
func TestDocs(t *testing.T) {
	for _, name := range []string{"adopt.md", "lint.md", "rehearse.md", "start.md", "tenancy.md", "troubleshooting.md", "workloads.md"} {
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

// TestShown runs the commands of docs/kubectl-machine.md that read a cluster, on what a cluster has.
func TestShown(t *testing.T) {
	page := filepath.Join("..", "..", "docs", "kubectl-machine.md")
	b := docPage(t, "kubectl-machine.md")
	ran := 0

	shown := docConsole.ReplaceAllStringFunc(b, func(block string) string {
		command := docConsole.FindStringSubmatch(block)[1]
		name := strings.Fields(command)[0]
		ran++

		_, out, said := runAt(t, "", append(strings.Fields(command), "--observed", filepath.Join("testdata", name+".yaml"))...)
		if said != "" {
			t.Errorf("%s: %s", command, said)
		}

		return "<!-- console -->\n\n```console\n$ kubectl machine " + command + "\n" + out + "```\n"
	})

	if ran == 0 {
		t.Fatal("the page shows no command")
	}

	if *update {
		if err := os.WriteFile(page, []byte(shown), 0o644); err != nil { //nolint:gosec // A page of the documentation.
			t.Fatal(err)
		}
	} else if diff := cmp.Diff(b, shown); diff != "" {
		t.Errorf("docs/kubectl-machine.md shows something else (go test ./internal/cli -update rewrites it): -shown, +printed:\n%s", diff)
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

// TestTroubleshootingShowsRealMessages: the messages of the clusters that docs/troubleshooting.md shows are the function's, whose examples
// package status writes into the pages of conditions. (dns01 there has another name here.)
func TestTroubleshootingShowsRealMessages(t *testing.T) {
	said := map[string]bool{}
	ran := regexp.MustCompile(` VM \d+ on node \S+ ran when the provider last read it\.$`) // Not said of a machine on the page, which has no VM yet.

	for _, page := range []string{"conditions.md", "reasons.md"} {
		for _, m := range regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllStringSubmatch(docPage(t, page), -1) {
			for _, c := range conditionsOf(t, m[1]) {
				said[c.Reason+": "+c.Message] = true
				said[c.Reason+": "+ran.ReplaceAllString(c.Message, "")] = true
			}
		}
	}

	checked := 0

	for _, m := range docFile.FindAllStringSubmatch(docPage(t, "troubleshooting.md"), -1) {
		name := strings.TrimSuffix(m[1], ".yaml")
		// The page tells of the image of dns01 in its own words.
		if name == "dns01" {
			continue
		}

		text, _, _ := strings.Cut(m[2], "---\n")
		for _, c := range conditionsOf(t, text) {
			if c.Message == "" {
				continue
			}

			checked++

			if message := strings.ReplaceAll(c.Message, name, "dns01"); !said[c.Reason+": "+message] {
				t.Errorf("%s: the function never says %q", m[1], message)
			}
		}
	}

	if checked < 5 {
		t.Errorf("only %d messages were read", checked)
	}
}

// A shownCondition is the part of a condition that a page shows.
type shownCondition struct{ Reason, Message string }

func conditionsOf(t *testing.T, text string) []shownCondition {
	t.Helper()

	var object struct {
		Status struct{ Conditions []shownCondition }
	}

	if err := yaml.Unmarshal([]byte(text), &object); err != nil {
		t.Fatal(err)
	}

	return object.Status.Conditions
}

func docPage(t *testing.T, name string) string {
	t.Helper()

	b, err := os.ReadFile(filepath.Join("..", "..", "docs", name))
	if err != nil {
		t.Fatal(err)
	}

	return string(b)
}
