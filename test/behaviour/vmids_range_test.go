package behaviour

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/homelab-io/function-proxmox-machine/internal/world"
	"github.com/homelab-io/function-proxmox-machine/test/fake"
)

// withRange is a machine whose number comes from a range of the catalogue, and the number that it begins with.
func withRange(t *testing.T, from, to float64) (*machine, int) {
	t.Helper()

	return withRangeIn(t, world.Installations[0], from, to)
}

func withRangeIn(t *testing.T, in world.Installation, from, to float64) (*machine, int) {
	t.Helper()

	m := exampleIn(t, "nixos/dns01", in)
	delete(world.Object(m.Spec()["proxmox"]), "vmId")
	m.SetSite("home", "vmIds", map[string]any{"from": from, "to": to})

	return m, int(world.ForProvider(m.Call(), "vm")["vmId"].(float64))
}

func TestARangeGoesOn(t *testing.T) {
	const from, to = 4000, 4003

	next := func(id int) int { return from + (id-from+1)%(to-from+1) }

	for taken := range 4 {
		t.Run(fmt.Sprint(taken), func(t *testing.T) {
			m, id := withRange(t, from, to)
			for range taken {
				m.Proxmox.ByHand(id, fake.HandMade(t))
				id = next(id)
			}

			last := m.Rest()
			m.says(last, map[string]string{"MachineReady": "Running"})
			m.did(fmt.Sprintf("make %d", id))

			if got := world.Status(last)["vmId"]; got != float64(id) {
				t.Errorf("status.vmId: want %d, got %v", id, got)
			}
		})
	}
}

// TestARangePassesADeadNodeBy: of a VM and of a container on a Proxmox node that does not answer, the provider knows that they have their VMIDs, and cannot
// read them. Nobody has to wait for that node, but where what is there may be the machine's own: a machine begins with the same VMID in every cluster, so that
// it finds its VM after its cluster was built anew.
func TestARangePassesADeadNodeBy(t *testing.T) {
	cases := map[string]struct {
		reason string
		has    func(p *world.Proxmox, id int)
	}{
		"VM": {reason: "A VM that no claim made.", has: func(p *world.Proxmox, id int) {
			vm := fake.HandMade(t)
			vm["nodeName"] = "pve2"
			p.ByHand(id, vm)
		}},
		"Container": {reason: "VMs and containers share VMIDs.", has: func(p *world.Proxmox, id int) {
			p.Containers[id] = &world.Container{Config: map[string]any{"nodeName": "pve2"}}
		}},
	}

	const from, to = 4000, 4003

	next := func(id int) int { return from + (id-from+1)%(to-from+1) }

	for name, tc := range cases {
		t.Run("First/"+name, func(t *testing.T) {
			m, id := withRange(t, from, to)
			tc.has(m.Proxmox, id)
			m.Proxmox.Dead = []string{"pve2"}

			last := m.Rest()
			m.says(last, map[string]string{"MachineReady": "ProviderError", "VMIDInUse": "NumberTaken"})
			m.did()

			if got := world.Message(last, "VMIDInUse"); !strings.Contains(got, "It may be this machine's own VM") {
				t.Errorf("it is told: %s", got)
			}

			if name == "Container" {
				return // The provider, which looks for VMs, finds none there once the node is back, and Proxmox refuses the creation: docs/day-two.md.
			}

			m.Proxmox.Dead = nil
			m.says(m.Rest(), map[string]string{"MachineReady": "Running"})
			m.did(fmt.Sprintf("make %d", next(id)))
		})
		t.Run("Lost/"+name, func(t *testing.T) {
			m, id := withRange(t, from, to)
			tc.has(m.Proxmox, id)
			m.Proxmox.Dead = []string{"pve2"}
			world.Merge(m.Spec(), world.FromYAML(t, "lifecycle: {lost: pve2}"))

			m.says(m.Rest(), map[string]string{"MachineReady": "Running"})
			m.did(fmt.Sprintf("make %d", next(id)))
		})
		t.Run("Second/"+name, func(t *testing.T) {
			m, id := withRange(t, from, to)
			m.Proxmox.ByHand(id, fake.HandMade(t))
			tc.has(m.Proxmox, next(id))
			m.Proxmox.Dead = []string{"pve2"}

			m.says(m.Rest(), map[string]string{"MachineReady": "Running"})
			m.did(fmt.Sprintf("make %d", next(next(id))))
		})
	}
}

