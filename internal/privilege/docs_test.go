package privilege

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write what the table says into docs/privileges.md")

var block = regexp.MustCompile(`(?s)<!-- (commands 9|commands 8|extras|calls) -->\n.*?<!-- end -->\n`)

const page = "../../docs/privileges.md"

// TestPage holds docs/privileges.md to the table.
func TestPage(t *testing.T) {
	b, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}

	found := 0
	after := block.ReplaceAllStringFunc(string(b), func(s string) string {
		found++

		return generated(block.FindStringSubmatch(s)[1])
	})

	if found != 4 {
		t.Fatalf("%s has %d of its 4 blocks", page, found)
	}

	if *update {
		if err := os.WriteFile(page, []byte(after), 0o644); err != nil { //nolint:gosec // A page of the documentation.
			t.Fatal(err)
		}
	} else if diff := cmp.Diff(after, string(b)); diff != "" {
		t.Errorf("%s is not what the table says (go test ./internal/privilege -update): -table, +page:\n%s", page, diff)
	}
}

// TestPages holds the pages that repeat a part of it to the table: the sentences of its beginning.
func TestPages(t *testing.T) {
	cases := map[string]struct{ reason, page, text string }{
		"Beginning": {"A reader who decides whether he grants it looks there first.", "../../docs/privileges.md", Sentence()},
		"Optional":  {"What single machines need is named beside it.", "../../docs/privileges.md", OptionalSentence()},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			b, err := os.ReadFile(tc.page)
			if err != nil {
				t.Fatal(err)
			}

			if want := strings.Join(strings.Fields(tc.text), " "); !strings.Contains(strings.Join(strings.Fields(string(b)), " "), want) {
				t.Errorf("\n%s\n%s does not say:\n%s", tc.reason, tc.page, want)
			}
		})
	}
}

func generated(name string) string {
	var out strings.Builder

	fmt.Fprintf(&out, "<!-- %s -->\n\n", name)

	switch name {
	case "commands 9":
		fmt.Fprintf(&out, "```shell\n%s```\n", UsualCommands(9))
	case "commands 8":
		fmt.Fprintf(&out, "```shell\n%s```\n", UsualCommands(8))
	case "extras":
		out.WriteString("| for | in addition |\n| --- | --- |\n")

		for _, e := range Extras() {
			fmt.Fprintf(&out, "| %s | `%s` |\n", e.Use, strings.Join(e.Commands, "`<br>`"))
		}
	case "calls":
		out.WriteString("| the provider ... | call | privileges |\n| --- | --- | --- |\n")

		for _, c := range Calls {
			fmt.Fprintf(&out, "| %s | `%s %s` | %s |\n", c.For, c.Method, c.Path, needs(c))
		}
	}

	return out.String() + "\n<!-- end -->\n"
}

// needs of a call, a line for each place.
func needs(c Call) string {
	lines := map[Place][]string{}

	for _, n := range c.Needs {
		words := strings.Join(n.Privileges, ", ")

		switch {
		case n.Since > 0:
			words += fmt.Sprintf(" (Proxmox VE %d or later)", n.Since)
		case n.Before > 0:
			words += fmt.Sprintf(" (before %d)", n.Before)
		}

		if n.Use != UseAlways {
			words += " for " + string(n.Use)
		}

		lines[n.Place] = append(lines[n.Place], words)
	}

	out := make([]string, 0, len(lines))
	for _, p := range slices.Sorted(maps.Keys(lines)) {
		out = append(out, fmt.Sprintf("`%s`: %s", p, strings.Join(lines[p], ", ")))
	}

	if len(out) == 0 {
		return "none"
	}

	return strings.Join(out, "<br>")
}
