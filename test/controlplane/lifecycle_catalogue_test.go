package controlplane

import (
	"context"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// catalogue of a platform team, with one class and one image.
func catalogue(cores int64, release string) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "apiextensions.crossplane.io/v1beta1", "kind": "EnvironmentConfig",
		"metadata": map[string]any{"name": "machine-catalog"},
		"data": map[string]any{
			"classes": map[string]any{"house": map[string]any{"cores": cores, "memory": "2Gi", "disk": "20Gi"}},
			"images": map[string]any{"house": map[string]any{
				"url": "https://images.example.invalid/house-" + release + ".qcow2", "os": "debian",
			}},
		},
	}}
}

// TestCatalogue edits the catalogue under a machine that runs. It runs alone: all machines of a plane have one catalogue.
func TestCatalogue(t *testing.T) {
	const id = 5040

	put := func(cores int64, release string) func(ctx context.Context, b *biography) error {
		return func(ctx context.Context, b *biography) error { return b.apply(ctx, catalogue(cores, release)) }
	}

	of := func() life {
		return life{
			reason: "What a class says reaches living machines as an edit of their claims would; what an image is made of does not.",
			claim:  edited(machine("life-catalogue", id), map[string]any{"class": "house", "image": "house"}), ids: []int{id},
			steps: []step{
				born(id),
				{
					does: "more cores for the class", do: put(4, "1"), says: waits, vm: cores(2, 4),
					status: map[string]string{"size.cores": "4", "class": "house"}, written: []string{"change VM 5040"},
				},
				{does: "the old figure", do: put(2, "1"), says: nothing, vm: cores(2, 2), written: []string{"change VM 5040"}},
				{does: "a new release of the image", do: put(2, "2"), says: refused, status: map[string]string{"image": "house"}},
				{
					does: "a tag after that", edit: map[string]any{"tags": []any{"later"}}, says: refused,
					written: []string{"change VM 5040"},
				},
			},
		}
	}

	for _, on := range []*installation{claims, namespaced} {
		t.Run(on.configuration, func(t *testing.T) {
			r := on.rig(t)
			must(t, r.apply(t.Context(), catalogue(2, "1")))
			t.Cleanup(func() { r.forget(t, []*unstructured.Unstructured{catalogue(2, "1")}) })

			t.Parallel()
			r.live(t, of())

			// A machine that is made now has the new release.
			next := edited(machine("life-newcomer", id+1), map[string]any{"class": "house", "image": "house"})
			t.Cleanup(func() { must(t, r.remove(context.Background(), next)) })
			must(t, r.apply(t.Context(), next))
			must(t, r.ready(t.Context(), next))

			for claim, want := range map[*unstructured.Unstructured]string{of().claim: "house-1", next: "house-2"} {
				if url := r.imageURL(t, claim); !strings.Contains(url, want) {
					t.Errorf("the image of %s is %s, want %s", claim.GetName(), url, want)
				}
			}
		})
	}
}

// imageURL is where the image of a claim comes from.
func (r *rig) imageURL(t *testing.T, claim *unstructured.Unstructured) string {
	t.Helper()

	all, err := r.managed(t.Context(), claim)
	must(t, err)

	for _, m := range all {
		if m.GetKind() == kindImage {
			url, _, _ := unstructured.NestedString(m.Object, "spec", "forProvider", "url")

			return url
		}
	}

	return ""
}
