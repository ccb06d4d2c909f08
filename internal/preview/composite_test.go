package preview

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func TestCompositeOf(t *testing.T) {
	withClaims := definition{}
	withClaims.Spec.Group = "homelab.io"
	withClaims.Spec.Names.Kind = "XMachine"
	withClaims.Spec.ClaimNames = &kindNames{Kind: "Machine"}

	namespaced := definition{}
	namespaced.Spec.Group = "homelab.io"
	namespaced.Spec.Names.Kind = "Machine"

	type args struct {
		object map[string]any
		d      definition
	}

	cases := map[string]struct {
		reason string
		args   args
		want   map[string]any
	}{
		"Claim": {
			reason: "A claim becomes a cluster-scoped composite that names it, with its spec, status, labels and annotations.",
			args: args{d: withClaims, object: map[string]any{
				"apiVersion": "homelab.io/v1alpha1",
				"kind":       "Machine",
				"metadata": map[string]any{
					"name": "dns01", "namespace": "infra",
					"labels":      map[string]any{"tenant-id": "a", "app.kubernetes.io/name": "dns"},
					"annotations": map[string]any{"note": "n", "kubectl.kubernetes.io/last-applied-configuration": "{}"},
				},
				"spec":   map[string]any{"class": "small"},
				"status": map[string]any{"vmId": int64(153)},
			}},
			want: map[string]any{
				"apiVersion": "homelab.io/v1alpha1",
				"kind":       "XMachine",
				"metadata": map[string]any{
					"name":        generatedName("infra", "dns01"),
					"labels":      map[string]any{"tenant-id": "a", labelClaimName: "dns01", labelClaimNamespace: "infra"},
					"annotations": map[string]any{"note": "n"},
				},
				"spec": map[string]any{
					"class": "small",
					"claimRef": map[string]any{
						"apiVersion": "homelab.io/v1alpha1", "kind": "Machine", "name": "dns01", "namespace": "infra",
					},
				},
				"status": map[string]any{"vmId": int64(153)},
			},
		},
		"ClaimWithMachinery": {
			reason: "What belongs to the claim itself is not copied, what selects a Composition is.",
			args: args{d: withClaims, object: map[string]any{
				"apiVersion": "homelab.io/v1alpha1",
				"kind":       "Machine",
				"metadata":   map[string]any{"name": "dns01"},
				"spec": map[string]any{
					"compositeDeletePolicy":      "Background",
					"compositionRef":             map[string]any{"name": "c"},
					"resourceRef":                map[string]any{"name": "dns01-xyz"},
					"resourceRefs":               []any{map[string]any{"name": "somebody-elses-vm"}},
					"writeConnectionSecretToRef": map[string]any{"name": "s"},
				},
			}},
			want: map[string]any{
				"apiVersion": "homelab.io/v1alpha1",
				"kind":       "XMachine",
				"metadata": map[string]any{
					"name":   generatedName("default", "dns01"),
					"labels": map[string]any{labelClaimName: "dns01", labelClaimNamespace: "default"},
				},
				"spec": map[string]any{
					"compositionRef": map[string]any{"name": "c"},
					"claimRef": map[string]any{
						"apiVersion": "homelab.io/v1alpha1", "kind": "Machine", "name": "dns01", "namespace": "default",
					},
				},
			},
		},
		"CompositeOfClaimsPackage": {
			reason: "A composite that somebody wrote by hand is rendered as it is, without a namespace.",
			args: args{d: withClaims, object: map[string]any{
				"apiVersion": "homelab.io/v1alpha1", "kind": "XMachine", "metadata": map[string]any{"name": "dns01"},
			}},
			want: map[string]any{
				"apiVersion": "homelab.io/v1alpha1", "kind": "XMachine", "metadata": map[string]any{"name": "dns01"},
			},
		},
		"Namespaced": {
			reason: "With the namespaced XRD the manifest is the composite.",
			args: args{d: namespaced, object: map[string]any{
				"apiVersion": "homelab.io/v1alpha1", "kind": "Machine", "metadata": map[string]any{"name": "dns01", "namespace": "infra"},
			}},
			want: map[string]any{
				"apiVersion": "homelab.io/v1alpha1", "kind": "Machine", "metadata": map[string]any{"name": "dns01", "namespace": "infra"},
			},
		},
		"NamespacedWithoutNamespace": {
			reason: "A manifest without a namespace goes where kubectl would put it.",
			args: args{d: namespaced, object: map[string]any{
				"apiVersion": "homelab.io/v1alpha1", "kind": "Machine", "metadata": map[string]any{"name": "dns01"},
			}},
			want: map[string]any{
				"apiVersion": "homelab.io/v1alpha1", "kind": "Machine", "metadata": map[string]any{"name": "dns01", "namespace": "default"},
			},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			in := unstructured.Unstructured{Object: tc.args.object}
			before := in.DeepCopy()

			got := compositeOf(in, tc.args.d)
			if diff := cmp.Diff(tc.want, got.Object); diff != "" {
				t.Errorf("\n%s\ncompositeOf(...): -want, +got:\n%s", tc.reason, diff)
			}

			if diff := cmp.Diff(before.Object, in.Object); diff != "" {
				t.Errorf("\ncompositeOf(...) changed its argument: -before, +after:\n%s", diff)
			}
		})
	}
}

func TestGeneratedName(t *testing.T) {
	long := strings.Repeat("a", 63)

	cases := map[string]struct {
		reason          string
		namespace, name string
		want            string
	}{
		"Stable": {
			reason:    "The name is part of what examples show, so it must never change.",
			namespace: "infra", name: "server-1",
			want: "server-1-d2lcs",
		},
		"OtherNamespace": {
			reason:    "Claims of one name in two namespaces are two composites.",
			namespace: "lab", name: "server-1",
			want: "server-1-p4mpg",
		},
		"Long": {
			reason:    "A name fits a label, as Crossplane puts it into one.",
			namespace: "infra", name: long,
			want: long[:58] + "tmgjg",
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := generatedName(tc.namespace, tc.name)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("\n%s\ngeneratedName(...): -want, +got:\n%s", tc.reason, diff)
			}

			if len(got) > 63 {
				t.Errorf("\n%s\ngeneratedName(...): %d characters, want at most 63", tc.reason, len(got))
			}
		})
	}
}
