package controlplane

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// beyond120 are claims of the examples that Crossplane 1.20 cannot serve: it does not look into a namespace for a function,
// so it never finds the Secret with the token. That is an error of the call, so their composites say so, and the function
// cannot put a word on the claims.
var beyond120 = map[string]bool{"server-2": true, "server-3": true, "agent-1": true}

// TestLegacyExamples lets the claims of example/ live on Crossplane 1.20. No VM is made of those that it cannot serve.
func TestLegacyExamples(t *testing.T) {
	for _, s := range stories(t) {
		t.Run(s.name, func(t *testing.T) {
			r := old.rig(t)

			must(t, r.apply(t.Context(), s.others...))
			t.Cleanup(func() { r.forget(t, s.others) })

			before := r.world.VMs()
			must(t, r.apply(t.Context(), s.claims...))

			var served []*unstructured.Unstructured

			for _, c := range s.claims {
				if beyond120[c.GetName()] {
					must(t, r.notLookedUp(t.Context(), c, "k3s-token"))
					continue
				}

				served = append(served, c)
				must(t, r.ready(t.Context(), c))
			}

			r.golden(t, filepath.Join("testdata", "columns", "legacy", s.name+".txt"), s.claims)

			if made := len(r.world.VMs()) - len(before); made != len(served) {
				t.Errorf("%d VMs were made, want %d", made, len(served))
			}

			must(t, r.remove(t.Context(), s.claims...))
			r.leaves(t, before, served)
		})
	}
}

// notLookedUp waits until a claim's composite says that Crossplane failed to look something up for the function.
func (r *rig) notLookedUp(ctx context.Context, claim *unstructured.Unstructured, requirement string) error {
	return r.until(ctx, claim.GetName()+" says that "+requirement+" cannot be looked up", func(ctx context.Context) (bool, string) {
		now, err := r.now(ctx, claim)
		if err != nil {
			return false, err.Error()
		}

		name, _, _ := unstructured.NestedString(now.Object, "spec", "resourceRef", "name")
		composite := &unstructured.Unstructured{}
		composite.SetGroupVersionKind(schema.GroupVersionKind{Group: "homelab.io", Version: "v1alpha1", Kind: "X" + claim.GetKind()})

		if err := r.Client.Get(ctx, client.ObjectKey{Name: name}, composite); err != nil {
			return false, err.Error()
		}

		c := condition(composite, "Synced")

		return c.status == "False" && strings.Contains(c.message, "fetching resources for "+requirement), conditions(composite)
	})
}
