package lifecycle

import (
	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// Proxmoxes are the names of Proxmox clusters, as sites of the catalogue have them in proxmox, by the provider configurations that reach them. What is
// not in it is known by its configuration alone.
type Proxmoxes map[proxmox.ProviderConfigRef]string

// ProxmoxesOf a catalogue, as managed resources of a flavour refer to them; nil where no site has a name. A configuration with two names is a fault of
// the catalogue; until it is mended the first one in alphabetical order counts.
func ProxmoxesOf(cat catalog.Catalog, f proxmox.Flavour) (out Proxmoxes) {
	for _, site := range cat.Sites {
		if site.Proxmox == "" {
			continue
		}

		if out == nil {
			out = Proxmoxes{}
		}

		name, kind := site.Provider()
		ref := f.Ref(proxmox.ProviderConfig{Name: name, Kind: kind})

		if has := out[ref]; has == "" || site.Proxmox < has {
			out[ref] = site.Proxmox
		}
	}

	return out
}

// Shared is the name of the Proxmox cluster that two provider configurations both reach, as far as the catalogue says; empty where it says nothing.
func (p Proxmoxes) Shared(a, b proxmox.ProviderConfigRef) string {
	if p.join(a, b) {
		return p[a]
	}

	return ""
}

// join says whether two provider configurations reach one Proxmox cluster, as far as the catalogue says.
func (p Proxmoxes) join(a, b proxmox.ProviderConfigRef) bool { return p[a] != "" && p[a] == p[b] }

// part says whether two provider configurations reach two Proxmox clusters, as far as the catalogue says.
func (p Proxmoxes) part(a, b proxmox.ProviderConfigRef) bool {
	return p[a] != "" && p[b] != "" && p[a] != p[b]
}
