package behaviour

import (
	"maps"
	"testing"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// TestANodeThatIsInstalledAnew under its name has no VMs, snippets and images: for the provider, somebody deleted them. With the machine paused before, nothing is
// made in the place of what a person then restores.
func TestANodeThatIsInstalledAnew(t *testing.T) {
	anew := func(m *machine) (kept *world.VM) {
		kept = m.Proxmox.VMs[100]
		delete(m.Proxmox.VMs, 100)
		m.Proxmox.Snippets = map[string]bool{}
		m.Proxmox.Done = nil

		return kept
	}

	t.Run("Paused", func(t *testing.T) {
		m, _ := living(t, "nixos/dns01")
		snippets := maps.Clone(m.Proxmox.Snippets)

		m.Held = true // As docs/day-two.md says: all managed resources of the machine.
		m.Rest()

		kept := anew(m)

		m.says(m.Rest(), map[string]string{"ProviderHealthy": "Paused"})
		m.did()

		// The backup of the VM is restored under its VMID. It is stopped.
		m.Proxmox.VMs[100] = kept
		m.Proxmox.Restore(100, func(map[string]any) {})
		m.Held = false

		for _, o := range m.Observed {
			delete(world.Object(world.Object(o["metadata"])["annotations"]), proxmox.PausedAnnotation)
		}

		m.Provide()

		m.says(m.Rest(), map[string]string{"MachineReady": "Running", "ProviderHealthy": "NoError"})
		m.did("start 100")

		if len(snippets) == 0 || !maps.Equal(snippets, m.Proxmox.Snippets) {
			t.Errorf("snippets before: %v, after: %v", snippets, m.Proxmox.Snippets)
		}
	})

	t.Run("Running", func(t *testing.T) {
		m, _ := living(t, "nixos/dns01")
		anew(m)

		for range 8 {
			m.Turn()
		}

		m.says(m.Rest(), map[string]string{"MachineReady": "Recreated"})
		m.did("make 100")
	})
}
