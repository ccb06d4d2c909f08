package controlplane

import (
	"context"
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// TestLegacyNodeLeaves: on Crossplane 1.20, too, a machine takes its Node along, and the Node goes before the VM. The Usage is one of another API
// there.
func TestLegacyNodeLeaves(t *testing.T) {
	r := oldCore.rig(t)
	r.grant(t)
	r.startProviderKubernetes(t)

	c := r.observingNamed(t, "None", "node-leaver")

	// Crossplane 1.20 hands no Secret to a function: a snippet on the node writes the agent's token.
	catalogue := catalogueOfObjects("Here")
	must(t, unstructured.SetNestedMap(catalogue.Object, map[string]any{"pve": map[string]any{}, "pve2": map[string]any{}}, "data", "sites", "home", "nodes"))
	must(t, r.apply(t.Context(), catalogue))

	server := edited(k3sNode("leaver-server", "server", 247), map[string]any{"k3s.init": true})
	claim := edited(k3sNode("leaver-agent", "agent", 246), map[string]any{
		"proxmox": map[string]any{"node": "pve2"}, "k3s.token": map[string]any{"file": "/etc/rancher/k3s/token"},
		"bootstrap": map[string]any{"snippets": map[string]any{"vendorData": "local:snippets/k3s-token.yaml"}},
	})
	name := claim.GetName()

	t.Cleanup(func() {
		// The last server of a cluster does not leave it.
		must(t, r.apply(context.Background(), catalogueOfNodes("None")))
		must(t, r.remove(context.Background(), server))
	})

	must(t, r.apply(t.Context(), server))
	must(t, r.tells(t.Context(), server, joined(true)...))
	must(t, r.apply(t.Context(), claim))
	must(t, r.tells(t.Context(), claim, joined(false)...))
	must(t, r.until(t.Context(), "it takes its Node along", func(ctx context.Context) (bool, string) {
		got, err := r.deletions(ctx)

		return err == nil && got[name], fmt.Sprintf("those that do are %v, error is %v", got, err)
	}))

	id := c.Owner(name)

	must(t, c.Leave(t.Context(), name))
	must(t, r.Client.Delete(t.Context(), claim.DeepCopy()))
	must(t, r.until(t.Context(), "the VM is gone", func(ctx context.Context) (bool, string) {
		if r.world.VM(id) != nil {
			return false, "it is there"
		}

		if err := r.Client.Get(ctx, client.ObjectKey{Name: name}, &corev1.Node{}); !apierrors.IsNotFound(err) {
			t.Errorf("VM %d is gone, and Node %s is not: %v", id, name, err)
		}

		return true, ""
	}))
	must(t, r.remove(t.Context(), claim))

	if v := c.Violations(); len(v) > 0 {
		t.Errorf("what must never happen: %v", v)
	}
}
