package resolve

import (
	"cmp"
	"net/netip"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/validate"
)

// network resolves the interfaces and name servers.
type network struct{ *resolver }

// bridge returns the bridge of the first interface; empty for an adopted VM whose claim names none.
func (r network) bridge() named {
	at := r.at.Child("proxmox", "bridge")

	switch n := r.spec.Network; {
	case n != nil && n.Bridge != "":
		return named{name: n.Bridge, at: r.at.Child("network", "bridge")}
	case r.spec.Proxmox.Bridge != "":
		return named{name: r.spec.Proxmox.Bridge, at: at}
	case r.existing.Adopting:
		return named{name: "", at: at}
	case r.site.Network.Bridge != "":
		return named{name: r.site.Network.Bridge, at: r.site.Path().Child("network", "bridge")}
	default:
		return named{name: defaultBridge, at: at}
	}
}

// resolve resolves the claim's interfaces. The first one also uses the site's defaults.
func (r network) resolve() {
	n := r.spec.Network
	if n == nil {
		dhcp := true
		n = &v1alpha1.Network{IPv4: v1alpha1.IPv4{DHCP: &dhcp}}
	}

	first := machine.NIC{
		Bridge: r.bridge().name,
		MAC:    r.firstMAC(n),
		IPv4:   r.firstIPv4(n),
		IPv6:   ipv6(n.IPv6),

		Firewall:  r.unlessAdopted(n.Firewall, false),
		MTU:       orZero(n.MTU),
		StableMAC: n.StableMAC,
	}

	switch v := cmp.Or(n.VLAN, r.spec.Proxmox.VLAN); {
	case v != nil:
		first.VLAN = *v
	case !r.existing.Adopting:
		first.VLAN = r.site.Network.VLAN
	}

	r.out.NICs = []machine.NIC{first}
	r.out.Domain = cmp.Or(n.Domain, r.site.Network.Domain)
	r.out.SearchDomains = slices.Clone(n.SearchDomains)
	r.out.DNSRecord = n.DNSRecord
	r.out.DNS = slices.Clone(r.site.Network.DNS)

	if len(n.DNS) > 0 {
		r.out.DNS = slices.Clone(n.DNS)
	}

	r.typed(n)

	for _, nic := range r.spec.NICs {
		further := machine.NIC{Bridge: nic.Bridge, MAC: strings.ToUpper(nic.MAC), IPv4: furtherIPv4(nic.IPv4), IPv6: ipv6(nic.IPv6)}
		further.Firewall, further.MTU = r.unlessAdopted(nic.Firewall, false), orZero(nic.MTU)

		if nic.VLAN != nil {
			further.VLAN = *nic.VLAN
		}

		r.out.NICs = append(r.out.NICs, further)
	}
}

// firstMAC is the MAC address of the first interface; empty where Proxmox makes one up, and where an existing VM has one of Proxmox's,
// which it keeps. A VM that replaces another one takes over a stable one.
func (r network) firstMAC(n *v1alpha1.Network) string {
	switch {
	case !n.StableMAC:
		return strings.ToUpper(n.MAC)
	case r.existing.Has != nil || r.existing.Adopting:
		return r.existing.MAC
	default:
		return cmp.Or(r.existing.MAC, r.id.MAC())
	}
}

// typed notes what the claim says of the first interface in spec.network, and not in spec.proxmox.
func (r network) typed(n *v1alpha1.Network) {
	for name, there := range map[string]bool{
		"bridge": n.Bridge != "" && r.spec.Proxmox.Bridge == "", "vlan": n.VLAN != nil && r.spec.Proxmox.VLAN == nil,
	} {
		if !there {
			continue
		}

		if r.out.Typed == nil {
			r.out.Typed = map[string]string{}
		}

		r.out.Typed["spec.proxmox."+name] = "spec.network." + name
	}
}

// firstIPv4 resolves the address of the first interface. Prefix length and gateway may be the site's.
func (r network) firstIPv4(n *v1alpha1.Network) machine.Addressing {
	a := n.IPv4

	switch {
	case n.Pool && a.IP == "" && (a.DHCP == nil || !*a.DHCP): // Anything else is a fault of the claim.
		return addressPool{r}.addressing()
	case a.IP == "":
		return machine.Addressing{Method: machine.MethodDHCP}
	}

	out := machine.Addressing{Method: machine.MethodStatic, Address: a.IP, Gateway: a.Gateway}
	at := r.at.Child("network")

	switch {
	case a.CIDR != nil:
		out.Prefix = *a.CIDR
	case r.site.Network.CIDR != 0:
		out.Prefix = r.site.Network.CIDR
		r.add(validate.IPv4Subnet(at, a.IP, out.Prefix, a.Gateway)...)
	case !r.siteFault && len(validate.IPv4(at, a.IP)) == 0:
		r.add(field.Required(at.Child("cidr"), "must be the prefix length of the subnet, such as 24: neither claim nor site has one"))
	}

	if out.Gateway == "" && inside(r.site.Network.Gateway, a.IP, out.Prefix) {
		out.Gateway = r.site.Network.Gateway
	}

	if g := r.site.Network.Gateway; g != "" && out.Gateway == "" && g != a.IP && out.Prefix != 0 && !r.routesElsewhere() {
		r.warn("spec.network.ip: %s/%d is outside the subnet of gateway %s (%s), so the machine has no default route: correct the address, or set "+
			"spec.network.gateway.", a.IP, out.Prefix, g, r.site.Path().Child("network", "gateway"))
	}

	return out
}

// routesElsewhere says whether another interface than the first one brings a default route.
func (r network) routesElsewhere() bool {
	return slices.ContainsFunc(r.spec.NICs, func(n v1alpha1.NIC) bool { return n.Gateway != "" || n.DHCP != nil && *n.DHCP })
}

func orZero(n *int64) int64 {
	if n == nil {
		return 0
	}

	return *n
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
