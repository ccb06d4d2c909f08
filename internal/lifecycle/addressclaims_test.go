package lifecycle

import (
	"net/netip"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/ipam"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

func lab() ipam.Pool {
	return ipam.Pool{APIGroup: ipam.Group, Kind: "InClusterIPPool", Name: "lab"}
}

// claimed has a claim on the pool; edits say what is known of it.
func claimed(edits ...func(c *ipam.ObservedClaim)) map[string]ipam.ObservedClaim {
	c := ipam.ObservedClaim{Spec: ipam.ClaimSpec{PoolRef: lab()}}
	c.Metadata.Name = "self-x7k2p"

	for _, edit := range edits {
		edit(&c)
	}

	return map[string]ipam.ObservedClaim{ipam.NameOf(lab()): c}
}

// requestOf a machine whose address is claimed.
func requestOf(claims AddressClaims) Request {
	return Request{
		AddressClaims: claims,
		Owner:         Owner{Composite: "self", ClaimNamespace: "infra", ProviderConfigRef: proxmox.ProviderConfigRef{Name: "home"}},
		Machine: &machine.Machine{NICs: []machine.NIC{{IPv4: machine.Addressing{
			Method: machine.MethodStatic, Gateway: "10.0.0.1", Prefix: 24,
			Pool: &machine.AddressPool{Of: lab(), Path: "the pool", Except: []netip.Addr{netip.MustParseAddr("10.0.0.1")}},
		}}}},
	}
}

func TestClaimAddress(t *testing.T) {
	gave := func(address string, prefix int64, gateway string) *ipam.Address {
		a := &ipam.Address{}
		a.Spec.Address, a.Spec.Prefix, a.Spec.Gateway = address, prefix, gateway

		return a
	}
	unfit := func(given, why string) ClaimedAddress {
		return ClaimedAddress{Stage: ClaimUnfit, Pool: lab(), Claim: "self-x7k2p", Given: given, Unfit: why}
	}
	bound := func(given string, prefix int64, gateway string) ClaimedAddress {
		return ClaimedAddress{Stage: ClaimBound, Pool: lab(), Claim: "self-x7k2p", Given: given, Prefix: prefix, Gateway: gateway}
	}

	cases := map[string]struct {
		reason  string
		claims  AddressClaims
		address *ipam.Address
		others  []proxmox.ObservedVM
		want    string // Empty: none.
		is      ClaimedAddress
	}{
		"NoKind":  {reason: "Crossplane could apply no claim.", claims: AddressClaims{NoKind: true}, is: ClaimedAddress{Stage: ClaimImpossible, Pool: lab()}},
		"NoClaim": {reason: "Crossplane creates it with this answer.", is: ClaimedAddress{Stage: ClaimOpen, Pool: lab()}},
		"Open":    {reason: "Nobody has answered.", claims: AddressClaims{Observed: claimed()}, is: ClaimedAddress{Stage: ClaimOpen, Pool: lab(), Claim: "self-x7k2p"}},
		"Says": {
			reason: "The provider says why it does not answer.",
			claims: AddressClaims{Observed: claimed(func(c *ipam.ObservedClaim) {
				c.Status.Conditions = proxmox.Conditions{{Type: "Ready", Status: "False", Message: "no free address"}}
			})},
			is: ClaimedAddress{Stage: ClaimOpen, Pool: lab(), Claim: "self-x7k2p", Says: "no free address"},
		},
		"Bound": {
			reason: "Subnet and gateway are the pool's.", claims: AddressClaims{Observed: claimed()}, address: gave("10.1.0.60", 16, "10.1.0.9"),
			want: "10.1.0.60", is: bound("10.1.0.60/16", 16, "10.1.0.9"),
		},
		"SiteGateway": {
			reason: "The pool has none, and the site's is inside its subnet.", claims: AddressClaims{Observed: claimed()}, address: gave("10.0.0.60", 24, ""),
			want: "10.0.0.60", is: bound("10.0.0.60/24", 24, "10.0.0.1"),
		},
		"NoGateway": {
			reason: "The pool has none, and the site's is elsewhere.", claims: AddressClaims{Observed: claimed()}, address: gave("10.1.0.60", 24, ""),
			want: "10.1.0.60", is: bound("10.1.0.60/24", 24, ""),
		},
		"IPv6":       {reason: "A first interface has IPv4.", claims: AddressClaims{Observed: claimed()}, address: gave("fd00::60", 64, ""), is: unfit("fd00::60/64", "is no IPv4 address")},
		"NoAddress":  {reason: "It is no address at all.", claims: AddressClaims{Observed: claimed()}, address: gave("x", 24, ""), is: unfit("x/24", "is no IPv4 address")},
		"NoPrefix":   {reason: "Without a subnet there is no route.", claims: AddressClaims{Observed: claimed()}, address: gave("10.0.0.60", 0, ""), is: unfit("10.0.0.60/0", "has no prefix length from 1 to 32")},
		"LongPrefix": {reason: "IPv4 has 32 bits.", claims: AddressClaims{Observed: claimed()}, address: gave("10.0.0.60", 33, ""), is: unfit("10.0.0.60/33", "has no prefix length from 1 to 32")},
		"InUse": {
			reason: "Another machine's claim names it.", claims: AddressClaims{Observed: claimed()}, address: gave("10.0.0.60", 24, ""),
			others: []proxmox.ObservedVM{pooledVM("a", labelled(1, "10.0.0.60"))}, is: func() ClaimedAddress {
				c := unfit("10.0.0.60/24", "is the address of machine infra/a")
				c.Prefix, c.Gateway = 24, "10.0.0.1"

				return c
			}(),
		},
		"InUseElsewhere": {
			reason: "Nobody is told the names of machines in another namespace.", claims: AddressClaims{Observed: claimed()}, address: gave("10.0.0.60", 24, ""),
			others: []proxmox.ObservedVM{pooledVM("a", labelled(1, "10.0.0.60"), func(vm *proxmox.ObservedVM) { vm.Metadata.Labels[proxmox.NamespaceLabel] = "payments" })},
			is: func() ClaimedAddress {
				c := unfit("10.0.0.60/24", "is the address of another claim of this Proxmox")
				c.Prefix, c.Gateway = 24, "10.0.0.1"

				return c
			}(),
		},
		"OwnVM": {
			reason: "The machine's own VM could not be created with it.", claims: AddressClaims{Observed: claimed()}, address: gave("10.0.0.60", 24, ""),
			others: []proxmox.ObservedVM{pooledVM("self", labelled(0, "10.0.0.60"))}, want: "10.0.0.60", is: bound("10.0.0.60/24", 24, "10.0.0.1"),
		},
		"Elsewhere": {
			reason: "Another Proxmox has another network.", claims: AddressClaims{Observed: claimed()}, address: gave("10.0.0.60", 24, ""), want: "10.0.0.60",
			others: []proxmox.ObservedVM{pooledVM("a", labelled(0, "10.0.0.60"), func(vm *proxmox.ObservedVM) { vm.Spec.ProviderConfigRef.Name = "lab" })},
			is:     bound("10.0.0.60/24", 24, "10.0.0.1"),
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := ClaimAddress(requestOf(tc.claims), tc.address, tc.others)

			want := PoolAddress{Path: "the pool", Claimed: &tc.is, Reserved: tc.want != ""}
			if tc.want != "" {
				want.Address = netip.MustParseAddr(tc.want)
			}

			if diff := cmp.Diff(want, got, cmpopts.EquateComparable(netip.Addr{})); diff != "" {
				t.Errorf("%s\nClaimAddress(...): -want, +got:\n%s", tc.reason, diff)
			}

			if got.Lacks() != (tc.want == "") || got.Settled() != (tc.want != "") || got.Exhausted() {
				t.Errorf("%s\nlacks %t, settled %t, exhausted %t", tc.reason, got.Lacks(), got.Settled(), got.Exhausted())
			}
		})
	}
}

