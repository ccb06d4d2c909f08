package controlplane

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// TestLegacyCluster: on Crossplane 1.20, too, one claim makes a cluster, replaces an agent without hands, and goes with all its VMs. It hands no
// Secret to a function, so a snippet on the nodes writes the token.
func TestLegacyCluster(t *testing.T) {
	r := oldCore.rig(t)
	r.grant(t)

	c := &clusterRun{nodesRun: &nodesRun{rig: r, k3s: r.observingNamed(t, "None", "node-elder")}, claim: clusterClaim()}
	c.claim.SetName("node-elders")

	template := map[string]any{
		"network":   map[string]any{"gateway": "192.168.4.1"},
		"bootstrap": map[string]any{"snippets": map[string]any{"vendorData": "local:snippets/k3s-token.yaml"}},
	}
	agents := []any{map[string]any{"name": "worker", "count": int64(1), "image": "debian-12", "template": template}}
	c.claim = edited(c.claim, map[string]any{
		"token":   map[string]any{"file": "/etc/rancher/k3s/token", "trustOnFirstUse": true},
		"servers": map[string]any{"count": int64(1), "image": "debian-12", "template": template},
		"agents":  agents,
		"nodes":   []any{map[string]any{"name": "server-0", "ip": "192.168.4.201/24"}, map[string]any{"name": "worker-0", "ip": "192.168.4.204/24"}},
	})

	c.live(t, []nodesStep{
		{"Birth", func(t *testing.T) {
			c.born(t, []string{"server-0", "worker-0"})
		}},
		{"Image", func(t *testing.T) {
			agents := []any{edited(&unstructured.Unstructured{Object: map[string]any{"spec": agents[0]}}, map[string]any{"image": "ubuntu-24.04"}).Object["spec"]}
			c.change(t, map[string]any{"agents": agents})
			c.complete(t, "the agent has another image")
		}},
		{"Delete", c.goes},
	})
}
