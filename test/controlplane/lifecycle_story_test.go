package controlplane

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// An outcome is what came of a claim on one plane.
type outcome struct {
	Status     map[string]any   // Of the claim, without its conditions.
	Conditions map[string]shown // Ours, by type.
	VM         map[string]any   // As Proxmox has it.
	Journal    []string         // What was written to Proxmox.
}

// TestSameFile edits a machine that runs with the very file of example/day-two on both planes. They say the same of it, and
// do the same to it. It runs alone, since the story has a catalogue.
func TestSameFile(t *testing.T) {
	at := slices.IndexFunc(stories(t), func(s story) bool { return s.name == "day-two" })
	if at < 0 {
		t.Fatal("there is no example/day-two")
	}

	var came [2]outcome

	t.Run("planes", func(t *testing.T) {
		for i, on := range []*installation{claims, namespaced} {
			t.Run(on.configuration, func(t *testing.T) {
				t.Parallel()

				came[i] = on.rig(t).tell(t, stories(t)[at])
			})
		}
	})

	if diff := cmp.Diff(came[0], came[1], cmp.AllowUnexported(shown{})); diff != "" {
		t.Errorf("the two planes differ: -claims, +namespaced:\n%s", diff)
	}

	want := []string{"create VM 161 on pve", "change VM 161", "start VM 161", "change VM 161", "write local:snippets/git01-*.vendor-data.yaml on pve"}
	if diff := cmp.Diff(want, came[0].Journal); diff != "" {
		t.Errorf("written to Proxmox: -want, +got:\n%s", diff)
	}
}

// command in a message: it is for the kinds of its plane.
var command = regexp.MustCompile("`kubectl [^`]*`")

// tell a story of one machine: as it was before the file's edit, which the file's comments tell, and then the file.
func (r *rig) tell(t *testing.T, s story) outcome {
	t.Helper()

	const id = 161

	after := s.claims[0]
	before := edited(after, map[string]any{
		"class": "small", "image": "ubuntu-24.04", "tags": nil, "disks": []any{map[string]any{"name": "repos", "size": "100Gi"}},
	})

	must(t, r.apply(t.Context(), s.others...))
	t.Cleanup(func() {
		must(t, r.lift(context.Background(), after))
		must(t, r.remove(context.Background(), after))
		r.forget(t, s.others)
		r.world.Remove(id)
	})

	b := &biography{rig: r, life: life{claim: after, ids: []int{id}}, written: len(r.world.Journal())}

	must(t, r.apply(t.Context(), before))
	must(t, r.ready(t.Context(), before))
	must(t, r.still(t.Context(), before))

	must(t, r.apply(t.Context(), after))
	must(t, r.says(t.Context(), after, "RebootPending", "True", "ChangesPending"))
	must(t, r.still(t.Context(), after))

	now, err := r.now(t.Context(), after)
	must(t, err)

	out := outcome{Conditions: map[string]shown{}, VM: r.world.VM(id).Config, Journal: b.journal()}
	out.Status, _, _ = unstructured.NestedMap(now.Object, "status")
	delete(out.Status, "conditions")

	// Each composite's VM has a UUID of its own.
	if out.VM["smbios"] == nil {
		t.Errorf("on %s the VM has no UUID", r.configuration)
	}

	delete(out.VM, "smbios")

	for _, init := range out.VM["initialization"].([]any) {
		fields := init.(map[string]any)
		fields["vendorDataFileId"] = hash.ReplaceAllString(fmt.Sprint(fields["vendorDataFileId"]), "-*.")
	}

	for _, c := range []string{
		"SpecValid", "MachineReady", "BootstrapCurrent", "ReplacementRequired", "RebootPending", "VMIDInUse", "ProviderHealthy",
	} {
		said := condition(now, c)
		if said.status == "" {
			t.Errorf("on %s there is no condition %s", r.configuration, c)
		}

		said.message = command.ReplaceAllString(said.message, "`kubectl …`")
		out.Conditions[c] = said
	}

	// What Crossplane keeps in the status of a composite of its own.
	delete(out.Status, "crossplane")

	if len(out.Status) == 0 {
		t.Error(fmt.Sprint("no status on ", r.configuration))
	}

	return out
}
