package controlplane

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// rollsOut lives what the README of example/rollout has: a commit gives all machines of a group another class and the next revision, nothing happens until somebody
// approves, an approval of a later wave alone changes nothing, and then the machines restart wave after wave.
func (r *rig) rollsOut(t *testing.T, s story) {
	t.Helper()

	waves := slices.Clone(s.claims)
	wave := func(c *unstructured.Unstructured) string {
		n, _, _ := unstructured.NestedFieldNoCopy(c.Object, "spec", "rollout", "wave")

		return fmt.Sprint(n)
	}
	slices.SortFunc(waves, func(a, b *unstructured.Unstructured) int { return strings.Compare(wave(a), wave(b)) })

	ids := make([]string, len(waves))
	for i, c := range waves {
		ids[i] = r.vmIDOf(t, c)
	}

	written := len(r.world.Journal())
	cycles := func() []string {
		var out []string

		for _, line := range r.world.Journal()[written:] {
			if m := recordedLine.FindStringSubmatch(line); m != nil && (m[1] == "stop" || m[1] == "start") && slices.Contains(ids, m[2]) {
				out = append(out, m[1]+" "+m[2])
			}
		}

		return out
	}

	for i, c := range waves {
		waves[i] = edited(c, map[string]any{"class": "service-large", "rollout.revision": "2026-11-23"})
	}

	must(t, r.apply(t.Context(), waves...))

	plans := make([]string, len(waves))
	for i, c := range waves {
		plans[i] = r.waitsForApproval(t, c)
	}

	approved := make([]*unstructured.Unstructured, len(waves))
	for i, c := range waves {
		approved[i] = edited(c, map[string]any{"lifecycle.approve": plans[i]})
	}

	rehearsed := r.rehearses(t, r.vmsOf(waves...), approved...)
	last := len(waves) - 1

	must(t, r.apply(t.Context(), approved[last]))
	must(t, r.says(t.Context(), approved[last], "RolloutFinished", "False", "WaitingForWave"))

	if got := cycles(); len(got) > 0 {
		t.Fatalf("before the first wave is approved: %v", got)
	}

	must(t, r.apply(t.Context(), approved[:last]...))

	var want []string

	for i, c := range waves {
		must(t, r.says(t.Context(), c, "RolloutFinished", "True", "Finished"))
		must(t, r.ready(t.Context(), c))

		want = append(want, "stop "+ids[i], "start "+ids[i])
	}

	if diff := cmp.Diff(want, cycles()); diff != "" {
		t.Errorf("power cycles of %s: -want, +got:\n%s", strings.Join(ids, ", "), diff)
	}

	rehearsed.came(t, "done")
}

// vmIDOf a claim that is ready.
func (r *rig) vmIDOf(t *testing.T, claim *unstructured.Unstructured) string {
	t.Helper()

	now, err := r.now(t.Context(), claim)
	must(t, err)

	id, _, _ := unstructured.NestedFieldNoCopy(now.Object, "status", "vmId")

	return fmt.Sprint(id)
}

// waitsForApproval of a claim's plan, and returns its hash.
func (r *rig) waitsForApproval(t *testing.T, claim *unstructured.Unstructured) (hash string) {
	t.Helper()

	must(t, r.until(t.Context(), claim.GetName()+" waits for approval", func(ctx context.Context) (bool, string) {
		now, err := r.now(ctx, claim)
		if err != nil {
			return false, err.Error()
		}

		hash, _, _ = unstructured.NestedString(now.Object, "status", "plan", "hash")

		return condition(now, "Approved").reason == "WaitingForApproval" && hash != "", "conditions are " + conditions(now)
	}))

	return hash
}
