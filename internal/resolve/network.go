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

	switch {
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
		MAC:    strings.ToUpper(n.MAC),
		IPv4:   r.firstIPv4(n.IPv4),
		IPv6:   ipv6(n.IPv6),
	}

	switch v := r.spec.Proxmox.VLAN; {
	case v != nil:
		first.VLAN = *v
	case !r.existing.Adopting:
		first.VLAN = r.site.Network.VLAN
	}

	r.out.NICs = []machine.NIC{first}
	r.out.Domain = cmp.Or(n.Domain, r.site.Network.Domain)
	r.out.DNS = slices.Clone(r.site.Network.DNS)

	if len(n.DNS) > 0 {
		r.out.DNS = slices.Clone(n.DNS)
	}

	for _, nic := range r.spec.NICs {
		further := machine.NIC{Bridge: nic.Bridge, MAC: strings.ToUpper(nic.MAC), IPv4: furtherIPv4(nic.IPv4), IPv6: ipv6(nic.IPv6)}
		if nic.VLAN != nil {
			further.VLAN = *nic.VLAN
		}

		r.out.NICs = append(r.out.NICs, further)
	}
}

// firstIPv4 resolves the address of the first interface. Prefix length and gateway may be the site's.
func (r network) firstIPv4(a v1alpha1.IPv4) machine.Addressing {
	if a.IP == "" {
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

	if g := r.site.Network.Gateway; g != "" && out.Gateway == "" && g != a.IP && out.Prefix != 0 {
		r.warn("spec.network.ip: %s/%d is outside the subnet of gateway %s (%s), so the machine has no default route: correct the address, or set "+
			"spec.network.gateway.", a.IP, out.Prefix, g, r.site.Path().Child("network", "gateway"))
	}

	return out
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
