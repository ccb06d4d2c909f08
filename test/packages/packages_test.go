// Package packages holds what must agree between the packages' files: names that Crossplane only compares when somebody
// installs them.
package packages

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"
)

const root = "../.."

// roots of the Configurations, with the kind of composite that each has for a kind of machine.
var roots = map[string]map[string]string{
	"package":    {"machines": "XMachine", "k3snodes": "XK3sNode", "k3sclusters": "XK3sCluster", "containers": "XContainer", "proxmoxsites": "XProxmoxSite"},
	"package-v2": {"machines": "Machine", "k3snodes": "K3sNode", "k3sclusters": "K3sCluster", "containers": "Container", "proxmoxsites": "ProxmoxSite"},
}

type meta struct {
	Spec struct {
		DependsOn []struct {
			Kind    string `json:"kind"`
			Package string `json:"package"`
			Version string `json:"version"`
		} `json:"dependsOn"`
	} `json:"spec"`
}

type composition struct {
	Spec struct {
		CompositeTypeRef struct {
			APIVersion string `json:"apiVersion"`
			Kind       string `json:"kind"`
		} `json:"compositeTypeRef"`
		Mode     string `json:"mode"`
		Pipeline []struct {
			FunctionRef struct {
				Name string `json:"name"`
			} `json:"functionRef"`
			Input map[string]any `json:"input"`
		} `json:"pipeline"`
	} `json:"spec"`
}

// A function is a manifest of kind Function.
type function struct {
	Metadata struct {
		Name string `json:"name"`
	} `json:"metadata"`
	Spec struct {
		Package string `json:"package"`
	} `json:"spec"`
}

func read(t *testing.T, into any, path ...string) {
	t.Helper()

	b, err := os.ReadFile(filepath.Join(append([]string{root}, path...)...))
	if err != nil {
		t.Fatal(err)
	}

	if err := yaml.Unmarshal(b, into); err != nil {
		t.Fatal(err)
	}
}

// installedName is what Crossplane calls a package that it installs as a dependency: organisation and repository, with a
// dash (ToDNSLabel in its internal/xpkg).
func installedName(pkg string) string {
	_, path, _ := strings.Cut(pkg, "/")

	return strings.ReplaceAll(path, "/", "-")
}

// TestCompositionsCallTheFunctionThatIsInstalled, or every composite would wait for a function that never comes.
func TestCompositionsCallTheFunctionThatIsInstalled(t *testing.T) {
	for dir, kinds := range roots {
		var m meta

		read(t, &m, dir, "crossplane.yaml")

		if len(m.Spec.DependsOn) != 1 || m.Spec.DependsOn[0].Kind != "Function" || m.Spec.DependsOn[0].Version == "" {
			t.Fatalf("%s depends on %+v, want the Function in a version", dir, m.Spec.DependsOn)
		}

		for file, kind := range kinds {
			var c composition

			read(t, &c, dir, "compositions", file+".yaml")

			if c.Spec.Mode != "Pipeline" || len(c.Spec.Pipeline) != 1 {
				t.Fatalf("%s/%s: want a pipeline of one step", dir, file)
			}

			if diff := cmp.Diff(installedName(m.Spec.DependsOn[0].Package), c.Spec.Pipeline[0].FunctionRef.Name); diff != "" {
				t.Errorf("%s/%s calls another function: -installed, +called:\n%s", dir, file, diff)
			}

			if diff := cmp.Diff([]string{"homelab.io/v1alpha1", kind}, []string{c.Spec.CompositeTypeRef.APIVersion, c.Spec.CompositeTypeRef.Kind}); diff != "" {
				t.Errorf("%s/%s is for another composite: -want, +got:\n%s", dir, file, diff)
			}
		}
	}
}

// TestNamespacedCompositionsChooseNoAPI: a namespaced composite can own namespaced resources only.
func TestNamespacedCompositionsChooseNoAPI(t *testing.T) {
	for dir, want := range map[string]any{"package": "cluster", "package-v2": nil} {
		for file := range roots[dir] {
			var c composition

			read(t, &c, dir, "compositions", file+".yaml")

			if got := c.Spec.Pipeline[0].Input["providerAPI"]; got != want {
				t.Errorf("%s/%s: providerAPI is %v, want %v", dir, file, got, want)
			}
		}
	}
}

// TestPlainRenderKnowsTheFunction: the example for the plain command line has to name it as the Compositions do.
func TestPlainRenderKnowsTheFunction(t *testing.T) {
	var m meta

	read(t, &m, "package", "crossplane.yaml")

	var f function

	read(t, &f, "example", "functions.yaml")

	if want := installedName(m.Spec.DependsOn[0].Package); f.Metadata.Name != want {
		t.Errorf("example/functions.yaml names %s, want %s", f.Metadata.Name, want)
	}
}
