// Package imports holds the direction of imports: down only. A reader of a package needs to know what is below it and
// nothing else, and the packages that hold the rules can be tried without a cluster.
package imports

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const (
	module = "github.com/homelab-io/function-proxmox-machine"
	root   = "../.."
)

// layers from the top down. A package may import packages of lower layers only; what is named in one line does not know
// of each other.
var layers = [][]string{
	{"cmd/kubectl-machine", "cmd/kubectl-machine-lint", "cmd/playground"},
	{"internal/cli", "internal/playground"},
	{"internal/adopt", "internal/installation", "internal/reach", "internal/rehearse"},
	{".", "internal/lint", "internal/preview", "internal/judge", "internal/why"},
	{"docs", "internal/access", "internal/capacity", "internal/compose", "internal/inventory", "internal/world", "package", "package-v2"},
	{"internal/cluster", "internal/container", "internal/site"},
	{"internal/container/replacement"},
	{"internal/render", "internal/status"},
	{"internal/lifecycle"},
	{"internal/change", "internal/diagnose", "internal/succession", "internal/usage"},
	{"internal/bootstrap", "internal/resolve"},
	{"internal/tenancy", "internal/validate"},
	{"internal/catalog", "internal/claim", "internal/datadisks", "internal/k3s", "internal/nixos", "internal/secretstore"},
	{"internal/machine", "internal/object", "internal/quantity"},
	{"internal/definition", "internal/externaldns", "internal/ipam"},
	{"apis/catalogue/v1alpha1"},
	{"apis/v1alpha1", "input/v1beta1", "internal/cloudinit", "internal/envfile", "internal/node", "internal/proxmox", "internal/spelling", "internal/strict", "internal/volume"},
	{"internal/kubectl"},
	{"internal/document", "internal/guestreport", "internal/manifest", "internal/privilege", "internal/structcodec"},
	{"internal/memo", "internal/message", "internal/version"},
}

// sdk may be imported by the function's door, the story of a call, and what plays Crossplane for a preview alone, so that everything else can be tried with plain
// structs. Its errors package is no part of the protocol: it is a copy of crossplane-runtime's, without the controllers that
// come with the original.
const (
	sdk       = "github.com/crossplane/function-sdk-go"
	sdkErrors = sdk + "/errors"
)

// protocol are the packages that know Crossplane's protocol.
var protocol = []string{".", "internal/compose", "internal/preview", "internal/world"}

// heavy are packages that the binaries must not contain: together they would double them, and the time to compile them.
var heavy = []string{
	"k8s.io/client-go/", "k8s.io/api/", "sigs.k8s.io/controller-runtime/", "k8s.io/apiextensions-apiserver/", "k8s.io/apiserver/",
	"github.com/google/cel-go/", "cel.dev/expr/",
}

// aside are packages that the function does not contain.
var aside = []string{"apis", "input", "test/", "internal/cmd/", "tools/", "example/"}

func TestImportsGoDownOnly(t *testing.T) {
	for pkg, imports := range read(t) {
		from := layer(pkg)
		if from < 0 {
			t.Errorf("package %s has no place in the layers of this test", pkg)
			continue
		}

		for _, i := range imports {
			if strings.HasPrefix(i, sdk) && i != sdkErrors && !slices.Contains(protocol, pkg) {
				t.Errorf("%s imports %s: only %s may", pkg, i, strings.Join(protocol, " and "))
			}

			own, ok := strings.CutPrefix(i, module+"/")
			if !ok {
				continue
			}

			if to := layer(own); to <= from {
				t.Errorf("%s imports %s, which is not below it", pkg, own)
			}
		}
	}
}

// TestPublicTypesStandAlone keeps the public types importable by other programs without dragging us in.
func TestPublicTypesStandAlone(t *testing.T) {
	all := read(t)

	for _, pkg := range []string{"apis/v1alpha1", "apis/catalogue/v1alpha1"} {
		imports := all[pkg]
		if len(imports) == 0 {
			t.Fatalf("no imports of %s were read", pkg)
		}

		for _, i := range imports {
			if strings.Contains(strings.Split(i, "/")[0], ".") && !strings.HasPrefix(i, "k8s.io/apimachinery/") && i != module+"/apis/v1alpha1" {
				t.Errorf("%s imports %s: it may import the standard library, k8s.io/apimachinery and apis/v1alpha1 only", pkg, i)
			}
		}
	}
}

// TestBinariesStaySmall asks the go command for everything that is linked into the function, and into the command line: somebody who tries
// that for the first time waits until it is compiled.
func TestBinariesStaySmall(t *testing.T) {
	for _, main := range []string{".", "./cmd/kubectl-machine"} {
		cmd := exec.Command("go", "list", "-deps", main)
		cmd.Dir = root

		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}

		deps := strings.Fields(string(out))
		if !slices.Contains(deps, sdkErrors) {
			t.Fatalf("the list of dependencies is not that of %s", main)
		}

		for _, d := range deps {
			if slices.ContainsFunc(heavy, func(h string) bool { return strings.HasPrefix(d+"/", h) }) {
				t.Errorf("%s contains %s", main, d)
			}
		}
	}
}

func layer(pkg string) int {
	return slices.IndexFunc(layers, func(l []string) bool { return slices.Contains(l, pkg) })
}

// read the imports of every package of the function, without its tests.
func read(t *testing.T) map[string][]string {
	t.Helper()

	out := map[string][]string{}

	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}

		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}

		if d.IsDir() {
			if rel != "." && strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" || d.Name() == "_output" {
				return filepath.SkipDir
			}

			return nil
		}

		pkg := filepath.ToSlash(filepath.Dir(rel))
		if !strings.HasSuffix(rel, ".go") || strings.HasSuffix(rel, "_test.go") || isAside(pkg) {
			return nil
		}

		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}

		for _, i := range f.Imports {
			p, err := strconv.Unquote(i.Path.Value)
			if err != nil {
				return err
			}

			out[pkg] = append(out[pkg], p)
		}

		return nil
	})
	if err != nil {
		t.Fatal(err)
	}

	return out
}

// isAside says whether a package is no part of the function: a command, a test, or a folder of generated packages.
func isAside(pkg string) bool {
	return slices.ContainsFunc(aside, func(a string) bool {
		return pkg == a || strings.HasSuffix(a, "/") && strings.HasPrefix(pkg+"/", a)
	}) || strings.HasSuffix(pkg, "test") && strings.HasPrefix(pkg, "internal/cloudinit/")
}
