package behaviour

import (
	"testing"

	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// TestAReplacementOfAContainerNeedsNoQuota: while there are two containers of one claim, a quota counts the claim once, and the replacement ends.
func TestAReplacementOfAContainerNeedsNoQuota(t *testing.T) {
	t.Parallel()

	for name, quota := range map[string]map[string]any{"Machines": {"machines": 1.0}, "Memory": {"memory": "1Gi"}, "Cores": {"cores": 1.0}, "Disk": {"disk": "8Gi"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			m := replaceable(t, twoIDs(), "{class: null, size: {cores: 1, memory: 1Gi, disk: 8Gi}}")
			world.Object(m.Catalogue["data"])["tenancy"] = map[string]any{"tenants": map[string]any{
				"ours": map[string]any{"namespaces": []any{"*"}, "allow": []any{"templates", "pin"}, "quota": quota},
			}}
			m.says(m.Rest(), map[string]string{"MachineReady": "Running", "SpecValid": "Valid"})
			m.did()

			r := watched(m)
			m.edit("{lifecycle: {replace: a}}")

			for range 40 {
				last := r.steps(1)
				m.says(last, map[string]string{"SpecValid": "Valid"})
			}

			m.says(m.Rest(), map[string]string{"MachineReady": "Running", "ReplacementRequired": "NotRequired"})

			// The quota is in force.
			if name != "Machines" {
				m.edit("{size: {cores: 2, memory: 2Gi, disk: 9Gi}}")
				m.says(m.Call(), map[string]string{"SpecValid": "ValidationFailed"})
			}

			if ids := numbers(m); len(ids) != 1 || ids[0] == r.old {
				t.Errorf("want another container in the place of %d, got %v: %v", r.old, ids, m.Proxmox.Done)
			}
		})
	}
}
