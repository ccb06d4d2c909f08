package lifecycle

import (
	"net/netip"
	"slices"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// A Bringing is what an edit or a new machine brings: addresses of interfaces.
type Bringing struct {
	NICs      []machine.NIC
	Addresses []machine.Address
	// To is the VM or the container that an edit brings them to; zero for a new one.
	To proxmox.ObservedMetadata
}

// String is the value of [proxmox.BringsAnnotation].
func (b Bringing) String() string {
	out := make([]string, 0, len(b.Addresses))

	for _, a := range b.Addresses {
		out = append(out, b.announces(a))
	}

	return strings.Join(out, ",")
}

// announces an address in its network.
func (b Bringing) announces(a machine.Address) string {
	if a.Kind == machine.KindRecord {
		return a.Kind + "@" + a.Value
	}

	return a.Label() + "@" + proxmox.Network(b.NICs[a.NIC].Bridge, b.NICs[a.NIC].VLAN)
}

// yields says whether the edit of another claim, which has announced an address, goes before this one: it was first, or both announce it, and the VM or
// container of the other one is older. A new machine has made sure of its address before there is anything to edit, and an edit yields to it.
func (b Bringing) yields(a machine.Address, to proxmox.ObservedMetadata) bool {
	return b.To.Name != "" && b.isAnnouncedBy(to, a) && (!b.isAnnouncedBy(b.To, a) || to.Before(b.To))
}

// isAnnouncedBy says whether a VM or a container announces an address.
func (b Bringing) isAnnouncedBy(m proxmox.ObservedMetadata, a machine.Address) bool {
	return slices.Contains(strings.Split(m.Annotations[proxmox.BringsAnnotation], ","), b.announces(a))
}

// IsAnnounced says whether the VM or the container announces all of its addresses.
func (b Bringing) IsAnnounced() bool {
	return !slices.ContainsFunc(b.Addresses, func(a machine.Address) bool { return !b.isAnnouncedBy(b.To, a) })
}

// ForeignAddresses are those of the addresses, and of the names of DNS records, that a VM or a container of another tenant has in the same network, or is to
// have that was to have it before n. foreign says whether a namespace is another tenant's. What a guest reports of itself counts for nothing.
func (o Owner) ForeignAddresses(b Bringing, all Neighbours, n Newcomer, foreign func(namespace string) bool) (out []machine.Address) {
	for _, a := range b.Addresses {
		nic, asked := b.NICs[a.NIC], n.askedFor(a)

		// A name is there once, whichever Proxmox its machine is on.
		theirs := func(m proxmox.ObservedMetadata, ref proxmox.ProviderConfigRef) bool {
			return !o.owns(m) && foreign(m.Labels[proxmox.NamespaceLabel]) && (a.Kind == machine.KindRecord || o.SharesSite(ref, m.Namespace))
		}

		taken := slices.ContainsFunc(all.VMs, func(vm proxmox.ObservedVM) bool {
			has := vm.ObserveOnly() && since(vm.Metadata) < asked && isToHave(vm, nic, a) || !vm.ObserveOnly() && hasAddress(vm, nic, a) || b.yields(a, vm.Metadata)

			return has && theirs(vm.Metadata, vm.Spec.ProviderConfigRef)
		}) || slices.ContainsFunc(all.Containers, func(c proxmox.ObservedContainer) bool {
			return !c.ObserveOnly() && theirs(c.Metadata, c.Spec.ProviderConfigRef) && (containerHas(c, nic, a) || b.yields(a, c.Metadata))
		})

		if a.Label() != "" && taken {
			out = append(out, a)
		}
	}

	return out
}

// askedFor says since when others see that the machine is to have an address. Two that wait for one would otherwise keep each other from it for ever.
func (n Newcomer) askedFor(a machine.Address) string {
	vm, ok := n.Observed.VMs[n.Roles.Described()]
	if !ok || !vm.ObserveOnly() || !hasWritten(vm.Metadata, a) {
		return unborn
	}

	return since(vm.Metadata)
}

// AddressesBroughtIn are those of a claim that none of the machine's own VMs has in the network in which it is to have them: a VM that replaces another one
// brings in nothing, and one that comes from another network with its address brings it in. Those of a pool are compared by [PickAddress].
func AddressesBroughtIn(m *machine.Machine, own map[string]proxmox.ObservedVM) []machine.Address {
	return slices.DeleteFunc(m.Unique(), func(a machine.Address) bool {
		nic := m.NICs[a.NIC]

		for _, vm := range own {
			if !vm.ObserveOnly() && hasWritten(vm.Metadata, a) && (a.Kind == machine.KindRecord || nic.Bridge == "" || inNetwork(nic, vm, a.NIC)) {
				return true
			}
		}

		return a.Origin == machine.OriginPool
	})
}

// AddressesContainerBringsIn are those of a container's claim that none of its own containers has in the network in which it is to have them.
// What a container reports of itself counts for nothing: its root could have any address by that.
func AddressesContainerBringsIn(m *machine.Machine, own map[string]proxmox.ObservedContainer) []machine.Address {
	return slices.DeleteFunc(m.Addresses(), func(a machine.Address) bool {
		for _, c := range own {
			if !c.ObserveOnly() && containerHas(c, m.NICs[a.NIC], a) {
				return true
			}
		}

		return a.Origin == machine.OriginPool
	})
}

// hasWritten says whether what is written for others to see has what a claim gives its machine.
func hasWritten(m proxmox.ObservedMetadata, a machine.Address) bool {
	if a.Kind == machine.KindRecord {
		return m.Annotations[proxmox.DNSRecordAnnotation] == a.Value
	}

	return m.Labels[proxmox.AddressLabel(a.Kind, a.NIC)] == a.Label()
}

// parse an address; the zero one for what is none.
func parse(text string) netip.Addr {
	a, _ := netip.ParseAddr(text)

	return a
}

// hasAddress says whether one of a VM's interfaces has an address in the network of an interface, as its claim or, of a MAC address, Proxmox says it.
func hasAddress(vm proxmox.ObservedVM, nic machine.NIC, a machine.Address) bool {
	if a.Kind == machine.KindRecord {
		return hasWritten(vm.Metadata, a)
	}

	for i := range vm.Spec.ForProvider.NetworkDevice {
		is := vm.Metadata.Labels[proxmox.AddressLabel(a.Kind, i)] == a.Label() || a.Kind == "mac" && i == 0 && proxmox.MACOf(vm) == a.Value
		if is && inNetwork(nic, vm, i) {
			return true
		}
	}

	return false
}

// isToHave says whether a VM that does not exist yet, or the container whose VMID it looks for, is to have an address in the network of an interface.
func isToHave(vm proxmox.ObservedVM, nic machine.NIC, a machine.Address) bool {
	if a.Kind == machine.KindRecord {
		return hasWritten(vm.Metadata, a)
	}

	networks := strings.Split(vm.Metadata.Annotations[proxmox.NetworksAnnotation], ",")

	for i := range max(len(networks), len(vm.Spec.ForProvider.NetworkDevice)) {
		if inNetwork(nic, vm, i) && vm.Metadata.Labels[proxmox.AddressLabel(a.Kind, i)] == a.Label() {
			return true
		}
	}

	return false
}

// containerHas says whether an address was written for a container in the network of an interface, or is to be written there when the container restarts.
func containerHas(c proxmox.ObservedContainer, nic machine.NIC, a machine.Address) bool {
	awaited := strings.Split(c.Metadata.Annotations[proxmox.ReservedAddressAnnotation], ",")
	awaits := slices.ContainsFunc(awaited, func(text string) bool { return slices.Contains(parsed(text), parse(a.Value)) })

	return isWritten(c, nic, a) || awaits && slices.ContainsFunc(c.Spec.ForProvider.NetworkInterface, func(n proxmox.ContainerNIC) bool {
		return n.Bridge == nic.Bridge && n.VLANID == nic.VLAN
	})
}
