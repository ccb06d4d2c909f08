package behaviour

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/internal/world"
	"github.com/homelab-io/function-proxmox-machine/test/fake"
)

// pooled are machines of an example, each with an address of a pool of its site, in one cluster and on one Proxmox.
func pooled(t *testing.T, in world.Installation, pool any, names ...string) []*machine {
	t.Helper()

	var out []*machine

	for _, name := range names {
		e := fake.ExampleNamed(t, "nixos/dns01")
		world.Object(e.Claim["metadata"])["name"] = name

		m := e.Machine(in)
		world.Merge(m.Spec(), world.FromYAML(t, "{network: {ip: null, cidr: null, dns: null, pool: true}, proxmox: {vmId: null}}"))

		if len(out) == 0 {
			out = append(out, alone(t, m))
		} else {
			out = append(out, out[0].beside(m))
		}

		out[len(out)-1].withPool(pool)
	}

	return out
}

// withPool sets the pool of the machine's site.
func (m *machine) withPool(pool any) {
	m.SetSite("home", "network", map[string]any{"bridge": "vmbr0", "gateway": "192.168.4.1", "dns": []any{"192.168.4.1"}, "cidr": 24.0, "pool": pool})
}

// address that was written for the machine's VM; empty where nothing was. A managed resource that the provider ignores is no VM.
func (m *machine) address() string {
	for _, name := range world.Keys(m.Observed) {
		o := m.Observed[name]
		if o["kind"] != world.VMKind || world.Policies(o) == "Observe" {
			continue
		}

		drives := world.List(world.Object(world.Object(o["spec"])["forProvider"])["initialization"])
		config := world.Object(world.List(world.Object(drives[0])["ipConfig"])[0])

		return fmt.Sprint(world.Object(world.List(config["ipv4"])[0])["address"])
	}

	return ""
}

func addressesOf(all []*machine) []string {
	var out []string
	for _, m := range all {
		out = append(out, m.address())
	}

	return out
}

// TestAMachineTakesTheLowestAddress of its site's pool, one after the other.
func TestAMachineTakesTheLowestAddress(t *testing.T) {
	for _, in := range world.Installations {
		for name, vmIDs := range map[string]any{"ChosenByProxmox": nil, "OfARange": map[string]any{"from": 4000.0, "to": 4009.0}} {
			t.Run(name+in.Name, func(t *testing.T) {
				all := pooled(t, in, "192.168.4.50-192.168.4.59", "a", "b", "c")

				for i, m := range all {
					m.SetSite("home", "vmIds", vmIDs)

					last := m.Settle()
					m.says(last, map[string]string{"MachineReady": "Running"})

					if want := fmt.Sprintf("192.168.4.%d/24", 50+i); m.address() != want {
						t.Errorf("machine %d: want %s, got %s", i, want, m.address())
					}
				}
			})
		}
	}
}

// TestTeamsOfOneProxmox have provider configurations of their own, and their pools overlap: the catalogue says that they have one Proxmox, and no two
// machines get one address.
func TestTeamsOfOneProxmox(t *testing.T) {
	for _, in := range world.Installations {
		for name, want := range map[string][]string{"Named": {"192.168.4.50/24", "192.168.4.51/24"}, "Unnamed": {"192.168.4.50/24", "192.168.4.50/24"}} {
			t.Run(name+in.Name, func(t *testing.T) {
				all := pooled(t, in, "192.168.4.50-192.168.4.59", "a", "b")
				all[1].Spec()["proxmox"] = map[string]any{"site": "team-b"}

				for _, m := range all {
					m.CopySite("home", "team-b")
					m.SetSite("team-b", "providerConfig", "team-b")

					if name == "Named" {
						m.SetSite("home", "proxmox", "dc1")
						m.SetSite("team-b", "proxmox", "dc1")
					}

					m.Settle()
				}

				if diff := cmp.Diff(want, addressesOf(all)); diff != "" {
					t.Errorf("addresses: -want, +got:\n%s", diff)
				}
			})
		}
	}
}

