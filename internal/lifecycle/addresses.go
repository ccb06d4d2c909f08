package lifecycle

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// An AddressComparison is of the addresses of a machine or a container with those of others.
type AddressComparison struct {
	Machine *machine.Machine
	Owner   Owner
	// Guest is the metadata of the VM or the container that exists, or may be in the making; nil for one that is to be made.
	Guest *proxmox.ObservedMetadata
	// has says whether an address was written for the guest, and asked since when others see one that is to be made.
	has   func(machine.Address) bool
	asked func(machine.Address) string
}

// ComparisonOf the addresses of a machine.
func ComparisonOf(r Request) AddressComparison {
	out := AddressComparison{Machine: r.Machine, Owner: r.Owner, asked: Newcomer{Observed: r.Observed, Roles: r.Roles}.askedFor}

	if name := r.Roles.Described(); Lives(r.Observed.VMs, name) {
		out.Guest = new(r.Observed.VMs[name].Metadata)
	}

	out.has = func(a machine.Address) bool {
		return out.Guest.Labels[proxmox.AddressLabel(a.Kind, a.NIC)] == a.Label()
	}

	return out
}

// ComparisonOfContainer is that of the addresses of a container, nil for one that is to be made. n is what tells others of that one.
func ComparisonOfContainer(m *machine.Machine, owner Owner, c *proxmox.ObservedContainer, n Newcomer) AddressComparison {
	out := AddressComparison{Machine: m, Owner: owner, asked: n.askedFor}

	if c != nil {
		out.Guest = &c.Metadata
	}

	out.has = func(a machine.Address) bool { return isWritten(*c, m.NICs[a.NIC], a) }

	return out
}

// Addresses for which those of others are looked up: all of a guest that does not exist yet, and those of an existing one that an edit brings in, or brought
// in with the call before: what others wrote in the same moment is seen then. At rest there are none, but for those that another one has, too.
func (c AddressComparison) Addresses() []machine.Address {
	return slices.DeleteFunc(c.Machine.Addresses(), func(a machine.Address) bool {
		// Before there is a guest, an address of a pool is compared with those of all; see [PickAddress].
		return a.Label() == "" || a.Origin == machine.OriginPool && c.Guest == nil || c.Guest != nil && c.has(a) && !c.announces(*c.Guest, a)
	})
}

// Again says whether an address is compared again with the next call: one that an existing guest does not have yet, since other edits of the same moment are
// not seen yet, and one that it shares with another one, whose author would otherwise be told once. A value of lifecycle.force is a person's word that the
// networks only have the same names.
func (c AddressComparison) Again(a machine.Address, shared *SharedAddress) bool {
	return c.Guest != nil && c.Machine.Lifecycle.Force == "" && (shared != nil || !c.has(a))
}

// KeepsUnmade says whether a guest that does not exist yet is not made, since the other one runs, or was to be made before it: that one would not be reached
// any more, and if it is a server of K3s, etcd would lose its vote.
func (c AddressComparison) KeepsUnmade(s *SharedAddress) bool {
	return s != nil && s.Held != HeldOff && c.Machine.Adopt == nil && c.Machine.Lifecycle.Force == "" && c.Guest == nil
}

// announces says whether the VM or the container of a claim announces an address in its network.
func (c AddressComparison) announces(m proxmox.ObservedMetadata, a machine.Address) bool {
	return Bringing{NICs: c.Machine.NICs}.isAnnouncedBy(m, a)
}

// follows says whether another guest announces an address that this one announces, too, and is younger: of edits of one moment that of the older one is the
// first, and the other one is told.
func (c AddressComparison) follows(other proxmox.ObservedMetadata, a machine.Address) bool {
	return c.Guest != nil && c.announces(*c.Guest, a) && c.announces(other, a) && c.Guest.Before(other)
}

// A SharedAddress is an address of a machine or a container that another one has in the same network: with the same provider configuration, bridge and VLAN
// tag.
type SharedAddress struct {
	Address machine.Address
	// With is the other one, as namespace/name, or [AnotherClaim].
	With string
	Held AddressHold
}

// An AddressHold is how far another machine or container has come that has an address: the greater, the stronger.
type AddressHold int

