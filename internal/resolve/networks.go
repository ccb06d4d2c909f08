package resolve

import (
	"net/netip"

	"github.com/homelab-io/function-proxmox-machine/internal/k3s"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/validate"
)

// private4 and private6 are the networks that no router of the Internet knows: RFC 1918, and the shared address space of RFC 6598, which
// Tailscale uses, too; RFC 4193, and what is on the link.
var (
	private4 = prefixes("10.0.0.0/8", "100.64.0.0/10", "172.16.0.0/12", "192.168.0.0/16") //nolint:gochecknoglobals // A constant list.
	private6 = prefixes("fc00::/7", "fe80::/10")                                          //nolint:gochecknoglobals // A constant list.
)

func prefixes(of ...string) []netip.Prefix {
	out := make([]netip.Prefix, 0, len(of))
	for _, p := range of {
		out = append(out, netip.MustParsePrefix(p))
	}

	return out
}

// subnetOf an interface that has a fixed address.
func subnetOf(a machine.Addressing) (netip.Prefix, bool) {
	address, err := netip.ParseAddr(a.Address)
	if err != nil || a.Method != machine.MethodStatic || a.Prefix == 0 {
		return netip.Prefix{}, false
	}

	p, err := address.Prefix(int(a.Prefix))

	return p, err == nil
}

// edgeAt is what an address is in the subnet of one of the machine's interfaces, in words; empty unless no host can have it.
func edgeAt(nics []machine.NIC, a netip.Addr) string {
	for _, nic := range nics {
		if subnet, ok := subnetOf(nic.IPv4); ok && subnet.Contains(a) {
			return validate.EdgeOf(a, subnet)
		}
	}

	return ""
}

// elsewhere is a network for pods or services that an address is not in.
func elsewhere(n k3s.Range, a netip.Addr) netip.Prefix {
	of := map[bool]map[k3s.Network][]netip.Prefix{
		true:  {k3s.NetworkPods: prefixes("10.244.0.0/16", "172.28.0.0/16"), k3s.NetworkServices: prefixes("10.245.0.0/16", "172.29.0.0/16")},
		false: {k3s.NetworkPods: prefixes("fd00:244::/56", "fd01:244::/56"), k3s.NetworkServices: prefixes("fd00:245::/112", "fd01:245::/112")},
	}[a.Is4()][n.Of]

	if of[0].Contains(a) || of[0].Overlaps(n.Prefix) {
		return of[1]
	}

	return of[0]
}
