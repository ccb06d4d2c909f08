package main

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestLoadPackage(t *testing.T) {
	type want struct {
		xrd, composition string
		err              string
	}

	cases := map[string]struct {
		reason  string
		files   map[string]string
		flavour string
		want    want
	}{
		"Claims": {
			reason: "The Composition is the one for the composite that the claim's XRD defines.",
			files: map[string]string{
				"package/xrds/machines.yaml":         machineXRD,
				"package/compositions/machines.yaml": machineComposition,
			},
			flavour: flavourClaims,
			want:    want{xrd: "package/xrds/machines.yaml", composition: "package/compositions/machines.yaml"},
		},
		"UnknownFlavour": {
			reason:  "An unknown flavour is refused with those there are.",
			flavour: "claim",
			want:    want{err: `unknown flavour "claim": want one of claims, legacy, namespaced`},
		},
		"NoXRDs": {
			reason:  "An empty folder is an error: generation has not been run, or the wrong root was given.",
			files:   map[string]string{"package/compositions/machines.yaml": machineComposition},
			flavour: flavourClaims,
			want:    want{err: "no manifests in"},
		},
		"TwoCompositions": {
			reason: "Of two Compositions the preview would have to guess.",
			files: map[string]string{
				"package/xrds/machines.yaml":  machineXRD,
				"package/compositions/a.yaml": machineComposition,
				"package/compositions/b.yaml": machineComposition,
			},
			flavour: flavourClaims,
			want:    want{err: "want one Composition in package for XMachine of homelab.io/v1alpha1, found 2"},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			root := writeTree(t, tc.files)

			xrd, composition, err := findManifests(root, tc.flavour)
			checkError(t, tc.reason, tc.want.err, err)

			if err != nil {
				return
			}

			want := []string{filepath.Join(root, tc.want.xrd), filepath.Join(root, tc.want.composition)}
			if diff := cmp.Diff(want, []string{xrd, composition}); diff != "" {
				t.Errorf("\n%s\nloadPackage(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// findManifests loads the package and looks up the XRD and the Composition of a Machine claim.
func findManifests(root, name string) (string, string, error) {
	pkg, err := loadPackage(root, name)
	if err != nil {
		return "", "", err
	}

	c, err := pkg.compositionOf("homelab.io/v1alpha1", "XMachine")
	if err != nil {
		return "", "", err
	}

	return pkg.definitions[0].file, c.file, nil
}
