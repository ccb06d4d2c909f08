package compose

import (
	"cmp"
	"maps"
	"slices"

	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
)

// nodesOfSite are the nodes that the catalogue lists of a site, or of the default one, without some. None for a site that cannot be used.
func nodesOfSite(cat catalog.Catalog, name string, without []string) []string {
	site, faults := cat.Site(nil, cmp.Or(name, cat.Defaults.Site))
	if len(faults) > 0 {
		return nil
	}

	return slices.DeleteFunc(slices.Sorted(maps.Keys(site.Nodes)), func(n string) bool { return slices.Contains(without, n) })
}
