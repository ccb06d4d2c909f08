package behaviour

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// lab is a pool of Cluster API, as the catalogue names it.
var lab = map[string]any{"apiGroup": "ipam.cluster.x-k8s.io", "kind": "InClusterIPPool", "name": "lab"} //nolint:gochecknoglobals // A constant.

// installations that can have IPAddressClaims.
func withClaims() []world.Installation {
	return []world.Installation{world.Installations[0], world.Installations[2]}
}

// claiming are machines of a site whose addresses are of a pool of Cluster API, which has these addresses.
func claiming(t *testing.T, in world.Installation, addresses []string, names ...string) ([]*machine, *world.IPAM) {
	t.Helper()

	all := pooled(t, in, lab, names...)
	is := &all[0].Cluster().IPAM
	is.Pools = map[string]*world.IPPool{"InClusterIPPool lab": {Addresses: addresses, Prefix: 24, Gateway: "192.168.4.254"}}

	for _, m := range all {
		m.Capabilities = []fnv1.Capability{fnv1.Capability_CAPABILITY_CAPABILITIES, fnv1.Capability_CAPABILITY_REQUIRED_RESOURCES}
	}

	return all, is
}

// claimsOf a machine, by composed resource name.
func claimsOf(m *machine) []string {
	return slices.DeleteFunc(world.Keys(m.Observed), func(n string) bool { return m.Observed[n]["kind"] != world.AddressClaimKind })
}

// gateway that was written for the machine's VM.
func (m *machine) gateway() any {
	drives := world.List(world.Object(world.Object(m.Observed[m.vm()]["spec"])["forProvider"])["initialization"])
	config := world.Object(world.List(world.Object(drives[0])["ipConfig"])[0])

	return world.Object(world.List(config["ipv4"])[0])["gateway"]
}

// TestAMachineClaimsItsAddress of a pool of Cluster API: no VM is made before, and prefix length and gateway are the pool's.
func TestAMachineClaimsItsAddress(t *testing.T) {
	for _, in := range withClaims() {
		for name, vmIDs := range map[string]any{"ChosenByProxmox": nil, "OfARange": map[string]any{"from": 4000.0, "to": 4009.0}} {
			t.Run(name+in.Name, func(t *testing.T) {
				all, is := claiming(t, in, nil, "a", "b")
				a := all[0]

				for _, m := range all {
					m.SetSite("home", "vmIds", vmIDs)
				}

				is.Pools["InClusterIPPool lab"].Says = "no free address"
				waits := a.Rest()
				a.says(waits, map[string]string{"MachineReady": "ClaimingAddress", "SpecValid": "Valid", "ProviderHealthy": "NoError"})
				a.did()

				if msg := world.Message(waits, "MachineReady"); !strings.Contains(msg, "InClusterIPPool lab") || !strings.Contains(msg, "no free address") {
					t.Errorf("the message does not say what the machine waits for: %s", msg)
				}

				if _, rendered := a.Observed["vm"]; rendered || len(claimsOf(a)) != 1 {
					t.Errorf("without an address there is a VM, or no claim: %v", world.Keys(a.Observed))
				}

				is.Pools["InClusterIPPool lab"].Addresses = []string{"192.168.4.60", "192.168.4.61"}
				a.says(a.Rest(), map[string]string{"MachineReady": "Running", "BootstrapCurrent": "Current"})

				if got := addressesOf(all); !slices.Equal(got, []string{"192.168.4.60/24", "192.168.4.61/24"}) || a.gateway() != "192.168.4.254" {
					t.Errorf("got %v and gateway %v", got, a.gateway())
				}

				if ready := a.Call().GetDesired().GetResources()[claimsOf(a)[0]].GetReady(); ready != fnv1.Ready_READY_TRUE {
					t.Errorf("the claim is %v", ready)
				}
			})
		}
	}
}

