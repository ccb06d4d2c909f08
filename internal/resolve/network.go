package resolve

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/validate"
)

// network resolves the interfaces and name servers.
type network struct {
	g *given
	n *notes
	l located
}

// A networked machine has interfaces and name servers.
type networked struct {
	nics   []machine.NIC
	domain string
	search []string
	record string
	dns    []string
	typed  map[string]string // See [machine.Machine.Typed].
}

// resolve resolves the claim's interfaces. The first one also uses the site's defaults.
func (r network) resolve() networked {
	n := r.g.spec.Network
	if n == nil {
		dhcp := true
		n = &v1alpha1.Network{IPv4: v1alpha1.IPv4{DHCP: &dhcp}}
	}

	first := machine.NIC{
		Bridge: bridgeOf(r.g, r.l.site).name,
		MAC:    r.firstMAC(n),
		IPv4:   r.firstIPv4(n),
		IPv6:   ipv6(n.IPv6),

		Firewall:  r.g.unlessAdopted(n.Firewall, false),
		MTU:       orZero(n.MTU),
		StableMAC: n.StableMAC,
	}

	switch v := cmp.Or(n.VLAN, r.g.spec.Proxmox.VLAN); {
	case v != nil:
		first.VLAN = *v
	case !r.g.existing.Adopting:
		first.VLAN = r.l.site.Network.VLAN
	}

	out := networked{
		nics: []machine.NIC{first}, domain: cmp.Or(n.Domain, r.l.site.Network.Domain), search: slices.Clone(n.SearchDomains), record: n.DNSRecord,
		dns: slices.Clone(r.l.site.Network.DNS), typed: r.typed(n),
	}

	if len(n.DNS) > 0 {
		out.dns = slices.Clone(n.DNS)
	}

	for _, nic := range r.g.spec.NICs {
		further := machine.NIC{Bridge: nic.Bridge, MAC: strings.ToUpper(nic.MAC), IPv4: furtherIPv4(nic.IPv4), IPv6: ipv6(nic.IPv6)}
		further.Firewall, further.MTU = r.g.unlessAdopted(nic.Firewall, false), orZero(nic.MTU)

		if nic.VLAN != nil {
			further.VLAN = *nic.VLAN
		}

		out.nics = append(out.nics, further)
	}

	r.g.keepNodeAddresses(out.nics)

	return out
}

// firstMAC is the MAC address of the first interface; empty where Proxmox makes one up, and where an existing VM has one of Proxmox's,
// which it keeps. A VM that replaces another one takes over a stable one.
func (r network) firstMAC(n *v1alpha1.Network) string {
	switch {
	case !n.StableMAC:
		return strings.ToUpper(n.MAC)
	case r.g.existing.Has != nil || r.g.existing.Adopting:
		return r.g.existing.MAC
	default:
		return cmp.Or(r.g.existing.MAC, r.g.id.MAC())
	}
}

// typed is what the claim says of the first interface in spec.network, and not in spec.proxmox.
func (r network) typed(n *v1alpha1.Network) map[string]string {
	var out map[string]string

	for name, there := range map[string]bool{
		"bridge": n.Bridge != "" && r.g.spec.Proxmox.Bridge == "", "vlan": n.VLAN != nil && r.g.spec.Proxmox.VLAN == nil,
	} {
		if !there {
			continue
		}

		if out == nil {
			out = map[string]string{}
		}

		out["spec.proxmox."+name] = "spec.network." + name
	}

	return out
}

