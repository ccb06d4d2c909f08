package behaviour

import (
	"fmt"
	"testing"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/world"
	"github.com/homelab-io/function-proxmox-machine/test/fake"
)

// TestAnOldAnswerMeansNothing: a provider that does not say which generation of a managed resource it speaks of has said
// that one number is free, and has not checked the next one yet, when Crossplane calls again.
func TestAnOldAnswerMeansNothing(t *testing.T) {
	m := exampleIn(t, "nixos/dns01", world.Installations[1])
	m.Provider.Undated = true
	m.Proxmox.ByHand(154, fake.HandMade(t))
	m.Turn()
	world.Object(m.Spec()["proxmox"])["vmId"] = 154.0
	m.Provider.Stuck = []string{"vm"}

	for range 4 {
		rsp := m.Turn()
		m.says(rsp, map[string]string{"VMIDInUse": "Looking"})

		if p := world.Policies(world.Desired(rsp, "vm")); p != "Observe" {
			t.Errorf("the VM has policies %s", p)
		}
	}

	m.Provider.Stuck = nil
	m.says(m.Rest(), map[string]string{"VMIDInUse": "NumberTaken"})
	m.did()

	// From a taken one to a free one, and from that to another.
	world.Object(m.Spec()["proxmox"])["vmId"] = 155.0
	m.Provider.Stuck = []string{"vm"}

	for range 4 {
		m.says(m.Turn(), map[string]string{"VMIDInUse": "Looking"})
	}

	m.Provider.Stuck = nil
	m.says(m.Rest(), map[string]string{"MachineReady": "Running"})
	m.did("make 155")
}

// TestARangeIsNotRunThrough: each VMID of a range is checked before the next, also where Crossplane calls several times
// before the provider answers.
func TestARangeIsNotRunThrough(t *testing.T) {
	for _, undated := range []bool{true, false} {
		for taken := range 3 {
			t.Run(fmt.Sprintf("%d%t", taken, undated), func(t *testing.T) {
				m, first := withRange(t, 4000, 4003)
				m.Provider.Undated = undated

				for i := range taken {
					m.Proxmox.ByHand(4000+(first-4000+i)%4, fake.HandMade(t))
				}

				for range 20 {
					m.Apply(m.Call())
					m.Apply(m.Call())
					m.Turn()
				}

				m.says(m.Rest(), map[string]string{"MachineReady": "Running"})
				m.did(fmt.Sprintf("make %d", 4000+(first-4000+taken)%4))
			})
		}
	}
}

// TestARangeBesideNeighbours: a number that Proxmox has not, and another machine has asked for first, says nothing of the
// next one.
func TestARangeBesideNeighbours(t *testing.T) {
	for _, undated := range []bool{true, false} {
		t.Run(fmt.Sprint(undated), func(t *testing.T) {
			m, first := withRange(t, 4000, 4003)
			next := 4000 + (first-4000+1)%4
			m.Provider.Undated = undated
			m.Proxmox.ByHand(next, fake.HandMade(t))
			m.Provider.Stuck = []string{"user-data"}

			for range 3 {
				m.Turn()
			}

			// Another machine's, which was there before.
			m.Neighbours = []map[string]any{{
				"apiVersion": m.Observed["vm"]["apiVersion"], "kind": world.VMKind,
				"metadata": map[string]any{
					"name": "other-vm", "creationTimestamp": "2025-01-01T00:00:00Z",
					"labels": map[string]any{proxmox.CompositeLabel: "other", proxmox.VMIDLabel: fmt.Sprint(first), proxmox.MachineLabel: "other"},
				},
				"spec": map[string]any{
					"managementPolicies": []any{"Observe"}, "providerConfigRef": world.Object(m.Observed["vm"]["spec"])["providerConfigRef"],
					"forProvider": map[string]any{"vmId": float64(first)},
				},
			}}
			m.Provider.Stuck = nil

			for range 20 {
				m.Apply(m.Call())
				m.Apply(m.Call())
				m.Turn()
			}

			m.says(m.Rest(), map[string]string{"MachineReady": "Running"})
			m.did(fmt.Sprintf("make %d", 4000+(first-4000+2)%4))
		})
	}
}

// TestAnAdoptionIsOfItsVM: the claim names another VM, which the provider has not read yet.
func TestAnAdoptionIsOfItsVM(t *testing.T) {
	m := adopting(t, plain, fake.HandMade(t))
	m.Provider.Undated = true
	m.Proxmox.ByHand(109, fake.HandMade(t, "name: other"))

	first := adoptionOf(m.Rest())
	m.Spec()["adopt"] = map[string]any{"vmId": 109.0, "approve": first["plan"]}
	m.Provider.Stuck = []string{"vm"}

	for range 3 {
		if a := adoptionOf(m.Turn()); a["name"] != nil || a["plan"] != nil {
			t.Errorf("the plan of another VM: %v", a)
		}
	}

	m.Provider.Stuck = nil
	m.says(m.Rest(), map[string]string{"MachineReady": "AdoptionPlanChanged"})

	if a := adoptionOf(m.Call()); a["name"] != "other" || a["vmId"] != 109.0 {
		t.Errorf("status.adoption: %v", a)
	}

	m.did()
}
