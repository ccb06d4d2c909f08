package controlplane

import (
	"context"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/homelab-io/function-proxmox-machine/test/controlplane/plane"
)

const idKept = 6020

// TestLegacyProtection deletes a claim that is protected. Crossplane 1.20 cannot protect a claim, only its composite: the claim
// hangs in its deletion and the machine goes on, as docs/day-two.md says. It goes as that page says, too.
func TestLegacyProtection(t *testing.T) {
	r := old.rig(t)
	claim := changed(machine("kept", idKept), true, "deletionProtection")

	must(t, r.apply(t.Context(), claim))
	must(t, r.ready(t.Context(), claim))

	written := len(r.about(idKept))
	must(t, r.Client.Delete(t.Context(), claim.DeepCopy()))

	// That the deletion is refused stands on the claim, for who wonders why it hangs.
	must(t, r.until(t.Context(), "the deletion is refused", func(ctx context.Context) (bool, string) {
		now, err := r.now(ctx, claim)
		if err != nil {
			return false, err.Error()
		}

		c := condition(now, "Synced")

		return now.GetDeletionTimestamp() != nil && c.status == "False" && strings.Contains(c.message, "the first one sets spec.deletionProtection: false"), conditions(now)
	}))

	plane.Rest(t.Context(), 5*time.Second) // For what should not happen.

	if now := r.about(idKept); len(now) != written {
		t.Errorf("Proxmox was told: %v", now[written:])
	}

	if vm := r.world.VM(idKept); vm == nil || !vm.Started {
		t.Fatalf("VM %d does not run any more", idKept)
	}

	composite, err := r.composite(t.Context(), claim)
	must(t, err)

	patch := client.RawPatch("application/merge-patch+json", []byte(`{"spec": {"deletionProtection": false}}`))
	must(t, r.Client.Patch(t.Context(), composite, patch))
	must(t, r.remove(t.Context(), claim))

	if vm := r.world.VM(idKept); vm != nil {
		t.Errorf("VM %d is there though its claim is gone", idKept)
	}
}

// composite of a claim.
func (r *rig) composite(ctx context.Context, claim *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	now, err := r.now(ctx, claim)
	if err != nil {
		return nil, err
	}

	name, _, _ := unstructured.NestedString(now.Object, "spec", "resourceRef", "name")
	out := &unstructured.Unstructured{}
	out.SetGroupVersionKind(schema.GroupVersionKind{Group: "homelab.io", Version: "v1alpha1", Kind: "X" + claim.GetKind()})

	return out, r.Client.Get(ctx, client.ObjectKey{Name: name}, out)
}
