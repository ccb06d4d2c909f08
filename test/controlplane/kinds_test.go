package controlplane

import (
	"context"
	"fmt"
	"testing"

	extv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// applyKinds applies the CustomResourceDefinitions of files, and waits until the API server serves each version of them: it does so some time
// after it has taken them.
func (r *rig) applyKinds(t *testing.T, files ...string) {
	t.Helper()

	for _, file := range files {
		for _, o := range objects(t, file) {
			must(t, r.apply(t.Context(), o))

			crd := &extv1.CustomResourceDefinition{}
			must(t, runtime.DefaultUnstructuredConverter.FromUnstructured(o.Object, crd))

			for _, v := range crd.Spec.Versions {
				if v.Served {
					must(t, r.serves(t.Context(), schema.GroupVersionKind{Group: crd.Spec.Group, Version: v.Name, Kind: crd.Spec.Names.Kind}))
				}
			}
		}
	}
}

// serves waits until the objects of a kind can be listed.
func (r *rig) serves(ctx context.Context, kind schema.GroupVersionKind) error {
	return r.until(ctx, kind.Kind+" is served", func(ctx context.Context) (bool, string) {
		l := &unstructured.UnstructuredList{}
		l.SetGroupVersionKind(kind.GroupVersion().WithKind(kind.Kind + "List"))
		err := r.Client.List(ctx, l)

		return err == nil, fmt.Sprint(err)
	})
}