// firstIPv4 resolves the address of the first interface. Prefix length and gateway may be the site's.
func (r network) firstIPv4(n *v1alpha1.Network) machine.Addressing {
	a := n.IPv4

	switch {
	case n.Pool && a.IP == "" && (a.DHCP == nil || !*a.DHCP): // Anything else is a fault of the claim.
		return addressPool(r).addressing()
	case a.IP == "":
		return machine.Addressing{Method: machine.MethodDHCP}
	}

	out := machine.Addressing{Method: machine.MethodStatic, Address: a.IP, Gateway: a.Gateway}
	at := r.g.at.Child("network")

	switch {
	case a.CIDR != nil:
		out.Prefix = *a.CIDR
	case r.l.site.Network.CIDR != 0:
		out.Prefix = r.l.site.Network.CIDR
		r.n.add(validate.IPv4Subnet(at, a.IP, out.Prefix, a.Gateway)...)
	case !r.l.unknown && len(validate.IPv4(at, a.IP)) == 0:
		missing := field.Required(at.Child("cidr"), "must be the prefix length of the subnet, such as 24: neither claim nor site has one")

		if has := r.g.existing.Has; has != nil && (has.Site.Network.CIDR == 0 || saidCIDR(r.g.existing.Applied)) {
			r.n.add(missing)
		} else if r.n.keeps(r.g, machine.PartSubnet, field.ErrorList{missing}, a.IP, appliedIP) {
			out.Prefix, out.Gateway = has.Site.Network.CIDR, cmp.Or(out.Gateway, has.Site.Network.Gateway)
		}
	}

	if out.Gateway == "" && inside(r.l.site.Network.Gateway, a.IP, out.Prefix) {
		out.Gateway = r.l.site.Network.Gateway
	}

	if g := r.l.site.Network.Gateway; g != "" && out.Gateway == "" && g != a.IP && out.Prefix != 0 && !r.routesElsewhere() {
		r.outside(at.Child("ip"), n, out)
	}

	return out
}

// outside the subnet of the site's gateway, a machine has no default route. K3s does not start without one, unless it is told its node's address
// (k3s-io/k3s issue 1103), so that a new node never joins, and neither does the one that replaces a node's VM for the sake of such an address.
func (r network) outside(at *field.Path, n *v1alpha1.Network, a machine.Addressing) {
	gateway, of := r.l.site.Network.Gateway, r.l.site.Path().Child("network", "gateway")
	routes := n.IPv6 != nil && (n.IPv6.Auto || n.IPv6.DHCP || n.IPv6.Gateway != "")

	if r.g.k3s == nil || !r.brings(a) || routes || r.g.k3s.Config["node-ip"] != nil {
		r.n.warn("%s: %s/%d is outside the subnet of gateway %s (%s), so the machine has no default route: correct the address, or set "+
			"spec.network.gateway.", at, a.Address, a.Prefix, gateway, of)

		return
	}

	rule := "is outside the subnet of gateway " + gateway + " (" + of.String() + "), and without a default route K3s does not start"
	instead := ": set spec.network.gateway"

	if g, err := netip.ParseAddr(gateway); err == nil {
		if subnet, err := g.Prefix(int(a.Prefix)); err == nil {
			instead = ": take an address of " + subnet.String() + ", or set spec.network.gateway"
		}
	}

	r.n.add(field.Invalid(at, fmt.Sprintf("%s/%d", a.Address, a.Prefix), rule+instead))
}

// brings says whether an address is one that no VM of the claim has: that of a new machine, or of an edit.
func (r network) brings(a machine.Addressing) bool {
	before := r.g.existing.Applied
	if before == nil {
		return r.g.isNew()
	}

	had := before.Fields().Network

	return had == nil || !sameHost(had.IP, a.Address)
}

// routesElsewhere says whether another interface than the first one brings a default route.
func (r network) routesElsewhere() bool {
	return slices.ContainsFunc(r.g.spec.NICs, func(n v1alpha1.NIC) bool { return n.Gateway != "" || n.DHCP != nil && *n.DHCP })
}

func furtherIPv4(a v1alpha1.IPv4) machine.Addressing {
	switch {
	case a.IP != "":
		out := machine.Addressing{Method: machine.MethodStatic, Address: a.IP, Gateway: a.Gateway}
		if a.CIDR != nil {
			out.Prefix = *a.CIDR
		}

		return out
	case a.DHCP != nil && *a.DHCP:
		return machine.Addressing{Method: machine.MethodDHCP}
	default:
		return machine.Addressing{}
	}
}

func ipv6(a *v1alpha1.IPv6) machine.Addressing {
	switch {
	case a == nil:
		return machine.Addressing{}
	case a.Auto:
		return machine.Addressing{Method: machine.MethodAuto}
	case a.DHCP:
		return machine.Addressing{Method: machine.MethodDHCP}
	default:
		out := machine.Addressing{Method: machine.MethodStatic, Address: a.IP, Gateway: a.Gateway}
		if a.CIDR != nil {
			out.Prefix = *a.CIDR
		}

		return out
	}
}