// TestAClaimedAddressStays with its machine, whatever becomes of pool, IPAddress and kind, and over a replacement.
func TestAClaimedAddressStays(t *testing.T) {
	const has = "192.168.4.60/24"

	changes := map[string]func(m *machine, is *world.IPAM){
		"AsItWas": func(*machine, *world.IPAM) {},
		"AnotherPool": func(m *machine, _ *world.IPAM) {
			m.withPool(map[string]any{"kind": "InClusterIPPool", "name": "other"})
		},
		"OwnPool":   func(m *machine, _ *world.IPAM) { m.withPool("192.168.4.80-192.168.4.89") },
		"NoAddress": func(_ *machine, is *world.IPAM) { is.Addresses = nil },
		"OtherAddress": func(_ *machine, is *world.IPAM) {
			for _, a := range is.Addresses {
				world.Object(a["spec"])["address"] = "192.168.4.99"
			}
		},
		"OtherGateway": func(m *machine, _ *world.IPAM) {
			m.SetSite("home", "network", map[string]any{"gateway": "192.168.4.7", "cidr": 24.0})
		},
		"OtherSubnet": func(m *machine, _ *world.IPAM) {
			m.SetSite("home", "network", map[string]any{"gateway": "10.0.0.1", "cidr": 16.0})
		},
	}

	for _, in := range withClaims() {
		for name, change := range changes {
			t.Run(name+in.Name, func(t *testing.T) {
				all, is := claiming(t, in, []string{"192.168.4.60", "192.168.4.61", "192.168.4.62"}, "a")
				a := all[0]
				before := a.Rest()
				claims := claimsOf(a)
				change(a, is)

				world.Merge(a.Spec(), world.FromYAML(t, "{network: {dns: [192.168.4.1]}}"))
				a.Proxmox.Done = nil
				after := a.Rest()

				for _, n := range append(claims, "vm") {
					if n == "vm" {
						if a.address() != has || a.gateway() != "192.168.4.254" {
							t.Errorf("the VM has %s and gateway %v", a.address(), a.gateway())
						}

						continue
					}

					if fmt.Sprint(world.Desired(before, n)) != fmt.Sprint(world.Desired(after, n)) {
						t.Errorf("the claim changed: %v", world.Desired(after, n))
					}
				}

				a.replace("1")
				a.Rest()
				a.says(a.Turn(), map[string]string{"MachineReady": "Running"})

				if a.address() != has || a.gateway() != "192.168.4.254" || !slices.Equal(claims, claimsOf(a)) {
					t.Errorf("the new VM has %s, gateway %v and claims %v", a.address(), a.gateway(), claimsOf(a))
				}
			})
		}
	}
}

// TestAClaimedAddressIsFreed when its claim is gone, not before its VM is, and lets a machine in that found none.
func TestAClaimedAddressIsFreed(t *testing.T) {
	for _, in := range withClaims() {
		t.Run(in.Name, func(t *testing.T) {
			all, is := claiming(t, in, []string{"192.168.4.60"}, "a", "b")
			a, b := all[0], all[1]
			world.Merge(a.Spec(), world.FromYAML(t, "{deletionPolicy: Delete, deletionProtection: false}"))
			b.Rest()
			b.says(b.Turn(), map[string]string{"MachineReady": "ClaimingAddress"})

			a.Leave()

			if len(is.Addresses) != 0 {
				t.Errorf("addresses are held: %v", is.Addresses)
			}

			b.says(b.Rest(), map[string]string{"MachineReady": "Running"})

			if b.address() != "192.168.4.60/24" {
				t.Errorf("want the address that was freed, got %s", b.address())
			}
		})
	}
}

// TestAnOrphanKeepsItsAddress: a machine whose VM would run on cannot be deleted before somebody has taken its address over.
func TestAnOrphanKeepsItsAddress(t *testing.T) {
	for _, in := range withClaims() {
		t.Run(in.Name, func(t *testing.T) {
			all, _ := claiming(t, in, []string{"192.168.4.60"}, "a")
			a := all[0]
			world.Merge(a.Spec(), world.FromYAML(t, "{deletionPolicy: Orphan}"))

			const guard = "protects-claim-address"

			why := func() string {
				o := a.Observed[guard]
				return fmt.Sprint(world.Object(o["spec"])["reason"])
			}

			a.Rest()

			if got := why(); !strings.Contains(got, "192.168.4.60") || !strings.Contains(got, "InClusterIPPool lab") {
				t.Errorf("nothing keeps the machine, or it does not say why: %s", got)
			}

			for edit, kept := range map[string]bool{
				"{network: {pool: null, dhcp: true}}": true, "{network: {pool: null, ip: 192.168.4.61/24}}": true, "{network: {pool: null, ip: 192.168.4.60/24}}": false,
			} {
				a.Spec()["network"] = map[string]any{"pool": true}
				world.Merge(a.Spec(), world.FromYAML(t, edit))
				a.Rest()

				if _, there := a.Observed[guard]; there != kept || len(claimsOf(a)) != 1 {
					t.Errorf("%s: kept is %t, claims are %v", edit, there, claimsOf(a))
				}
			}

			a.Spec()["network"] = map[string]any{"pool": true}
			a.Rest()
			a.Spec()["deletionPolicy"] = "Delete"

			// Crossplane removes a Usage before it writes the managed resource of the VM, and somebody may delete the machine in between.
			rsp := a.Turn()
			if _, there := a.Observed[guard]; !there || !strings.Contains(world.Policies(world.Desired(rsp, "vm")), "Delete") {
				t.Error("nothing keeps the machine while the provider would let its VM run on")
			}

			a.Rest()

			if _, there := a.Observed[guard]; there {
				t.Errorf("a VM that goes keeps its machine: %s", why())
			}
		})
	}
}