// TestARangePassesContainersWithoutClaimBy: no check finds a container that no claim has, since the provider looks for VMs. Proxmox refuses to make the VM, and the search goes on behind it.
func TestARangePassesContainersWithoutClaimBy(t *testing.T) {
	const from, to = 4000, 4003

	next := func(id int) int { return from + (id-from+1)%(to-from+1) }

	for taken := range 4 {
		for _, in := range world.Installations {
			t.Run(fmt.Sprint(taken, in.Name), func(t *testing.T) {
				m, id := withRangeIn(t, in, from, to)

				for range taken {
					m.Proxmox.Containers[id] = &world.Container{Config: map[string]any{"nodeName": "pve"}}
					id = next(id)
				}

				said := ""

				for range 60 {
					last := m.Turn()
					said += world.Message(last, "VMIDInUse")
				}

				last := m.Rest()
				m.says(last, map[string]string{"MachineReady": "Running", "VMIDInUse": "NumberFree"})
				m.did(fmt.Sprintf("make %d", id))

				if passed := strings.Contains(said, "is in use by a container"); passed != (taken > 0) {
					t.Errorf("%d VMIDs are containers', and that a container has one is said: %t", taken, passed)
				}
			})
		}
	}
}

// TestARangeOfContainersIsUsedUp: the search ends where it began, and the provider's error stays said.
func TestARangeOfContainersIsUsedUp(t *testing.T) {
	for containers := 1; containers <= 3; containers++ {
		t.Run(fmt.Sprint(containers), func(t *testing.T) {
			m, _ := withRange(t, 4000, 4002)

			for i := range 3 {
				if i < containers {
					m.Proxmox.Containers[4000+i] = &world.Container{Config: map[string]any{"nodeName": "pve"}}
				} else {
					m.Proxmox.ByHand(4000+i, fake.HandMade(t))
				}
			}

			last := m.Rest()
			if said := world.Message(last, "VMIDInUse") + world.Message(last, "ProviderHealthy"); !strings.Contains(said, "widen the range") && !strings.Contains(said, "A container has VMID") {
				t.Errorf("nobody says why there is no VM: %s", said)
			}

			m.did()

			// A wider range is taken up at once.

			m.SetSite("home", "vmIds", map[string]any{"from": 4000.0, "to": 4005.0})
			m.says(m.Rest(), map[string]string{"MachineReady": "Running"})
		})
	}
}

func TestARangeIsUsedUp(t *testing.T) {
	m, first := withRange(t, 4000, 4002)
	for id := 4000; id <= 4002; id++ {
		m.Proxmox.ByHand(id, fake.HandMade(t))
	}

	last := m.Rest()
	m.says(last, map[string]string{"VMIDInUse": "NumberTaken", "MachineReady": "VMIDInUse"})

	if msg := world.Message(last, "VMIDInUse"); !strings.Contains(msg, "range") {
		t.Errorf("nobody says that the range is used up: %s", msg)
	}

	m.did()

	// A wider range is taken up at once.
	m.SetSite("home", "vmIds", map[string]any{"from": 4000.0, "to": 4005.0})
	m.says(m.Rest(), map[string]string{"MachineReady": "Running"})

	if len(m.Proxmox.Done) != 1 || !slices.Contains([]string{"make 4003", "make 4004", "make 4005"}, m.Proxmox.Done[0]) {
		t.Errorf("done in Proxmox: %v, beginning with %d", m.Proxmox.Done, first)
	}
}

// TestRoomInARangeIsFound: the VMID that is checked by itself, and any other one with the next change of the claim. To
// check all of them again and again would keep the provider busy for ever.
func TestRoomInARangeIsFound(t *testing.T) {
	for id := 4000; id <= 4002; id++ {
		t.Run(fmt.Sprint(id), func(t *testing.T) {
			m, _ := withRange(t, 4000, 4002)
			for n := 4000; n <= 4002; n++ {
				m.Proxmox.ByHand(n, fake.HandMade(t))
			}

			full := m.Rest()
			watched := int(world.ForProvider(full, "vm")["vmId"].(float64))

			if msg := world.Message(full, "VMIDInUse"); !strings.Contains(msg, "spec.lifecycle.retry") || !strings.Contains(msg, fmt.Sprintf("VMID %d ", watched)) {
				t.Errorf("nobody says which number is looked at, and how to look at the others: %s", msg)
			}

			delete(m.Proxmox.VMs, id)

			if last := m.Rest(); id != watched {
				m.only(full, last, nil)
				m.did()
				m.lifecycle("retry", "2")
			}

			m.says(m.Rest(), map[string]string{"MachineReady": "Running"})
			m.did(fmt.Sprintf("make %d", id))
		})
	}
}
