package controlplane

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	extv1alpha1 "github.com/crossplane/crossplane/apis/v2/apiextensions/v1alpha1"
)

// TestActivation: where Crossplane's chart activates no kind by itself (provider.defaultActivations: []), our Configuration has those served that machines
// have, and no others, and a machine lives its life.
func TestActivation(t *testing.T) {
	t.Parallel() // On a plane of its own.

	on := current
	on.safeStart, on.values = true, map[string]any{"provider": map[string]any{"defaultActivations": []any{}}}
	r := ownRig(t, &installation{release: on, configuration: namespaced.configuration}, "activation")

	want, err := r.activated(t.Context())
	must(t, err)

	all := &extv1alpha1.ManagedResourceDefinitionList{}
	must(t, r.Client.List(t.Context(), all))

	var active, inactive []string

	for i := range all.Items {
		if all.Items[i].Spec.State.IsActive() {
			active = append(active, all.Items[i].Name)
		} else {
			inactive = append(inactive, all.Items[i].Name)
		}
	}

	slices.Sort(active)

	if diff := cmp.Diff(want, active); diff != "" {
		t.Errorf("active kinds: -policy of the package, +definitions:\n%s", diff)
	}

	if len(inactive) == 0 {
		t.Error("the provider has no kind that is not active: nothing was tried")
	}

	r.live(t, deleted())
}

// activated waits until Crossplane serves the provider's kinds that our Configuration's policy activates, and returns their names, sorted.
func (r *rig) activated(ctx context.Context) ([]string, error) {
	var out []string

	err := r.until(ctx, "the kinds of our Configuration's policy are served", func(ctx context.Context) (bool, string) {
		policies := &extv1alpha1.ManagedResourceActivationPolicyList{}
		if err := r.Client.List(ctx, policies); err != nil {
			return false, err.Error()
		}

		if len(policies.Items) != 1 {
			return false, fmt.Sprintf("there are %d policies", len(policies.Items))
		}

		out = nil

		for _, name := range policies.Items[0].Spec.Activations {
			if string(name) == "objects.kubernetes.m.crossplane.io" { // Of provider-kubernetes, which is not installed.
				continue
			}

			crd := &unstructured.Unstructured{}
			crd.SetAPIVersion("apiextensions.k8s.io/v1")
			crd.SetKind("CustomResourceDefinition")

			if err := r.Client.Get(ctx, client.ObjectKey{Name: string(name)}, crd); err != nil {
				return false, err.Error()
			}

			out = append(out, string(name))
		}

		return true, ""
	})

	slices.Sort(out)

	return out, err
}
