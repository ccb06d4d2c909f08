package cluster

import (
	"testing"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
)

// TestTyped: a person reads the fields that they can edit.
func TestTyped(t *testing.T) {
	cases := map[string]struct {
		reason, node, text, want string
		role                     v1alpha1.K3sRole
	}{
		"Lifecycle":  {"Actions are requested of single nodes.", "server-1", "set spec.lifecycle.force to a new value.", "set spec.nodes[server-1].lifecycle.force to a new value.", v1alpha1.K3sServer},
		"Drain":      {"Drains are the rollout's.", "server-1", "set spec.k3s.drain to false, or spec.lifecycle.force to a new value", "set spec.rollout.drain to false, or spec.nodes[server-1].lifecycle.force to a new value", v1alpha1.K3sServer},
		"Reboots":    {"So is whether nodes are restarted, although it is among a node's actions.", "server-1", "spec.lifecycle.rebootPolicy: WhenNeeded", "spec.rollout.rebootPolicy: WhenNeeded", v1alpha1.K3sServer},
		"OfAnother":  {"What is said of another node is that one's.", "server-1", "(was replaced, and its spec.lifecycle.joined does not say `a`)", "(was replaced, and its lifecycle.joined does not say `a`)", v1alpha1.K3sServer},
		"Cluster":    {"Some fields are the whole cluster's.", "worker-0", "spec.k3s.version must be", "spec.version must be", v1alpha1.K3sAgent},
		"OfNode":     {"Some are a node's, by other names.", "worker-0", "change spec.proxmox.vmId, spec.network.ip.", "change spec.nodes[worker-0].vmId, spec.nodes[worker-0].ip.", v1alpha1.K3sAgent},
		"Pool":       {"Some are the pool's.", "gpu-node-0", "a larger spec.class", "a larger spec.agents[gpu-node].class", v1alpha1.K3sAgent},
		"Servers":    {"Servers are a pool without a name.", "server-0", "spec.disks[data].size: 10Gi", "spec.servers.disks[data].size: 10Gi", v1alpha1.K3sServer},
		"Template":   {"And all others are in its template.", "worker-1", "spec.network.pool, spec.bootstrap.secrets[0].path", "spec.agents[worker].template.network.pool, spec.agents[worker].template.bootstrap.secrets[0].path", v1alpha1.K3sAgent},
		"NotAField":  {"Words that look alike are none.", "server-1", "the spec. A spec is this; myspec.lifecycle.x", "the spec. A spec is this; myspec.lifecycle.x", v1alpha1.K3sServer},
		"Prefix":     {"Nor is a field that begins alike.", "server-1", "spec.classes", "spec.servers.template.classes", v1alpha1.K3sServer},
		"EndOfWords": {"A full stop ends a sentence, not a field.", "server-1", "see spec.lifecycle.reboot.", "see spec.nodes[server-1].lifecycle.reboot.", v1alpha1.K3sServer},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := typed(tc.node, tc.role, tc.text); got != tc.want {
				t.Errorf("%s\ngot:  %s\nwant: %s", tc.reason, got, tc.want)
			}
		})
	}
}
