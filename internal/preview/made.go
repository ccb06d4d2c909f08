package preview

import (
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/homelab-io/function-proxmox-machine/internal/claim"
	"github.com/homelab-io/function-proxmox-machine/internal/cluster"
	"github.com/homelab-io/function-proxmox-machine/internal/site"
)

// made is a managed resource as any provider leaves it once all is well: it has an external name, and it is ready and
// synced. A VM that the provider was asked to create is reported as it was asked for, without which nobody could tell it from
// somebody else's. What a provider reports beyond that is its own, and nothing is made up.
func made(o unstructured.Unstructured) unstructured.Unstructured {
	o = *o.DeepCopy()

	annotations := maps.Clone(o.GetAnnotations())
	if annotations[annotationExternalName] == "" {
		annotations[annotationExternalName] = o.GetName()
	}

	status := map[string]any{"conditions": []any{
		condition("Ready", "True", "Available", "", 1), condition("Synced", "True", "ReconcileSuccess", "", 1),
	}}

	if annotations[annotationCreating] != "" {
		annotations[annotationCreatePending] = someTime

		at, _, _ := unstructured.NestedMap(o.Object, "spec", "forProvider")
		if at == nil {
			at = map[string]any{}
		}

		at["id"] = annotations[annotationExternalName]
		status["atProvider"] = at
	}

	o.SetAnnotations(annotations)
	o.SetGeneration(1)
	o.Object["status"] = status

	return o
}

// notFound is a managed resource that the provider may only observe, and does not find. What the claim says is there, as the port of a bridge, it finds.
func notFound(o unstructured.Unstructured) unstructured.Unstructured {
	o = *o.DeepCopy()
	o.SetGeneration(1)

	if strings.HasPrefix(o.GetAnnotations()[annotationResourceName], site.NeededPrefix) {
		at, _, _ := unstructured.NestedMap(o.Object, "spec", "forProvider")
		if at == nil {
			at = map[string]any{}
		}

		at["id"] = o.GetAnnotations()[annotationExternalName]
		o.Object["status"] = map[string]any{"atProvider": at, "conditions": []any{
			condition("Ready", "True", "Available", "", 1), condition("Synced", "True", "ReconcileSuccess", "", 1),
		}}

		return o
	}

	o.Object["status"] = map[string]any{"conditions": []any{
		condition("Synced", "False", "ReconcileError", "observe failed: external resource does not exist", 1),
	}}

	return o
}

// onlyLooks is true for a managed resource that the provider may neither make nor change.
func onlyLooks(o unstructured.Unstructured) bool {
	policies, _, err := unstructured.NestedStringSlice(o.Object, "spec", "managementPolicies")

	return err == nil && slices.Equal(policies, []string{"Observe"})
}

// joined is a node of a K3sCluster as Crossplane leaves it once all is well: it is ready, and has joined its cluster.
func joined(o unstructured.Unstructured) unstructured.Unstructured {
	o = *o.DeepCopy()
	o.SetGeneration(1)
	o.Object["status"] = map[string]any{"conditions": []any{
		condition("Ready", "True", "Available", "", 1), condition("Synced", "True", "ReconcileSuccess", "", 1), condition("NodeJoined", "True", "Joined", "", 1),
		condition(cluster.TypeSpecObserved, "True", cluster.ReasonSpecObserved, claim.Intent(o.Object), 1),
	}}

	return o
}
