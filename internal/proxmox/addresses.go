package proxmox

import (
	"net/netip"
	"slices"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/internal/guestreport"
)

// GuestAddresses are the addresses of a VM's own interfaces, by interface, as the guest agent reports them, IPv4 before IPv6.
//
// The agent reports every interface of the guest: loopback, bridges and pairs of containers, tunnels. Those of the VM
// are the ones whose MAC address Proxmox gave out; their place in the list means nothing and changes. A link by which the guest reports
// on itself is none of them, whatever MAC address and addresses somebody has given it.
func GuestAddresses(vm ObservedVM) [][]netip.Addr {
	seen := vm.Status.AtProvider
	own := ownMACs(vm)
	out := make([][]netip.Addr, len(own))

	for i, mac := range seen.MACAddresses {
		nic := slices.Index(own, normalMAC(mac))
		if nic < 0 || own[nic] == "" || i < len(seen.NetworkInterfaceNames) && guestreport.Is(seen.NetworkInterfaceNames[i]) {
			continue
		}

		out[nic] = append(out[nic], usable(seen.IPv4Addresses, i)...)
		out[nic] = append(out[nic], usable(seen.IPv6Addresses, i)...)
	}

	return out
}

// Addressed says whether the guest agent reports an address of any of the VM's own interfaces.
func Addressed(vm ObservedVM) bool {
	return slices.ContainsFunc(GuestAddresses(vm), func(a []netip.Addr) bool { return len(a) > 0 })
}

// ownMACs are the MAC addresses of the VM's interfaces, in their order; empty where none is known. The address that Proxmox
// reports counts; until it reports one, the address in the spec.
func ownMACs(vm ObservedVM) []string {
	asked, given := vm.Spec.ForProvider.NetworkDevice, vm.Status.AtProvider.NetworkDevice
	out := make([]string, max(len(asked), len(given)))

	for i := range out {
		if i < len(given) {
			out[i] = normalMAC(given[i].MACAddress)
		}

		if i < len(asked) && out[i] == "" {
			out[i] = normalMAC(asked[i].MACAddress)
		}
	}

	return out
}

// MACOf the first interface of a VM: the one that Proxmox reports, else the one that was written. Upper case; empty where none is known.
func MACOf(vm ObservedVM) string {
	if macs := ownMACs(vm); len(macs) > 0 {
		return macs[0]
	}

	return ""
}

// normalMAC makes MAC addresses comparable: guests write them in lower case, Proxmox in upper case.
func normalMAC(mac string) string {
	mac = strings.ToUpper(strings.TrimSpace(mac))
	if mac == "00:00:00:00:00:00" { // Loopback's.
		return ""
	}

	return mac
}

// usable are the addresses of the i-th interface by which others can reach it. Lists can be shorter than the list of
// interfaces, and null inside.
func usable(lists [][]string, i int) []netip.Addr {
	if i >= len(lists) {
		return nil
	}

	var out []netip.Addr

	for _, text := range lists[i] {
		addr, err := netip.ParseAddr(text)
		if err != nil {
			continue
		}

		addr = addr.Unmap().WithZone("")
		if addr.IsGlobalUnicast() { // Which loopback, link-local and multicast addresses are not; private ones are.
			out = append(out, addr)
		}
	}

	return out
}
