package packages

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// ruleRow is a row of the table of rules in docs/architecture.md: chapter, which may be empty, with its page, rule, file, functions, and the test that fails first
// when the rule is broken, with its file.
var ruleRow = regexp.MustCompile("(?m)^\\| (?:\\[(.+?)\\]\\(((?:day-two|clusters)\\.md)#(.+?)\\) )?\\| .+? \\| `(internal/[^`]+\\.go)` \\| (`\\w+`(?:, `\\w+`)*) \\| `([^`]+_test\\.go)` `(Test\\w+)` \\|$")

// TestRulesAreWhereTheDocumentSays: each file of the table has its functions, each test is where the table says, each row was read, and each chapter of
// docs/day-two.md and docs/clusters.md has one.
func TestRulesAreWhereTheDocumentSays(t *testing.T) {
	page := readPage(t, "docs/architecture.md")
	_, table, _ := strings.Cut(page, "| chapter | rule | file | function | test |\n| --- | --- | --- | --- | --- |\n")
	table, _, _ = strings.Cut(table, "\n\n")

	rows := ruleRow.FindAllStringSubmatch(table, -1)
	if lines := strings.Count(table, "\n") + 1; len(rows) != lines || lines < 100 {
		t.Fatalf("%d rows of the table of rules were read, and it has %d lines", len(rows), lines)
	}

	told := map[string]bool{}

	for _, row := range rows {
		chapter, anchor, file := row[1], row[3], row[4]
		told[row[2]+"#"+anchor] = true

		if want := anchors("# " + chapter)[0]; chapter != "" && anchor != want {
			t.Errorf("chapter %q: want the anchor %q, got %q", chapter, want, anchor)
		}

		for function := range strings.SplitSeq(row[5], ", ") {
			if function = strings.Trim(function, "`"); !slices.Contains(functions(t, filepath.Join("../..", file)), function) {
				t.Errorf("%s has no function %s", file, function)
			}
		}

		if !slices.Contains(functions(t, filepath.Join("../..", row[6])), row[7]) {
			t.Errorf("%s has no test %s", row[6], row[7])
		}
	}

	for _, chapter := range chapters(t) {
		if !told[chapter] {
			t.Errorf("no row tells where the rules of %s are", chapter)
		}
	}
}

// chapters of docs/day-two.md and docs/clusters.md, as links lead to them.
func chapters(t *testing.T) (out []string) {
	t.Helper()

	for _, page := range []string{"day-two.md", "clusters.md"} {
		text := fence.ReplaceAllString(readPage(t, "docs/"+page), "")
		for _, h := range regexp.MustCompile(`(?m)^##+ .+$`).FindAllString(text, -1) {
			out = append(out, page+"#"+anchors(h)[0])
		}
	}

	return out
}

// functions and methods that a file declares.
func functions(t *testing.T, file string) []string {
	t.Helper()

	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}

	var out []string

	for _, d := range parsed.Decls {
		if f, ok := d.(*ast.FuncDecl); ok {
			out = append(out, f.Name.Name)
		}
	}

	return out
}