// TestAnAddressThatIsInUseIsNotTaken: the pool gave an address that another machine has, or that no VM can have.
func TestAnAddressThatIsInUseIsNotTaken(t *testing.T) {
	gives := func(address string) func(all []*machine, is *world.IPAM) {
		return func(_ []*machine, is *world.IPAM) { is.Pools["InClusterIPPool lab"].Addresses = []string{address} }
	}

	cases := map[string]struct {
		set  func(all []*machine, is *world.IPAM)
		want string
	}{
		"OfAnotherMachine": {
			set: func(all []*machine, is *world.IPAM) {
				world.Merge(all[1].Spec(), world.FromYAML(t, "{network: {pool: null, ip: 192.168.4.60/24}}"))
				all[1].Settle()
				gives("192.168.4.60")(all, is)
			},
			want: "192.168.4.60/24, which is the address of machine infra-machines/b",
		},
		"OfTheCatalogue": {set: gives("192.168.4.1"), want: "is named by the catalogue"},
		"IPv6":           {set: gives("fd00::60"), want: "is no IPv4 address"},
		"NoAddress":      {set: gives("lab"), want: "is no IPv4 address"},
		"NoPrefix": {
			set: func(all []*machine, is *world.IPAM) {
				gives("192.168.4.60")(all, is)
				is.Pools["InClusterIPPool lab"].Prefix = 0
			},
			want: "has no prefix length",
		},
		"GatewayElsewhere": {set: gives("192.168.5.60"), want: "has gateway 192.168.4.254, which is no address of its subnet"},
		"ItsGateway":       {set: gives("192.168.4.254"), want: "is its own gateway"},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			all, is := claiming(t, world.Installations[2], nil, "a", "b")
			a := all[0]
			tc.set(all, is)

			last := a.Settle()
			a.says(last, map[string]string{"MachineReady": "ClaimedAddressUnfit"})

			if msg := world.Message(last, "MachineReady"); !strings.Contains(msg, tc.want) || !strings.Contains(msg, "delete IPAddressClaim") {
				t.Errorf("want %q in: %s", tc.want, msg)
			}

			if _, rendered := a.Observed["vm"]; rendered {
				t.Error("the VM is rendered")
			}
		})
	}
}

// TestWithoutTheKind nothing is composed that Crossplane could not apply, and the machine continues when the kind is there.
func TestWithoutTheKind(t *testing.T) {
	for _, in := range withClaims() {
		t.Run(in.Name, func(t *testing.T) {
			all, is := claiming(t, in, []string{"192.168.4.60"}, "a")
			a := all[0]
			is.Missing = true

			last := a.Rest()
			a.says(last, map[string]string{"MachineReady": "AddressClaimsMissing", "SpecValid": "Valid"})

			if msg := world.Message(last, "MachineReady"); !strings.Contains(msg, "ipam.cluster.x-k8s.io/v1beta1") {
				t.Errorf("the message does not say what is missing: %s", msg)
			}

			is.Missing = false
			a.says(a.Rest(), map[string]string{"MachineReady": "Running"})

			// The kind is removed, and all claims with it: the VM stays as it is.
			for _, n := range claimsOf(a) {
				delete(a.Observed, n)
			}

			is.Missing, is.Addresses, a.Proxmox.Done = true, nil, nil
			a.says(a.Rest(), map[string]string{"MachineReady": "Running"})
			a.did()

			is.Missing = false
			a.Rest()

			if len(claimsOf(a)) != 1 || a.address() != "192.168.4.60/24" {
				t.Errorf("the VM has %s and claims %v", a.address(), claimsOf(a))
			}
		})
	}
}

