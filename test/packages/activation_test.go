package packages

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/homelab-io/function-proxmox-machine/internal/object"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

var update = flag.Bool("update", false, "write package-v2/activation.yaml")

const (
	activationFile   = "package-v2/activation.yaml"
	activationHeader = `# Generated from the kinds in internal/proxmox/kinds.go, and provider-kubernetes' Object: go test ./test/packages -run TestActivation -update.
#
# The kinds of providers that the function renders. Crossplane serves these also where its chart has provider.defaultActivations={}.
`
)

// TestActivation: the namespaced package activates exactly the kinds that the function can render. Where Crossplane activates nothing by itself, a kind that is
// missing is a machine that never gets its VM.
func TestActivation(t *testing.T) {
	activate := append(proxmox.Namespaced.Definitions(), object.Namespaced.Definition())
	want := map[string]any{
		"apiVersion": "apiextensions.crossplane.io/v1alpha1",
		"kind":       "ManagedResourceActivationPolicy",
		"metadata":   map[string]any{"name": "function-proxmox-machine"},
		"spec":       map[string]any{"activate": activate},
	}

	b, err := yaml.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}

	if *update {
		if err := os.WriteFile(filepath.Join(root, activationFile), append([]byte(activationHeader), b...), 0o644); err != nil { //nolint:gosec // A file of the repository.
			t.Fatal(err)
		}
	}

	if diff := cmp.Diff(activationHeader+string(b), readPage(t, activationFile)); diff != "" {
		t.Errorf("%s is not what the function renders: -want, +got:\n%s", activationFile, diff)
	}
}

// TestDefinitionsExist: the providers have every kind of the policy, under the name that it has there.
func TestDefinitionsExist(t *testing.T) {
	var names []string

	for _, dir := range []string{"provider-crds/v1.18.0", "other-crds/provider-proxmox-bpg-v1.18.0", "other-crds/provider-kubernetes-v1.2.1"} {
		files, err := filepath.Glob(filepath.Join(root, "../shared", dir, "*.yaml"))
		if err != nil {
			t.Fatal(err)
		}

		if len(files) == 0 {
			if os.Getenv("CI") == "true" {
				t.Fatalf("no CRDs in %s", dir)
			}

			t.Skip("without the CRDs of the providers, which are not part of this repository")
		}

		for _, f := range files {
			var crd struct {
				Metadata struct {
					Name string `json:"name"`
				} `json:"metadata"`
			}

			b, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}

			if err := yaml.Unmarshal(b, &crd); err != nil {
				t.Fatalf("%s: %v", f, err)
			}

			names = append(names, crd.Metadata.Name)
		}
	}

	for _, d := range append(proxmox.Namespaced.Definitions(), object.Namespaced.Definition()) {
		if !slices.Contains(names, d) {
			t.Errorf("no provider has %s", d)
		}
	}
}

// TestOnlyTheNamespacedPackageActivates: Crossplane 1.20 has no such policy, and refuses a package with one.
func TestOnlyTheNamespacedPackageActivates(t *testing.T) {
	for dir, want := range map[string]int{"package": 0, "package-v2": 1} {
		files, err := filepath.Glob(filepath.Join(root, dir, "*.yaml"))
		if err != nil {
			t.Fatal(err)
		}

		n := 0

		for _, f := range files {
			b, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}

			n += strings.Count(string(b), "\nkind: ManagedResourceActivationPolicy\n")
		}

		if n != want {
			t.Errorf("%s has %d policies, want %d", dir, n, want)
		}
	}
}
