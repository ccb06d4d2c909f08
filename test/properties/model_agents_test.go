package properties

import (
	"maps"
	"slices"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// lostModels are worlds of an agent whose VM and Kubernetes Node go one after the other.
func lostModels() map[string]model {
	return map[string]model{
		"AgentLeaves": {
			reason: "The Node of an agent goes before its VM.", agents: 1, destroy: 1, away: 1, node: true,
			person: []act{edit("lets its VM go with the claim", `{deletionPolicy: Delete, deletionProtection: false}`), {what: "deletes the claim", do: leave}},
		},
		"AgentDestroyedByHand": {
			reason: "A VM that is made again joins once somebody has deleted the Node of the VM before.", agents: 1, away: 1,
			person: []act{
				byHand("destroys the VM", func(p *world.Proxmox, id int) { p.DestroyByHand(id) }),
				{what: "deletes the Node", do: func(ms []*world.Machine) { clear(ms[0].Cluster().Nodes) }},
			},
		},
	}
}

// outlived is the Node that is there although the VM that registered it was destroyed since so much was done in Proxmox; empty where there is none.
func outlived(n node, before int) string {
	for _, done := range n.proxmox().Done[before:] {
		if !strings.HasPrefix(done, "destroy ") {
			continue
		}

		for _, name := range slices.Sorted(maps.Keys(n.cluster.Nodes)) {
			if !n.cluster.NodeServes(name) {
				return "Node " + name + " is there, and its VM is destroyed"
			}
		}
	}

	return ""
}
