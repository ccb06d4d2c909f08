package controlplane

import (
	"context"
	"fmt"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// clusterThatHangs is a K3sCluster whose first server never joins, since the stand-in for K3s knows its nodes by their names; and somebody has
// paused it. Its second pool waits for ever.
func clusterThatHangs(t *testing.T) situation {
	t.Helper()

	claim := clusterClaim()
	claim.SetName("metrics-cluster")
	unstructured.RemoveNestedField(claim.Object, "spec", "cluster")

	claim = edited(claim, map[string]any{
		"servers.count": int64(1), "endpoint": "https://192.168.4.9:6443", "version": "v1.33.6+k3s1", "rollout": map[string]any{"pause": false},
		"nodes": []any{
			map[string]any{"name": "server-0", "ip": "192.168.4.231/24"},
			map[string]any{"name": "worker-0", "ip": "192.168.4.232/24"},
			map[string]any{"name": "worker-1", "ip": "192.168.4.233/24"},
		},
	})

	// The labels of its metrics are those of a VM that runs.
	running := func(ctx context.Context, r *rig, claim *unstructured.Unstructured) error {
		err := r.until(ctx, "the first server of "+claim.GetName()+" has a VM", func(ctx context.Context) (bool, string) {
			now, err := r.now(ctx, claim)
			if err != nil {
				return false, err.Error()
			}

			nodes, _, err := unstructured.NestedSlice(now.Object, "status", "nodes")
			if err != nil || len(nodes) == 0 {
				return false, fmt.Sprintf("nodes are %v, %v", nodes, err)
			}

			first, _ := nodes[0].(map[string]any)

			return first["vmId"] != nil && first["address"] != nil && first["proxmoxNode"] != nil && first["version"] != nil, fmt.Sprint(first)
		})
		if err != nil {
			return err
		}

		return pause(ctx, r, claim)
	}

	return situation{
		claim: claim, never: true, after: running,
		says: [3]string{"ServersReady", "False", "NotReady"}, alerts: []string{"ClusterPaused", "ClusterRolloutStuck", "ClusterServersNotReady"},
	}
}

// metricOf the conditions of a claim, and the label that has the claim's name.
func metricOf(claim *unstructured.Unstructured) (metric, label string) {
	if claim.GetKind() == "K3sCluster" {
		return "homelab_cluster_condition", "cluster"
	}

	return "homelab_machine_condition", "machine"
}