// TestMachinesOfOneMoment get different addresses, in whatever order they are called and applied.
func TestMachinesOfOneMoment(t *testing.T) {
	orders := map[string]func(all []*machine){
		"InTurns": func(all []*machine) {
			for _, m := range all {
				m.Turn()
			}
		},
		"Backwards": func(all []*machine) {
			for _, m := range slices.Backward(all) {
				m.Turn()
			}
		},
		"AtOnce": func(all []*machine) { atOnce(all, all) },
		"AtOnceAppliedBackwards": func(all []*machine) {
			atOnce(all, slices.Collect(func(yield func(*machine) bool) {
				for _, m := range slices.Backward(all) {
					if !yield(m) {
						return
					}
				}
			}))
		},
	}

	for name, turn := range orders {
		for _, in := range world.Installations {
			for _, vmIDs := range []any{nil, map[string]any{"from": 4000.0, "to": 4019.0}} {
				t.Run(fmt.Sprint(name, in.Name, vmIDs != nil), func(t *testing.T) {
					all := pooled(t, in, []any{"192.168.4.50-192.168.4.51", "192.168.4.60-192.168.4.62"}, "a", "b", "c", "d", "e")
					for _, m := range all {
						m.SetSite("home", "vmIds", vmIDs)
					}

					for range 12 {
						turn(all)
					}

					got := addressesOf(all)
					slices.Sort(got)

					want := []string{"192.168.4.50/24", "192.168.4.51/24", "192.168.4.60/24", "192.168.4.61/24", "192.168.4.62/24"}
					if !slices.Equal(got, want) {
						t.Errorf("want %v, got %v", want, got)
					}

					made := addressesOf(all)
					all[0].Rest()

					if got := addressesOf(all); !slices.Equal(made, got) {
						t.Errorf("addresses moved: had %v, have %v", made, got)
					}
				})
			}
		}
	}
}

// TestAnAnswerThatComesLate: a machine's VM is created by an answer that knows nothing of another machine's reservation, which counts as the
// earlier one. The other machine waits for what becomes of the first one.
func TestAnAnswerThatComesLate(t *testing.T) {
	for _, in := range world.Installations {
		t.Run(in.Name, func(t *testing.T) {
			all := pooled(t, in, "192.168.4.50-192.168.4.59", "a", "b")
			a, b := all[0], all[1]

			early := a.Call()
			b.Turn()
			creates := b.Call()

			if p := world.Policies(world.Desired(creates, "vm")); p == "Observe" {
				t.Fatalf("b sees no other reservation, and only has %s", p)
			}

			// In the same second, so that the name decides.
			a.Apply(early)
			world.Object(a.Observed["vm"]["metadata"])["creationTimestamp"] = world.Object(b.Observed["vm"]["metadata"])["creationTimestamp"]
			a.Provide()

			waits := a.Turn()
			a.says(waits, map[string]string{"MachineReady": "ReservingAddress"})

			if msg := world.Message(waits, "MachineReady"); !strings.Contains(msg, "infra-machines/b") {
				t.Errorf("the message does not say for whom the machine waits: %s", msg)
			}

			b.Apply(creates)
			a.Rest()

			if got := addressesOf(all); !slices.Equal(got, []string{"192.168.4.51/24", "192.168.4.50/24"}) {
				t.Errorf("got %v", got)
			}
		})
	}
}

// atOnce all are called before any answer is applied.
func atOnce(all, order []*machine) {
	answers := map[*machine]*fnv1.RunFunctionResponse{}
	for _, m := range all {
		answers[m] = m.Call()
	}

	for _, m := range order {
		m.Apply(answers[m])
	}

	for _, m := range order {
		m.Provide()
	}
}

// TestAReservationTouchesNothing: until a VM may be created, the provider ignores its managed resource.
func TestAReservationTouchesNothing(t *testing.T) {
	m := pooled(t, world.Installations[0], "192.168.4.50", "a")[0]

	first := m.Turn()
	vm := world.Desired(first, "vm")

	if world.Policies(vm) != "Observe" || world.Annotation(vm, "crossplane.io/paused") != "true" || world.Annotation(vm, world.ExternalName) != "" {
		t.Errorf("the reservation is more than one: %v", vm["metadata"])
	}

	m.says(first, map[string]string{"ProviderHealthy": "NoError", "MachineReady": "WaitingForSnippets"})
	m.did()

	if got := world.Annotations(m.Rest(), "vm")["crossplane.io/paused"]; got != nil {
		t.Errorf("the VM is paused: %v", got)
	}

	m.did("make 100")
}

