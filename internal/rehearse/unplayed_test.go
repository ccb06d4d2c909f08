package rehearse

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/homelab-io/function-proxmox-machine/internal/preview"
)

// TestUnplayed: of what was observed, a rehearsal has beside its machines what none of them is or composed.
func TestUnplayed(t *testing.T) {
	object := func(kind, namespace, name string, owner ...string) unstructured.Unstructured {
		o := unstructured.Unstructured{Object: map[string]any{"kind": kind}}
		o.SetNamespace(namespace)
		o.SetName(name)

		if len(owner) > 0 {
			o.SetOwnerReferences([]metav1.OwnerReference{{Kind: owner[0], Name: owner[1], Controller: new(true)}})
		}

		return o
	}

	a, b := object("Machine", "infra", "a"), object("Machine", "infra", "b")
	cluster := object("XK3sCluster", "", "home-x")

	cases := map[string]struct {
		reason   string
		played   []*unstructured.Unstructured
		observed []unstructured.Unstructured
		want     []string
	}{
		"Born":      {"What is born was not observed.", []*unstructured.Unstructured{nil}, []unstructured.Unstructured{a}, []string{"a"}},
		"Another":   {"A machine that nobody edits stays as it is, with its VM.", []*unstructured.Unstructured{&a}, []unstructured.Unstructured{b, object("EnvironmentVM", "infra", "b-vm", "Machine", "b")}, []string{"b", "b-vm"}},
		"Both":      {"Of two that are edited, neither is beside the other.", []*unstructured.Unstructured{&a, &b}, []unstructured.Unstructured{b, object("EnvironmentVM", "infra", "b-vm", "Machine", "b")}, nil},
		"Namespace": {"One name in two namespaces is two machines.", []*unstructured.Unstructured{&a}, []unstructured.Unstructured{object("Machine", "other", "a")}, []string{"a"}},
		"Kind":      {"One name of two kinds is two machines.", []*unstructured.Unstructured{&a}, []unstructured.Unstructured{object("EnvironmentVM", "infra", "c", "Container", "a")}, []string{"c"}},
		"Cluster": {
			"What the nodes of a cluster composed is the cluster's, in any order.",
			[]*unstructured.Unstructured{&cluster},
			[]unstructured.Unstructured{object("EnvironmentVM", "", "home-0-vm", "XK3sNode", "home-0"), object("XK3sNode", "", "home-0", "XK3sCluster", "home-x"), object("Node", "", "home-0")},
			[]string{"home-0"},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var machines []Machine
			for _, was := range tc.played {
				machines = append(machines, Machine{Is: preview.Scene{Was: was}})
			}

			var got []string
			for _, o := range unplayed(machines, tc.observed) {
				got = append(got, o.GetName())
			}

			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nunplayed(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
