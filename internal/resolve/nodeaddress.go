package resolve

import (
	"net/netip"
	"slices"

	"github.com/homelab-io/function-proxmox-machine/internal/machine"
)

// A NIC is what a VM that was made as a node of K3s has on one of its interfaces.
type NIC struct {
	// IPv4 and IPv6 are as they were written for the first boot of the guest.
	IPv4, IPv6 machine.Addressing
	// Reported are the addresses that the guest agent reports; none without one.
	Reported []netip.Addr
}

// keepNodeAddresses of a VM that is a node of K3s: it keeps those that it was made with, and only a new VM can have others. The guest reads the cloud-init
// drive at its first boot only, and the K3s of that boot knows the node by its address for good: a server with another one does not start ("this server is a
// not a member of the etcd cluster", k3s-io/k3s pkg/etcd/etcd.go, and issues 4296, 5991 and 7558), and neither does a kubelet whose node-ip no interface has.
// What the guest agent reports already, a person has changed in the guest.
func (g *given) keepNodeAddresses(nics []machine.NIC) {
	if g.existing.Adopting {
		return
	}

	for i, has := range g.existing.NICs {
		// K3s takes the address of the first interface, unless its config names one.
		if i == len(nics) || i > 0 && (g.k3s == nil || g.k3s.Config["node-ip"] == nil) {
			return
		}

		// An address of Cluster API's IPAM stays claimed as long as the node has it.
		if i == 0 && !g.existing.Address.Of.IsZero() {
			has.IPv4 = claimed(g.existing.Address)
		}

		if wanted := nics[i].IPv4; i == 0 && stranded(has.IPv4, nics) {
			nics[i].IPv4 = has.IPv4
			nics[i].IPv4.Refused = &wanted
		} else {
			nics[i].IPv4 = has.keep(has.IPv4, wanted)
		}

		nics[i].IPv6 = has.keep(has.IPv6, nics[i].IPv6)
	}
}

// stranded says whether a node with a fixed address that stays has no way out of its network any more, since the site's network became another one, where the
// address is nobody's: then its place in the network stays, too. One line of the catalogue would otherwise take all servers from each other at once.
func stranded(has machine.Addressing, wanted []machine.NIC) bool {
	first := wanted[0].IPv4
	routes := func(n machine.NIC) bool { return n.IPv4.Gateway != "" || n.IPv4.Method == machine.MethodDHCP }

	had := has.Method == machine.MethodStatic && inside(has.Gateway, has.Address, has.Prefix)
	stays := first.Pool == nil && sameHost(has.Address, first.Address)

	return had && stays && !slices.ContainsFunc(wanted, routes)
}

// keep what an interface has, where it is to have another address.
func (n NIC) keep(has, wanted machine.Addressing) machine.Addressing {
	same := has.Method == wanted.Method && (has.Method != machine.MethodStatic || sameHost(has.Address, wanted.Address))
	seen := slices.ContainsFunc(n.Reported, func(a netip.Addr) bool { return sameHost(a.String(), wanted.Address) })

	// An address of a pool stays by itself.
	if same || seen || wanted.Pool != nil {
		return wanted
	}

	has.Refused = &wanted

	return has
}
