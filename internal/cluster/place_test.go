package cluster

import (
	"testing"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
)

// TestPlace: a fault of a node is where the person typed the field: in the node's entry or in the pool's template.
func TestPlace(t *testing.T) {
	template := v1alpha1.NodeTemplate{"proxmox": map[string]any{"node": "pve9"}}
	three := int64(3)

	cases := map[string]struct {
		reason, path string
		role         v1alpha1.K3sRole
		node         string
		entry        v1alpha1.ClusterNode
		want         string
	}{
		"Template":    {"The entry says nothing of it.", "spec.proxmox.node", v1alpha1.K3sServer, "server-0", v1alpha1.ClusterNode{Name: "server-0", IP: "192.168.4.211"}, "spec.servers.template.proxmox.node"},
		"OfAgents":    {"The template is the pool's.", "spec.proxmox.node", v1alpha1.K3sAgent, "worker-0", v1alpha1.ClusterNode{Name: "worker-0"}, "spec.agents[0].template.proxmox.node"},
		"Entry":       {"The entry counts.", "spec.proxmox.node", v1alpha1.K3sServer, "server-0", v1alpha1.ClusterNode{Name: "server-0", ProxmoxNode: "pve8"}, "spec.nodes[0].proxmoxNode"},
		"Nowhere":     {"What is missing belongs into the entry.", "spec.proxmox.vmId", v1alpha1.K3sServer, "server-0", v1alpha1.ClusterNode{Name: "server-0"}, "spec.nodes[0].vmId"},
		"NoEntry":     {"There is only the template.", "spec.proxmox.node", v1alpha1.K3sServer, "server-1", v1alpha1.ClusterNode{Name: "server-0"}, "spec.servers.template.proxmox.node"},
		"OfTheEntry":  {"No template has it.", "spec.lifecycle.reboot", v1alpha1.K3sServer, "server-0", v1alpha1.ClusterNode{Name: "server-0"}, "spec.nodes[0].lifecycle.reboot"},
		"OfAllOthers": {"It is the template's anyway.", "spec.proxmox.storage", v1alpha1.K3sServer, "server-0", v1alpha1.ClusterNode{Name: "server-0"}, "spec.servers.template.proxmox.storage"},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			spec := v1alpha1.K3sClusterSpec{Nodes: []v1alpha1.ClusterNode{tc.entry}}
			spec.Servers.Count, spec.Servers.Template = &three, template
			spec.Agents = []v1alpha1.AgentPool{{Name: "worker"}}
			spec.Agents[0].Template = template

			if got := place(tc.path, Member{Node: tc.node, Role: tc.role}, spec); got != tc.want {
				t.Errorf("%s: %s is at %s, want %s", tc.reason, tc.path, got, tc.want)
			}
		})
	}
}
