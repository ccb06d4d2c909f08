package preview

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// composedVM is what a turn makes: the composite, and a VM with some policies.
func composedVM(t *testing.T, policies string) Turn {
	t.Helper()

	vm := "kind: EnvironmentVM\nmetadata: {name: vm-1, annotations: {crossplane.io/composition-resource-name: vm}}\nspec: {managementPolicies: " + policies + "}\n"

	return Turn{Composite: object(t, "{kind: XMachine, status: {phase: Pending}}"), Composed: []unstructured.Unstructured{object(t, vm)}}
}

func TestProvide(t *testing.T) {
	const all = "[Observe, Create, Update]"

	type want struct {
		Grown, More bool
		External    string
		Synced      string
	}

	cases := map[string]struct {
		reason string
		turn   string // Policies of the VM that was rendered, and is provided.
		next   string // Policies of the VM that is rendered after that.
		want   want
	}{
		"Made": {
			reason: "What may be made is made, and is there at the next turn.",
			turn:   all, next: all,
			want: want{Grown: true, External: "vm-1", Synced: "ReconcileSuccess"},
		},
		"LookedAt": {
			reason: "What may only be looked at is not there, and to make it is another step.",
			turn:   "[Observe]", next: all,
			want: want{Grown: true, More: true, Synced: "ReconcileError"},
		},
		"StillLookedAt": {
			reason: "To go on looking is no step: a VM that is to be taken over is not there in a preview.",
			turn:   "[Observe]", next: "[Observe]",
			want: want{Grown: true, Synced: "ReconcileError"},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := &stage{composite: object(t, "{kind: XMachine}")}

			got := want{Grown: s.provide(composedVM(t, tc.turn)), More: s.lacksOneOf(composedVM(t, tc.next).Composed)}

			vm := s.observed[0]
			got.External = vm.GetAnnotations()[annotationExternalName]

			for _, c := range vm.Object["status"].(map[string]any)["conditions"].([]any) {
				if c := c.(map[string]any); c["type"] == "Synced" {
					got.Synced = c["reason"].(string)
				}
			}

			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("\n%s\nprovide(...): -want, +got:\n%s", tc.reason, diff)
			}

			if diff := cmp.Diff(map[string]any{"phase": "Pending"}, s.composite.Object["status"]); diff != "" {
				t.Errorf("the composite forgets its status: -want, +got:\n%s", diff)
			}
		})
	}
}
