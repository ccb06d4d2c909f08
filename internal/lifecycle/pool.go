package lifecycle

import (
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/internal/change"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// A PoolAddress is the address of its site's pool that a VM or a container is to have which does not exist yet.
type PoolAddress struct {
	// Address is invalid where the pool has none left.
	Address netip.Addr
	// Reserved says that other machines and containers see the reservation, and that none of them has one of this address.
	Reserved bool
	// Rival is another machine, or container, that reserved the address at the same time and is to take another one, as namespace/name.
	Rival string
	// RivalKind is the kind of its composite; empty where there is none, or nobody knows.
	RivalKind string
	// Size is how many addresses the pool has; InUse is how many of them other machines have, and what the catalogue names.
	Size, InUse int64
	Path        string // Of the pool in the catalogue, for messages.
	// Claimed is what an IPAddressClaim got; nil for the function's own pools.
	Claimed *ClaimedAddress
}

// Settled says whether a VM may be created, as far as its address goes.
func (a *PoolAddress) Settled() bool { return a == nil || a.Reserved }

// Lacks says whether there is no address for the VM: the pool has none left, or has given none yet.
func (a *PoolAddress) Lacks() bool { return a != nil && !a.Address.IsValid() }

// Exhausted says whether one of the function's own pools has no address left.
func (a *PoolAddress) Exhausted() bool { return a.Lacks() && a.Claimed == nil }

// Words say which address of the function's own pool a new VM or container gets; empty where it gets none.
func (a *PoolAddress) Words() string {
	switch {
	case a == nil || a.Claimed != nil:
		return ""
	case a.Lacks():
		return fmt.Sprintf("waits for an address: the site's pool is exhausted, %d of %d addresses are in use", a.InUse, a.Size)
	}

	return "takes address " + a.Address.String() + " of the site's pool"
}

// PickAddress for the described VM, which does not exist yet: the one that it has reserved, else the lowest address of the pool that no
// machine has. all are the VMs of all machines, this one's among them, and all containers. Of a container that does not exist yet, the described VM is the
// managed resource that looks for a VM with the container's VMID.
//
// A machine first reserves its address, with a managed resource that all others see. Its VM is created when no other machine has
// reserved the same address: of two that did so at the same time, each sees the other's reservation before its own VM may be created. The
// one that was first then waits, and the other one takes another address.
func PickAddress(r Request, all Neighbours) PoolAddress {
	n := newNeighbours(r, all)
	out := PoolAddress{Path: n.pool.Path, Size: n.size(), InUse: n.inUse()}
	name := r.Roles.Described()
	own, state := r.Observed.VMs[name], StateOf(r.Observed.VMs, name)

	has := reservedAddress(own)

	switch {
	case state == StateFailed:
		// The provider may be trying again, so that the managed resource cannot become a reservation. Others see its address as a VM's.
		out.Address = has
		if !n.offers(has) {
			out.Address = n.next(own)
		}

		out.Reserved = out.Address.IsValid()
	case n.offers(has) && n.first(has, own):
		out.Address = has
		out.Rival, out.RivalKind = n.rival(has)
		out.Reserved = out.Rival == "" && n.shown(own)
	default:
		out.Address = n.next(own)
	}

	return out
}

// withoutAddress decides about a VM for which the pool has no address. It reserves none, so that nobody waits for it.
func withoutAddress(s State, mayDelete proxmox.Deletion) Step {
	switch s {
	case StateFailed:
		return Step{Action: ActionKeep, MayDelete: mayDelete}
	case StateChecking:
		return Step{Action: ActionRelease}
	case StateAbsent, StateCreating, StateLiving:
	}

	return Step{Action: ActionWait}
}

// AddressLater are the changes of addresses that only a new VM or container can have: an address of the pool for one that asks for its own by DHCP, and
// another one for a node of K3s.
func AddressLater(m *machine.Machine) []change.Change {
	var out []change.Change

	if a := m.NICs[0].IPv4; a.Pool != nil && a.Method == machine.MethodDHCP {
		out = append(out, change.Change{Field: "spec.network.pool", Has: a.String(), Wanted: "an address of the site's pool", Effect: change.Refused})
	}

	for i, n := range m.NICs {
		switch r := n.IPv4.Refused; {
		case r == nil:
		case r.String() == n.IPv4.String(): // The site's network became another one, and its gateway is none for the address.
			out = append(out, change.Change{Field: machine.NICPath(i).Child("gateway").String(), Has: n.IPv4.Gateway, Wanted: r.Gateway, Effect: change.Refused})
		default:
			out = append(out, change.Change{Field: machine.NICPath(i).Child("ip").String(), Has: n.IPv4.String(), Wanted: r.String(), Effect: change.Refused})
		}

		if n.IPv6.Refused != nil {
			out = append(out, change.Change{
				Field: machine.NICPath(i).Child("ipv6").String(), Has: n.IPv6.String(), Wanted: n.IPv6.Refused.String(), Effect: change.Refused,
			})
		}
	}

	return out
}

// neighbours are the other machines of a site, as far as addresses go.
type neighbours struct {
	request Request
	pool    *machine.AddressPool
	all     []proxmox.ObservedVM
	// taken are addresses of the pool that a VM has, or that somebody named.
	taken map[netip.Addr]bool
	// reserved are reservations of VMs that do not exist yet, by address, the first one first.
	reserved map[netip.Addr][]proxmox.ObservedVM
}

func newNeighbours(r Request, all Neighbours) neighbours {
	n := neighbours{
		request: r, pool: r.Machine.NICs[0].IPv4.Pool, all: all.VMs, taken: map[netip.Addr]bool{}, reserved: map[netip.Addr][]proxmox.ObservedVM{},
	}

	n.take(n.pool.Except...)

	if k := r.Machine.K3s; k != nil {
		if u, err := url.Parse(k.ServerURL); err == nil {
			n.take(parsed(u.Hostname())...)
		}
	}

	for _, c := range all.Containers {
		if !r.Owner.owns(c.Metadata) && r.Owner.SharesSite(c.Spec.ProviderConfigRef, c.Metadata.Namespace) {
			n.take(addressesOfContainer(c)...)
		}
	}

	for _, o := range all.VMs {
		if r.Owner.Owns(o) || !r.Owner.sameSite(o) {
			continue
		}

		if a := reservedAddress(o); o.ObserveOnly() && a.IsValid() {
			n.reserved[a] = append(n.reserved[a], o)
		} else {
			n.take(addressesOf(o)...)
		}

		n.take(reportedBy(o)...)
	}

	for _, of := range n.reserved {
		slices.SortFunc(of, before)
	}

	return n
}

func (n neighbours) take(all ...netip.Addr) {
	for _, a := range all {
		if n.contains(a) {
			n.taken[a] = true
		}
	}
}

func (n neighbours) contains(a netip.Addr) bool {
	return slices.ContainsFunc(n.pool.Ranges, func(r machine.AddressRange) bool { return a.Is4() && r.Contains(a) })
}

func (n neighbours) size() (out int64) {
	for _, r := range n.pool.Ranges {
		out += r.Size()
	}

	return out
}

// inUse is how many addresses of the pool this machine cannot have.
func (n neighbours) inUse() int64 {
	out := len(n.taken)

	for a := range n.reserved {
		if n.contains(a) && !n.taken[a] {
			out++
		}
	}

	return int64(out)
}

// offers says whether an address is one of the pool, and no VM's.
func (n neighbours) offers(a netip.Addr) bool { return n.contains(a) && !n.taken[a] }

// first says whether a VM was the first to reserve an address.
func (n neighbours) first(a netip.Addr, vm proxmox.ObservedVM) bool {
	return len(n.reserved[a]) == 0 || vm.Before(n.reserved[a][0])
}

// rival is the machine that reserved an address, too, and the kind of its composite; empty where there is none.
func (n neighbours) rival(a netip.Addr) (name, kind string) {
	if len(n.reserved[a]) == 0 {
		return "", ""
	}

	m := n.reserved[a][0].Metadata

	return n.request.Owner.nameOf(m), m.ControllerKind()
}

// shown says whether Crossplane shows other machines this one's reservation. What it shows can be older than what it says of the
// machine's own VM, and a reservation that nobody sees is none.
func (n neighbours) shown(own proxmox.ObservedVM) bool {
	return slices.ContainsFunc(n.all, func(o proxmox.ObservedVM) bool {
		return n.request.Owner.Owns(o) && o.Metadata.Name == own.Metadata.Name && reservedAddress(o) == reservedAddress(own)
	})
}

// next is the lowest address that is free for a VM: others that have to take another address, too, and were created before, come first.
// Invalid where there is none.
func (n neighbours) next(own proxmox.ObservedVM) netip.Addr {
	skip := 0

	for a, of := range n.reserved {
		for i, o := range of {
			if (i > 0 || n.taken[a]) && o.Before(own) {
				skip++
			}
		}
	}

	ranges := slices.SortedFunc(slices.Values(n.pool.Ranges), func(a, b machine.AddressRange) int { return a.From.Compare(b.From) })

	for _, r := range ranges {
		for a := r.From; a.IsValid() && r.Contains(a); a = a.Next() {
			switch {
			case n.taken[a] || len(n.reserved[a]) > 0:
			case skip > 0:
				skip--
			default:
				return a
			}
		}
	}

	return netip.Addr{}
}

// before orders reservations by the time of their creation.
func before(a, b proxmox.ObservedVM) int {
	switch {
	case a.Before(b):
		return -1
	case b.Before(a):
		return 1
	}

	return 0
}

// reservedAddress is the address of a pool that a VM which does not exist yet has reserved, or that the provider failed to create it
// with; invalid where there is none.
func reservedAddress(vm proxmox.ObservedVM) netip.Addr {
	text := vm.Metadata.Annotations[proxmox.ReservedAddressAnnotation]
	if !vm.ObserveOnly() {
		text = vm.Metadata.Labels[proxmox.IPv4Label]
	}

	a, err := netip.ParseAddr(text)
	if err != nil || !a.Is4() {
		return netip.Addr{}
	}

	return a
}

// addressesOfContainer are those that were written for a container, or that an edit of its claim brings, and of each interface without one the first that
// Proxmox reads of it. Whoever is root in the container adds interfaces and addresses as they like: these are ignored, or they would take the whole pool.
func addressesOfContainer(c proxmox.ObservedContainer) []netip.Addr {
	var (
		out     []netip.Addr
		configs []proxmox.IPConfig
	)

	for text := range strings.SplitSeq(c.Metadata.Annotations[proxmox.ReservedAddressAnnotation], ",") {
		out = append(out, parsed(text)...)
	}

	for _, init := range c.Spec.ForProvider.Initialization {
		configs = append(configs, init.IPConfig...)
	}

	for i, nic := range c.Spec.ForProvider.NetworkInterface {
		var written []netip.Addr

		if i < len(configs) {
			for _, a := range configs[i].IPv4 {
				written = append(written, parsed(a.Address)...)
			}
		}

		if len(written) == 0 {
			written = parsed(c.Status.AtProvider.IPv4[nic.Name])
		}

		out = append(out, written...)
	}

	return out
}

// addressesOf a VM, as its claim has them, and as they were written for its guest.
func addressesOf(vm proxmox.ObservedVM) []netip.Addr {
	var out []netip.Addr

	for label, value := range vm.Metadata.Labels {
		if strings.HasPrefix(label, proxmox.IPv4Label) {
			out = append(out, parsed(value)...)
		}
	}

	out = append(out, parsed(vm.Metadata.Annotations[proxmox.PoolAddressAnnotation])...)

	for _, drive := range vm.Spec.ForProvider.Initialization {
		for _, c := range drive.IPConfig {
			for _, a := range c.IPv4 {
				out = append(out, parsed(a.Address)...)
			}
		}
	}

	return out
}
