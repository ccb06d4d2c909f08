package observe

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/yaml"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/homelab-io/function-proxmox-machine/internal/diagnose"
)

const conditionsDoc = "../../docs/conditions.md"

var update = flag.Bool("update", false, "write docs/conditions.md")

var (
	exampleBlock = regexp.MustCompile("(?m)^<!-- example ([\\w:]+)(?: (\\w+))? -->\n(?:\n```yaml\n(?s:.*?)```\n)?")
	errorBlock   = regexp.MustCompile(`(?s)<!-- provider errors -->\n.*?<!-- end of provider errors -->\n`)
)

// TestConditionsDoc: examples and the table of errors in docs/conditions.md are what the code says.
func TestConditionsDoc(t *testing.T) {
	before := readDoc(t)
	if n := len(exampleBlock.FindAllString(before, -1)); n < 60 {
		t.Errorf("%s has %d examples only", conditionsDoc, n)
	}

	after := exampleBlock.ReplaceAllStringFunc(before, func(block string) string {
		m := exampleBlock.FindStringSubmatch(block)
		return strings.SplitAfter(block, "\n")[0] + "\n```yaml\n" + example(t, m[1], m[2]) + "```\n"
	})

	if !errorBlock.MatchString(after) {
		t.Fatalf("%s has no place for the table of provider errors", conditionsDoc)
	}

	after = errorBlock.ReplaceAllLiteralString(after, "<!-- provider errors -->\n"+errorTable()+"<!-- end of provider errors -->\n")

	if *update {
		if err := os.WriteFile(conditionsDoc, []byte(after), 0o644); err != nil {
			t.Fatal(err)
		}

		return
	}

	if diff := cmp.Diff(after, before); diff != "" {
		t.Errorf("%s is not what the code says; run this test with -update: -code, +document:\n%s", conditionsDoc, diff)
	}
}

// TestConditionsDocIsComplete: the document has every type and every reason, and no other.
func TestConditionsDocIsComplete(t *testing.T) {
	doc := errorBlock.ReplaceAllLiteralString(readDoc(t), "")
	doc, _, _ = strings.Cut(doc, "\n## Status\n")
	_, events, _ := strings.Cut(readDoc(t), "\n## Events\n")
	doc += events

	named := map[string]bool{}

	for _, m := range regexp.MustCompile("(?m)^\\| `(\\w+)` \\|").FindAllStringSubmatch(doc, -1) {
		named[m[1]] = true
	}

	known := constants(t)
	for _, name := range known {
		if !named[name] {
			t.Errorf("%s does not explain %s", conditionsDoc, name)
		}

		delete(named, name)
	}

	for name := range named {
		t.Errorf("%s explains %s, which the code never says", conditionsDoc, name)
	}
}

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

	said[ReasonValidationFailed], said[ReasonConfigurationError] = true, true // TestInvalid has them.
	said[EventProviderRecovered] = true                                       // TestEvents has it.

	for _, name := range constants(t) {
		if !said[name] {
			t.Errorf("no scenario says %s", name)
		}
	}
}

// TestConditionsDocShowsEverything: whatever a scenario says stands in the table of its type, with its status, and is shown
// as a person sees it.
func TestConditionsDocShowsEverything(t *testing.T) {
	doc := readDoc(t)

	shown := map[string]bool{}
	for _, m := range exampleBlock.FindAllStringSubmatch(doc, -1) {
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

// reportPrefix stands before the name of a text of the provider, in the place of a scenario.
const reportPrefix = "Report:"

// answer is what is said in a scenario, of a spec that was not understood, or of a VM that the provider says a text about.
func answer(t *testing.T, name string) Output {
	t.Helper()

	if report, ok := strings.CutPrefix(name, reportPrefix); ok {
		r, ok := reports(t)[report]
		if !ok {
			t.Fatalf("%s shows the provider's text %s, which there is not", conditionsDoc, report)
		}

		return Machine(r.vm(running(t)))
	}

	switch name {
	case "Invalid":
		spec := field.NewPath("spec")

		return Output{Conditions: []Condition{Invalid(field.ErrorList{
			field.NotFound(spec.Child("class"), "smal"),
			field.Invalid(spec.Child("network", "ip"), "192.168.4.530", "is not an IP address"),
		})}}
	case "Failed":
		return Output{Conditions: []Condition{Failed(errors.New("the catalogue is invalid: EnvironmentConfig machine-catalog: data.classes.small.memory: Required value"))}}
	}

	s, ok := scenarios()[name]
	if !ok {
		t.Fatalf("%s shows scenario %s, which there is not", conditionsDoc, name)
	}

	return Machine(s.in(t))
}

// example is a condition, or the whole status, of a scenario as a user sees it.
func example(t *testing.T, name, typ string) string {
	t.Helper()

	out := answer(t, name)

	type condition struct {
		Type    string `json:"type"`
		Status  string `json:"status"`
		Reason  string `json:"reason"`
		Message string `json:"message"`
	}

	var shown any = map[string]any{"status": out.Status}

	if typ != "" {
		c := out.condition(typ)
		if c.Type == "" {
			t.Fatalf("%s shows condition %s of scenario %s, which there is not", conditionsDoc, typ, name)
		}

		shown = map[string]any{"status": map[string]any{"conditions": []condition{{c.Type, string(c.Status), c.Reason, c.Message}}}}
	}

	b, err := yaml.Marshal(shown)
	if err != nil {
		t.Fatal(err)
	}

	return string(b)
}

// errorTable is the table of provider errors as Markdown.
func errorTable() string {
	var b strings.Builder

	b.WriteString("| error | reason | the provider says | what it means | what to do | passes by itself |\n")
	b.WriteString("| --- | --- | --- | --- | --- | --- |\n")

	for _, r := range diagnose.Rows() {
		says, passes := "anything else", ""

		text, after := r.Patterns()
		if text != "" {
			says = code(text)
		}

		if after != "" {
			says += " after " + code(after)
		}

		switch {
		case r.Retryable:
			passes = "may"
		case r.Pauses:
			passes = "never: paused"
		}

		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s |\n", code(r.Name), code(r.Class), says, cell(r.Meaning), cell(r.Remedy), passes)
	}

	return b.String()
}

func code(s string) string { return "`" + strings.ReplaceAll(s, "|", `\|`) + "`" }

// cell is text in a table. Angle brackets outside of code would be taken for HTML.
func cell(s string) string {
	parts := strings.Split(s, "`")
	for i := range parts {
		parts[i] = strings.ReplaceAll(parts[i], "|", `\|`)
		if i%2 == 0 {
			parts[i] = strings.NewReplacer("<", `\<`, ">", `\>`).Replace(parts[i])
		}
	}

	return strings.Join(parts, "`")
}

func readDoc(t *testing.T) string {
	t.Helper()

	b, err := os.ReadFile(conditionsDoc)
	if err != nil {
		t.Fatal(err)
	}

	return string(b)
}
