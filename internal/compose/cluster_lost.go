package compose

import (
	"cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/cluster"
)

// findGoneHosts notes of the nodes whether the catalogue has the Proxmox nodes of their VMs. A site that lists none says nothing.
func findGoneHosts(children map[string]cluster.Child, cat catalog.Catalog) {
	for name, child := range children {
		placement, _ := child.Spec["proxmox"].(map[string]any)
		said, _ := placement["site"].(string)

		site, faults := cat.Site(nil, cmp.Or(said, cat.Defaults.Site))
		if len(faults) > 0 || len(site.Nodes) == 0 || child.ProxmoxNode == "" {
			continue
		}

		_, listed := site.Nodes[child.ProxmoxNode]
		child.HostGone = !listed
		children[name] = child
	}
}
