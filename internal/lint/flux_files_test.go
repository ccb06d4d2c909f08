package lint

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/manifest"
)

// TestAbsentFromCheckout: of a layer whose path leads nowhere, alone with its source, lint speaks where it sees that the path is not in the checkout.
func TestAbsentFromCheckout(t *testing.T) {
	const (
		claim   = "apiVersion: homelab.io/v1alpha1\nkind: Machine\nmetadata: {name: a}\nspec: {proxmox: {node: pve1}}\n"
		wrong   = "fleet/clusters/home/machines.yaml:9:3: warning: spec.path: \"./machnes\": no file is there, and Flux applies nothing of this layer: write the path from the top of the repository" + seeWrong
		own     = "{kind: GitRepository, name: flux-system}"
		another = "{kind: GitRepository, name: apps}"
	)

	checkout := fstest.MapFS{"fleet/.git/HEAD": {}, "fleet/machines/a.yaml": {}, "fleet/clusters/home/machines.yaml": {}}

	cases := map[string]struct {
		reason string
		source string
		path   string
		there  fstest.MapFS
		others []manifest.Raw
		want   []string
	}{
		"Absent":      {reason: "The checkout has no such folder.", source: own, path: "./machnes", there: checkout, want: []string{wrong}},
		"Unread":      {reason: "It is there, and only was not among the files.", source: own, path: "./clusters", there: checkout},
		"NoCheckout":  {reason: "Nobody knows where the repository begins.", source: own, path: "./machnes", there: fstest.MapFS{"fleet/machines/a.yaml": {}}},
		"OtherSource": {reason: "It may be another repository.", source: another, path: "./machnes", there: checkout},
		"SourceSaid": {
			reason: "A file says which repository it is, and it may be another one.", source: own, path: "./machnes", there: checkout,
			others: []manifest.Raw{{File: "fleet/source.yaml", Documents: manifest.RawDocuments([]byte(aSource("GitRepository", "flux-system", "{interval: 1m, url: \"https://x.org/y\"}")))}},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			layer := "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: machines, namespace: flux-system}\nspec:\n" +
				"  interval: 10m\n  prune: true\n  deletionPolicy: Orphan\n  sourceRef: " + tc.source + "\n  path: " + tc.path + "\n"
			files := slices.Concat(tc.others, []manifest.Raw{
				{File: "fleet/clusters/home/machines.yaml", Documents: manifest.RawDocuments([]byte(layer))},
				{File: "fleet/machines/a.yaml", Documents: manifest.RawDocuments([]byte(claim))},
			})

			var got []string

			for _, f := range Check(files, nil, Options{Stat: tc.there.Stat}).Faults {
				if strings.HasPrefix(f.Path, "spec.path") {
					got = append(got, f.String())
				}
			}

			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