// TestAnAddressInUseIsPassedOver: one that another claim names, that a guest reports, and that the catalogue names.
func TestAnAddressInUseIsPassedOver(t *testing.T) {
	all := pooled(t, world.Installations[0], "192.168.4.50-192.168.4.59", "named", "a", "guest")
	named, a, guest := all[0], all[1], all[2]

	world.Merge(named.Spec(), world.FromYAML(t, "{network: {pool: null, ip: 192.168.4.50, cidr: 24}}"))
	named.Settle()

	world.Merge(guest.Spec(), world.FromYAML(t, "{network: {pool: null, dhcp: true}}"))
	guest.Settle()

	vm := world.Object(world.Object(guest.Observed["vm"]["status"])["atProvider"])
	macs := world.List(vm["macAddresses"])
	addresses := make([]any, len(macs))

	for i := range addresses {
		addresses[i] = []any{"192.168.4.51"}
	}

	vm["ipv4Addresses"] = addresses

	data := world.Object(a.Catalogue["data"])
	data["clusters"] = map[string]any{"home": map[string]any{"server": "https://192.168.4.52:6443", "tlsSANs": []any{"192.168.4.53", "k3s.home.arpa"}}}

	a.Settle()

	if got := a.address(); got != "192.168.4.54/24" {
		t.Errorf("want 192.168.4.54/24, got %s", got)
	}
}

// TestAnAddressStaysWithItsMachine, whatever becomes of the pool, and over a replacement.
func TestAnAddressStaysWithItsMachine(t *testing.T) {
	const has = "192.168.4.50/24"

	pools := map[string]func(m *machine){
		"AsItWas":   func(*machine) {},
		"Elsewhere": func(m *machine) { m.withPool("192.168.4.80-192.168.4.89") },
		"Gone": func(m *machine) {
			m.SetSite("home", "network", map[string]any{"bridge": "vmbr0", "gateway": "192.168.4.1", "dns": []any{"192.168.4.1"}, "cidr": 24.0})
		},
		"AnotherSubnet": func(m *machine) {
			m.SetSite("home", "network", map[string]any{"gateway": "10.0.0.1", "dns": []any{"192.168.4.1"}, "cidr": 16.0, "pool": "10.0.0.50-10.0.0.99"})
		},
	}

	for name, change := range pools {
		t.Run(name, func(t *testing.T) {
			m := pooled(t, world.Installations[0], "192.168.4.50-192.168.4.59", "a")[0]
			before := m.Rest()
			change(m)

			m.only(before, m.Rest(), nil)

			if m.address() != has {
				t.Errorf("want %s, got %s", has, m.address())
			}
		})
	}

	for _, in := range world.Installations {
		t.Run("Replaced"+in.Name, func(t *testing.T) {
			all := pooled(t, in, "192.168.4.50-192.168.4.59", "a", "b")
			a, b := all[0], all[1]
			a.Settle()
			a.withPool("192.168.4.51-192.168.4.59")
			a.Proxmox.Done = nil

			a.replace("1")
			a.Rest()
			a.says(a.Turn(), map[string]string{"MachineReady": "Running"})

			if a.address() != has || b.address() != "192.168.4.51/24" {
				t.Errorf("addresses after the replacement: %v", addressesOf(all))
			}

			if stop, made := a.happened("stop"), slices.Index(a.Proxmox.Done, "make 102"); stop < 0 || made >= 0 && made < stop {
				t.Errorf("two VMs had one address: %v", a.Proxmox.Done)
			}
		})
	}
}

// TestAnAddressIsFreed when its claim is gone, and lets a machine in that found none.
func TestAnAddressIsFreed(t *testing.T) {
	for _, in := range world.Installations {
		t.Run(in.Name, func(t *testing.T) {
			all := pooled(t, in, "192.168.4.50-192.168.4.51", "a", "b", "c")
			for _, m := range all {
				m.Rest()
			}

			c := all[2]
			last := c.Turn()
			c.says(last, map[string]string{"MachineReady": "AddressPoolExhausted", "SpecValid": "Valid"})

			if msg := world.Message(last, "MachineReady"); !strings.Contains(msg, "2 of 2") || !strings.Contains(msg, "sites.home.network.pool") {
				t.Errorf("the message does not say what to do: %s", msg)
			}

			if _, rendered := c.Observed["vm"]; rendered {
				t.Error("a machine without an address reserves one")
			}

			all[0].Leave()
			c.says(c.Rest(), map[string]string{"MachineReady": "Running"})

			if c.address() != "192.168.4.50/24" {
				t.Errorf("want the address that was freed, got %s", c.address())
			}
		})
	}
}

