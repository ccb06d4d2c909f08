package controlplane

import (
	"path/filepath"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// beyond120 are claims of the examples that Crossplane 1.20 cannot serve: it does not look into a namespace for a function,
// so nothing finds the Secret with the token.
var beyond120 = map[string]bool{"server-2": true, "server-3": true, "agent-1": true}

// TestLegacyExamples lets the claims of example/ live on Crossplane 1.20. Those that it cannot serve say what to do, and no VM is
// made of them.
func TestLegacyExamples(t *testing.T) {
	for _, s := range stories(t) {
		t.Run(s.name, func(t *testing.T) {
			r := old.rig(t)
			r.lay(s.claims)

			must(t, r.apply(t.Context(), s.others...))
			t.Cleanup(func() { r.forget(t, s.others) })

			before := r.world.VMs()
			must(t, r.apply(t.Context(), s.claims...))

			var served []*unstructured.Unstructured

			for _, c := range s.claims {
				if beyond120[c.GetName()] {
					must(t, r.says(t.Context(), c, "SpecValid", "False", "ValidationFailed"))
					r.message(t, c, "SpecValid", "TokenInSecret-"+c.GetName())

					continue
				}

				served = append(served, c)
				must(t, r.ready(t.Context(), c))
			}

			r.golden(t, filepath.Join("testdata", "columns", "legacy", s.name+".txt"), s.claims)

			if made := len(r.world.VMs()) - len(before); made != len(served) {
				t.Errorf("%d VMs were made, want %d", made, len(served))
			}

			must(t, r.lift(t.Context(), served...))
			must(t, r.remove(t.Context(), s.claims...))
			r.leaves(t, before, served)
		})
	}
}
