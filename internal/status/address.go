package status

import (
	"cmp"
	"net/netip"
	"slices"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/externaldns"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// addresses are those of a machine's own interfaces.
type addresses struct {
	// all of them, by interface, IPv4 before IPv6, in numerical order.
	all []string
	// primary is the first interface's, IPv4 before IPv6; empty while that one has none.
	primary string
	// ipv4 and ipv6 are those of that interface; empty while they are not known.
	ipv4, ipv6 string
	// silent says that the guest agent reported nothing at all.
	silent bool
}

// guestAddresses are the addresses that the guest agent reports. known are the primary address, and those in DNS, as they were.
func guestAddresses(vm proxmox.ObservedVM, nics []machine.NIC, known ...string) addresses {
	byNIC := proxmox.GuestAddresses(vm)
	out := addresses{all: ordered(byNIC), silent: len(vm.Status.AtProvider.MACAddresses) == 0}

	out.ipv4, out.ipv6 = ofFirst(byNIC, nics, known)
	out.primary = cmp.Or(out.ipv4, out.ipv6)

	return out
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
		out.ipv4, out.ipv6 = first(byNIC[0], netip.Addr.Is4), first(byNIC[0], func(a netip.Addr) bool { return !a.Is4() })
		out.primary = cmp.Or(out.ipv4, out.ipv6)
	}

	return out
}

// ofFirst are the first interface's addresses, one of each family. Of several, the one that the claim asks for wins, then one that was known
// before: a virtual IP that comes and goes changes nothing.
func ofFirst(byNIC [][]netip.Addr, nics []machine.NIC, known []string) (ipv4, ipv6 string) {
	i := firstAddressed(byNIC, nics)
	if i < 0 {
		return "", ""
	}

	of := func(is func(netip.Addr) bool) string {
		return cmp.Or(
			first(byNIC[i], func(a netip.Addr) bool { return is(a) && i < len(nics) && isStatic(nics[i], a) }),
			first(byNIC[i], func(a netip.Addr) bool { return is(a) && slices.Contains(known, a.String()) }),
			first(byNIC[i], is),
		)
	}

	return of(netip.Addr.Is4), of(func(a netip.Addr) bool { return !a.Is4() })
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
func knownAddresses(v *activeVM, before *v1alpha1.Status, recorded externaldns.Spec) addresses {
	if !v.exists() || !v.seen.Status.AtProvider.Started {
		return addresses{}
	}

	nics := v.machine.NICs
	now := guestAddresses(v.seen, nics, before.PrimaryAddress, recorded.TargetOf(externaldns.TypeA), recorded.TargetOf(externaldns.TypeAAAA))

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
