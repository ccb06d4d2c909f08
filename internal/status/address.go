package status

import (
	"net/netip"
	"slices"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// addresses are those of a machine's own interfaces.
type addresses struct {
	// all of them, by interface, IPv4 before IPv6, in numerical order.
	all []string
	// primary is the first interface's, IPv4 before IPv6; empty while that one has none.
	primary string
	// silent says that the guest agent reported nothing at all.
	silent bool
}

// guestAddresses are the addresses that the guest agent reports. known is the primary address as it was.
func guestAddresses(vm proxmox.ObservedVM, nics []machine.NIC, known string) addresses {
	byNIC := proxmox.GuestAddresses(vm)

	return addresses{
		all:     ordered(byNIC),
		primary: primary(byNIC, nics, known),
		silent:  len(vm.Status.AtProvider.MACAddresses) == 0,
	}
}

// staticAddresses are the addresses that a claim gives to its interfaces: all that is known of a guest without an agent.
func staticAddresses(nics []machine.NIC) addresses {
	byNIC := make([][]netip.Addr, len(nics))

	for i, n := range nics {
		for _, a := range []machine.Addressing{n.IPv4, n.IPv6} {
			if addr, err := netip.ParseAddr(a.Address); err == nil && a.Method == machine.MethodStatic {
				byNIC[i] = append(byNIC[i], addr)
			}
		}
	}

	out := addresses{all: ordered(byNIC)}
	if len(byNIC) > 0 {
		out.primary = first(byNIC[0], func(netip.Addr) bool { return true })
	}

	return out
}

// primary is the first interface's address, IPv4 before IPv6. Of several addresses of a family, the one that the claim
// asks for wins, then the one that was primary before: a virtual IP that comes and goes changes nothing.
func primary(byNIC [][]netip.Addr, nics []machine.NIC, known string) string {
	i := firstAddressed(byNIC, nics)
	if i < 0 {
		return ""
	}

	for _, is4 := range []bool{true, false} {
		family := slices.DeleteFunc(slices.Clone(byNIC[i]), func(a netip.Addr) bool { return a.Is4() != is4 })

		for _, preferred := range []func(netip.Addr) bool{
			func(a netip.Addr) bool { return i < len(nics) && isStatic(nics[i], a) },
			func(a netip.Addr) bool { return a.String() == known },
			func(netip.Addr) bool { return true },
		} {
			if a := first(family, preferred); a != "" {
				return a
			}
		}
	}

	return ""
}

// firstAddressed is the first interface that is to have an address, whether it has one yet or not: another one's would be
// primary for as long as the first takes. Where the claim leaves addressing to the guest, it is the first that has one.
func firstAddressed(byNIC [][]netip.Addr, nics []machine.NIC) int {
	for i := range byNIC {
		if i < len(nics) && (nics[i].IPv4.Method != machine.MethodNone || nics[i].IPv6.Method != machine.MethodNone) {
			return i
		}
	}

	return slices.IndexFunc(byNIC, func(a []netip.Addr) bool { return len(a) > 0 })
}

func isStatic(nic machine.NIC, addr netip.Addr) bool {
	for _, a := range []machine.Addressing{nic.IPv4, nic.IPv6} {
		if want, err := netip.ParseAddr(a.Address); err == nil && a.Method == machine.MethodStatic && want == addr {
			return true
		}
	}

	return false
}

func first(addrs []netip.Addr, preferred func(netip.Addr) bool) string {
	if i := slices.IndexFunc(addrs, preferred); i >= 0 {
		return addrs[i].String()
	}

	return ""
}

// ordered lists addresses by interface, IPv4 before IPv6, in numerical order: an agent lists them in any.
func ordered(byNIC [][]netip.Addr) []string {
	var out []string

	for _, addrs := range byNIC {
		addrs = slices.Clone(addrs)
		slices.SortFunc(addrs, netip.Addr.Compare) // IPv4 sorts before IPv6.

		for _, a := range addrs {
			if text := a.String(); !slices.Contains(out, text) {
				out = append(out, text)
			}
		}
	}

	return out
}

// knownAddresses are the machine's addresses as far as they are known while it runs. A machine that is stopped has none:
// it may get another one when it starts.
func knownAddresses(v *activeVM, before v1alpha1.Status) addresses {
	if !v.exists() || !v.seen.Status.AtProvider.Started {
		return addresses{}
	}

	nics := v.machine.NICs
	now := guestAddresses(v.seen, nics, before.PrimaryAddress)

	switch {
	case !now.silent:
		return now
	case !v.hasGuestAgent():
		now = staticAddresses(nics)
		now.silent = true
	default:
		now.all, now.primary = before.Addresses, before.PrimaryAddress
	}

	return now
}
