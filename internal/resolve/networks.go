package resolve

import (
	"net/netip"

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

// edgeAt is what an address is in the subnet of one of the machine's interfaces, in words; empty unless no host can have it.
func edgeAt(nics []machine.NIC, a netip.Addr) string {
	for _, nic := range nics {
		address, err := netip.ParseAddr(nic.IPv4.Address)
		if err != nil || nic.IPv4.Prefix == 0 {
			continue
		}

		if subnet, err := address.Prefix(int(nic.IPv4.Prefix)); err == nil && subnet.Contains(a) {
			return validate.EdgeOf(a, subnet)
		}
	}

	return ""
}
