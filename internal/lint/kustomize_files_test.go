package lint

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	kustomize "sigs.k8s.io/kustomize/api/types"

	"github.com/homelab-io/function-proxmox-machine/internal/manifest"
)

// TestKustomizationFiles: what keeps Kustomize from building a folder with claims is said, with and without layers of Flux.
func TestKustomizationFiles(t *testing.T) {
	const (
		claim   = "apiVersion: homelab.io/v1alpha1\nkind: Machine\nmetadata: {name: a}\nspec: {proxmox: {node: pve1}}\n"
		nothing = "there is no such file or folder, and without it nothing of this folder is applied: "
	)

	cases := map[string]struct {
		reason        string
		kustomization string
		others        map[string]string
		want          []string
	}{
		"AllThere": {
			reason:        "Files, folders with a kustomization, and what is on another host.",
			kustomization: "resources: [a.yaml, base, ../elsewhere.yaml, \"https://x.org/a.yaml\", github.com/x/y, x.org/y?ref=v1]\npatches: [{path: size.json}, {patch: \"a: b\"}]\npatchesStrategicMerge: [\"a: b\"]\n",
			others:        map[string]string{"machines/base/kustomization.yml": "", "elsewhere.yaml": "", "machines/size.json": "{}"},
		},
		"File": {
			reason: "Nobody has committed it.", kustomization: "resources: [a.yaml, router.yaml]\n",
			want: []string{`:1:21: warning: resources[1]: "router.yaml": ` + nothing + "commit it, or remove the line"},
		},
		"Misspelt": {
			reason: "Its name has another end.", kustomization: "resources:\n  - a.yml\n",
			want: []string{`:2:5: warning: resources[0]: "a.yml": ` + nothing + "did you mean a.yaml?"},
		},
		"Folder": {
			reason: "Neither is a folder elsewhere.", kustomization: "resources: [a.yaml]\ncomponents: [../components/dns]\n",
			want: []string{`:2:14: warning: components[0]: "../components/dns": ` + nothing + "commit it, or remove the line"},
		},
		"Patches": {
			reason: "Files of patches are read, too.", kustomization: "resources: [a.yaml]\npatches: [{path: size.yaml}]\npatchesStrategicMerge: [memory.yaml]\n",
			want: []string{
				`:2:18: warning: patches[0].path: "size.yaml": ` + nothing + "commit it, or remove the line",
				`:3:25: warning: patchesStrategicMerge[0]: "memory.yaml": ` + nothing + "commit it, or remove the line",
			},
		},
		"PlainFolder": {
			reason: "Kustomize does not look for the files of a folder.", kustomization: "resources: [a.yaml, dns]\n", others: map[string]string{"machines/dns/b.yaml": strings.Replace(claim, "name: a", "name: b", 1)},
			want: []string{`:1:21: warning: resources[1]: "dns": this folder has no kustomization.yaml, and without one nothing of this folder is applied: write one there, or name its files here, such as dns/file.yaml`},
		},
		"Text": {
			reason: "One file is a list, too.", kustomization: "resources: a.yaml\n",
			want: []string{":1:12: warning: resources: must be a list, and without one nothing of this folder is applied: write [a.yaml]"},
		},
		"Field": {
			reason: "Kustomize refuses what it does not know.", kustomization: "resource: [a.yaml]\n",
			want: []string{":1:1: warning: resource: unknown field of Kustomize, and with it nothing of this folder is applied; did you mean resources? There are: " +
				"resources, namespace, labels, nameSuffix, patches, components, namePrefix, commonLabels"},
		},
		"FluxKustomization": {
			reason: "Both are of one kind, and Flux has a file of its own.", kustomization: "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: x}\nspec: {path: ./nowhere}\n",
			want: []string{`:1:13: warning: apiVersion: "kustomize.toolkit.fluxcd.io/v1": kustomization.yaml is the name of a file of Kustomize, which reads no Kustomization of Flux, ` +
				"and nothing of this folder is applied: give this file another name, such as layer.yaml"},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			const path = "machines/kustomization.yaml"

			texts := map[string]string{path: tc.kustomization, "machines/a.yaml": claim}
			maps.Copy(texts, tc.others)

			var files []manifest.Raw

			there := fstest.MapFS{}

			for name, text := range texts {
				there[name] = &fstest.MapFile{Data: []byte(text)}
				files = append(files, manifest.Raw{File: name, Documents: manifest.RawDocuments([]byte(text))})
			}

			slices.SortFunc(files, func(a, b manifest.Raw) int { return strings.Compare(a.File, b.File) })

			var got []string

			for _, f := range Check(files, nil, Options{Stat: there.Stat}).Faults {
				if text, ours := strings.CutPrefix(f.String(), path); ours {
					got = append(got, text)
				}
			}

			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nCheck(): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestKustomizationsOfOthers: of a folder without a claim, lint says nothing.
func TestKustomizationsOfOthers(t *testing.T) {
	files := []manifest.Raw{{File: "apps/kustomization.yaml", Documents: manifest.RawDocuments([]byte("resource: [a.yaml]\nresources: [b.yaml]\n"))}}

	if got := Check(files, nil, Options{Stat: fstest.MapFS{}.Stat}).Faults; len(got) > 0 {
		t.Errorf("want no fault, got %s", got)
	}
}

// TestKustomizationFields: lint knows the fields that Kustomize does.
func TestKustomizationFields(t *testing.T) {
	want := []string{"apiVersion", "kind"} // Of its TypeMeta.

	for _, f := range reflect.VisibleFields(reflect.TypeFor[kustomize.Kustomization]()) {
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" {
			want = append(want, name)
		}
	}

	slices.Sort(want)

	got := slices.Sorted(slices.Values(kustomizationFields))
	if diff := cmp.Diff(slices.Compact(want), got); diff != "" {
		t.Errorf("kustomizationFields: -want, +got:\n%s", diff)
	}
}
