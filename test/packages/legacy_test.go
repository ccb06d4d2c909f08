package packages

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"
)

// TestLegacyCompositions: what is applied from Git for old providers must stay the same as in the package, but for the
// provider's API and for the names: with the same names, a package that is installed later would take them over.
func TestLegacyCompositions(t *testing.T) {
	b, err := os.ReadFile(filepath.Join(root, "install/legacy/compositions.yaml"))
	if err != nil {
		t.Fatal(err)
	}

	got := map[string]any{}

	for doc := range bytes.SplitSeq(b, []byte("\n---\n")) {
		c := map[string]any{}
		if err := yaml.Unmarshal(doc, &c); err != nil {
			t.Fatal(err)
		}

		meta, _ := c["metadata"].(map[string]any)
		name, _ := meta["name"].(string)
		got[name] = c
	}

	want := map[string]any{}

	for file := range roots["package"] {
		b, err := os.ReadFile(filepath.Join(root, "package/compositions", file+".yaml"))
		if err != nil {
			t.Fatal(err)
		}

		text := strings.ReplaceAll(string(b), "providerAPI: cluster", "providerAPI: legacy")
		text = strings.ReplaceAll(text, "  name: x"+file, "  name: legacy.x"+file)

		c := map[string]any{}
		if err := yaml.Unmarshal([]byte(text), &c); err != nil {
			t.Fatal(err)
		}

		want["legacy.x"+file+".homelab.io"] = c
	}

	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("install/legacy differs from the package: -want, +got:\n%s", diff)
	}
}

// TestLegacyFunction: it has the name that the Compositions call, and the package that the Configuration depends on.
func TestLegacyFunction(t *testing.T) {
	var m meta

	read(t, &m, "package", "crossplane.yaml")

	var f function

	read(t, &f, "install", "legacy", "function.yaml")

	pkg, _, _ := strings.Cut(f.Spec.Package, ":")
	if diff := cmp.Diff([]string{installedName(m.Spec.DependsOn[0].Package), m.Spec.DependsOn[0].Package}, []string{f.Metadata.Name, pkg}); diff != "" {
		t.Errorf("install/legacy/function.yaml: -want, +got:\n%s", diff)
	}
}
