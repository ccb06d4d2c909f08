package lifecycle

import (
	"net/netip"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// pooledVM is a managed resource of a machine's VM; edits say what it has.
func pooledVM(name string, edits ...func(vm *proxmox.ObservedVM)) proxmox.ObservedVM {
	vm := made()
	vm.Metadata.Name, vm.Metadata.CreationTimestamp = name+"-vm", "2026-01-01T00:00:05Z"
	vm.Metadata.Labels = map[string]string{proxmox.CompositeLabel: name, proxmox.MachineLabel: name, proxmox.NamespaceLabel: "infra"}
	vm.Metadata.Annotations = map[string]string{}
	vm.Spec.ProviderConfigRef = proxmox.ProviderConfigRef{Name: "home"}

	for _, edit := range edits {
		edit(&vm)
	}

	return vm
}

// reserving a VM's address, before there is the VM.
func reserving(address string) func(vm *proxmox.ObservedVM) {
	return func(vm *proxmox.ObservedVM) {
		vm.Spec.ManagementPolicies = proxmox.ObserveOnly()
		vm.Metadata.Annotations[proxmox.ReservedAddressAnnotation] = address
		vm.Metadata.Labels[proxmox.IPv4Label] = address
	}
}

func labelled(nic int, address string) func(vm *proxmox.ObservedVM) {
	return func(vm *proxmox.ObservedVM) { vm.Metadata.Labels[proxmox.AddressLabel("ipv4", nic)] = address }
}

func createdAt(second string) func(vm *proxmox.ObservedVM) {
	return func(vm *proxmox.ObservedVM) { vm.Metadata.CreationTimestamp = "2026-01-01T00:00:" + second + "Z" }
}

// composedBy a composite of a kind.
func composedBy(kind, name string) func(vm *proxmox.ObservedVM) {
	return func(vm *proxmox.ObservedVM) {
		vm.Metadata.OwnerReferences = []proxmox.OwnerReference{{Kind: kind, Name: name, Controller: true}}
	}
}

// pooledContainer is a managed resource of a claim's container with an address.
func pooledContainer(name, address string) proxmox.ObservedContainer {
	out := proxmox.ObservedContainer{Metadata: pooledVM(name).Metadata}
	out.Spec.ProviderConfigRef = proxmox.ProviderConfigRef{Name: "home"}
	out.Spec.ForProvider.NetworkInterface = []proxmox.ContainerNIC{{Name: "eth0"}}
	out.Spec.ForProvider.Initialization = []proxmox.ContainerInit{{IPConfig: []proxmox.IPConfig{{IPv4: []proxmox.IPAddress{{Address: address}}}}}}

	return out
}

func TestPickAddress(t *testing.T) {
	failed := func(vm *proxmox.ObservedVM) {
		vm.Spec.ManagementPolicies = proxmox.Policies(proxmox.DeletionDestroys)
		vm.Status.AtProvider.ID = ""
		vm.Status.Conditions = []proxmox.Condition{{Type: "Ready", Status: "False"}, {Type: "LastAsyncOperation", Status: "False"}}
	}
	written := func(address string) func(vm *proxmox.ObservedVM) {
		return func(vm *proxmox.ObservedVM) {
			vm.Spec.ForProvider.Initialization = []proxmox.Initialization{{IPConfig: []proxmox.IPConfig{{IPv4: []proxmox.IPAddress{{Address: address}}}}}}
		}
	}
	reports := func(address string) func(vm *proxmox.ObservedVM) {
		return func(vm *proxmox.ObservedVM) {
			vm.Status.AtProvider.NetworkDevice = []proxmox.ObservedDevice{{MACAddress: "BC:24:11:00:00:01"}}
			vm.Status.AtProvider.MACAddresses, vm.Status.AtProvider.IPv4Addresses = []string{"bc:24:11:00:00:01"}, [][]string{{address}}
		}
	}
	elsewhere := func(vm *proxmox.ObservedVM) { vm.Spec.ProviderConfigRef.Name = "lab" }
	own := func(edits ...func(vm *proxmox.ObservedVM)) *proxmox.ObservedVM {
		return new(pooledVM("self", edits...))
	}

	cases := map[string]struct {
		reason string
		own    *proxmox.ObservedVM  // As the machine's own observed resource; nil: none.
		listed *proxmox.ObservedVM  // As it is listed among all; nil: as it is observed.
		others []proxmox.ObservedVM // Of other machines.
		pool   string               // Default: 10.0.0.50-10.0.0.52,10.0.0.10.
		except string
		want   string // Empty: none.
		is     PoolAddress
		// containers of any claims.
		containers []proxmox.ObservedContainer
	}{
		"OfAContainer": {
			reason: "A container has it, by its claim.", want: "10.0.0.50", is: PoolAddress{Size: 4, InUse: 1}, containers: []proxmox.ObservedContainer{pooledContainer("a", "10.0.0.10/24")},
		},
		"OfAnOwnContainer": {
			reason: "A container that is replaced, or was, keeps nothing from the one that comes after it.", want: "10.0.0.10", is: PoolAddress{Size: 4},
			containers: []proxmox.ObservedContainer{pooledContainer("self", "10.0.0.10/24")},
		},
		"OfAContainerToBe": {
			reason: "A container reserved it later, and is told of as one.", own: own(reserving("10.0.0.51")), want: "10.0.0.51",
			others: []proxmox.ObservedVM{pooledVM("a", reserving("10.0.0.51"), createdAt("06"), composedBy("Container", "a"))}, is: PoolAddress{Size: 4, InUse: 1, Rival: "infra/a", RivalKind: "Container"},
		},
		"Lowest":         {reason: "Whatever the order of the ranges.", want: "10.0.0.10", is: PoolAddress{Size: 4}},
		"Taken":          {reason: "A label has it.", others: []proxmox.ObservedVM{pooledVM("a", labelled(0, "10.0.0.10"))}, want: "10.0.0.50", is: PoolAddress{Size: 4, InUse: 1}},
		"TakenByNIC":     {reason: "Also one of another interface.", others: []proxmox.ObservedVM{pooledVM("a", labelled(2, "10.0.0.10"))}, want: "10.0.0.50", is: PoolAddress{Size: 4, InUse: 1}},
		"TakenAsWritten": {reason: "A claim that asks for another one has not changed the guest yet.", others: []proxmox.ObservedVM{pooledVM("a", written("10.0.0.10/24"))}, want: "10.0.0.50", is: PoolAddress{Size: 4, InUse: 1}},
		"TakenByReport":  {reason: "A guest with DHCP has it.", others: []proxmox.ObservedVM{pooledVM("a", written("dhcp"), reports("10.0.0.10"))}, want: "10.0.0.50", is: PoolAddress{Size: 4, InUse: 1}},
		"TakenBefore": {
			reason: "A VM may have its address of the pool again.", want: "10.0.0.50", is: PoolAddress{Size: 4, InUse: 1},
			others: []proxmox.ObservedVM{pooledVM("a", func(vm *proxmox.ObservedVM) { vm.Metadata.Annotations[proxmox.PoolAddressAnnotation] = "10.0.0.10/24" })},
		},
		"TakenElsewhere": {reason: "Another Proxmox has another network.", others: []proxmox.ObservedVM{pooledVM("a", labelled(0, "10.0.0.10"), elsewhere)}, want: "10.0.0.10", is: PoolAddress{Size: 4}},
		"TakenOutside":   {reason: "It is none of the pool.", others: []proxmox.ObservedVM{pooledVM("a", labelled(0, "10.0.0.11"))}, want: "10.0.0.10", is: PoolAddress{Size: 4}},
		"Except":         {reason: "The catalogue names it.", except: "10.0.0.10", want: "10.0.0.50", is: PoolAddress{Size: 4, InUse: 1}},
		"Reserved":       {reason: "Another machine has reserved it.", others: []proxmox.ObservedVM{pooledVM("a", reserving("10.0.0.10"))}, want: "10.0.0.50", is: PoolAddress{Size: 4, InUse: 1}},
		"Named": {
			reason: "Who names an address cannot take another one.", own: own(reserving("10.0.0.10"), createdAt("01")), want: "10.0.0.50", is: PoolAddress{Size: 4, InUse: 1},
			others: []proxmox.ObservedVM{pooledVM("a", labelled(0, "10.0.0.10"), func(vm *proxmox.ObservedVM) { vm.Spec.ManagementPolicies = proxmox.ObserveOnly() })},
		},
		"Own":          {reason: "The machine's reservation is seen, and the only one.", own: own(reserving("10.0.0.51")), want: "10.0.0.51", is: PoolAddress{Size: 4, Reserved: true}},
		"OwnUnseen":    {reason: "Crossplane lists what was there before.", own: own(reserving("10.0.0.51")), listed: own(), want: "10.0.0.51", is: PoolAddress{Size: 4}},
		"OwnAnotherBe": {reason: "It lists the reservation before this one.", own: own(reserving("10.0.0.51")), listed: own(reserving("10.0.0.50")), want: "10.0.0.51", is: PoolAddress{Size: 4}},
		"OwnFirst": {
			reason: "Another machine reserved it later: it takes another one, and may not know yet.", own: own(reserving("10.0.0.51")), want: "10.0.0.51",
			others: []proxmox.ObservedVM{pooledVM("a", reserving("10.0.0.51"), createdAt("06"))}, is: PoolAddress{Size: 4, InUse: 1, Rival: "infra/a"},
		},
		"OwnSecond": {
			reason: "Another machine reserved it before.", own: own(reserving("10.0.0.51")), want: "10.0.0.10",
			others: []proxmox.ObservedVM{pooledVM("a", reserving("10.0.0.51"), createdAt("04"))}, is: PoolAddress{Size: 4, InUse: 1},
		},
		"OwnInTheSameSecond": {
			reason: "By name then.", own: own(reserving("10.0.0.51")), want: "10.0.0.10",
			others: []proxmox.ObservedVM{pooledVM("a", reserving("10.0.0.51"))}, is: PoolAddress{Size: 4, InUse: 1},
		},
		"OwnThird": {
			reason: "The second one takes the lowest address, and the third one the next.", own: own(reserving("10.0.0.51"), createdAt("09")), want: "10.0.0.50",
			others: []proxmox.ObservedVM{pooledVM("a", reserving("10.0.0.51"), createdAt("04")), pooledVM("b", reserving("10.0.0.51"))}, is: PoolAddress{Size: 4, InUse: 1},
		},
		"OwnOutside":      {reason: "The pool has become another one, and there is no VM yet.", own: own(reserving("10.0.0.77")), want: "10.0.0.10", is: PoolAddress{Size: 4}},
		"OwnTaken":        {reason: "Another machine's VM has it.", own: own(reserving("10.0.0.51"), createdAt("01")), others: []proxmox.ObservedVM{pooledVM("a", labelled(0, "10.0.0.51"))}, want: "10.0.0.10", is: PoolAddress{Size: 4, InUse: 1}},
		"Failed":          {reason: "The VM may be tried with its address again.", own: own(failed, labelled(0, "10.0.0.51")), want: "10.0.0.51", is: PoolAddress{Size: 4, Reserved: true}},
		"FailedWithDHCP":  {reason: "It cannot become a reservation any more.", own: own(failed), want: "10.0.0.10", is: PoolAddress{Size: 4, Reserved: true}},
		"Exhausted":       {reason: "Nothing is left.", pool: "10.0.0.50", others: []proxmox.ObservedVM{pooledVM("a", reserving("10.0.0.50"))}, is: PoolAddress{Size: 1, InUse: 1}},
		"ExhaustedFailed": {reason: "Nothing is left for a VM that could not be created.", pool: "10.0.0.50", own: own(failed), others: []proxmox.ObservedVM{pooledVM("a", labelled(0, "10.0.0.50"))}, is: PoolAddress{Size: 1, InUse: 1}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			pool := &machine.AddressPool{Path: "data.sites.home.network.pool"}

			for text := range strings.SplitSeq(orElse(tc.pool, "10.0.0.50-10.0.0.52,10.0.0.10"), ",") {
				from, to, two := strings.Cut(text, "-")
				if !two {
					to = from
				}

				pool.Ranges = append(pool.Ranges, machine.AddressRange{From: netip.MustParseAddr(from), To: netip.MustParseAddr(to)})
			}

			if tc.except != "" {
				pool.Except = append(pool.Except, netip.MustParseAddr(tc.except), netip.MustParseAddr("10.9.9.9"))
			}

			r := Request{
				Machine:  &machine.Machine{NICs: []machine.NIC{{IPv4: machine.Addressing{Method: machine.MethodStatic, Pool: pool}}}},
				Owner:    Owner{Composite: "self", ClaimNamespace: "infra", ProviderConfigRef: proxmox.ProviderConfigRef{Name: "home"}},
				Roles:    Roles{Active: FirstVM},
				Observed: proxmox.State{VMs: vms{}},
			}
			all := tc.others

			if tc.own != nil {
				r.Observed.VMs[FirstVM] = *tc.own

				if tc.listed == nil {
					tc.listed = tc.own
				}

				all = append(all, *tc.listed)
			}

			tc.is.Path = pool.Path
			if tc.want != "" {
				tc.is.Address = netip.MustParseAddr(tc.want)
			}

			for range 2 { // In whatever order they are listed.
				got := PickAddress(r, Neighbours{VMs: all, Containers: tc.containers})
				if diff := cmp.Diff(tc.is, got, cmp.Comparer(func(a, b netip.Addr) bool { return a == b })); diff != "" {
					t.Errorf("%s\nPickAddress(...): -want, +got:\n%s", tc.reason, diff)
				}

				all = reversed(all)
			}
		})
	}
}

