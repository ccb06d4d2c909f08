package proxmox

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestKinds: the table of kinds has every kind of the provider that this package names, and no other.
func TestKinds(t *testing.T) {
	sources, err := parser.ParseDir(token.NewFileSet(), ".", func(f fs.FileInfo) bool { return !strings.HasSuffix(f.Name(), "_test.go") }, 0) //nolint:staticcheck // No build tags here.
	if err != nil {
		t.Fatal(err)
	}

	var named []string

	ast.Inspect(sources["proxmox"], func(n ast.Node) bool {
		if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING {
			if text, err := strconv.Unquote(l.Value); err == nil && strings.HasPrefix(text, "Environment") && text != "Environment" && !strings.Contains(text, " ") {
				named = append(named, text)
			}
		}

		return true
	})

	slices.Sort(named)

	if diff := cmp.Diff(named, slices.Sorted(maps.Keys(environmentKinds))); diff != "" {
		t.Errorf("-named, +in the table:\n%s", diff)
	}
}
