package lint

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/manifest"
)

// TestEmptyCatalogue: a catalogue that somebody emptied is the one thing that is wrong, and not each claim that takes something from it.
func TestEmptyCatalogue(t *testing.T) {
	t.Parallel()

	const claim = "apiVersion: homelab.io/v1alpha1\nkind: Machine\nmetadata: {name: a, namespace: infra-machines}\nspec: {class: huge, network: {dhcp: true}, proxmox: {site: home}}\n"

	cases := map[string]struct {
		reason, file, content string
		empty                 bool
	}{
		"Empty":    {"Nothing is in it.", "catalogue.yaml", "", true},
		"Comments": {"All is a comment.", "machine-catalog.yml", "---\n# kind: EnvironmentConfig\n\n", true},
		"Other":    {"Empty files of others are theirs.", "values.yaml", "", false},
		"Full":     {"It has a catalogue.", "catalogue.yaml", "apiVersion: apiextensions.crossplane.io/v1beta1\nkind: EnvironmentConfig\nmetadata: {name: machine-catalog}\ndata: {}\n", false},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			raw := func(file, content string) manifest.Raw {
				return manifest.Raw{File: file, Documents: manifest.RawDocuments([]byte(content))}
			}
			found := func(files, beside []manifest.Raw) (out []string) {
				for _, f := range Check(files, beside, Options{}).Faults {
					if f.Severity == Error {
						out = append(out, f.String())
					}
				}

				return out
			}

			want := []string{tc.file + ":1:1: " + manifest.EmptyCatalogue}
			got, beside := found([]manifest.Raw{raw("a.yaml", claim), raw(tc.file, tc.content)}, nil), found([]manifest.Raw{raw("a.yaml", claim)}, []manifest.Raw{raw(tc.file, tc.content)})

			if empty := cmp.Equal(want, got); empty != tc.empty {
				t.Errorf("%s: together with the claim: %q", tc.reason, got)
			}

			if empty := cmp.Equal(want, beside); empty != tc.empty {
				t.Errorf("%s: beside the claim: %q", tc.reason, beside)
			}
		})
	}
}
