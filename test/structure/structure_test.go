// Package structure measures the inside of the packages, and holds that it gets no worse.
package structure

import (
	"flag"
	"go/ast"
	"go/types"
	"maps"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
)

var update = flag.Bool("update", false, "write what is measured, where it got better")

const (
	// module is the path of the module.
	module = "github.com/homelab-io/function-proxmox-machine/"

	// maxReach is how many methods a type may have in its reach, those of what it embeds counted: with more, nobody can say what one of them touches.
	maxReach = 30

	// maxKnot is how many files of a package may call each other in a circle: with more, none of them can be read alone.
	maxKnot = 5
)

// TestStructure: no type has more methods in reach than maxReach, and no package has a larger knot than maxKnot.
func TestStructure(t *testing.T) {
	now := measured(t)

	for _, key := range slices.Sorted(maps.Keys(now)) {
		t.Errorf("%s: %d, and at most %d: a type that embeds another one to reach its methods takes a few facts instead, and what two files need of each other goes into a third one",
			key, now[key], limitOf(key))
	}
}

func limitOf(key string) int {
	if strings.HasPrefix(key, "reach ") {
		return maxReach
	}

	return maxKnot
}

// measured are the methods in reach of each type that has too many, and the largest knot of each package whose is too large.
func measured(t *testing.T) map[string]int {
	t.Helper()

	all, err := packages.Load(&packages.Config{
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesInfo | packages.NeedImports | packages.NeedExportFile,
		Dir:  "../..",
	}, "./internal/...")
	if err != nil {
		t.Fatal(err)
	}

	// Were no packages found, everything would be small.
	if len(all) < 20 {
		t.Fatalf("only %d packages were read", len(all))
	}

	out := map[string]int{}

	for _, p := range all {
		for _, err := range p.Errors {
			t.Fatal(err)
		}

		name := strings.TrimPrefix(p.PkgPath, module)

		for _, n := range p.Types.Scope().Names() {
			if of, is := p.Types.Scope().Lookup(n).(*types.TypeName); is && !types.IsInterface(of.Type()) {
				if reach := ownMethods(of.Type()); reach > maxReach {
					out["reach "+name+"."+n] = reach
				}
			}
		}

		if knot := largest(circles(callsOf(p))); knot > maxKnot {
			out["knot "+name] = knot
		}
	}

	return out
}

// ownMethods are how many methods of this module a type has in reach, promoted ones counted.
func ownMethods(of types.Type) int {
	n := 0

	for m := range types.NewMethodSet(types.NewPointer(of)).Methods() {
		if p := m.Obj().Pkg(); p != nil && strings.HasPrefix(p.Path()+"/", module) {
			n++
		}
	}

	return n
}

// callsOf are the files of a package, each with those whose functions it uses.
func callsOf(p *packages.Package) map[string]map[string]bool {
	out := map[string]map[string]bool{}

	for _, f := range p.Syntax {
		from := p.Fset.Position(f.Pos()).Filename
		out[from] = map[string]bool{}

		ast.Inspect(f, func(n ast.Node) bool {
			id, is := n.(*ast.Ident)
			if !is {
				return true
			}

			fn, is := p.TypesInfo.Uses[id].(*types.Func)
			if !is || fn.Pkg() != p.Types {
				return true
			}

			if to := p.Fset.Position(fn.Pos()).Filename; to != from && to != "" {
				out[from][to] = true
			}

			return true
		})
	}

	return out
}

// circles are the sets of files that reach each other, by Tarjan's algorithm.
func circles(calls map[string]map[string]bool) [][]string {
	var (
		out   [][]string
		stack []string
		next  int
		visit func(string)
	)

	index, low, on := map[string]int{}, map[string]int{}, map[string]bool{}

	visit = func(v string) {
		next++
		index[v], low[v], on[v] = next, next, true
		stack = append(stack, v)

		for w := range calls[v] {
			if index[w] == 0 {
				visit(w)
				low[v] = min(low[v], low[w])
			} else if on[w] {
				low[v] = min(low[v], index[w])
			}
		}

		if low[v] != index[v] {
			return
		}

		at := slices.Index(stack, v)
		for _, w := range stack[at:] {
			on[w] = false
		}

		out = append(out, slices.Clone(stack[at:]))
		stack = stack[:at]
	}

	for _, v := range slices.Sorted(maps.Keys(calls)) {
		if index[v] == 0 {
			visit(v)
		}
	}

	return out
}

func largest(sets [][]string) int {
	n := 0
	for _, s := range sets {
		n = max(n, len(s))
	}

	return n
}

// TestCircles: files that only one another reaches are no knot.
func TestCircles(t *testing.T) {
	calls := map[string]map[string]bool{
		"a": {"b": true}, "b": {"c": true}, "c": {"a": true, "d": true}, "d": {"e": true}, "e": {}, "f": {"a": true},
	}

	if got := largest(circles(calls)); got != 3 {
		t.Errorf("largest(circles(...)): got %d, want 3: a, b and c", got)
	}
}
