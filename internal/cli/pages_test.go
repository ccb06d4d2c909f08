package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

// TestPagesCallWhatThereIs: each command that a page shows is one of the program's, with flags that it has.
func TestPagesCallWhatThereIs(t *testing.T) {
	shown := 0

	for _, pattern := range []string{"README.md", "docs/*.md", "example/*/README.md", "install/*/README.md", "example/*/.github/workflows/*.yaml"} {
		pages, err := filepath.Glob(filepath.Join("..", "..", pattern))
		if err != nil || len(pages) == 0 {
			t.Fatal(pattern, err)
		}

		for _, page := range pages {
			b, err := os.ReadFile(page) //nolint:gosec // A page of this repository.
			if err != nil {
				t.Fatal(err)
			}

			text := string(b)
			if filepath.Ext(page) == ".yaml" {
				text = "```yaml\n" + text + "```"
			}

			for _, command := range commandsIn(text) {
				shown++

				if fault := notThere(command); fault != "" {
					t.Errorf("%s: `kubectl machine %s`: %s", page, command, fault)
				}
			}
		}
	}

	if shown < 100 {
		t.Errorf("only %d commands were read", shown)
	}
}

var (
	calledInCode  = regexp.MustCompile("`kubectl machine ([a-z][^`\n]*)`")
	calledInShell = regexp.MustCompile(`(?:kubectl[ -]machine|go run \./cmd/kubectl-machine) ([a-z][^\n|;#>)"'\x60]*)`)
	shellBlock    = regexp.MustCompile("(?ms)^ *```(?:shell|console|yaml)\n(.*?)^ *```$")
	longFlag      = regexp.MustCompile(`(?:^|\s)--([a-z][a-z-]*)`)
)

// commandsIn a page: those in code, and those of shell blocks.
func commandsIn(page string) []string {
	var out []string

	for _, block := range shellBlock.FindAllStringSubmatch(page, -1) {
		for _, m := range calledInShell.FindAllStringSubmatch(strings.ReplaceAll(block[1], "\\\n", " "), -1) {
			out = append(out, strings.TrimSpace(m[1]))
		}
	}

	for _, m := range calledInCode.FindAllStringSubmatch(page, -1) {
		out = append(out, m[1])
	}

	return out
}

// notThere says what of a command the program does not have.
func notThere(command string) string {
	root := newRoot(Streams{})

	cmd, _, err := root.Find(strings.Fields(command)[:1])
	if name := strings.Fields(command)[0]; err != nil || cmd == root && name != "help" && name != "completion" {
		return "there is no such command"
	}

	for _, m := range longFlag.FindAllStringSubmatch(command, -1) {
		known := false
		for _, flags := range []*pflag.FlagSet{cmd.Flags(), cmd.InheritedFlags()} {
			known = known || flags.Lookup(m[1]) != nil
		}

		if !known && m[1] != "help" {
			return "it has no flag --" + m[1]
		}
	}

	return ""
}

// TestNotThere: the check of the pages can fail.
func TestNotThere(t *testing.T) {
	for command, want := range map[string]string{
		"plan -f a.yaml --fail-on=reboot": "", "get -A --color never": "", "doctor": "there is no such command", "plan --flavor claims": "it has no flag --flavor",
	} {
		if got := notThere(command); got != want {
			t.Errorf("%s: want %q, got %q", command, want, got)
		}
	}
}
