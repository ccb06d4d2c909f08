package resolve

import (
	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
)

// reconnected is where the site says a provider's configuration other than the one that the VM or container was made with; empty where it is the same, and
// where the claim has gone to another site. Where nobody knows the site that the claim named before, a configuration that no site has any more
// was the site's own.
func reconnected(g *given, site catalog.Site, config string) string {
	has := g.existing.ProviderConfig
	if has == "" || has == config {
		return ""
	}

	same := true

	if was := g.existing.Applied; was != nil && was.Fields().Proxmox.Site != "" && g.spec.Proxmox.Site != "" {
		same = was.Fields().Proxmox.Site == g.spec.Proxmox.Site
	} else {
		for _, other := range g.catalog.Sites {
			if name, _ := other.Provider(); name == has {
				same = false
			}
		}
	}

	if !same {
		return ""
	}

	return site.Path().Child("providerConfig").String()
}
