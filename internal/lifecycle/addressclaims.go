package lifecycle

import (
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/ipam"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// AddressClaims are what is known of a machine's claims on pools of Cluster API's IPAM.
type AddressClaims struct {
	// Observed IPAddressClaims, by composed resource name.
	Observed map[string]ipam.ObservedClaim
	// NoKind says that the API server is known not to serve IPAddressClaims.
	NoKind bool
	// Used are the names of IPAddressClaims that a Usage keeps: until it is gone, nobody can delete the claim.
	Used map[string]bool
	// Going are VMs of the machine whose managed resources Crossplane deletes, and which may run until those are gone.
	Going map[string]proxmox.ObservedVM
}

// A ClaimStage is how far a claim on an address has come.
type ClaimStage string

// The stages.
const (
	// ClaimImpossible: the API server does not serve IPAddressClaims.
	ClaimImpossible ClaimStage = "Impossible"
	// ClaimOpen: the pool has given no address yet.
	ClaimOpen ClaimStage = "Open"
	// ClaimUnfit: the pool has given an address that the VM cannot have.
	ClaimUnfit ClaimStage = "Unfit"
	// ClaimBound: the VM has an address.
	ClaimBound ClaimStage = "Bound"
)

// A ClaimedAddress is what the IPAddressClaim of a VM that does not exist yet got.
type ClaimedAddress struct {
	Stage ClaimStage
	Pool  ipam.Pool
	// Claim is the name of the IPAddressClaim; empty where Crossplane has not created it yet.
	Claim string
	// Says is what the provider of the pool says about a claim without an address; empty where it says nothing.
	Says string
	// Given is what the IPAddress has, for messages; Unfit is why the VM cannot have it.
	Given, Unfit string
	// Prefix and Gateway are the subnet's. Gateway is empty where neither pool nor site has one.
	Prefix  int64
	Gateway string
}

// vmsWithAddresses are the machine's VMs by composed resource name, those among them that Crossplane deletes.
func vmsWithAddresses(r Request) map[string]proxmox.ObservedVM {
	out := maps.Clone(r.AddressClaims.Going)
	if out == nil {
		return r.Observed.VMs
	}

	maps.Copy(out, r.Observed.VMs)

	return out
}

// HeldPools are the pools of Cluster API's IPAM that the machine's VMs have their addresses from, by composed resource name of the
// IPAddressClaim. A VM has its address as long as there is its managed resource, also while its claim asks for another one.
func HeldPools(r Request) map[string]ipam.Pool {
	out := map[string]ipam.Pool{}

	for _, vm := range vmsWithAddresses(r) {
		if p := poolOf(vm); !p.IsZero() {
			out[ipam.NameOf(p)] = p
		}
	}

	return out
}

// PoolsToClaim are the pools on which the machine is to have an IPAddressClaim, by composed resource name: those that its VMs have addresses of,
// the one that a new VM is to have an address of, and those that nobody can delete yet. While the API server does not serve the kind, there are
// those that were observed.
func PoolsToClaim(r Request) map[string]ipam.Pool {
	out := HeldPools(r)

	if a := r.PoolAddress; a != nil && a.Claimed != nil {
		out[ipam.NameOf(a.Claimed.Pool)] = a.Claimed.Pool
	}

	for name, o := range r.AddressClaims.Observed {
		if r.AddressClaims.Used[o.Metadata.Name] {
			out[name] = o.Spec.PoolRef
		}
	}

	for name := range out {
		if _, there := r.AddressClaims.Observed[name]; !there && r.AddressClaims.NoKind {
			delete(out, name)
		}
	}

	return out
}

// AsksForGoingVMs says whether it has to be known which VMs Crossplane deletes: the machine has an IPAddressClaim that no VM of it needs any more,
// as far as Crossplane shows them.
func AsksForGoingVMs(r Request) bool {
	needed := HeldPools(r)
	if a := r.PoolAddress; a != nil && a.Claimed != nil {
		needed[ipam.NameOf(a.Claimed.Pool)] = a.Claimed.Pool
	}

	for name := range r.AddressClaims.Observed {
		if _, is := needed[name]; !is {
			return true
		}
	}

	return false
}

// UsersOfAddresses are the VMs that have an address of an observed IPAddressClaim, by composed resource name, with the composed resource name of
// that claim. The claim has to outlive the VM: its pool gives the address to the next claim at once.
func UsersOfAddresses(r Request) map[string]string {
	out := map[string]string{}

	for name, vm := range vmsWithAddresses(r) {
		p := poolOf(vm)
		if p.IsZero() {
			continue
		}

		if _, there := r.AddressClaims.Observed[ipam.NameOf(p)]; there {
			out[name] = ipam.NameOf(p)
		}
	}

	return out
}

// KeepsAddress says whether the machine may not be deleted because its VM would run on with an address of a pool of Cluster API's IPAM, which
// that pool would give away; with the address and the pool. Beside the claim the managed resource decides about that: Crossplane removes a Usage
// before it writes the managed resource, and the machine may be deleted in between. Who writes the address into the claim says that they have taken it
// out of the pool.
func KeepsAddress(r Request) (address string, of ipam.Pool, keeps bool) {
	says := r.Machine.NICs[0].IPv4

	for _, name := range slices.Sorted(maps.Keys(r.Observed.VMs)) {
		vm := r.Observed.VMs[name]
		address, _, _ := strings.Cut(vm.Metadata.Annotations[proxmox.PoolAddressAnnotation], "/")

		// While the provider creates a VM it may not delete the VM, and does not start it.
		orphaned := vm.Metadata.Annotations[proxmox.CreatingAnnotation] == "" && !proxmox.MayDelete(vm.Spec.ManagementPolicies)
		stays := r.Machine.DeletionPolicy == v1alpha1.DeletionOrphan || orphaned

		if of := poolOf(vm); stays && !of.IsZero() && Lives(r.Observed.VMs, name) && (says.Pool != nil || says.Address != address) {
			return address, of, true
		}
	}

	return "", ipam.Pool{}, false
}

// poolOf is the pool of Cluster API's IPAM that a VM has its address from; zero where it has none of one. What is only asked about in Proxmox is no
// VM.
func poolOf(vm proxmox.ObservedVM) ipam.Pool {
	if vm.ObserveOnly() {
		return ipam.Pool{}
	}

	return ipam.ParsePool(vm.Metadata.Annotations[proxmox.AddressPoolAnnotation])
}

// ClaimAddress is what a VM that does not exist yet has of a pool of Cluster API's IPAM. address is the IPAddress of its claim, nil while there is
// none. all are the VMs of all machines, which are only read once there is an address.
func ClaimAddress(r Request, address *ipam.Address, all []proxmox.ObservedVM) PoolAddress {
	pool := *r.Machine.NICs[0].IPv4.Pool
	c := &ClaimedAddress{Stage: ClaimOpen, Pool: pool.Of}
	out := PoolAddress{Path: pool.Path, Claimed: c}

	claim, there := r.AddressClaims.Observed[ipam.NameOf(pool.Of)]
	c.Claim = claim.Metadata.Name

	switch ready := claim.Status.Conditions.Of("Ready"); {
	case !there && r.AddressClaims.NoKind:
		c.Stage = ClaimImpossible
		return out
	case address == nil:
		if ready.IsFalse() {
			c.Says = ready.Message
		}

		return out
	}

	ip := c.read(*address, r.Machine.NICs[0].IPv4)
	if c.Unfit == "" {
		c.Unfit = inUseBy(r, ip, all)
	}

	if c.Unfit != "" {
		c.Stage = ClaimUnfit
		return out
	}

	c.Stage, out.Address, out.Reserved = ClaimBound, ip, true

	return out
}

// read what an IPAddress says, or why no VM can have it. site is what the site says of the subnet: its gateway is the VM's where the pool has none.
func (c *ClaimedAddress) read(a ipam.Address, site machine.Addressing) netip.Addr {
	c.Given = fmt.Sprintf("%s/%d", a.Spec.Address, a.Spec.Prefix)

	ip, err := netip.ParseAddr(a.Spec.Address)
	if err != nil || !ip.Is4() {
		c.Unfit = "is no IPv4 address"
		return netip.Addr{}
	}

	subnet, err := ip.Prefix(int(a.Spec.Prefix))
	if err != nil || a.Spec.Prefix < 1 {
		c.Unfit = "has no prefix length from 1 to 32"
		return netip.Addr{}
	}

	c.Prefix = a.Spec.Prefix

	switch gateway, err := netip.ParseAddr(a.Spec.Gateway); {
	case a.Spec.Gateway == "":
		if g, err := netip.ParseAddr(site.Gateway); err == nil && subnet.Contains(g) {
			c.Gateway = site.Gateway
		}
	case err != nil || !gateway.Is4() || !subnet.Contains(gateway):
		c.Unfit = "has gateway " + a.Spec.Gateway + ", which is no address of its subnet"
	case gateway == ip:
		c.Unfit = "is its own gateway"
	default:
		c.Gateway = gateway.String()
	}

	return ip
}

// inUseBy says who has an address beside the pool, as a message goes on with it: another machine, or what the catalogue names. Empty where nobody
// has.
func inUseBy(r Request, ip netip.Addr, all []proxmox.ObservedVM) string {
	only := *r.Machine
	only.NICs = slices.Clone(r.Machine.NICs)
	pool := *only.NICs[0].IPv4.Pool
	pool.Ranges = []machine.AddressRange{{From: ip, To: ip}}
	only.NICs[0].IPv4.Pool = &pool
	r.Machine = &only

	if newNeighbours(r, Neighbours{}).taken[ip] {
		return "is named by the catalogue, as gateway, name server or server of a K3s cluster"
	}

	for _, o := range all {
		if n := newNeighbours(r, Neighbours{VMs: []proxmox.ObservedVM{o}}); n.taken[ip] || len(n.reserved[ip]) > 0 {
			name := r.Owner.nameOf(o.Metadata)
			if name == AnotherClaim {
				return "is the address of " + AnotherClaim
			}

			return "is the address of machine " + strings.TrimPrefix(name, "/")
		}
	}

	return ""
}