// The holds.
const (
	// HeldOff: it is off, or asked for its VMID later than this one.
	HeldOff AddressHold = iota
	// HeldFirst: it is not made yet, and asked for its VMID before this one.
	HeldFirst
	// HeldOn: it runs, is to run, or is being made.
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

// holdOfContainer of another claim on an address.
func holdOfContainer(c proxmox.ObservedContainer) AddressHold {
	if c.Spec.ForProvider.Started || c.Status.AtProvider.Started || proxmox.CreatingIn(c.Metadata.Metadata) {
		return HeldOn
	}

	return HeldOff
}

// Shared finds the machine or container that has an address, the one with the strongest hold; nil where there is none. all are the VMs and managed resources
// that look for VMIDs with the label of the address, and the containers of all claims. It is no fault: one may take the place of another one whose claim goes
// later.
func (c AddressComparison) Shared(a machine.Address, all Neighbours) (found *SharedAddress) {
	nic, asked := c.Machine.NICs[a.NIC], c.asked(a)

	add := func(m proxmox.ObservedMetadata, ref proxmox.ProviderConfigRef, held AddressHold) {
		if c.Owner.owns(m) || !c.Owner.SharesSite(ref, m.Namespace) || c.follows(m, a) {
			return
		}

		s := SharedAddress{Address: a, With: c.Owner.nameOf(m), Held: held}
		if found == nil || cmp.Or(cmp.Compare(found.Held, s.Held), cmp.Compare(s.With, found.With)) < 0 {
			found = &s
		}
	}

	for _, o := range all.VMs {
		if inNetwork(nic, o, a.NIC) {
			add(o.Metadata, o.Spec.ProviderConfigRef, holdOf(o, asked))
		}
	}

	for _, o := range all.Containers {
		// A container that is looked for is in the network of its look for a VM; see [isToHave].
		if !o.ObserveOnly() && (isWritten(o, nic, a) || c.announces(o.Metadata, a)) {
			add(o.Metadata, o.Spec.ProviderConfigRef, holdOfContainer(o))
		}
	}

	return found
}

// isWritten says whether a fixed address was written for an interface of a container in the network of an interface.
func isWritten(c proxmox.ObservedContainer, nic machine.NIC, a machine.Address) bool {
	var configs []proxmox.IPConfig
	for _, init := range c.Spec.ForProvider.Initialization {
		configs = append(configs, init.IPConfig...)
	}

	for i, n := range c.Spec.ForProvider.NetworkInterface {
		var has []proxmox.IPAddress

		switch {
		case n.Bridge != nic.Bridge || n.VLANID != nic.VLAN:
			continue
		case a.Kind == "mac" && strings.EqualFold(n.MACAddress, a.Value):
			return true
		case i < len(configs):
			has = slices.Concat(configs[i].IPv4, configs[i].IPv6)
		}

		if slices.ContainsFunc(has, func(h proxmox.IPAddress) bool { return slices.Contains(parsed(h.Address), parse(a.Value)) }) {
			return true
		}
	}

	return false
}

// String is a warning.
func (s SharedAddress) String() string {
	return fmt.Sprintf("%s: %s is the address of %s, too, in the same network: neither is reached reliably. Give one of them another address.",
		s.Address.Path(), s.Address.Value, s.With)
}

// Waits says in a plan that a guest waits for the other one.
func (s SharedAddress) Waits() string {
	return "waits: " + s.Address.Value + " is the address of " + s.With
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

// inNetwork says whether an interface of a VM, or of the container that a managed resource looks for the VMID of, is in the network of another interface, as
// far as names tell.
func inNetwork(nic machine.NIC, vm proxmox.ObservedVM, index int) bool {
	network := proxmox.Network(nic.Bridge, nic.VLAN)

	devices := vm.Spec.ForProvider.NetworkDevice
	if index >= len(devices) {
		networks := strings.Split(vm.Metadata.Annotations[proxmox.NetworksAnnotation], ",")
		return vm.ObserveOnly() && index < len(networks) && networks[index] == network
	}

	vlan := int64(0)
	if tag := devices[index].VLANID; tag != nil {
		vlan = *tag
	}

	return proxmox.Network(devices[index].Bridge, vlan) == network
}
