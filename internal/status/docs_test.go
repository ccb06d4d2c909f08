package status

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/yaml"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/homelab-io/function-proxmox-machine/internal/diagnose"
	"github.com/homelab-io/function-proxmox-machine/internal/resolve"
)

// The pages of conditions: what each reason means, an example of each, and what the provider's errors mean.
const (
	conditionsDoc = "../../docs/conditions.md"
	reasonsDoc    = "../../docs/reasons.md"
	errorsDoc     = "../../docs/errors.md"
)

var update = flag.Bool("update", false, "write docs/conditions.md, docs/reasons.md and docs/errors.md")

var (
	exampleBlock = regexp.MustCompile("(?m)^<!-- example ([\\w:]+)(?: (\\w+))? -->\n(?:\n```yaml\n(?s:.*?)```\n)?")
	errorBlock   = regexp.MustCompile(`(?s)<!-- provider errors -->\n.*?<!-- end of provider errors -->\n`)
)

// TestConditionsDoc: the examples in docs/conditions.md and docs/reasons.md are what the code says.
func TestConditionsDoc(t *testing.T) {
	shown := 0

	for _, page := range []string{conditionsDoc, reasonsDoc} {
		before := readDoc(t, page)
		shown += len(exampleBlock.FindAllString(before, -1))

		samePage(t, page, before, exampleBlock.ReplaceAllStringFunc(before, func(block string) string {
			m := exampleBlock.FindStringSubmatch(block)
			return strings.SplitAfter(block, "\n")[0] + "\n```yaml\n" + example(t, m[1], m[2]) + "```\n"
		}))
	}

	if shown < 60 {
		t.Errorf("the pages have %d examples only", shown)
	}
}

// TestErrorsDoc: the table of errors in docs/errors.md is the one in the code.
func TestErrorsDoc(t *testing.T) {
	before := readDoc(t, errorsDoc)
	if !errorBlock.MatchString(before) {
		t.Fatalf("%s has no place for the table of provider errors", errorsDoc)
	}

	samePage(t, errorsDoc, before,
		errorBlock.ReplaceAllLiteralString(before, "<!-- provider errors -->\n"+errorTable()+"<!-- end of provider errors -->\n"))
}

// TestEveryReasonHasAnExample: docs/reasons.md has the sections of docs/conditions.md, and those link to them.
func TestEveryReasonHasAnExample(t *testing.T) {
	heading := regexp.MustCompile(`(?m)^## (\w+)$`)
	conditions := readDoc(t, conditionsDoc)

	sections := heading.FindAllStringSubmatch(readDoc(t, reasonsDoc), -1)
	if len(sections) < 10 {
		t.Errorf("%s has %d sections only", reasonsDoc, len(sections))
	}

	for _, m := range sections {
		if !strings.Contains(conditions, "(reasons.md#"+strings.ToLower(m[1])+")") {
			t.Errorf("%s does not link to the examples of %s", conditionsDoc, m[1])
		}
	}
}

// samePage holds a page against what the code says, or writes it.
func samePage(t *testing.T, page, before, after string) {
	t.Helper()

	if *update {
		if err := os.WriteFile(page, []byte(after), 0o644); err != nil { //nolint:gosec // A page of the documentation.
			t.Fatal(err)
		}

		return
	}

	if diff := cmp.Diff(after, before); diff != "" {
		t.Errorf("%s is not what the code says; run this test with -update: -code, +document:\n%s", page, diff)
	}
}

// TestConditionsDocIsComplete: the document has every type and every reason, and no other.
func TestConditionsDocIsComplete(t *testing.T) {
	doc := readDoc(t, conditionsDoc)
	// The conditions of a K3sCluster stand behind those of machines, and are package cluster's.
	doc, _, _ = strings.Cut(doc, "\n## RolledOut\n")
	_, events, _ := strings.Cut(readDoc(t, conditionsDoc), "\n## Events\n")
	doc += events
	// So are the types in their table at the beginning.
	before, behind, _ := strings.Cut(doc, "\nA [`K3sCluster`]")
	_, behind, _ = strings.Cut(behind, "\nEvery successful call")
	doc = before + behind

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

	// A table in front names the two of a ProxmoxSite, which are package site's.
	delete(named, "SiteReady")
	delete(named, "InterruptionPending")

	for name := range named {
		t.Errorf("%s explains %s, which the code never says", conditionsDoc, name)
	}
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

		return Output{Conditions: []Condition{OfMachine.Invalid(field.ErrorList{
			field.NotFound(spec.Child("class"), "smal"),
			field.Invalid(spec.Child("network", "ip"), "192.168.4.530", "is not an IP address"),
		})}}
	case "NoRoom":
		return Output{Conditions: []Condition{OfMachine.Invalid(noRoom())}}
	case "Failed":
		return Output{Conditions: []Condition{OfMachine.Failed(errors.New("the catalogue is invalid: EnvironmentConfig machine-catalog: data.classes.small.memory: Required value"))}}
	}

	s, ok := scenarios()[name]
	if !ok {
		t.Fatalf("%s shows scenario %s, which there is not", conditionsDoc, name)
	}

	return Machine(s.in(t))
}

// noRoom is the fault of a machine for which no node has room.
func noRoom() field.ErrorList {
	return field.ErrorList{field.Forbidden(field.NewPath("spec", "proxmox", "node"),
		"the machine needs 8 GiB of memory, and no node of site 'home' has room for it: pve1 has 3 GiB left of 56 GiB, pve2 has 5 GiB left of 24 GiB").
		WithOrigin(resolve.OriginCapacity)}
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

func readDoc(t *testing.T, page string) string {
	t.Helper()

	b, err := os.ReadFile(page) //nolint:gosec // A page of the documentation.
	if err != nil {
		t.Fatal(err)
	}

	return string(b)
}