// TestAnotherPoolBeforeTheVM replaces the claim; nobody can change one.
func TestAnotherPoolBeforeTheVM(t *testing.T) {
	all, is := claiming(t, world.Installations[2], nil, "a")
	a := all[0]
	a.Rest()
	before := claimsOf(a)

	is.Pools["GlobalInClusterIPPool all"] = &world.IPPool{Addresses: []string{"192.168.4.70"}, Prefix: 16}
	a.withPool(map[string]any{"kind": "GlobalInClusterIPPool", "name": "all"})
	a.says(a.Rest(), map[string]string{"MachineReady": "Running"})

	if after := claimsOf(a); len(after) != 1 || slices.Equal(before, after) || a.address() != "192.168.4.70/16" || a.gateway() != "192.168.4.1" {
		t.Errorf("claims %v became %v; the VM has %s and gateway %v", before, after, a.address(), a.gateway())
	}
}

// TestAClaimGoesWithItsVM: a VM with another address replaces the VM that had the address of the claim.
func TestAClaimGoesWithItsVM(t *testing.T) {
	for _, in := range withClaims() {
		t.Run(in.Name, func(t *testing.T) {
			all, is := claiming(t, in, []string{"192.168.4.60"}, "a")
			a := all[0]
			world.Merge(a.Spec(), world.FromYAML(t, "{deletionPolicy: Delete}"))
			a.Rest()

			world.Merge(a.Spec(), world.FromYAML(t, "{network: {pool: null, ip: 192.168.4.77/24}}"))
			a.Rest()

			if len(claimsOf(a)) != 1 {
				t.Fatalf("the VM may have its address still, and claims are %v", claimsOf(a))
			}

			a.replace("1")
			a.says(a.Rest(), map[string]string{"MachineReady": "Running"})

			if len(claimsOf(a)) != 0 || len(is.Addresses) != 0 || a.address() != "192.168.4.77/24" {
				t.Errorf("the VM has %s, claims %v, addresses %v", a.address(), claimsOf(a), is.Addresses)
			}
		})
	}
}

// TestADHCPMachineTakesAClaimedAddress when it is replaced, and keeps its VM until there is the address.
func TestADHCPMachineTakesAClaimedAddress(t *testing.T) {
	for _, in := range withClaims() {
		t.Run(in.Name, func(t *testing.T) {
			all, is := claiming(t, in, nil, "a")
			a := all[0]
			world.Merge(a.Spec(), world.FromYAML(t, "{network: {pool: null, dhcp: true}}"))
			a.Rest()

			world.Merge(a.Spec(), world.FromYAML(t, "{network: {dhcp: null, pool: true}}"))
			a.Proxmox.Done = nil
			a.says(a.Rest(), map[string]string{"ReplacementRequired": "ImmutableFieldChanged", "MachineReady": "Running"})

			if len(claimsOf(a)) != 0 {
				t.Errorf("a VM with DHCP claims addresses: %v", claimsOf(a))
			}

			a.replace("1")

			last := a.Rest()
			a.says(last, map[string]string{"MachineReady": "Running", "ReplacementRequired": "Replacing"})
			a.did()

			if msg := world.Message(last, "ReplacementRequired"); !strings.Contains(msg, "InClusterIPPool lab") {
				t.Errorf("the message does not say what the replacement waits for: %s", msg)
			}

			is.Pools["InClusterIPPool lab"].Addresses = []string{"192.168.4.60"}
			a.says(a.Rest(), map[string]string{"MachineReady": "Running", "ReplacementRequired": "NotRequired"})

			if a.address() != "192.168.4.60/24" {
				t.Errorf("the new VM has %s", a.address())
			}
		})
	}
}

