package status

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/homelab-io/function-proxmox-machine/internal/diagnose"
)

// TestScenariosSayEverything: every reason of a condition but the provider's is tested as a whole answer.
func TestScenariosSayEverything(t *testing.T) {
	said := map[string]bool{}

	for _, s := range scenarios() {
		for _, c := range s.want.Conditions {
			said[c.Type], said[c.Reason] = true, true
		}

		for _, e := range s.want.Events {
			said[e.Reason] = true
		}
	}

	for _, r := range diagnose.Rows() { // TestReports of package diagnose has them all.
		said[r.Class] = true
	}

	said[ReasonValidationFailed], said[ReasonConfigurationError], said[ReasonInsufficientCapacity] = true, true, true // TestInvalid has them.
	said[EventProviderRecovered] = true                                                                               // TestEvents has it.

	for _, name := range constants(t) {
		if !said[name] {
			t.Errorf("no scenario says %s", name)
		}
	}
}

// TestConditionsDocShowsEverything: whatever a scenario says stands in the table of its type, with its status, and is shown
// as a person sees it.
func TestConditionsDocShowsEverything(t *testing.T) {
	doc := readDoc(t, conditionsDoc)

	shown := map[string]bool{}
	for _, m := range exampleBlock.FindAllStringSubmatch(doc+readDoc(t, reasonsDoc), -1) {
		if m[2] != "" {
			shown[m[2]+" "+answer(t, m[1]).condition(m[2]).Reason] = true
		}
	}

	said := map[string]Condition{}
	say := func(all ...Condition) {
		for _, c := range all {
			said[c.Type+" "+c.Reason] = c
		}
	}

	say(answer(t, "Invalid").Conditions...)
	say(answer(t, "NoRoom").Conditions...)
	say(answer(t, "Failed").Conditions...)

	for name := range scenarios() {
		say(answer(t, name).Conditions...)
	}

	for name := range reports(t) {
		say(answer(t, reportPrefix+name).Conditions...)
	}

	for _, pair := range slices.Sorted(maps.Keys(said)) {
		c := said[pair]

		_, section, ok := strings.Cut(doc, "\n## "+c.Type+"\n")
		section, _, _ = strings.Cut(section, "\n## ")

		if row := fmt.Sprintf("| `%s` | %s |", c.Reason, c.Status); !ok || !strings.Contains(section, row) {
			t.Errorf("%s: the table of %s has no row %s", conditionsDoc, c.Type, row)
		}

		if !shown[pair] {
			t.Errorf("%s: no example shows %s", conditionsDoc, pair)
		}
	}
}

// TestNothingElseIsSaid: every type and every reason, of conditions and of events, is a constant, so that the tests above
// know it.
func TestNothingElseIsSaid(t *testing.T) {
	known := constants(t)

	for name := range scenarios() {
		out := answer(t, name)
		for _, c := range out.Conditions {
			if !slices.Contains(known, c.Type) || !slices.Contains(known, c.Reason) {
				t.Errorf("%s: %s %s is no constant of conditions.go", name, c.Type, c.Reason)
			}
		}

		for _, e := range out.Events {
			if !slices.Contains(known, e.Reason) {
				t.Errorf("%s: the reason of event %s is no constant of conditions.go", name, e.Reason)
			}
		}
	}
}

// constants are the values of all exported constants of conditions.go.
func constants(t *testing.T) []string {
	t.Helper()

	classes := map[string]string{}
	for name, value := range literals(t, "../diagnose/row.go", nil) {
		classes["diagnose."+name] = value
	}

	out := slices.Compact(slices.Sorted(maps.Values(literals(t, "conditions.go", classes))))
	if len(out) < 60 {
		t.Fatalf("conditions.go has %d constants only: was it read?", len(out))
	}

	return out
}

// literals are the exported string constants of a Go file, by name. Those that repeat another package's are looked up.
func literals(t *testing.T, file string, others map[string]string) map[string]string {
	t.Helper()

	f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}

	out := map[string]string{}

	for _, d := range f.Decls {
		decl, ok := d.(*ast.GenDecl)
		if !ok || decl.Tok != token.CONST {
			continue
		}

		for _, s := range decl.Specs {
			spec := s.(*ast.ValueSpec)
			if len(spec.Names) != 1 || len(spec.Values) != 1 {
				t.Fatalf("%s: a constant is not written as name = value", file)
			}

			if !spec.Names[0].IsExported() {
				continue
			}

			switch v := spec.Values[0].(type) {
			case *ast.BasicLit:
				if out[spec.Names[0].Name], err = strconv.Unquote(v.Value); err != nil {
					t.Fatal(err)
				}
			case *ast.SelectorExpr:
				name := v.X.(*ast.Ident).Name + "." + v.Sel.Name
				if out[spec.Names[0].Name], ok = others[name]; !ok {
					t.Fatalf("%s: %s is not known", file, name)
				}
			default:
				t.Fatalf("%s: the value of %s is not known", file, spec.Names[0].Name)
			}
		}
	}

	return out
}
