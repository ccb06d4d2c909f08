package behaviour

import (
	"slices"
	"strings"
	"testing"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/internal/world"
	"github.com/homelab-io/function-proxmox-machine/test/fake"
)

// two machines with one number, of which the first one's claim was committed first.
func two(t *testing.T, in world.Installation) (a, b *machine) {
	t.Helper()

	named := func(name string) *world.Machine {
		e := fake.ExampleNamed(t, "nixos/dns01")
		world.Object(e.Claim["metadata"])["name"] = name
		m := e.Machine(in)
		delete(m.Spec(), "network")

		return m
	}

	a = alone(t, named("a"))

	return a, a.beside(named("b"))
}

// TestTwoMachinesWithOneNumber: one gets it, whoever is called when, and the other one says whose it is.
func TestTwoMachinesWithOneNumber(t *testing.T) {
	type turns func(a, b *machine)

	cases := map[string]struct {
		reason string
		first  turns
		loser  string
	}{
		"OneAfterTheOther": {
			reason: "The first one has its VM when the second claim is committed.",
			first:  func(a, _ *machine) { a.restAlone() }, loser: "b",
		},
		"InTurns": {
			reason: "Both check the VMID; the older managed resource wins.",
			first:  func(a, b *machine) { a.Turn(); b.Turn() }, loser: "b",
		},
		"TheOtherFirst": {
			reason: "The same the other way round.",
			first:  func(a, b *machine) { b.Turn(); a.Turn() }, loser: "a",
		},
		"AtOnce": {
			reason: "Both were called before either was applied.",
			first: func(a, b *machine) {
				ra, rb := a.Call(), b.Call()
				b.Apply(rb)
				a.Apply(ra)
				a.Provide()
				b.Provide()
			}, loser: "a",
		},
		"AtOnceAllTheWay": {
			reason: "So they go on to be.",
			first: func(a, b *machine) {
				for range 4 {
					ra, rb := a.Call(), b.Call()
					a.Apply(ra)
					b.Apply(rb)
					b.Provide()
					a.Provide()
				}
			}, loser: "b",
		},
	}

	for name, tc := range cases {
		for _, in := range world.Installations {
			t.Run(name+in.Name, func(t *testing.T) {
				a, b := two(t, in)
				tc.first(a, b)
				a.Rest()

				winner, loser := a, b
				if tc.loser == "a" {
					winner, loser = b, a
				}

				winner.says(winner.Turn(), map[string]string{"VMIDInUse": "NumberFree", "MachineReady": "Running"})
				lost := loser.Turn()
				loser.says(lost, map[string]string{"VMIDInUse": "NumberClaimed", "MachineReady": "VMIDInUse"})

				if msg := world.Message(lost, "VMIDInUse"); !strings.Contains(msg, "infra-machines/"+claimName(winner)) {
					t.Errorf("%s\nthe message does not say whose it is: %s", tc.reason, msg)
				}

				a.did("make 153")

				// The winner goes; its VM is destroyed, and the number is free.
				winner.Leave()
				loser.says(loser.Rest(), map[string]string{"VMIDInUse": "NumberFree", "MachineReady": "Running"})
				a.did("destroy 153", "make 153")
			})
		}
	}
}

func claimName(m *machine) string {
	name, _, _ := strings.Cut(world.Object(m.Composite["metadata"])["name"].(string), "-")
	return name
}

// restAlone lets this machine alone take turns.
func (m *machine) restAlone() *fnv1.RunFunctionResponse {
	m.t.Helper()

	c := m.Cluster()
	all := c.Machines
	c.Machines = []*world.Machine{m.Machine}
	rsp := m.Rest()
	c.Machines = all

	return rsp
}

// TestNumbersAreASites: the same number at another Proxmox is another one.
func TestNumbersAreASites(t *testing.T) {
	a, b := two(t, world.Installations[0])
	b.SetSite("home", "providerConfig", "lab")
	b.Proxmox = b.Cluster().NewProxmox()

	a.Rest()
	a.did("make 153")
	b.did("make 153")
}

// TestALivingMachineIsNoNeighbourOfItself, also where it is found under its own label.
func TestALivingMachineIsNoNeighbourOfItself(t *testing.T) {
	for _, in := range world.Installations {
		t.Run(in.Name, func(t *testing.T) {
			a, b := two(t, in)
			world.Object(b.Spec()["proxmox"])["vmId"] = 154.0

			a.Rest()
			a.did("make 153", "make 154")
		})
	}
}

// TestARangePassesNeighboursBy: VMIDs of a range that other machines have, or check, are skipped.
func TestARangePassesNeighboursBy(t *testing.T) {
	a, b := two(t, world.Installations[0])
	for _, m := range []*machine{a, b} {
		delete(world.Object(m.Spec()["proxmox"]), "vmId")
		m.SetSite("home", "vmIds", map[string]any{"from": 4000.0, "to": 4001.0})
	}

	a.Rest()

	if done := slices.Sorted(slices.Values(a.Proxmox.Done)); !slices.Equal(done, []string{"make 4000", "make 4001"}) {
		t.Errorf("done in Proxmox: %v", a.Proxmox.Done)
	}
}
