package lifecycle

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// AddressesToCompare are the addresses for which other machines' VMs are looked up: all of a VM that does not exist yet, and those of an
// existing VM that an edit brings in, or brought in with the call before: what others wrote in the same moment is seen then. At rest there are none, but for
// those that another machine has, too.
func AddressesToCompare(r Request) []machine.Address {
	name := r.Roles.Described()
	lives := Lives(r.Observed.VMs, name)
	has := r.Observed.VMs[name].Metadata
	brings := Bringing{NICs: r.Machine.NICs}

	return slices.DeleteFunc(r.Machine.Addresses(), func(a machine.Address) bool {
		// Before there is a VM, an address of a pool is compared with those of all machines; see [PickAddress].
		return a.Label() == "" || a.Origin == machine.OriginPool && !lives ||
			lives && has.Labels[proxmox.AddressLabel(a.Kind, a.NIC)] == a.Label() && !brings.isAnnouncedBy(has, a)
	})
}

// ComparesAgain says whether an address is compared again with the next call: one that is written to an existing VM with this call, since other edits of the
// same moment are not seen yet, and one that it shares with another machine, whose author would otherwise be told once. A value of lifecycle.force is a
// person's word that the networks only have the same names.
func ComparesAgain(r Request, a machine.Address, shared *SharedAddress) bool {
	name := r.Roles.Described()

	return Lives(r.Observed.VMs, name) && r.Machine.Lifecycle.Force == "" &&
		(shared != nil || r.Observed.VMs[name].Metadata.Labels[proxmox.AddressLabel(a.Kind, a.NIC)] != a.Label())
}

// A SharedAddress is an address of a machine that another one has in the same network: with the same provider configuration, bridge and VLAN tag.
type SharedAddress struct {
	Address machine.Address
	// With is the other machine, as namespace/name, or [AnotherClaim].
	With string
	Held AddressHold
}

// An AddressHold is how far another machine has come that has an address: the greater, the stronger.
type AddressHold int

// The holds.
const (
	// HeldOff: its VM is off, or asked for its VMID later than this one.
	HeldOff AddressHold = iota
	// HeldFirst: it has no VM yet, and asked for its VMID before this one.
	HeldFirst
	// HeldOn: its VM runs, is to run, or is being made.
	HeldOn
)

// holdOf a VM of another machine on an address that this machine is seen to ask for since a time.
func holdOf(o proxmox.ObservedVM, asked string) AddressHold {
	switch {
	case o.ObserveOnly() && since(o.Metadata) < asked:
		return HeldFirst
	case o.ObserveOnly():
		return HeldOff
	case o.Spec.ForProvider.Started, o.Status.AtProvider.Started, proxmox.CreatingIn(o.Metadata.Metadata):
		return HeldOn
	}

	return HeldOff
}

// ShareAddress finds the machine that has an address, the one with the strongest hold; nil where there is none. It is no fault: a machine may take the
// place of another one whose claim goes later.
func ShareAddress(r Request, a machine.Address, others []proxmox.ObservedVM) *SharedAddress {
	var found *SharedAddress

	asked := Newcomer{Observed: r.Observed, Roles: r.Roles}.askedFor(a)
	own, brings := r.Observed.VMs[r.Roles.Described()].Metadata, Bringing{NICs: r.Machine.NICs}

	// Of edits of one moment, which both are written, that of the older VM is the first one, and the other one is told.
	follows := func(o proxmox.ObservedVM) bool {
		written := own.Labels[proxmox.AddressLabel(a.Kind, a.NIC)] == a.Label()

		return written && brings.isAnnouncedBy(own, a) && brings.isAnnouncedBy(o.Metadata, a) && own.Before(o.Metadata)
	}

	for _, o := range others {
		if r.Owner.Owns(o) || !r.Owner.sameSite(o) || !inNetwork(r.Machine.NICs[a.NIC], o, a.NIC) || follows(o) {
			continue
		}

		s := SharedAddress{Address: a, With: r.Owner.nameOf(o.Metadata), Held: holdOf(o, asked)}
		if found == nil || cmp.Or(cmp.Compare(found.Held, s.Held), cmp.Compare(s.With, found.With)) < 0 {
			found = &s
		}
	}

	return found
}

// String is a warning.
func (s SharedAddress) String() string {
	return fmt.Sprintf("%s: %s is the address of %s, too, in the same network: neither is reached reliably. Give one of them another address.",
		s.Address.Path(), s.Address.Value, s.With)
}

// KeepsUnmade says whether a VM that does not exist yet is not made, since the other one runs, or was to be made before it: that one would not be reached any
// more, and if it is a server of K3s, etcd would lose its vote. A value of lifecycle.force is a person's word that the networks only have the same names.
func (s *SharedAddress) KeepsUnmade(r Request) bool {
	return s != nil && s.Held != HeldOff && r.Machine.Adopt == nil && r.Machine.Lifecycle.Force == "" && !Lives(r.Observed.VMs, r.Roles.Described())
}

// SharedHostName warns of another machine that has the host name of a VM that does not exist yet: with the same provider configuration and domain,
// and, for a node of K3s, in the same cluster, which refuses a second node of one name. Empty where there is none among others.
func SharedHostName(r Request, others []proxmox.ObservedVM) string {
	m := r.Machine
	if Lives(r.Observed.VMs, r.Roles.Described()) {
		return ""
	}

	cluster := ""
	if m.K3s != nil {
		cluster = m.K3s.Cluster
	}

	var names []string

	for _, o := range others {
		same := strings.EqualFold(o.Spec.ForProvider.Name, m.Hostname) && sameDomain(o, m.Domain) && o.Metadata.Labels[proxmox.ClusterLabel] == cluster
		if same && !r.Owner.Owns(o) && r.Owner.sameSite(o) {
			names = append(names, r.Owner.nameOf(o.Metadata))
		}
	}

	if len(names) == 0 {
		return ""
	}

	effect := "a name server knows one of them"
	if m.K3s != nil {
		effect = "K3s refuses the second node of a name"
	}

	return fmt.Sprintf("spec.hostname: %s is the host name of %s, too: %s. Give one of them another one.", m.Hostname, slices.Min(names), effect)
}

// sameDomain says whether a VM is in a domain, as far as its managed resource tells.
func sameDomain(vm proxmox.ObservedVM, domain string) bool {
	for _, i := range vm.Spec.ForProvider.Initialization {
		for _, dns := range i.DNS {
			if first, _ := dns.Search(); first != "" && domain != "" {
				return first == domain
			}
		}
	}

	return true
}

// inNetwork says whether an interface of a VM is in the network of another interface, as far as names tell.
func inNetwork(nic machine.NIC, vm proxmox.ObservedVM, index int) bool {
	devices := vm.Spec.ForProvider.NetworkDevice
	if index >= len(devices) {
		return false
	}

	vlan := int64(0)
	if tag := devices[index].VLANID; tag != nil {
		vlan = *tag
	}

	return devices[index].Bridge == nic.Bridge && vlan == nic.VLAN
}
