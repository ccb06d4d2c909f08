package resolve

import (
	"fmt"
	"maps"
	"net/netip"
	"path"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
)

// ofNetplan is what netplan reads of an interface, as far as its address goes.
type ofNetplan struct {
	Network struct {
		Ethernets map[string]struct {
			DHCP4     bool  `yaml:"dhcp4"`
			Addresses []any `yaml:"addresses"`
		} `yaml:"ethernets"`
	} `yaml:"network"`
}

// ownAddresses warns of files of netplan that give an interface of the claim another address: netplan merges all files by the names of interfaces, and lists
// of addresses grow (netplan(5), netplan-generate(8)), so that the guest has another one, or both, from its next boot on. An address of another network is
// nobody's mistake.
func ownAddresses(g *given, n *notes, m *machine.Machine) {
	if !namesByOrder(m) {
		return
	}

	files := g.userData().PlainFiles()

	for _, file := range slices.Sorted(maps.Keys(files)) {
		var netplan ofNetplan
		if path.Dir(file) != "/etc/netplan" || yaml.Unmarshal([]byte(files[file]), &netplan) != nil {
			continue
		}

		for i, nic := range m.NICs {
			name := fmt.Sprintf("eth%d", i)
			own := netplan.Network.Ethernets[name]
			at := "spec.network"

			if i > 0 {
				at = fmt.Sprintf("spec.nics[%d]", i-1)
			}

			switch other := otherAddress(nic.IPv4, own.Addresses); {
			case nic.IPv4.Method == machine.MethodStatic && own.DHCP4:
				n.warn("spec.bootstrap.userData: %s: dhcp4 gives %s an address beside the fixed one of %s from the guest's next boot on: remove it.", message.Excerpt(file), name, at)
			case other != "":
				n.warn("spec.bootstrap.userData: %s: gives %s the address %s from the guest's next boot on, which %s does not know of: write it as ip there, and remove it here.",
					message.Excerpt(file), name, message.Excerpt(other), at)
			}
		}
	}
}

// otherAddress is the first of some addresses that an interface has in place of its own: in its network, or where it asks DHCP.
func otherAddress(has machine.Addressing, addresses []any) string {
	for _, item := range addresses {
		text, _ := item.(string)

		a, err := netip.ParsePrefix(text)
		if err != nil || !a.Addr().Is4() {
			continue
		}

		own, err := netip.ParseAddr(has.Address)
		if has.Method == machine.MethodDHCP || err == nil && own != a.Addr() && netip.PrefixFrom(own, int(has.Prefix)).Masked().Contains(a.Addr()) {
			return text
		}
	}

	return ""
}
