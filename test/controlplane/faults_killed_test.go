package controlplane

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/homelab-io/function-proxmox-machine/test/controlplane/plane"
)

// away is how long something is not there that is started again at once, as a Pod is.
const away = 500 * time.Millisecond

// reached says whether a machine has come to a stage of its life. Once there, it is beyond it for ever.
type reached func(ctx context.Context, r *rig, claim *unstructured.Unstructured, id int64) (done bool, why string)

// vm is the managed resource of a claim's VM; nil if there is none.
func (r *rig) vm(ctx context.Context, claim *unstructured.Unstructured) *unstructured.Unstructured {
	all, err := r.managed(ctx, claim)
	if err != nil {
		return nil
	}

	for _, m := range all {
		if m.GetKind() == "EnvironmentVM" {
			return m
		}
	}

	return nil
}

// births are the stages of a machine that is being made.
func births() map[string]reached {
	managed := func(test func(vm *unstructured.Unstructured) bool) reached {
		return func(ctx context.Context, r *rig, claim *unstructured.Unstructured, _ int64) (bool, string) {
			vm := r.vm(ctx, claim)

			return vm != nil && test(vm), fmt.Sprint(vm)
		}
	}

	return map[string]reached{
		"Applied": func(context.Context, *rig, *unstructured.Unstructured, int64) (bool, string) { return true, "" },
		"Looked":  managed(func(*unstructured.Unstructured) bool { return true }),
		"Rendered": managed(func(vm *unstructured.Unstructured) bool {
			policies, _, _ := unstructured.NestedStringSlice(vm.Object, "spec", "managementPolicies")

			return len(policies) > 1
		}),
		"Begun": func(ctx context.Context, r *rig, claim *unstructured.Unstructured, id int64) (bool, string) {
			// A provider that is killed before it has written this does not know what it did: case CreationUnknown of TestTroubles.
			vm := r.vm(ctx, claim)

			return vm != nil && vm.GetAnnotations()["crossplane.io/external-create-succeeded"] != "" && r.world.VM(int(id)) != nil, fmt.Sprint(vm)
		},
		"Made": managed(func(vm *unstructured.Unstructured) bool { return condition(vm, "Ready").status == "True" }),
	}
}

// killed is a program that is killed and started again.
func (r *rig) killed(t *testing.T, victim string) {
	t.Helper()

	switch victim {
	case "function":
		f := r.function(t)
		f.Kill()
		plane.Rest(t.Context(), away)
		must(t, f.Start(t.Context()))
	case "crossplane":
		r.Crossplane.Kill()
		must(t, r.Crossplane.Start(t.Context()))
	case "provider":
		start := r.restartProvider(t)
		plane.Rest(t.Context(), away)
		start()
	default:
		t.Fatalf("nobody knows how to kill %s", victim)
	}
}

// TestKilledWhileMaking kills the function at every stage of machines that are made at the same time; Crossplane and the
// provider at those at which TestOutages does not. All become ready, each with one VM, and nothing is left of them in Proxmox
// when they are deleted.
func TestKilledWhileMaking(t *testing.T) {
	everywhere(t, func(t *testing.T, r *rig) {
		vms, id := r.world.VMs(), int64(5530)

		for _, tc := range []struct {
			victim string
			stages []string
		}{
			{"function", []string{"Applied", "Looked", "Rendered", "Begun", "Made"}},
			{"crossplane", []string{"Looked", "Rendered"}},
			{"provider", []string{"Begun", "Made"}},
		} {
			t.Run(tc.victim, func(t *testing.T) {
				var made []*unstructured.Unstructured

				first := id
				for _, s := range tc.stages {
					claim := machine("killed-"+tc.victim+"-"+strings.ToLower(s), id)
					made = append(made, with(claim, "bootstrap.userData", "#cloud-config\ntimezone: Europe/Berlin\n"))
					id++
				}

				t.Cleanup(func() { must(t, r.remove(context.Background(), made...)) })

				// One after the other comes to its stage, and those before it are somewhere behind.
				for i, s := range tc.stages {
					must(t, r.apply(t.Context(), made[i]))
					must(t, r.until(t.Context(), made[i].GetName()+" is there", func(ctx context.Context) (bool, string) {
						return births()[s](ctx, r, made[i], first+int64(i))
					}))
					r.killed(t, tc.victim)
				}

				for i, claim := range made {
					must(t, r.ready(t.Context(), claim))
					must(t, r.known(t.Context(), claim))

					if journal := r.written(claim.GetName(), first+int64(i)); !bornOnce(journal, first+int64(i)) {
						t.Errorf("%s: %s", tc.stages[i], strings.Join(journal, ", "))
					}
				}
			})
		}

		for _, left := range others(r.world.VMs(), vms) {
			t.Errorf("VM %d is left in Proxmox, which was told: %s", left, r.told(int64(left)))
		}
	})
}

