package controlplane

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/homelab-io/function-proxmox-machine/test/controlplane/plane"
	"github.com/homelab-io/function-proxmox-machine/test/controlplane/standin"
)

// A trouble is something that goes wrong in Proxmox, under one machine and no other.
type trouble struct {
	reason string
	// claim, where it is not a plain one.
	claim func(claim *unstructured.Unstructured) *unstructured.Unstructured
	// unborn says that it goes wrong before the machine is there.
	unborn bool
	// hurt it, and return what mends it.
	hurt func(r *rig, claim *unstructured.Unstructured, id int) (mend func())
	// edit of the claim that meets the trouble, or that ends it after it was mended.
	edit, cure func(claim *unstructured.Unstructured) *unstructured.Unstructured
	// says what the claim must say meanwhile.
	says []word
	// does is what happens in Proxmox meanwhile; mostly nothing.
	does []string
	// again says that the provider tries the last of that again and again.
	again bool
	// told says that managed resources may be told something meanwhile.
	told bool
}

// breaks a machine with a fault of the stand-in.
func breaks(fault string) func(r *rig, claim *unstructured.Unstructured, id int) func() {
	return func(r *rig, claim *unstructured.Unstructured, _ int) func() {
		return r.world.Break(fault, func(_, name string) bool { return strings.HasPrefix(name, claim.GetName()+"-") })
	}
}

// hand is somebody who edits a VM in Proxmox.
func hand(edit, undo func(vm *standin.VM)) func(r *rig, claim *unstructured.Unstructured, id int) func() {
	return func(r *rig, _ *unstructured.Unstructured, id int) func() {
		r.world.Edit(func(vms map[int]*standin.VM) { edit(vms[id]) })

		return func() {
			if undo != nil {
				r.world.Edit(func(vms map[int]*standin.VM) { undo(vms[id]) })
			}
		}
	}
}

// annotated puts an annotation on the managed resource of a VM; the function that is returned takes it off.
func (r *rig) annotated(claim *unstructured.Unstructured, name, value string) (mend func()) {
	set := func(value any) {
		vm := r.vm(context.Background(), claim)
		patch, _ := json.Marshal(map[string]any{"metadata": map[string]any{"annotations": map[string]any{name: value}}})

		if err := r.Client.Patch(context.Background(), vm, client.RawPatch(types.MergePatchType, patch)); err != nil {
			panic(err) // The plane is broken.
		}
	}
	set(value)

	return func() { set(nil) }
}

func setting(path string, value any) func(claim *unstructured.Unstructured) *unstructured.Unstructured {
	return func(claim *unstructured.Unstructured) *unstructured.Unstructured { return with(claim, path, value) }
}

func unhurt(*rig, *unstructured.Unstructured, int) func() { return func() {} }

// TestTroubles breaks one thing under one machine each. Its claim says what is wrong, in the words of docs/conditions.md,
// and what to do; nothing else happens to the machine; and it heals by itself, or with the cure that its claim named.
func TestTroubles(t *testing.T) {
	everywhere(t, func(t *testing.T, r *rig) {
		// More machines at once are made so slowly that nobody would wait for them.
		places := make(chan struct{}, 5)
		id := 5600

		for name, tc := range merged(t, troublesOfAccess(), troublesOfBirth(), troublesOfVMs()) {
			id++
			if id%250 < 2 {
				id += 2 // No address ends in 0, and 1 is the gateway.
			}

			number := id

			t.Run(name, func(t *testing.T) {
				t.Parallel()

				places <- struct{}{}
				defer func() { <-places }()

				r.trouble(t, tc, "trouble-"+strings.ToLower(name), number)
			})
		}
	})
}

// merged tables. A name that two of them have would hide one of the cases.
func merged[T any](t *testing.T, tables ...map[string]T) map[string]T {
	t.Helper()

	out := map[string]T{}

	for _, table := range tables {
		for name, tc := range table {
			if _, double := out[name]; double {
				t.Fatalf("two cases are called %s", name)
			}

			out[name] = tc
		}
	}

	return out
}

func (r *rig) trouble(t *testing.T, tc trouble, name string, id int) {
	t.Helper()

	claim := machine(name, int64(id))
	if tc.claim != nil {
		claim = tc.claim(claim)
	}

	t.Cleanup(func() { must(t, r.remove(context.Background(), claim)) })

	var mend func()

	before := map[string]string{}

	if tc.unborn {
		mend = tc.hurt(r, claim, id)
		must(t, r.apply(t.Context(), claim))
	} else {
		must(t, r.apply(t.Context(), claim))
		must(t, r.ready(t.Context(), claim))

		var err error
		before, err = r.desired(t.Context(), claim)
		must(t, err)

		mend = tc.hurt(r, claim, id)
	}

	written := slices.Clip(r.written(name, int64(id)))

	if tc.edit != nil {
		claim = tc.edit(claim)
		must(t, r.apply(t.Context(), claim))
	}

	want := written
	for _, line := range tc.does {
		want = append(want, fmt.Sprintf(line, id))
	}

	must(t, r.until(t.Context(), fmt.Sprintf("Proxmox was told: %v", want), func(context.Context) (bool, string) {
		now := r.written(name, int64(id))

		return len(now) >= len(want), strings.Join(now, ", ")
	}))
	must(t, r.tells(t.Context(), claim, tc.says...))
	plane.Rest(t.Context(), moment) // For what should not happen.
	must(t, r.tells(t.Context(), claim, tc.says...))

	after, err := r.desired(t.Context(), claim)
	must(t, err)

	if diff := cmp.Diff(before, after); diff != "" && !tc.unborn && !tc.told {
		t.Errorf("%s\nmanaged resources have changed: -before, +after:\n%s", tc.reason, diff)
	}

	told := r.written(name, int64(id))
	if tc.again {
		told = slices.Compact(told)
	}

	if diff := cmp.Diff(want, told); diff != "" {
		t.Errorf("%s\nProxmox was told: -want, +got:\n%s", tc.reason, diff)
	}

	mend()

	if tc.cure != nil {
		claim = tc.cure(claim)
	}

	must(t, r.apply(t.Context(), tag(claim, "mended")))
	must(t, r.tells(t.Context(), claim, word{"ProviderHealthy", "True", "NoError", ""}, word{"SpecValid", "True", "Valid", ""}))

	number, _, _ := unstructured.NestedInt64(claim.Object, "spec", "proxmox", "vmId")
	must(t, r.tagged(t.Context(), number, "mended"))
	must(t, r.ready(t.Context(), claim))
}
