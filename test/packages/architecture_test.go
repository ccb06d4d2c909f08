package packages

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// ruleRow is a row of the table of rules in docs/architecture.md: chapter, which may be empty, rule, file, function.
var ruleRow = regexp.MustCompile("(?m)^\\| (?:\\[(.+?)\\]\\(day-two\\.md#(.+?)\\) )?\\| .+? \\| `(internal/[^`]+\\.go)` \\| `(\\w+)` \\|$")

// TestRulesAreWhereTheDocumentSays: each file of the table has its function, and each chapter of docs/day-two.md a row.
func TestRulesAreWhereTheDocumentSays(t *testing.T) {
	read := func(name string) string {
		b, err := os.ReadFile(filepath.Join("../../docs", name))
		if err != nil {
			t.Fatal(err)
		}

		return string(b)
	}

	rows := ruleRow.FindAllStringSubmatch(read("architecture.md"), -1)
	if len(rows) < 20 {
		t.Fatalf("the table of rules was not read: %d rows", len(rows))
	}

	told := map[string]bool{}

	for _, row := range rows {
		chapter, anchor, file, function := row[1], row[2], row[3], row[4]
		told[chapter] = true

		if want := strings.ToLower(strings.ReplaceAll(chapter, " ", "-")); anchor != want {
			t.Errorf("chapter %q: want the anchor %q, got %q", chapter, want, anchor)
		}

		if !slices.Contains(functions(t, filepath.Join("../..", file)), function) {
			t.Errorf("%s has no function %s", file, function)
		}
	}

	code := regexp.MustCompile("(?s)```.*?```")
	for _, heading := range regexp.MustCompile(`(?m)^##+ (.+)$`).FindAllStringSubmatch(code.ReplaceAllString(read("day-two.md"), ""), -1) {
		if !told[heading[1]] {
			t.Errorf("no row tells where the rules of chapter %q are", heading[1])
		}
	}
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