// known waits until a provider that was just started has looked at a machine's VM. Who deletes a claim before that keeps the VM:
// docs/day-two.md tells of it.
func (r *rig) known(ctx context.Context, claim *unstructured.Unstructured) error {
	return r.until(ctx, "the provider knows "+claim.GetName(), func(ctx context.Context) (bool, string) {
		vm := r.vm(ctx, claim)

		return vm != nil && r.provider.Knows(vm.GetUID()), fmt.Sprint(vm)
	})
}

// TestKilledWhileReplacing kills the function at every stage of a replacement, and Crossplane at the first. The new VM is made once, and
// the old one is there until the new one is ready.
func TestKilledWhileReplacing(t *testing.T) {
	everywhere(t, func(t *testing.T, r *rig) {
		for n, victim := range []string{"function", "crossplane"} {
			t.Run(victim, func(t *testing.T) {
				// Crossplane takes a while to start.
				stages := map[string]int{"function": 3, "crossplane": 1}[victim]
				oldID, newID := int64(5570+2*n), int64(5571+2*n)
				claim := machine("replaced-"+victim, oldID)
				must(t, r.apply(t.Context(), claim))
				t.Cleanup(func() { must(t, r.remove(context.Background(), claim)) })
				must(t, r.ready(t.Context(), claim))

				journal := func() string { return strings.Join(r.world.Journal(), "\n") + "\n" }

				must(t, r.apply(t.Context(), with(with(claim, "lifecycle.replace", "again"), "proxmox.vmId", newID)))

				for _, line := range []string{
					fmt.Sprintf("stop VM %d\n", oldID), fmt.Sprintf("create VM %d on pve\n", newID), fmt.Sprintf("start VM %d\n", newID),
				}[:stages] {
					must(t, r.until(t.Context(), "Proxmox was told: "+line, func(context.Context) (bool, string) {
						return strings.Contains(journal(), line), r.told(oldID) + ", " + r.told(newID)
					}))
					r.killed(t, victim)
				}

				must(t, r.until(t.Context(), "the new VM is the machine", func(ctx context.Context) (bool, string) {
					now, err := r.now(ctx, claim)
					if err != nil {
						return false, err.Error()
					}

					id, _, _ := unstructured.NestedInt64(now.Object, "status", "vmId")

					return id == newID && r.world.VM(int(oldID)) == nil, conditions(now)
				}))
				must(t, r.tells(t.Context(), claim, word{"ReplacementRequired", "False", "NotRequired", ""}))
				must(t, r.ready(t.Context(), claim))

				if got, want := r.told(oldID), fmt.Sprintf("create VM %[1]d on pve, start VM %[1]d, stop VM %[1]d, destroy VM %[1]d", oldID); got != want {
					t.Errorf("the old VM:\ngot  %s\nwant %s", got, want)
				}

				if got, want := r.told(newID), fmt.Sprintf("create VM %[1]d on pve, start VM %[1]d", newID); got != want {
					t.Errorf("the new VM:\ngot  %s\nwant %s", got, want)
				}

				if got := journal(); strings.Index(got, fmt.Sprintf("destroy VM %d\n", oldID)) < strings.Index(got, fmt.Sprintf("start VM %d\n", newID)) {
					t.Error("the old VM was destroyed before the new one was started")
				}
			})
		}
	})
}

// told is all that Proxmox was told of a VM, but for changes of its configuration.
func (r *rig) told(id int64) string {
	var out []string

	for _, line := range r.world.Journal() {
		if strings.Contains(line+" ", fmt.Sprintf(" VM %d ", id)) && !strings.HasPrefix(line, "change") {
			out = append(out, line)
		}
	}

	return strings.Join(out, ", ")
}

// others are the numbers that are in one list only.
func others(all, known []int) []int {
	return slices.DeleteFunc(slices.Clone(all), func(id int) bool { return slices.Contains(known, id) })
}