// withAddress of the pool, as the VM remembers it.
func withAddress(vm *proxmox.ObservedVM) {
	vm.Metadata.Annotations[proxmox.PoolAddressAnnotation] = "10.0.0.60/24"
	vm.Metadata.Annotations[proxmox.AddressPoolAnnotation] = lab().Text()
}

func TestPoolsToClaim(t *testing.T) {
	name := ipam.NameOf(lab())
	checked := func(vm *proxmox.ObservedVM) { vm.Spec.ManagementPolicies = proxmox.ObserveOnly() }
	used := AddressClaims{Observed: claimed(), Used: map[string]bool{"self-x7k2p": true}}
	all := map[string]ipam.Pool{name: lab()}

	cases := map[string]struct {
		reason string
		vms    map[string]proxmox.ObservedVM
		claims AddressClaims
		wants  bool // Whether a new VM is to have an address of the pool.
		want   map[string]ipam.Pool
		users  map[string]string
		asks   bool
	}{
		"Nothing":    {reason: "A machine with another address claims none.", vms: map[string]proxmox.ObservedVM{"vm": pooledVM("self")}},
		"New":        {reason: "The VM waits for the address.", wants: true, want: all},
		"NewNoKind":  {reason: "Crossplane could not apply it.", wants: true, claims: AddressClaims{NoKind: true}},
		"Lives":      {reason: "The VM has the address.", vms: map[string]proxmox.ObservedVM{"vm": pooledVM("self", withAddress)}, claims: AddressClaims{Observed: claimed()}, want: all, users: map[string]string{"vm": name}},
		"LivesAlone": {reason: "Somebody removed the claim.", vms: map[string]proxmox.ObservedVM{"vm": pooledVM("self", withAddress)}, want: all},
		"LivesNoKind": {
			reason: "Somebody removed the kind.", vms: map[string]proxmox.ObservedVM{"vm": pooledVM("self", withAddress)}, claims: AddressClaims{NoKind: true},
		},
		"Checked":  {reason: "What is asked about is no VM.", vms: map[string]proxmox.ObservedVM{"vm": pooledVM("self", withAddress, checked)}, claims: AddressClaims{Observed: claimed()}, asks: true},
		"Replaced": {reason: "No VM has the address any more.", vms: map[string]proxmox.ObservedVM{"vm-2": pooledVM("self")}, claims: AddressClaims{Observed: claimed()}, asks: true},
		"Used":     {reason: "Nobody can delete it yet.", vms: map[string]proxmox.ObservedVM{"vm-2": pooledVM("self")}, claims: used, want: all, asks: true},
		"Going": {
			reason: "Crossplane deletes the VM, which may run.", vms: map[string]proxmox.ObservedVM{"vm-2": pooledVM("self")}, want: all,
			claims: AddressClaims{Observed: claimed(), Going: map[string]proxmox.ObservedVM{"vm": pooledVM("self", withAddress)}},
			users:  map[string]string{"vm": name},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			r := requestOf(tc.claims)
			r.Observed.VMs = tc.vms

			if tc.wants {
				r.PoolAddress = &PoolAddress{Claimed: &ClaimedAddress{Stage: ClaimOpen, Pool: lab()}}
			}

			if diff := cmp.Diff(tc.want, PoolsToClaim(r), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("%s\nPoolsToClaim(): -want, +got:\n%s", tc.reason, diff)
			}

			if diff := cmp.Diff(tc.users, UsersOfAddresses(r), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("%s\nUsersOfAddresses(): -want, +got:\n%s", tc.reason, diff)
			}

			if got := AsksForGoingVMs(r); got != tc.asks {
				t.Errorf("%s\nAsksForGoingVMs(): want %t, got %t", tc.reason, tc.asks, got)
			}
		})
	}
}

