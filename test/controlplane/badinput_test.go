package controlplane

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/homelab-io/function-proxmox-machine/test/controlplane/plane"
)

// put a wrong value into a claim.
func (w wrong) put(claim *unstructured.Unstructured) *unstructured.Unstructured {
	return with(claim, w.path, w.value)
}

// TestRefusedAtOnce has the API server refuse what a schema can: with the field, and with what would be right. Nothing of it
// can get into a cluster, whoever commits it.
func TestRefusedAtOnce(t *testing.T) {
	everywhere(t, func(t *testing.T, r *rig) {
		must(t, r.Client.Apply(t.Context(), client.ApplyConfigurationFromUnstructured(machine("refused", 5595)), client.FieldOwner("user"), client.DryRunAll))

		for name, tc := range refusedAtOnce() {
			t.Run(name, func(t *testing.T) { r.refusesAtOnce(t, tc) })
		}
	})
}

// refusesAtOnce checks that the API server does not take a wrong value, and says why.
func (r *rig) refusesAtOnce(t *testing.T, tc wrong) {
	t.Helper()

	claim := tc.put(machine("refused", 5595))

	err := r.Client.Apply(t.Context(), client.ApplyConfigurationFromUnstructured(claim), client.FieldOwner("user"), client.DryRunAll)
	if err == nil {
		t.Fatalf("%s: %v was taken", tc.path, tc.value)
	}

	for _, want := range []string{tc.field, tc.says} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the message lacks %q: %.500s", want, err)
		}
	}
}

// refused is what a claim says of a wrong value.
func (w wrong) refused() []word {
	return []word{
		{"SpecValid", "False", "ValidationFailed", w.field},
		{"SpecValid", "False", "ValidationFailed", w.says},
		{"SpecValid", "False", "ValidationFailed", "The machine does not change"},
	}
}

// TestRefusedByFunction writes wrong values that only the function knows to be wrong, each into a new claim: the claim says
// where and why, nothing is made of it, and when it is corrected it is understood by itself.
func TestRefusedByFunction(t *testing.T) {
	everywhere(t, func(t *testing.T, r *rig) {
		r.refusesByFunction(t, refusedByFunction())
	})
}

// refusesByFunction checks that the function makes nothing of wrong values, each in a claim of its own.
func (r *rig) refusesByFunction(t *testing.T, cases map[string]wrong) {
	t.Helper()

	var all []*unstructured.Unstructured

	names := slices.Sorted(maps.Keys(cases))
	for i, name := range names {
		// Nobody may see that they have one name in common: numbers of VMs that are never made.
		all = append(all, machine("wrong-"+strings.ToLower(name), int64(5760+i)))
	}

	t.Cleanup(func() { must(t, r.remove(context.Background(), all...)) })

	g, ctx := errgroup.WithContext(t.Context())

	for i, name := range names {
		g.Go(func() error {
			if err := r.apply(ctx, cases[name].put(all[i])); err != nil {
				return err
			}

			return r.tells(ctx, all[i], append(cases[name].refused(), word{"Ready", "not True", "", ""})...)
		})
	}

	must(t, g.Wait())

	for i, claim := range all {
		made, err := r.managed(t.Context(), claim)
		must(t, err)

		if len(made) > 0 {
			t.Errorf("%s: %d managed resources were made of a wrong claim", claim.GetName(), len(made))
		}

		if told := r.written(claim.GetName(), int64(5760+i)); len(told) > 0 {
			t.Errorf("%s: written to Proxmox: %v", claim.GetName(), told)
		}
	}

	// Stopped machines cost the plane less than ones that run, and are made all the same.
	g, ctx = errgroup.WithContext(t.Context())
	for _, claim := range all {
		g.Go(func() error {
			if err := r.apply(ctx, claim); err != nil {
				return err
			}

			return r.tells(ctx, claim, word{"SpecValid", "True", "Valid", ""}, word{"Ready", "True", "", ""})
		})
	}

	must(t, g.Wait())
}

// TestWrongEdits writes the same wrong values into the claim of a machine that lives. It stays as it is, to the last byte;
// its claim says what is wrong; and the next good edit takes effect.
func TestWrongEdits(t *testing.T) {
	everywhere(t, func(t *testing.T, r *rig) {
		const id = 5596

		claim := machine("wrong-edits", id)
		must(t, r.apply(t.Context(), claim))
		t.Cleanup(func() { must(t, r.remove(context.Background(), claim)) })
		must(t, r.ready(t.Context(), claim))
		plane.Rest(t.Context(), moment) // What is ready may still be looked at once more.

		before, err := r.exactly(t.Context(), claim)
		must(t, err)

		told := r.written(claim.GetName(), id)

		cases := refusedByFunction()
		maps.DeleteFunc(cases, func(_ string, tc wrong) bool { return tc.birth })

		for _, name := range slices.Sorted(maps.Keys(cases)) {
			t.Run(name, func(t *testing.T) {
				tc := cases[name]
				must(t, r.apply(t.Context(), tc.put(claim)))
				must(t, r.tells(t.Context(), claim, append(tc.refused(), word{"Ready", "True", "", ""})...))
			})
		}

		after, err := r.exactly(t.Context(), claim)
		must(t, err)

		if diff := cmp.Diff(before, after); diff != "" {
			t.Errorf("managed resources have changed: -before, +after:\n%s", diff)
		}

		if diff := cmp.Diff(told, r.written(claim.GetName(), id)); diff != "" {
			t.Errorf("Proxmox was told: -before, +after:\n%s", diff)
		}

		must(t, r.apply(t.Context(), tag(claim, "right")))
		must(t, r.tagged(t.Context(), id, "right"))
		must(t, r.tells(t.Context(), claim, word{"SpecValid", "True", "Valid", ""}))
		must(t, r.ready(t.Context(), claim))

		if diff := fmt.Sprint(r.told(id)); diff != fmt.Sprintf("create VM %[1]d on pve, start VM %[1]d", id) {
			t.Errorf("Proxmox was told: %s", diff)
		}
	})
}
