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

// dead Proxmox nodes are those that the provider could not reach when it looked last. They stay away, and what was observed of the guests there is what they
// said before. Without that, an edit would be played as if a host that died an hour ago ran.
func dead(c *world.Cluster) {
	for _, m := range c.Machines {
		for _, o := range m.Observed {
			if seen, ok := decoded(o); ok && diagnose.NodeAway(seen) {
				m.Proxmox.Die(m.Proxmox.NodeOf(o))
			}
		}
	}
}

// decoded managed resource; false where it is none.
func decoded(o map[string]any) (out proxmox.Observed[map[string]any, map[string]any], ok bool) {
	b, err := json.Marshal(o)

	return out, err == nil && json.Unmarshal(b, &out) == nil
}

func isGuest(o map[string]any) bool {
	return o["kind"] == world.VMKind || o["kind"] == world.ContainerKind
}

// unmakeable is what the provider said of a managed resource that it cannot make as it is written; empty where it can, or where it may succeed when it tries
// again.
func unmakeable(o map[string]any) string {
	seen, ok := decoded(o)
	if !ok {
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
