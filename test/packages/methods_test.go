package packages

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// maxMethods of a type. A type with more of them is a whole package behind one name: its methods reach all of its fields, so
// that nobody can read one of them alone.
const maxMethods = 30

// TestNoTypeHasTooManyMethods counts the methods of each type of the module. What a program wrote does not count: nobody
// reads it.
func TestNoTypeHasTooManyMethods(t *testing.T) {
	count := methods(t, "../..")

	// Were no methods found, no type would have too many.
	if got := count["internal/lifecycle.Plan"]; got < 5 {
		t.Fatalf("the methods were not read: internal/lifecycle.Plan has %d", got)
	}

	for name, n := range count {
		if n > maxMethods {
			t.Errorf("%s has %d methods, want at most %d", name, n, maxMethods)
		}
	}
}

// methods of each type below a folder, by folder and name.
func methods(t *testing.T, root string) map[string]int {
	t.Helper()

	out := map[string]int{}

	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != root && (strings.HasPrefix(d.Name(), ".") || slices.Contains([]string{"testdata", "_output"}, d.Name())):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}

		parsed, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution|parser.ParseComments)
		if err != nil {
			return err
		}

		folder, err := filepath.Rel(root, filepath.Dir(path))
		if err != nil || ast.IsGenerated(parsed) {
			return err
		}

		for _, decl := range parsed.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && f.Recv != nil {
				out[filepath.ToSlash(folder)+"."+receiver(f.Recv.List[0].Type)]++
			}
		}

		return nil
	})
	if err != nil {
		t.Fatal(err)
	}

	return out
}

// receiver is the name of a method's type, without pointer and type parameters.
func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.IndexListExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}

	return "?"
}
