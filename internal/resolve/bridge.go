package resolve

import (
	"net/netip"

	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
)

// defaultBridge is that of a fresh Proxmox VE installation.
const defaultBridge = "vmbr0"

// A bridgeSource is who names the bridge of the first interface.
type bridgeSource string

const (
	bridgeOfNetwork bridgeSource = "Network" // The claim, in spec.network.
	bridgeOfProxmox bridgeSource = "Proxmox" // The claim, in spec.proxmox.
	bridgeOfVM      bridgeSource = "VM"      // Nobody: an adopted VM keeps its own.
	bridgeOfSite    bridgeSource = "Site"    // The catalogue.
	bridgeOfProject bridgeSource = "Project" // Nobody: it is the default.
)

func bridgeSourceOf(g *given, site catalog.Site) bridgeSource {
	switch n := g.spec.Network; {
	case n != nil && n.Bridge != "":
		return bridgeOfNetwork
	case g.spec.Proxmox.Bridge != "":
		return bridgeOfProxmox
	case g.existing.Adopting:
		return bridgeOfVM
	case site.Network.Bridge != "":
		return bridgeOfSite
	}

	return bridgeOfProject
}

// bridgeOf a machine is the bridge of the first interface; empty for an adopted VM whose claim names none.
func bridgeOf(g *given, site catalog.Site) named {
	ofProxmox := func(name string) named { return named{name: name, at: g.at.Child("proxmox", "bridge")} }

	switch bridgeSourceOf(g, site) {
	case bridgeOfNetwork:
		return named{name: g.spec.Network.Bridge, at: g.at.Child("network", "bridge")}
	case bridgeOfProxmox:
		return ofProxmox(g.spec.Proxmox.Bridge)
	case bridgeOfSite:
		return named{name: site.Network.Bridge, at: site.Path().Child("network", "bridge")}
	case bridgeOfProject:
		return ofProxmox(defaultBridge)
	case bridgeOfVM:
	}

	return ofProxmox("")
}

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
