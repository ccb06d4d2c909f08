package lifecycle

import (
	"net/netip"
	"slices"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// reportedBy the guest agent of a VM: the addresses that count against other machines although nobody gave them to the VM, at most one for each of its
// interfaces.
//
// Whoever is root in a guest adds as many addresses to an interface as they like, and the agent reports all of them: if each counted, one VM would take
// all of a pool. So an interface to which the function gave an address has no other one, and of any other interface only the first address counts, which
// is the one that a DHCP server gave it. Whether that one is of the pool must not matter: a pool is also asked about one address at a time.
func reportedBy(vm proxmox.ObservedVM) []netip.Addr {
	var out []netip.Addr

	for nic, all := range proxmox.GuestAddresses(vm) {
		if i := slices.IndexFunc(all, netip.Addr.Is4); i >= 0 && !hasFixedAddress(vm, nic) {
			out = append(out, all[i])
		}
	}

	return out
}

// hasFixedAddress says whether a VM's interface has an IPv4 address that its claim names, that a pool gave it, or that was written for its guest.
func hasFixedAddress(vm proxmox.ObservedVM, nic int) bool {
	if len(parsed(vm.Metadata.Labels[proxmox.AddressLabel("ipv4", nic)])) > 0 {
		return true
	}

	if nic == 0 && len(parsed(vm.Metadata.Annotations[proxmox.PoolAddressAnnotation])) > 0 {
		return true
	}

	return slices.ContainsFunc(vm.Spec.ForProvider.Initialization, func(drive proxmox.Initialization) bool {
		return nic < len(drive.IPConfig) && slices.ContainsFunc(drive.IPConfig[nic].IPv4, func(a proxmox.IPAddress) bool { return len(parsed(a.Address)) > 0 })
	})
}

// parsed is the address in a text, with or without its prefix length.
func parsed(text string) []netip.Addr {
	address, _, _ := strings.Cut(text, "/")

	a, err := netip.ParseAddr(address)
	if err != nil {
		return nil
	}

	return []netip.Addr{a}
}