// TestTwoOfOneMomentInAFullPool: the machine that comes too late gives its reservation up, so that the other one does not wait for it.
func TestTwoOfOneMomentInAFullPool(t *testing.T) {
	all := pooled(t, world.Installations[0], "192.168.4.50", "a", "b")

	for range 8 {
		atOnce(all, all)
	}

	if got := addressesOf(all); !slices.Equal(got, []string{"192.168.4.50/24", ""}) {
		t.Errorf("want the first machine to have the only address, got %v", got)
	}

	all[1].says(all[1].Turn(), map[string]string{"MachineReady": "AddressPoolExhausted"})
}

// TestADHCPMachineIsToldToBeReplaced: an existing VM keeps DHCP when its claim asks for an address of the pool.
func TestADHCPMachineIsToldToBeReplaced(t *testing.T) {
	m := pooled(t, world.Installations[0], "192.168.4.50-192.168.4.59", "a")[0]
	world.Merge(m.Spec(), world.FromYAML(t, "{network: {pool: null, dhcp: true}}"))
	m.Rest()
	before := maps.Clone(m.Observed)
	m.Proxmox.Done = nil

	world.Merge(m.Spec(), world.FromYAML(t, "{network: {dhcp: null, pool: true}}"))

	last := m.Rest()
	m.says(last, map[string]string{"ReplacementRequired": "ImmutableFieldChanged", "MachineReady": "Running"})
	m.did()

	if got := m.address(); got != "dhcp" {
		t.Errorf("the VM had dhcp and has %s (%d resources before)", got, len(before))
	}

	m.replace("1")
	m.says(m.Rest(), map[string]string{"ReplacementRequired": "NotRequired", "MachineReady": "Running"})

	if got := m.address(); got != "192.168.4.50/24" {
		t.Errorf("the new VM has %s", got)
	}
}

// TestAnEditOfAPoolAddressIsReverted: the address stays the VM's while its claim asks for another one.
func TestAnEditOfAPoolAddressIsReverted(t *testing.T) {
	for name, edit := range map[string]string{
		"DHCP": "{network: {pool: null, dhcp: true}}", "Named": "{network: {pool: null, ip: 192.168.4.77, cidr: 24}}", "Nothing": "{network: null}",
	} {
		t.Run(name, func(t *testing.T) {
			all := pooled(t, world.Installations[0], "192.168.4.50-192.168.4.59", "a", "b")
			a, b := all[0], all[1]
			before := a.Settle()

			world.Merge(a.Spec(), world.FromYAML(t, edit))
			a.Settle()

			if a.address() == "192.168.4.50/24" {
				t.Error("the edit of the address is refused")
			}

			b.Settle()

			if b.address() != "192.168.4.51/24" {
				t.Errorf("the other machine has %s", b.address())
			}

			a.Spec()["network"] = map[string]any{"pool": true}
			a.only(before, a.Rest(), nil)
		})
	}
}

// replacedIntoPool is a running machine with DHCP that is to be replaced by one with an address of the pool.
func replacedIntoPool(t *testing.T, in world.Installation, pool any, others ...string) (*machine, []*machine) {
	t.Helper()

	all := pooled(t, in, pool, append([]string{"a"}, others...)...)
	a := all[0]
	world.Merge(a.Spec(), world.FromYAML(t, "{network: {pool: null, dhcp: true}}"))

	for _, m := range all {
		m.Settle()
	}

	a.Proxmox.Done = nil
	world.Merge(a.Spec(), world.FromYAML(t, "{network: {dhcp: null, pool: true}}"))
	a.replace("1")

	return a, all[1:]
}

// TestAFullPoolKeepsTheOldVM: a VM that is to be replaced runs until there is an address for the new one.
func TestAFullPoolKeepsTheOldVM(t *testing.T) {
	for _, in := range world.Installations {
		t.Run(in.Name, func(t *testing.T) {
			a, others := replacedIntoPool(t, in, "192.168.4.50", "b")
			last := a.Rest()
			a.says(last, map[string]string{"MachineReady": "Running", "ReplacementRequired": "Replacing"})
			a.did()

			if msg := world.Message(last, "ReplacementRequired"); !strings.Contains(msg, "exhausted: 1 of 1") {
				t.Errorf("the message does not say what the replacement waits for: %s", msg)
			}

			others[0].Leave()
			a.says(a.Rest(), map[string]string{"MachineReady": "Running", "ReplacementRequired": "NotRequired"})

			if a.address() != "192.168.4.50/24" {
				t.Errorf("the new VM has %s", a.address())
			}
		})
	}
}

