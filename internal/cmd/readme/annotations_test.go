package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestAnnotationsAreTold: docs/architecture.md names every annotation and label in which something is remembered.
func TestAnnotationsAreTold(t *testing.T) {
	root := filepath.Join("..", "..", "..")

	page, err := os.ReadFile(filepath.Join(root, "docs", "architecture.md"))
	if err != nil {
		t.Fatal(err)
	}

	told := 0

	for _, file := range []string{"proxmox/annotations.go", "diagnose/diagnose.go"} {
		f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, "internal", filepath.FromSlash(file)), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}

		ast.Inspect(f, func(n ast.Node) bool {
			lit, ok := n.(*ast.BasicLit)
			if !ok || lit.Kind != token.STRING {
				return true
			}

			name, err := strconv.Unquote(lit.Value)
			if err != nil || !strings.HasPrefix(name, "homelab.io/") {
				return true
			}

			if told++; !strings.Contains(string(page), "`"+name+"`") {
				t.Errorf("docs/architecture.md does not name %s", name)
			}

			return true
		})
	}

	if told < 15 {
		t.Errorf("only %d names were found: are they declared elsewhere now?", told)
	}
}
