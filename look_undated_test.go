package main

import (
	"fmt"
	"testing"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// TestAnOldAnswerMeansNothing: a provider that does not say which generation of a managed resource it speaks of has said
// that one number is free, and has not looked at the next one yet, when Crossplane calls again.
func TestAnOldAnswerMeansNothing(t *testing.T) {
	l := newLab(t, worldIn(t, "nixos/dns01", installations[1]))
	l.undated = true
	l.pve.foreign(154, handMade(t))
	l.turn()
	object(specOf(l.world)["proxmox"])["vmId"] = 154.0
	l.stuck = []string{"vm"}

	for range 4 {
		rsp := l.turn()
		l.says(rsp, map[string]string{"VMIDInUse": "Looking"})

		if p := policies(vm(rsp)); p != "Observe" {
			t.Errorf("the VM has policies %s", p)
		}
	}

	l.stuck = nil
	l.says(l.rest(), map[string]string{"VMIDInUse": "NumberTaken"})
	l.did()

	// From a taken one to a free one, and from that to another.
	object(specOf(l.world)["proxmox"])["vmId"] = 155.0
	l.stuck = []string{"vm"}

	for range 4 {
		l.says(l.turn(), map[string]string{"VMIDInUse": "Looking"})
	}

	l.stuck = nil
	l.says(l.rest(), map[string]string{"MachineReady": "Running"})
	l.did("make 155")
}

// TestARangeIsNotRunThrough: each number of a range is looked at before the next, also where Crossplane calls several times
// before the provider looks.
func TestARangeIsNotRunThrough(t *testing.T) {
	for _, undated := range []bool{true, false} {
		for taken := range 3 {
			t.Run(fmt.Sprintf("%d%t", taken, undated), func(t *testing.T) {
				l, first := withRange(t, 4000, 4003)
				l.undated = undated

				for i := range taken {
					l.pve.foreign(4000+(first-4000+i)%4, handMade(t))
				}

				for range 20 {
					l.obey(l.call())
					l.obey(l.call())
					l.turn()
				}

				l.says(l.rest(), map[string]string{"MachineReady": "Running"})
				l.did(fmt.Sprintf("make %d", 4000+(first-4000+taken)%4))
			})
		}
	}
}

// TestARangeBesideNeighbours: a number that Proxmox has not, and another machine has asked for first, says nothing of the
// next one.
func TestARangeBesideNeighbours(t *testing.T) {
	for _, undated := range []bool{true, false} {
		t.Run(fmt.Sprint(undated), func(t *testing.T) {
			l, first := withRange(t, 4000, 4003)
			next := 4000 + (first-4000+1)%4
			l.undated = undated
			l.pve.foreign(next, handMade(t))
			l.stuck = []string{"user-data"}

			for range 3 {
				l.turn()
			}

			// Another machine's, which was there before.
			l.neighbours = []map[string]any{{
				"apiVersion": l.observed["vm"]["apiVersion"], "kind": proxmox.VMKind,
				"metadata": map[string]any{
					"name": "other-vm", "creationTimestamp": "2025-01-01T00:00:00Z",
					"labels": map[string]any{proxmox.CompositeLabel: "other", proxmox.VMIDLabel: fmt.Sprint(first), proxmox.MachineLabel: "other"},
				},
				"spec": map[string]any{
					"managementPolicies": []any{"Observe"}, "providerConfigRef": object(l.observed["vm"]["spec"])["providerConfigRef"],
					"forProvider": map[string]any{"vmId": float64(first)},
				},
			}}
			l.stuck = nil

			for range 20 {
				l.obey(l.call())
				l.obey(l.call())
				l.turn()
			}

			l.says(l.rest(), map[string]string{"MachineReady": "Running"})
			l.did(fmt.Sprintf("make %d", 4000+(first-4000+2)%4))
		})
	}
}

// TestAnAdoptionIsOfItsVM: the claim names another VM, and the provider has not looked at that yet.
func TestAnAdoptionIsOfItsVM(t *testing.T) {
	l := adopting(t, plain, handMade(t))
	l.undated = true
	l.pve.foreign(109, handMade(t, "name: other"))

	first := adoptionOf(l.rest())
	specOf(l.world)["adopt"] = map[string]any{"vmId": 109.0, "approve": first["plan"]}
	l.stuck = []string{"vm"}

	for range 3 {
		if a := adoptionOf(l.turn()); a["name"] != nil || a["plan"] != nil {
			t.Errorf("the plan of another VM: %v", a)
		}
	}

	l.stuck = nil
	l.says(l.rest(), map[string]string{"MachineReady": "AdoptionPlanChanged"})

	if a := adoptionOf(l.call()); a["name"] != "other" || a["vmId"] != 109.0 {
		t.Errorf("status.adoption: %v", a)
	}

	l.did()
}
