package main

import (
	"slices"
	"strings"
	"testing"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
)

// two machines with one number, of which the first one's claim was committed first.
func two(t *testing.T, in installation) (a, b *lab) {
	t.Helper()

	machine := func(name string) *world {
		for _, e := range examples(t) {
			if e.name != "nixos/dns01" {
				continue
			}

			object(e.claim["metadata"])["name"] = name
			w := e.world(in)
			delete(object(specOf(w)), "network")

			return w
		}

		t.Fatal("no example")

		return nil
	}

	a = newLab(t, machine("a"))

	return a, a.beside(machine("b"))
}

// TestTwoMachinesWithOneNumber: one gets it, whoever is called when, and the other one says whose it is.
func TestTwoMachinesWithOneNumber(t *testing.T) {
	type turns func(a, b *lab)

	cases := map[string]struct {
		reason string
		first  turns
		loser  string
	}{
		"OneAfterTheOther": {
			reason: "The first one has its VM when the second claim is committed.",
			first:  func(a, _ *lab) { a.rest1() }, loser: "b",
		},
		"InTurns": {
			reason: "Both look; the first one that was there wins.",
			first:  func(a, b *lab) { a.turn(); b.turn() }, loser: "b",
		},
		"TheOtherFirst": {
			reason: "The same the other way round.",
			first:  func(a, b *lab) { b.turn(); a.turn() }, loser: "a",
		},
		"AtOnce": {
			reason: "Both were called before either was applied.",
			first: func(a, b *lab) {
				ra, rb := a.call(), b.call()
				b.obey(rb)
				a.obey(ra)
				a.work()
				b.work()
			}, loser: "a",
		},
		"AtOnceAllTheWay": {
			reason: "So they go on to be.",
			first: func(a, b *lab) {
				for range 4 {
					ra, rb := a.call(), b.call()
					a.obey(ra)
					b.obey(rb)
					b.work()
					a.work()
				}
			}, loser: "b",
		},
	}

	for name, tc := range cases {
		for _, in := range installations {
			t.Run(name+in.name, func(t *testing.T) {
				a, b := two(t, in)
				tc.first(a, b)
				a.rest()

				winner, loser := a, b
				if tc.loser == "a" {
					winner, loser = b, a
				}

				winner.says(winner.turn(), map[string]string{"VMIDInUse": "NumberFree", "MachineReady": "Running"})
				lost := loser.turn()
				loser.says(lost, map[string]string{"VMIDInUse": "NumberClaimed", "MachineReady": "VMIDInUse"})

				if m := messageOf(lost, "VMIDInUse"); !strings.Contains(m, "infra-machines/"+name1(winner)) {
					t.Errorf("%s\nthe message does not say whose it is: %s", tc.reason, m)
				}

				a.did("make 153")

				// The winner goes; its VM is destroyed, and the number is free.
				winner.leave()
				loser.says(loser.rest(), map[string]string{"VMIDInUse": "NumberFree", "MachineReady": "Running"})
				a.did("destroy 153", "make 153")
			})
		}
	}
}

func name1(l *lab) string {
	name, _, _ := strings.Cut(object(l.composite["metadata"])["name"].(string), "-")
	return name
}

// rest1 lets this machine alone take turns.
func (l *lab) rest1() *fnv1.RunFunctionResponse {
	l.t.Helper()

	all := *l.labs
	*l.labs = []*lab{l}
	rsp := l.rest()
	*l.labs = all

	return rsp
}

// TestNumbersAreASites: the same number at another Proxmox is another one.
func TestNumbersAreASites(t *testing.T) {
	a, b := two(t, installations[0])
	b.catalog = object(runtimeCopy(b.catalog))
	object(object(object(b.catalog["data"])["sites"])["home"])["providerConfig"] = "lab"
	b.pve = &pve{t: t, vms: map[int]*guest{}, snippets: map[string]bool{}}

	a.rest()
	a.did("make 153")
	b.did("make 153")
}

// TestALivingMachineIsNoNeighbourOfItself, also where it is found under its own label.
func TestALivingMachineIsNoNeighbourOfItself(t *testing.T) {
	for _, in := range installations {
		t.Run(in.name, func(t *testing.T) {
			a, b := two(t, in)
			object(specOf(b.world)["proxmox"])["vmId"] = 154.0

			a.rest()
			a.did("make 153", "make 154")
		})
	}
}

// TestARangePassesNeighboursBy: numbers of a range that other machines have, or look at, are passed over.
func TestARangePassesNeighboursBy(t *testing.T) {
	a, b := two(t, installations[0])
	for _, l := range []*lab{a, b} {
		delete(object(specOf(l.world)["proxmox"]), "vmId")
		l.catalog = object(runtimeCopy(l.catalog))
		object(object(object(l.catalog["data"])["sites"])["home"])["vmIds"] = map[string]any{"from": 4000.0, "to": 4001.0}
	}

	a.rest()

	if done := slices.Sorted(slices.Values(a.pve.done)); !slices.Equal(done, []string{"make 4000", "make 4001"}) {
		t.Errorf("done in Proxmox: %v", a.pve.done)
	}
}
