package gitops

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/fluxcd/pkg/kustomize"
	"github.com/fluxcd/pkg/ssa/utils"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/json"
)

// A source is a folder that stands for what Flux has fetched.
type source struct {
	folder string
	// whole is true of a folder that is no larger than what is wanted of it.
	whole bool
}

// sources of example/flux, by their names in Git.
var sources = map[string]source{
	"flux-system":              {example, true},
	"function-proxmox-machine": {repository, false},
}

// fluxBuild is all that Flux applies to a cluster: the layers, and what they make of their folders, built with the library
// that kustomize-controller and `flux build` use.
func fluxBuild(t *testing.T, cluster string) []unstructured.Unstructured {
	t.Helper()

	root := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "kustomize.toolkit.fluxcd.io/v1", "kind": "Kustomization",
		"metadata": map[string]any{"name": "flux-system", "namespace": "flux-system"},
		"spec": map[string]any{
			"interval": "10m", "prune": true, "path": "./clusters/" + cluster,
			"sourceRef": map[string]any{"kind": "GitRepository", "name": "flux-system"},
		},
	}}

	var out []unstructured.Unstructured

	for todo := []*unstructured.Unstructured{root}; len(todo) > 0; todo = todo[1:] {
		for _, o := range fluxBuildOne(t, todo[0]) {
			out = append(out, *o)

			if o.GetKind() == "Kustomization" {
				todo = append(todo, o)
			}
		}
	}

	return out
}

// fluxBuildOne is what one Kustomization of Flux applies.
func fluxBuildOne(t *testing.T, k *unstructured.Unstructured) []*unstructured.Unstructured {
	t.Helper()

	name, _, _ := unstructured.NestedString(k.Object, "spec", "sourceRef", "name")
	path, _, _ := unstructured.NestedString(k.Object, "spec", "path")

	from, ok := sources[name]
	if !ok {
		t.Fatalf("Kustomization %s: no source %s", k.GetName(), name)
	}

	// Flux writes into what it has fetched.
	fetched := t.TempDir()
	part := path

	if from.whole {
		part = "."
	}

	if err := os.CopyFS(filepath.Join(fetched, part), os.DirFS(filepath.Join(from.folder, part))); err != nil {
		t.Fatal(err)
	}

	dir := filepath.Join(fetched, path)
	if _, err := kustomize.NewGenerator(fetched, *k).WriteFile(dir); err != nil {
		t.Fatal(err)
	}

	built, err := kustomize.SecureBuild(fetched, dir, false)
	if err != nil {
		t.Fatalf("Kustomization %s: %v", k.GetName(), err)
	}

	out := make([]*unstructured.Unstructured, 0, built.Size())

	for _, r := range built.Resources() {
		if _, found, _ := unstructured.NestedFieldNoCopy(k.Object, "spec", "postBuild"); found {
			t.Fatalf("Kustomization %s: postBuild is not played here", k.GetName())
		}

		raw, err := r.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}

		// As the API server's client reads it: whole numbers are whole.
		o := unstructured.Unstructured{}
		if err := json.Unmarshal(raw, &o.Object); err != nil {
			t.Fatal(err)
		}

		out = append(out, &o)
	}

	labels, _, err := unstructured.NestedStringMap(k.Object, "spec", "commonMetadata", "labels")
	if err != nil {
		t.Fatal(err)
	}

	annotations, _, err := unstructured.NestedStringMap(k.Object, "spec", "commonMetadata", "annotations")
	if err != nil {
		t.Fatal(err)
	}

	utils.SetCommonMetadata(out, labels, annotations)

	return out
}