// TestAK3sNodeClaimsItsAddress and registers with it.
func TestAK3sNodeClaimsItsAddress(t *testing.T) {
	for _, name := range []string{"k3s-cluster/agent-1", "k3s-cluster/server-1"} {
		t.Run(name, func(t *testing.T) {
			m := example(t, name)
			m.Capabilities = []fnv1.Capability{fnv1.Capability_CAPABILITY_CAPABILITIES, fnv1.Capability_CAPABILITY_REQUIRED_RESOURCES}
			m.SetSite("home", "network", map[string]any{"gateway": "192.168.4.1", "dns": []any{"192.168.4.1"}, "pool": lab})
			m.Spec()["network"] = map[string]any{"pool": true}
			m.Cluster().IPAM.Pools = map[string]*world.IPPool{"InClusterIPPool lab": {Addresses: []string{"192.168.4.60"}, Prefix: 24}}

			settled := m.Rest()
			m.says(settled, map[string]string{"BootstrapCurrent": "Current", "SpecValid": "Valid"})

			data := ""

			for _, n := range world.Keys(m.Observed) {
				if m.Observed[n]["kind"] == world.FileKind {
					data += fmt.Sprint(world.ForProvider(settled, n)["sourceRaw"])
				}
			}

			if m.address() != "192.168.4.60/24" || m.gateway() != "192.168.4.1" || !strings.Contains(data, "192.168.4.60") {
				t.Errorf("the VM has %s and %v, and its node: %s", m.address(), m.gateway(), data)
			}
		})
	}
}

// TestANodeOfAClusterClaimsItsAddress in the namespace of the cluster's claim, also where the node has no claim of its own.
func TestANodeOfAClusterClaimsItsAddress(t *testing.T) {
	m := example(t, "k3s-cluster/agent-1")
	m.Capabilities = []fnv1.Capability{fnv1.Capability_CAPABILITY_CAPABILITIES, fnv1.Capability_CAPABILITY_REQUIRED_RESOURCES}
	m.SetSite("home", "network", map[string]any{"gateway": "192.168.4.1", "dns": []any{"192.168.4.1"}, "pool": lab})
	m.Spec()["network"] = map[string]any{"pool": true}
	m.Spec()["deletionPolicy"] = "Orphan"
	m.Cluster().IPAM.Pools = map[string]*world.IPPool{"InClusterIPPool lab": {Addresses: []string{"192.168.4.60"}, Prefix: 24}}

	delete(m.Spec(), "claimRef")

	meta := world.Object(m.Composite["metadata"])
	labels := world.Object(meta["labels"])
	labels["crossplane.io/claim-namespace"] = "infra-machines"
	meta["labels"] = labels
	meta["ownerReferences"] = []any{map[string]any{
		"apiVersion": m.Composite["apiVersion"], "kind": "XK3sCluster", "name": "home-x7k2p", "uid": "u", "controller": true,
	}}

	m.Rest()

	claim := m.Observed[claimsOf(m)[0]]
	if ns := world.Object(claim["metadata"])["namespace"]; ns != "infra-machines" || m.address() != "192.168.4.60/24" {
		t.Errorf("the claim is in namespace %v, and the VM has %s", ns, m.address())
	}

	for name, want := range map[string]string{"protects-address-vm": "Usage", "protects-composite-address": "ClusterUsage"} {
		if got := m.Observed[name]["kind"]; got != want {
			t.Errorf("%s: want a %s, got %v", name, want, got)
		}
	}
}

// TestWhoCannotClaim is told so, and what to do. Crossplane 1.20 answers the old generation of what a function asks for.
func TestWhoCannotClaim(t *testing.T) {
	cases := map[string]struct {
		reason string
		call   func(a *machine) *fnv1.RunFunctionResponse
		want   string
	}{
		"Before20": {
			reason: "It can compose nothing in a namespace.",
			call: func(a *machine) *fnv1.RunFunctionResponse {
				req := a.Request()
				req.ExtraResources, req.RequiredResources, req.Meta.Capabilities = req.GetRequiredResources(), nil, nil
				delete(req.GetExtraResources(), world.TokenRequirement)

				return a.Cluster().Function(req)
			},
			want: "before 2.0",
		},
		"Before22": {
			reason: "It has a Usage of cluster scoped resources alone, as far as it says.",
			call: func(a *machine) *fnv1.RunFunctionResponse {
				a.Capabilities = nil
				return a.Call()
			},
			want: "before 2.2",
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			all, _ := claiming(t, world.Installations[0], []string{"192.168.4.60"}, "a")

			if msg := world.Fatal(tc.call(all[0])); !strings.Contains(msg, "spec.network.pool") || !strings.Contains(msg, tc.want) {
				t.Errorf("%s\ngot %q", tc.reason, msg)
			}
		})
	}
}
