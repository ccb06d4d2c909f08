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

var (
	// playedRow is a row of docs/rehearsed.md: chapter, page, anchor, what plays it, what compares it, and what is not played.
	playedRow = regexp.MustCompile(`(?m)^\| \[(.+?)\]\(((?:clusters|day-two)\.md)#(.+?)\) \| (.*?) ?\| (.*?) ?\| (.*?) ?\|$`)
	// namesInCell are names in a cell, and pairs of them that a space parts.
	namesInCell = regexp.MustCompile("`([\\w.]+)`(?: `(\\w+)`)?")
)

// TestChaptersAreRehearsed holds docs/rehearsed.md: each chapter of both documents has a row that says what plays it, or why nothing does; what a row names is
// there; and each comparison with the real control plane has a row.
func TestChaptersAreRehearsed(t *testing.T) {
	_, table, _ := strings.Cut(readPage(t, "docs/rehearsed.md"), "| --- | --- | --- | --- |\n")

	rows := playedRow.FindAllStringSubmatch(table, -1)
	if lines := strings.Count(table, "\n"); len(rows) != lines {
		t.Fatalf("%d rows were read, and the table has %d lines", len(rows), lines)
	}

	told, named := map[string]bool{}, map[string]bool{}
	plays, compares, commits := playedNames(t), comparisons(t), committed(t)

	for _, row := range rows {
		told[row[2]+"#"+row[3]] = true

		if row[4]+row[5]+row[6] == "" {
			t.Errorf("chapter %q: nothing plays it, and the row does not say why", row[1])
		}

		isCommit := func(name []string) bool { return commits[name[1]] }
		if played := namesInCell.FindAllStringSubmatch(row[4], -1); row[5]+row[6] == "" && !slices.ContainsFunc(played, isCommit) {
			t.Errorf("chapter %q: nothing compares it, and the row does not say why", row[1])
		}

		for _, name := range namesInCell.FindAllStringSubmatch(row[4], -1) {
			if !plays[name[1]] || name[2] != "" {
				t.Errorf("chapter %q: there is neither a golden nor a test of rehearsals %s", row[1], name[0])
			}
		}

		for _, name := range namesInCell.FindAllStringSubmatch(row[5], -1) {
			pair := name[1] + " " + name[2]
			if named[pair] = true; !compares[pair] {
				t.Errorf("chapter %q: no test of test/controlplane compares a rehearsal in %s", row[1], pair)
			}
		}
	}

	for _, chapter := range chapters(t) {
		if !told[chapter] {
			t.Errorf("docs/rehearsed.md has no row for %s", chapter)
		}
	}

	for pair := range compares {
		// Of lives a row need not name each.
		if !named[pair] && !strings.HasPrefix(pair, "Test") {
			t.Errorf("%s compares a rehearsal, and no row of docs/rehearsed.md says so", pair)
		}
	}
}

// playedNames are the goldens of rehearsals, and the tests that play some.
func playedNames(t *testing.T) map[string]bool {
	t.Helper()

	out := map[string]bool{}

	goldens, err := os.ReadDir(filepath.Join(root, "internal/rehearse/testdata"))
	if err != nil {
		t.Fatal(err)
	}

	for _, g := range goldens {
		out[strings.TrimSuffix(g.Name(), filepath.Ext(g.Name()))] = true
	}

	for _, dir := range []string{"internal/rehearse", "internal/cmd/readme", "internal/cli"} {
		for _, file := range testFiles(t, dir) {
			for _, f := range functions(t, file) {
				out[f] = out[f] || strings.HasPrefix(f, "Test")
			}
		}
	}

	return out
}

// committed are the names of the rehearsals whose commits TestCommits of test/controlplane makes, which reads these tables.
func committed(t *testing.T) map[string]bool {
	t.Helper()

	out := map[string]bool{}

	for _, file := range testFiles(t, "internal/rehearse") {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}

		ast.Inspect(parsed, func(n ast.Node) bool {
			if v, is := n.(*ast.ValueSpec); is && slices.Contains([]string{"scenes", "chapterScenes", "catalogueScenes", "deletions"}, v.Names[0].Name) && len(v.Values) == 1 {
				for _, key := range keysOf(v.Values[0]) {
					out[key] = true
				}
			}

			return true
		})
	}

	return out
}

// comparisons are the pairs of a file of test/controlplane and a function there that compares a rehearsal with what comes, or that has a life rehearsed; and those of
// a test that has all lives of a table rehearsed, and the name of a life.
func comparisons(t *testing.T) map[string]bool {
	t.Helper()

	out := map[string]bool{}
	lives, tests, files := map[string][]string{}, map[string][]string{}, map[string]string{} // Keys by variable; words, and its file, by test that has lives rehearsed.

	for _, file := range testFiles(t, "test/controlplane") {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}

		ast.Inspect(parsed, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				words := wordsOf(n)
				// Those of commits are named by what they play.
				if filepath.Base(file) != "commits_test.go" && (slices.Contains(words, "rehearses") || slices.Contains(words, "rehearsesWith")) && (slices.Contains(words, "came") || slices.Contains(words, "cameInAnyOrder")) {
					out[filepath.Base(file)+" "+n.Name.Name] = true
				}

				if strings.HasPrefix(n.Name.Name, "Test") && (slices.Contains(words, "rehearsed") || slices.Contains(words, "goesWrong")) {
					tests[n.Name.Name], files[n.Name.Name] = words, filepath.Base(file)
				}
			case *ast.ValueSpec:
				if len(n.Values) == 1 && len(keysOf(n.Values[0])) > 0 {
					lives[n.Names[0].Name] = keysOf(n.Values[0])
				}
			}

			return true
		})
	}

	for test, words := range tests {
		ofTable := false

		for variable, keys := range lives {
			for _, key := range keys {
				if slices.Contains(words, variable) {
					out[test+" "+key], ofTable = true, true
				}
			}
		}

		// A test may have the only life that it lets live.
		if !ofTable {
			out[files[test]+" "+test] = true
		}
	}

	return out
}

// wordsOf are the names that a function has in its body.
func wordsOf(f *ast.FuncDecl) (out []string) {
	ast.Inspect(f.Body, func(n ast.Node) bool {
		if id, is := n.(*ast.Ident); is {
			out = append(out, id.Name)
		}

		return true
	})

	return out
}

// keysOf a table that is written down.
func keysOf(table ast.Expr) (out []string) {
	if c, is := table.(*ast.CompositeLit); is {
		for _, e := range c.Elts {
			if kv, is := e.(*ast.KeyValueExpr); is {
				if key, is := kv.Key.(*ast.BasicLit); is {
					out = append(out, strings.Trim(key.Value, `"`))
				}
			}
		}
	}

	return out
}

// testFiles of a directory, in their order.
func testFiles(t *testing.T, dir string) []string {
	t.Helper()

	files, err := filepath.Glob(filepath.Join(root, dir, "*_test.go"))
	if err != nil || len(files) == 0 {
		t.Fatal(dir, files, err)
	}

	return files
}