func orElse(text, other string) string {
	if text == "" {
		return other
	}

	return text
}

func reversed(all []proxmox.ObservedVM) []proxmox.ObservedVM {
	out := make([]proxmox.ObservedVM, 0, len(all))
	for i := range all {
		out = append(out, all[len(all)-1-i])
	}

	return out
}

// TestAVMWaitsForItsAddress: until its address is settled it is not created, and a VM that it is to replace runs on.
func TestAVMWaitsForItsAddress(t *testing.T) {
	address := netip.MustParseAddr("10.0.0.50")

	cases := map[string]struct {
		reason  string
		pool    *PoolAddress
		vm      *proxmox.ObservedVM
		missing []string
		want    Action
	}{
		"NoPool":             {reason: "The VM has an address, or asks for one.", want: ActionCreate},
		"First":              {reason: "The address is to be reserved.", pool: &PoolAddress{Address: address}, want: ActionReserve},
		"Contested":          {reason: "Another machine has reserved it, too.", pool: &PoolAddress{Address: address, Rival: "infra/a"}, vm: new(pooledVM("self", reserving("10.0.0.50"))), want: ActionReserve},
		"Settled":            {reason: "It is the machine's.", pool: &PoolAddress{Address: address, Reserved: true}, vm: new(pooledVM("self", reserving("10.0.0.50"))), want: ActionCreate},
		"SettledMissing":     {reason: "The reservation stays while a snippet is missing.", pool: &PoolAddress{Address: address, Reserved: true}, vm: new(pooledVM("self", reserving("10.0.0.50"))), missing: []string{"user-data-1"}, want: ActionReserve},
		"Exhausted":          {reason: "There is nothing to reserve.", pool: &PoolAddress{}, want: ActionWait},
		"ExhaustedReserving": {reason: "A reservation that no VM follows goes.", pool: &PoolAddress{}, vm: new(pooledVM("self", reserving("10.0.0.50"))), want: ActionRelease},
		"NoLongerPool":       {reason: "The claim asks for no address of the pool any more.", vm: new(pooledVM("self", reserving("10.0.0.50"))), want: ActionCreate},
		"NoLongerPoolMissing": {
			reason: "Nothing is to be reserved then.", vm: new(pooledVM("self", reserving("10.0.0.50"))), missing: []string{"user-data-1"}, want: ActionWait,
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			r := Request{
				Machine: &machine.Machine{NICs: []machine.NIC{{}}}, Owner: Owner{Composite: "self"}, Roles: Roles{Active: FirstVM},
				Observed: proxmox.State{VMs: vms{}}, PoolAddress: tc.pool,
			}
			if tc.vm != nil {
				r.Observed.VMs[FirstVM] = *tc.vm
			}

			p := Decide(Assess(r), Description{Parameters: proxmox.VMParameters{NodeName: "pve"}, Missing: tc.missing})
			if got := p.Steps[FirstVM].Action; got != tc.want {
				t.Errorf("%s\nDecide(): want %s, got %s", tc.reason, tc.want, got)
			}
		})
	}
}

// TestAddressesOfContainer: of a container count what was written, and of each interface with DHCP one address, whatever its root adds.
func TestAddressesOfContainer(t *testing.T) {
	c := proxmox.ObservedContainer{}
	c.Spec.ForProvider.NetworkInterface = []proxmox.ContainerNIC{{Name: "eth0"}, {Name: "eth1"}, {Name: "eth2"}}
	c.Spec.ForProvider.Initialization = []proxmox.ContainerInit{{IPConfig: []proxmox.IPConfig{
		{IPv4: []proxmox.IPAddress{{Address: "192.168.4.50/24"}}}, {IPv4: []proxmox.IPAddress{{Address: "dhcp"}}},
	}}}
	c.Status.AtProvider.IPv4 = map[string]string{"lo": "127.0.0.1", "eth0": "192.168.4.51", "eth1": "192.168.4.52", "dummy0": "192.168.4.53"}

	var got []string
	for _, a := range addressesOfContainer(c) {
		got = append(got, a.String())
	}

	if diff := cmp.Diff([]string{"192.168.4.50", "192.168.4.52"}, got); diff != "" {
		t.Errorf("addresses: -want, +got:\n%s", diff)
	}
}
