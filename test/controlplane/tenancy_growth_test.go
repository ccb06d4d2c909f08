package controlplane

import (
	"context"
	"fmt"
	"strconv"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// TestGrowth has a class of the catalogue grow under five machines at once, whose tenant's quota has room for one of them. It runs alone: all machines of a
// plane have one catalogue.
func TestGrowth(t *testing.T) {
	const (
		first, count = 5700, 5
		quota        = 13 // Cores: five machines have ten, and one that grows to four makes twelve.
	)

	limited := func(cores int64) *unstructured.Unstructured {
		c := catalogue(cores, "1")
		c.Object["data"].(map[string]any)["tenancy"] = map[string]any{"tenants": map[string]any{"ours": map[string]any{
			"namespaces": []any{machines}, "quota": map[string]any{"cores": int64(quota)}, "allow": []any{"pin"},
		}}}

		return c
	}

	for _, on := range []*installation{claims, namespaced} {
		t.Run(on.configuration, func(t *testing.T) {
			r := on.rig(t)
			must(t, r.apply(t.Context(), limited(2)))
			t.Cleanup(func() { r.forget(t, []*unstructured.Unstructured{limited(2)}) })

			t.Parallel()

			all := make([]*unstructured.Unstructured, count)
			for i := range all {
				all[i] = edited(machine(fmt.Sprintf("grows-%d", i), int64(first+i)), map[string]any{"class": "house", "image": "house"})
			}

			t.Cleanup(func() { must(t, r.remove(context.Background(), all...)) })
			must(t, r.apply(t.Context(), all...))

			for _, claim := range all {
				must(t, r.ready(t.Context(), claim))
			}

			must(t, r.apply(t.Context(), limited(4)))
			must(t, r.until(t.Context(), "one machine has grown, and the others say why not", func(ctx context.Context) (bool, string) {
				sum, refused := 0, 0

				for i, claim := range all {
					vm := r.world.VM(first + i)
					if vm == nil {
						return false, fmt.Sprintf("VM %d is gone", first+i)
					}

					// A number as whoever wrote it last decoded it.
					has, err := strconv.Atoi(fmt.Sprint(vm.Config["cpu"].([]any)[0].(map[string]any)["cores"]))
					if err != nil {
						return false, err.Error()
					}

					sum += has

					now, err := r.now(ctx, claim)
					if err != nil {
						return false, err.Error()
					}

					if (word{conditionType: "SpecValid", status: "False", reason: "ValidationFailed"}).holds(condition(now, "SpecValid")) {
						refused++
					}
				}

				if sum > quota {
					t.Errorf("the machines have %d cores, of a quota of %d", sum, quota)

					return true, ""
				}

				return sum == 12 && refused == count-1, fmt.Sprintf("%d cores, and %d machines are refused", sum, refused)
			}))
		})
	}
}