func TestKeepsAddress(t *testing.T) {
	pool := &machine.AddressPool{Of: lab()}
	destroys := func(vm *proxmox.ObservedVM) { vm.Spec.ManagementPolicies = proxmox.Policies(proxmox.DeletionDestroys) }

	cases := map[string]struct {
		reason string
		policy v1alpha1.DeletionPolicy
		vm     proxmox.ObservedVM
		says   machine.Addressing
		want   bool
	}{
		"Orphan": {reason: "The VM would run on.", policy: v1alpha1.DeletionOrphan, vm: pooledVM("self", withAddress), says: machine.Addressing{Method: machine.MethodStatic, Address: "10.0.0.60", Pool: pool}, want: true},
		"Delete": {reason: "The VM goes first.", policy: v1alpha1.DeletionDelete, vm: pooledVM("self", withAddress, destroys), says: machine.Addressing{Method: machine.MethodStatic, Address: "10.0.0.60", Pool: pool}},
		"StillOrphan": {
			reason: "The provider would let the VM run on still.", policy: v1alpha1.DeletionDelete, want: true,
			vm: pooledVM("self", withAddress, func(vm *proxmox.ObservedVM) {
				vm.Spec.ManagementPolicies = proxmox.Policies(proxmox.DeletionOrphans)
			}),
			says: machine.Addressing{Method: machine.MethodStatic, Address: "10.0.0.60", Pool: pool},
		},
		"Created": {
			reason: "The provider may not delete the VM yet, and does not start it.", policy: v1alpha1.DeletionDelete,
			vm: pooledVM("self", withAddress, func(vm *proxmox.ObservedVM) {
				vm.Spec.ManagementPolicies = proxmox.CreatePolicies()
				vm.Metadata.Annotations[proxmox.CreatingAnnotation] = "now"
			}),
			says: machine.Addressing{Method: machine.MethodStatic, Address: "10.0.0.60", Pool: pool},
		},
		"DHCP":     {reason: "The guest may have the address still.", policy: v1alpha1.DeletionOrphan, vm: pooledVM("self", withAddress), says: machine.Addressing{Method: machine.MethodDHCP}, want: true},
		"Another":  {reason: "The guest may have the address still.", policy: v1alpha1.DeletionOrphan, vm: pooledVM("self", withAddress), says: machine.Addressing{Method: machine.MethodStatic, Address: "10.0.0.61"}, want: true},
		"TakenOut": {reason: "Somebody has taken the address over.", policy: v1alpha1.DeletionOrphan, vm: pooledVM("self", withAddress), says: machine.Addressing{Method: machine.MethodStatic, Address: "10.0.0.60"}},
		"OwnPool":  {reason: "No pool of Cluster API has the address.", policy: v1alpha1.DeletionOrphan, vm: pooledVM("self"), says: machine.Addressing{Method: machine.MethodStatic, Address: "10.0.0.60", Pool: &machine.AddressPool{}}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			r := requestOf(AddressClaims{})
			r.Machine.DeletionPolicy, r.Machine.NICs[0].IPv4 = tc.policy, tc.says
			r.Observed.VMs = map[string]proxmox.ObservedVM{"vm": tc.vm}

			address, of, got := KeepsAddress(r)
			if got != tc.want || got && (address != "10.0.0.60" || of != lab()) {
				t.Errorf("%s\nwant %t, got %t: %s of %s", tc.reason, tc.want, got, address, of)
			}
		})
	}
}
