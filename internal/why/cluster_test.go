package why

import (
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// TestNodesOf: what a cluster waits for is told by its nodes.
func TestNodesOf(t *testing.T) {
	cluster := func(kind, namespace string, spec map[string]any, turn string) unstructured.Unstructured {
		return unstructured.Unstructured{Object: map[string]any{
			"kind": kind, "metadata": map[string]any{"name": "home", "namespace": namespace}, "spec": spec,
			"status": map[string]any{
				"rollout": map[string]any{"turn": map[string]any{"node": turn}},
				"nodes": []any{
					map[string]any{"name": "server-0", "machine": "home-server-0", "state": "Ready"},
					map[string]any{"name": "server-1", "machine": "home-server-1", "state": "Replacing"},
					map[string]any{"name": "worker-0", "machine": "home-worker-0", "state": "NotReady"},
				},
			},
		}}
	}

	for name, tc := range map[string]struct {
		reason string
		of     unstructured.Unstructured
		want   string
	}{
		"Namespaced": {
			"The node that has its turn, and the one that is not ready.", cluster("K3sCluster", "infra", nil, "server-1"),
			" The nodes that it waits for say more: `kubectl machine why k3snode/home-server-1 -n infra`, `kubectl machine why k3snode/home-worker-0 -n infra`.",
		},
		"Claim": {
			"The nodes of a claim are composites, in no namespace.", cluster("K3sCluster", "infra", map[string]any{"resourceRef": map[string]any{"name": "home-x"}}, ""),
			" The nodes that it waits for say more: `kubectl machine why xk3snode/home-worker-0`.",
		},
		"Composite": {
			"So are those of a composite.", cluster("XK3sCluster", "", nil, ""), " The nodes that it waits for say more: `kubectl machine why xk3snode/home-worker-0`.",
		},
		"Machine": {"A machine has no nodes.", cluster("Machine", "infra", nil, "server-1"), ""},
	} {
		t.Run(name, func(t *testing.T) {
			if got := nodesOf(tc.of); got != tc.want {
				t.Errorf("%s\nwant %q\ngot  %q", tc.reason, tc.want, got)
			}
		})
	}
}

// TestOfCluster: what a node of a cluster waits for, and what there is to do, is said with the fields of the cluster's claim.
func TestOfCluster(t *testing.T) {
	node := func(kind, reason, text string) unstructured.Unstructured {
		return unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "homelab.io/v1alpha1", "kind": "K3sNode",
			"metadata": map[string]any{
				"name": "home-server-1", "annotations": map[string]any{"crossplane.io/composition-resource-name": "server-1"},
				"ownerReferences": []any{map[string]any{"apiVersion": "homelab.io/v1alpha1", "kind": "K3sCluster", "controller": true}},
			},
			"spec":   map[string]any{"k3s": map[string]any{"role": "server"}},
			"status": map[string]any{"conditions": []any{map[string]any{"type": kind, "status": "True", "reason": reason, "message": text}}},
		}}
	}

	for name, tc := range map[string]struct{ reason, kind, why, says, want string }{
		"Message": {
			"The message names the node's field.", "ReplacementRequired", "BootstrapChanged", "To replace the VM, set spec.lifecycle.replace to a new value", "spec.nodes[server-1].lifecycle.replace",
		},
		"Row": {"So does what the documentation says.", "RebootPending", "ChangesPending", "", "spec.nodes[server-1].lifecycle.reboot"},
	} {
		t.Run(name, func(t *testing.T) {
			o := node(tc.kind, tc.why, tc.says)
			w := LineOf(o).Waits

			for _, got := range []string{Explain(o, time.Time{}).Text, w[0].Message + w[0].Todo} {
				if !strings.Contains(got, tc.want) || strings.Contains(got, "spec.lifecycle") {
					t.Errorf("%s\nwant %q\ngot  %q", tc.reason, tc.want, got)
				}
			}
		})
	}
}
