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

	"github.com/homelab-io/function-proxmox-machine/internal/diagnose"
)

const conditionsDoc = "../../docs/conditions.md"

var update = flag.Bool("update", false, "write docs/conditions.md")

var (
	exampleBlock = regexp.MustCompile("(?m)^<!-- example (\\w+)(?: (\\w+))? -->\n(?:\n```yaml\n(?s:.*?)```\n)?")
	errorBlock   = regexp.MustCompile(`(?s)<!-- provider errors -->\n.*?<!-- end of provider errors -->\n`)
)

// TestConditionsDoc: examples and the table of errors in docs/conditions.md are what the code says.
func TestConditionsDoc(t *testing.T) {
	before := readDoc(t)
	if n := len(exampleBlock.FindAllString(before, -1)); n < 9 {
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

// constants are the values of all exported constants of conditions.go.
func constants(t *testing.T) []string {
	t.Helper()

	classes := map[string]string{}
	for name, value := range literals(t, "../diagnose/row.go", nil) {
		classes["diagnose."+name] = value
	}

	out := slices.Sorted(maps.Values(literals(t, "conditions.go", classes)))
	if len(out) < 38 {
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

// example is a condition, or the whole status, of a scenario as a user sees it.
func example(t *testing.T, name, typ string) string {
	t.Helper()

	var out Output

	if name == "Invalid" {
		spec := field.NewPath("spec")
		out.Conditions = []Condition{Invalid(field.ErrorList{
			field.NotFound(spec.Child("class"), "smal"),
			field.Invalid(spec.Child("network", "ip"), "192.168.4.530", "is not an IP address"),
		})}
	} else {
		s, ok := scenarios()[name]
		if !ok {
			t.Fatalf("%s shows scenario %s, which there is not", conditionsDoc, name)
		}

		out = Machine(s.in(t))
	}

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
