package resolve

import (
	"net/netip"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
)

// defaultBridge is that of a fresh Proxmox VE installation.
const defaultBridge = "vmbr0"

// bridgeOf a machine is the bridge of the first interface; empty for an adopted VM whose claim names none.
func bridgeOf(g *given, site catalog.Site) named {
	switch n := g.spec.Network; {
	case n != nil && n.Bridge != "":
		return named{name: n.Bridge, at: g.at.Child("network", "bridge")}
	case g.spec.Proxmox.Bridge != "":
		return named{name: g.spec.Proxmox.Bridge, at: g.at.Child("proxmox", "bridge")}
	case g.existing.Adopting:
		return named{name: "", at: g.at.Child("proxmox", "bridge")}
	case site.Network.Bridge != "":
		return named{name: site.Network.Bridge, at: bridgeAt(site)}
	default:
		return named{name: defaultBridge, at: g.at.Child("proxmox", "bridge")}
	}
}

// bridgeAt is the path of a site's bridge.
func bridgeAt(site catalog.Site) *field.Path { return site.Path().Child("network", "bridge") }

// inside reports whether a gateway is inside the subnet of an address.
func inside(gateway, ip string, prefixLength int64) bool {
	g, err := netip.ParseAddr(gateway)
	if err != nil {
		return false
	}

	a, err := netip.ParseAddr(ip)
	if err != nil || a == g {
		return false
	}

	p, err := a.Prefix(int(prefixLength))

	return err == nil && p.Contains(g)
}
