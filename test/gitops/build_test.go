package gitops

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"
)

// The programs, and the CRDs of the provider, which are not ours to publish.
const (
	toolsBin     = repository + "/.tools/bin"
	providerCRDs = repository + "/../shared/provider-crds"
)

// A variant is what a cluster of the example installs.
type variant struct {
	xrds     string // Folder.
	provider string // Release.
}

var variants = map[string]variant{
	"claims":       {xrds: "package/xrds", provider: "v1.18.0"},
	"namespaced":   {xrds: "package-v2/xrds", provider: "v1.18.0"},
	"crossplane-1": {xrds: "package/xrds", provider: "v0.11.1"},
	"k3s-cluster":  {xrds: "package-v2/xrds", provider: "v1.18.0"},
}

// needs what a test lacks: with CI=true that is a failure.
func needs(t *testing.T, path, remedy string) {
	t.Helper()

	if _, err := os.Stat(path); err == nil {
		return
	}

	if os.Getenv("CI") == "true" {
		t.Fatal(remedy)
	}

	t.Skip(remedy)
}

func objects(t *testing.T, content []byte) []unstructured.Unstructured {
	t.Helper()

	var out []unstructured.Unstructured

	for part := range strings.SplitSeq(string(content), "\n---\n") {
		o := unstructured.Unstructured{}

		raw, err := yaml.YAMLToJSON([]byte(strings.TrimPrefix(part, "---\n")))
		if err != nil {
			t.Fatal(err)
		}

		// As the API server's client reads it: whole numbers are whole.
		if err := json.Unmarshal(raw, &o.Object); err != nil {
			t.Fatal(err)
		}

		if len(o.Object) > 0 {
			out = append(out, o)
		}
	}

	return out
}

func write(t *testing.T, path, content string) {
	t.Helper()

	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}

	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestWhatFluxApplies validates every object of every cluster: unknown fields, types, and the rules of our kinds.
func TestWhatFluxApplies(t *testing.T) {
	for _, cluster := range clusters {
		t.Run(cluster, func(t *testing.T) {
			v := newValidator(t, variants[cluster])
			all := fluxBuild(t, cluster)

			if out, err := v.validate(t, all); err != nil {
				t.Errorf("not valid: %v:\n%s", err, out)
			}

			machines := map[string]int{"K3sNode": 4, "K3sCluster": 0}
			if !slices.Contains(inWaves, cluster) {
				machines = map[string]int{"K3sNode": 0, "K3sCluster": 1}
			}

			for kind, want := range machines {
				if n := len(ofKind(all, kind)); n != want {
					t.Errorf("%d objects of kind %s, want %d", n, kind, want)
				}
			}

			for kind, want := range map[string]int{"Provider": 1, "DeploymentRuntimeConfig": 1, "Function": 1, "HelmRelease": 1, "EnvironmentConfig": 1, "ImageConfig": 2} {
				if n := len(ofKind(all, kind)); n != want {
					t.Errorf("%d objects of kind %s, want %d", n, kind, want)
				}
			}

			// A check that cannot fail checks nothing.
			for _, kind := range []string{"K3sNode", "K3sCluster", "Kustomization", "Provider", "ImageConfig"} {
				if machines[kind] == 0 && strings.HasPrefix(kind, "K3s") {
					continue
				}

				broken := ofKind(all, kind)[0].DeepCopy()
				if err := unstructured.SetNestedField(broken.Object, "x", "spec", "noSuchField"); err != nil {
					t.Fatal(err)
				}

				if out, err := v.validate(t, []unstructured.Unstructured{*broken}); err == nil || !strings.Contains(out, "noSuchField") {
					t.Errorf("%s with an unknown field is valid: %v: %s", kind, err, out)
				}
			}
		})
	}
}

func ofKind(all []unstructured.Unstructured, kind string) []unstructured.Unstructured {
	return slices.DeleteFunc(slices.Clone(all), func(o unstructured.Unstructured) bool { return o.GetKind() != kind })
}
