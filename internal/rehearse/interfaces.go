package rehearse

import (
	"fmt"

	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// assumeInterfaces lets nodes have the interfaces that a ProxmoxSite needs and does not make: ports of its bridges, and what its VLAN interfaces are on. No
// file says which a node has, and only the provider can look.
func assumeInterfaces(m *world.Machine) {
	nodes := world.Object(m.Spec()["nodes"])

	for node, entry := range nodes {
		made := map[string]bool{}
		for _, b := range world.List(world.Object(entry)["bridges"]) {
			made[fmt.Sprint(world.Object(b)["name"])] = true
		}

		assume := func(name any) {
			id := fmt.Sprint(node, ":", name)
			if text, _ := name.(string); text != "" && !made[text] && m.Proxmox.SiteParts[id] == nil {
				m.Proxmox.SiteParts[id] = map[string]any{"nodeName": node, "name": text}
			}
		}

		for _, b := range world.List(world.Object(entry)["bridges"]) {
			for _, port := range world.List(world.Object(b)["ports"]) {
				assume(port)
			}
		}

		for _, v := range world.List(world.Object(entry)["vlans"]) {
			assume(world.Object(v)["interface"])
		}
	}
}
