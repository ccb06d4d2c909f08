package rehearse

import (
	"encoding/json"

	"github.com/homelab-io/function-proxmox-machine/internal/diagnose"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// failing has the provider say again what it said last of VMs and containers that it could not make, for reasons that do not pass by themselves, as long as
// they are to be made of the same. Without that, what fails would be there as soon as a rehearsal begins.
func failing(c *world.Cluster) {
	for _, m := range c.Machines {
		for name, o := range m.Observed {
			if at := world.Object(world.Object(o["status"])["atProvider"]); at["id"] != nil || !isGuest(o) {
				continue
			}

			if said := unmakeable(o); said != "" {
				m.Provider.Refuse(name, said, o)
			}
		}
	}
}

func isGuest(o map[string]any) bool {
	return o["kind"] == world.VMKind || o["kind"] == world.ContainerKind
}

// unmakeable is what the provider said of a managed resource that it cannot make as it is written; empty where it can, or where it may succeed when it tries
// again.
func unmakeable(o map[string]any) string {
	var seen proxmox.Observed[map[string]any, map[string]any]

	b, err := json.Marshal(o)
	if err != nil || json.Unmarshal(b, &seen) != nil {
		return ""
	}

	if row, fails := diagnose.Of(seen, ""); !fails || row.Retryable {
		return ""
	}

	// Between two attempts nothing but the last operation says so.
	if synced := seen.Condition(proxmox.ConditionSynced); synced.IsFalse() {
		return synced.Message
	}

	return seen.Condition(proxmox.ConditionLastAsync).Message
}
