package lifecycle

import (
	"net/netip"
	"slices"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// ForeignAddresses are those of the addresses, of interfaces in nics, that a VM or a container of another tenant has in the same network. foreign says whether
// a namespace is another tenant's. What does not exist yet has no address: two claims that wait would keep each other from it for ever. What a guest reports of
// itself counts for nothing.
func (o Owner) ForeignAddresses(nics []machine.NIC, addresses []machine.Address, all Neighbours, foreign func(namespace string) bool) (out []machine.Address) {
	theirs := func(m proxmox.ObservedMetadata, ref proxmox.ProviderConfigRef) bool {
		return !o.owns(m) && foreign(m.Labels[proxmox.NamespaceLabel]) && o.SharesSite(ref, m.Namespace)
	}

	for _, a := range addresses {
		nic := nics[a.NIC]

		taken := slices.ContainsFunc(all.VMs, func(vm proxmox.ObservedVM) bool {
			return !vm.ObserveOnly() && theirs(vm.Metadata, vm.Spec.ProviderConfigRef) && hasAddress(vm, nic, a)
		}) || slices.ContainsFunc(all.Containers, func(c proxmox.ObservedContainer) bool {
			return !c.ObserveOnly() && theirs(c.Metadata, c.Spec.ProviderConfigRef) && containerHas(c, nic, a)
		})

		if a.Label() != "" && taken {
			out = append(out, a)
		}
	}

	return out
}

// AddressesBroughtIn are those of a claim that none of the machine's own VMs has: a VM that replaces another one brings in nothing. Those of a pool are
// compared by [PickAddress].
func AddressesBroughtIn(m *machine.Machine, own map[string]proxmox.ObservedVM) []machine.Address {
	return slices.DeleteFunc(m.Addresses(), func(a machine.Address) bool {
		for _, vm := range own {
			if !vm.ObserveOnly() && vm.Metadata.Labels[proxmox.AddressLabel(a.Kind, a.NIC)] == a.Label() {
				return true
			}
		}

		return a.Origin == machine.OriginPool
	})
}

// AddressesContainerBringsIn are those of a container's claim that none of its own containers has.
func AddressesContainerBringsIn(m *machine.Machine, own map[string]proxmox.ObservedContainer) []machine.Address {
	return slices.DeleteFunc(m.Addresses(), func(a machine.Address) bool {
		for _, c := range own {
			mac := func(n proxmox.ContainerNIC) bool { return a.Kind == "mac" && strings.EqualFold(n.MACAddress, a.Value) }
			if !c.ObserveOnly() && (slices.Contains(addressesOfContainer(c), parse(a.Value)) || slices.ContainsFunc(c.Spec.ForProvider.NetworkInterface, mac)) {
				return true
			}
		}

		return a.Origin == machine.OriginPool
	})
}

// parse an address; the zero one for what is none.
func parse(text string) netip.Addr {
	a, _ := netip.ParseAddr(text)

	return a
}

// hasAddress says whether one of a VM's interfaces has an address in the network of an interface, as its claim or, of a MAC address, Proxmox says it.
func hasAddress(vm proxmox.ObservedVM, nic machine.NIC, a machine.Address) bool {
	for i := range vm.Spec.ForProvider.NetworkDevice {
		is := vm.Metadata.Labels[proxmox.AddressLabel(a.Kind, i)] == a.Label() || a.Kind == "mac" && i == 0 && proxmox.MACOf(vm) == a.Value
		if is && inNetwork(nic, vm, i) {
			return true
		}
	}

	return false
}

// containerHas says the same of a container, whose interfaces are named, as far as its addresses were written.
func containerHas(c proxmox.ObservedContainer, nic machine.NIC, a machine.Address) bool {
	return a.Kind == "ipv4" && slices.ContainsFunc(c.Spec.ForProvider.NetworkInterface, func(n proxmox.ContainerNIC) bool { return n.Bridge == nic.Bridge && n.VLANID == nic.VLAN }) &&
		slices.ContainsFunc(addressesOfContainer(c), func(has netip.Addr) bool { return has == parse(a.Value) })
}
