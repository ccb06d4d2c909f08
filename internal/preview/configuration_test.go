package preview

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
)

func TestLoad(t *testing.T) {
	type want struct {
		xrd, composition string
		err              string
	}

	cases := map[string]struct {
		reason string
		files  map[string]string
		want   want
	}{
		"Claims": {
			reason: "The Composition is the one for the composite that the claim's XRD defines.",
			files: map[string]string{
				"xrds/machines.yaml":         machineXRD,
				"compositions/machines.yaml": machineComposition,
			},
			want: want{xrd: "xmachines.homelab.io", composition: "xmachines"},
		},
		"NoXRDs": {
			reason: "An empty folder is an error: generation has not been run.",
			files:  map[string]string{"compositions/machines.yaml": machineComposition},
			want:   want{err: "no manifests in package/xrds"},
		},
		"TwoCompositions": {
			reason: "Of two Compositions the preview would have to guess.",
			files: map[string]string{
				"xrds/machines.yaml":  machineXRD,
				"compositions/a.yaml": machineComposition,
				"compositions/b.yaml": machineComposition,
			},
			want: want{err: "want one Composition in package for XMachine of homelab.io/v1alpha1, found 2"},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			files := fstest.MapFS{}
			for file, text := range tc.files {
				files[file] = &fstest.MapFile{Data: []byte(text)}
			}

			xrd, composition, err := findManifests(flavour{folder: "package", files: files})
			checkError(t, tc.reason, tc.want.err, err)

			if err != nil {
				return
			}

			if diff := cmp.Diff([]string{tc.want.xrd, tc.want.composition}, []string{xrd, composition}); diff != "" {
				t.Errorf("\n%s\nload(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// findManifests loads the package and looks up the XRD and the Composition of a Machine claim.
func findManifests(fl flavour) (string, string, error) {
	pkg, err := load(fl)
	if err != nil {
		return "", "", err
	}

	c, err := pkg.compositionOf("homelab.io/v1alpha1", "XMachine")
	if err != nil {
		return "", "", err
	}

	return pkg.definitions[0].object.GetName(), c.object.GetName(), nil
}

// TestFlavours: each is part of the program.
func TestFlavours(t *testing.T) {
	for _, name := range catalog.Flavours() {
		pkg, err := Load(name)
		if err != nil {
			t.Fatal(err)
		}

		if kinds := pkg.kinds(); !strings.Contains(kinds, "K3sNode, Machine") {
			t.Errorf("%s has the kinds %s", name, kinds)
		}
	}

	if _, err := Load("claim"); err == nil || err.Error() != `unknown flavour "claim": want one of namespaced, claims, legacy` {
		t.Errorf("an unknown flavour is refused with those there are, got %v", err)
	}
}