// TestATriggerTakenBackFreesTheReservation of a VM that was to replace another one.
func TestATriggerTakenBackFreesTheReservation(t *testing.T) {
	for _, in := range world.Installations {
		t.Run(in.Name, func(t *testing.T) {
			a, _ := replacedIntoPool(t, in, "192.168.4.50-192.168.4.51")

			a.Turn()

			if n := len(slices.DeleteFunc(world.Keys(a.Observed), func(n string) bool { return a.Observed[n]["kind"] != world.VMKind })); n != 2 {
				t.Fatalf("%d VMs, want the old one and the reservation of the new one", n)
			}

			a.lifecycle("replace", "")
			a.says(a.Rest(), map[string]string{"MachineReady": "Running", "ReplacementRequired": "ImmutableFieldChanged"})
			a.did()

			if got := a.vm(); got != "vm" || a.address() != "dhcp" {
				t.Errorf("the machine has %s with %s", got, a.address())
			}
		})
	}
}

// TestAK3sNodeOfAPool registers with its address, and its bootstrap data are those that the claim describes.
func TestAK3sNodeOfAPool(t *testing.T) {
	for _, name := range []string{"k3s-cluster/agent-1", "k3s-cluster/server-1"} {
		t.Run(name, func(t *testing.T) {
			m := example(t, name)
			m.SetSite("home", "network", map[string]any{"gateway": "192.168.4.1", "dns": []any{"192.168.4.1"}, "cidr": 24.0, "pool": "192.168.4.50-192.168.4.59"})
			m.Spec()["network"] = map[string]any{"pool": true}

			settled := m.Rest()
			m.says(settled, map[string]string{"BootstrapCurrent": "Current", "SpecValid": "Valid"})

			data := ""

			for _, n := range world.Keys(m.Observed) {
				if m.Observed[n]["kind"] == world.FileKind {
					data += fmt.Sprint(world.ForProvider(settled, n)["sourceRaw"])
				}
			}

			if m.address() != "192.168.4.50/24" || !strings.Contains(data, "192.168.4.50") {
				t.Errorf("the VM has %s, and its node: %s", m.address(), data)
			}

			m.withPool("192.168.4.90-192.168.4.99")
			m.says(m.Rest(), map[string]string{"BootstrapCurrent": "Current"})
		})
	}
}

// TestAK3sNodeWithoutAnAddress waits, as any other machine.
func TestAK3sNodeWithoutAnAddress(t *testing.T) {
	for _, families := range []string{"{}", `{config: {cluster-cidr: "10.42.0.0/16,fd00:42::/56", service-cidr: "10.43.0.0/16,fd00:43::/112"}}`} {
		m := example(t, "k3s-cluster/server-1")
		m.SetSite("home", "network", map[string]any{"gateway": "192.168.4.1", "dns": []any{"192.168.4.50"}, "cidr": 24.0, "pool": "192.168.4.50"})
		m.Spec()["network"] = map[string]any{"pool": true, "ipv6": map[string]any{"ip": "fd00::5", "cidr": 64.0}}
		world.Merge(world.Object(world.Object(world.Object(m.Catalogue["data"])["clusters"])["home"]), world.FromYAML(t, families))

		m.says(m.Rest(), map[string]string{"MachineReady": "AddressPoolExhausted", "SpecValid": "Valid"})
		m.did()

		m.withPool("192.168.4.50-192.168.4.51")
		m.says(m.Rest(), map[string]string{"MachineReady": "Running"})
	}
}

// TestAFixedAddressMovesIntoThePool without a change: the VM keeps it.
func TestAFixedAddressMovesIntoThePool(t *testing.T) {
	m := pooled(t, world.Installations[0], "192.168.4.50-192.168.4.59", "a")[0]
	world.Merge(m.Spec(), world.FromYAML(t, "{network: {pool: null, ip: 192.168.4.57, cidr: 24}}"))
	before := m.Rest()

	world.Merge(m.Spec(), world.FromYAML(t, "{network: {ip: null, cidr: null, pool: true}}"))
	m.only(before, m.Rest(), func(d map[string]*fnv1.Resource) {
		set(d, "vm", "192.168.4.57/24", "metadata", "annotations", "homelab.io/pool-address")
	})
}
