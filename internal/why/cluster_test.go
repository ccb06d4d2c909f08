package why

import (
	"testing"

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
