package lint

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/manifest"
)

// TestFragmentsOfOthers: of what may be other people's, or a part of a catalogue, nobody says that it is a part of a claim.
func TestFragmentsOfOthers(t *testing.T) {
	const (
		claim = "apiVersion: homelab.io/v1alpha1\nkind: Machine\nmetadata: {name: a}\nspec: {proxmox: {node: pve1}}\n"
		part  = ": is a part of a claim: begin the file with apiVersion: homelab.io/v1alpha1, metadata: {name: dns01} and kind: "
	)

	cases := map[string]struct {
		reason string
		files  []string
		want   []string
	}{
		"Site":    {reason: "A site of the catalogue has it, too.", files: []string{"network: {bridge: vmbr0}\n"}},
		"Values":  {reason: "The values of a chart, in a folder with a claim.", files: []string{"image: nginx\nsize: 3\n", claim}},
		"Others":  {reason: "One key is nobody's.", files: []string{"image: nginx\nreplicas: 3\n"}},
		"Nothing": {reason: "An empty object has no field.", files: []string{"{}\n"}},
		"Proxmox": {
			reason: "A word that no chart has.", files: []string{"class: small\nproxmox: {node: pve1}\n", claim},
			want: []string{"class" + part + "Machine, K3sNode or Container; then spec:, and below it this, indented by two"},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var (
				files []manifest.Raw
				got   []string
			)

			for i, text := range tc.files {
				files = append(files, manifest.Raw{File: string(rune('a'+i)) + ".yaml", Documents: manifest.RawDocuments([]byte(text))})
			}

			for _, f := range Check(files, nil, Options{}).Faults {
				if f.File == "a.yaml" {
					got = append(got, f.Path+": "+f.Message)
				}
			}

			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
