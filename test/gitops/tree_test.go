package gitops

import (
	"path/filepath"
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
)

// Paths from this folder.
const (
	repository = "../.."
	example    = repository + "/example/flux"
)

// clusters are the folders of example/flux/clusters.
var clusters = append([]string{"k3s-cluster"}, inWaves...)

// inWaves are the clusters whose machines are in waves.
var inWaves = []string{"claims", "crossplane-1", "namespaced"}

// layersOf a cluster are its Flux Kustomizations and sources, as Flux builds them from the cluster's folder.
func layersOf(t *testing.T, cluster string) []unstructured.Unstructured {
	t.Helper()
	return build(t, filepath.Join(example, "clusters", cluster, "layers"))
}

// build a folder as Flux does.
func build(t *testing.T, path string) []unstructured.Unstructured {
	t.Helper()

	resources, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), path)
	if err != nil {
		t.Fatal(err)
	}

	var out []unstructured.Unstructured

	for _, r := range resources.Resources() {
		m, err := r.Map()
		if err != nil {
			t.Fatal(err)
		}

		out = append(out, unstructured.Unstructured{Object: m})
	}

	return out
}

func layer(t *testing.T, cluster, name string) unstructured.Unstructured {
	t.Helper()

	layers := layersOf(t, cluster)

	i := slices.IndexFunc(layers, func(o unstructured.Unstructured) bool { return o.GetKind() == "Kustomization" && o.GetName() == name })
	if i < 0 {
		t.Fatalf("cluster %s has no layer %s", cluster, name)
	}

	return layers[i]
}
