package preview

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFollowed(t *testing.T) {
	const layer = "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: machines}\nspec: {path: ./machines}\n"

	files := map[string]string{
		"fleet/clusters/a/layers/kustomization.yaml": "resources: [../../../layers]\npatches: [{target: {kind: Kustomization}, path: patch.yaml}]\n",
		"fleet/clusters/a/layers/patch.yaml":         "- {op: replace, path: /spec/path, value: ./others}\n",
		"fleet/clusters/b/layers/kustomization.yaml": "resources: [../../../layers]\n",
		"fleet/layers/kustomization.yaml":            "resources: [machines.yaml]\n",
		"fleet/layers/machines.yaml":                 layer,
		"fleet/layers/left.yaml":                     "kind: Unused\n",
		"fleet/machines/kustomization.yaml":          "resources: [one.yaml, below]\n",
		"fleet/machines/one.yaml":                    claimText("Machine", "one"),
		"fleet/machines/below/two.yaml":              claimText("Machine", "two"),
		"fleet/machines/left.yaml":                   claimText("Machine", "left"),
		"fleet/others/three.yaml":                    claimText("Machine", "three"),
		"plain/over/kustomization.yaml":              "resources: [../base]\n",
		"plain/base/a.yaml":                          claimText("Machine", "a"),
		"broken/layer.yaml":                          layer + "  broken: [\n",
		"lone/layers.yaml":                           layer + "---\n" + strings.Replace(layer, "path: ./machines", "path: ./site", 1),
		"lone/aside/a.yaml":                          "kind: Machine\n",
		"lone/machines/a.yaml":                       claimText("Machine", "a"),
		"lone/site/catalog.yaml":                     "apiVersion: apiextensions.crossplane.io/v1beta1\nkind: EnvironmentConfig\nmetadata: {name: machine-catalog}\ndata: {}\n",
		"lone/site/left.yaml":                        "kind: ConfigMap\n",
	}

	layers := []string{"fleet/layers/kustomization.yaml", "fleet/layers/machines.yaml"}
	machines := []string{"fleet/machines/below/two.yaml", "fleet/machines/kustomization.yaml", "fleet/machines/one.yaml"}

	cases := map[string]struct {
		reason string
		path   string
		want   []string
	}{
		"Cluster":  {"The layers are in another folder, and what they apply in a third one.", "fleet/clusters/b", slices.Concat([]string{"fleet/clusters/b/layers/kustomization.yaml"}, layers, machines)},
		"Patched":  {"A cluster gives a layer another path.", "fleet/clusters/a", slices.Concat([]string{"fleet/clusters/a/layers/kustomization.yaml", "fleet/clusters/a/layers/patch.yaml"}, layers, []string{"fleet/others/three.yaml"})},
		"File":     {"The file of a layer leads to its folder.", "fleet/layers/machines.yaml", slices.Concat(layers[1:], machines)},
		"Claims":   {"Claims lead nowhere.", "fleet/machines", nil},
		"Overlay":  {"Without Flux nothing is followed.", "plain/over", nil},
		"Broken":   {"What nobody can read leads nowhere.", "broken", []string{"broken/layer.yaml"}},
		"NotThere": {"Whoever reads it says that it is not there.", "nowhere", nil},
	}

	dir := t.TempDir()
	t.Chdir(dir)

	for name, text := range files {
		if err := os.MkdirAll(filepath.Dir(name), 0o750); err != nil {
			t.Fatal(err)
		}

		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}

	// A file of claims has the catalogue of its repository's layers, if one of them applies it.
	for file, want := range map[string][]string{"lone/machines/a.yaml": {"lone/site/catalog.yaml"}, "lone/aside/a.yaml": nil, "plain/base/a.yaml": nil} {
		if diff := cmp.Diff(want, LayerCatalogues([]string{file})); diff != "" {
			t.Errorf("LayerCatalogues of %s: -want, +got:\n%s", file, diff)
		}
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, Followed([]string{tc.path})); diff != "" {
				t.Errorf("%s: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
