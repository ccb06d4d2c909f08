package cluster

import (
	"maps"

	"github.com/homelab-io/function-proxmox-machine/internal/status"
)

// removalDrain is the value of lifecycle.drain with which the Node of a node that is to be removed is drained.
const removalDrain = "removal"

// drainsFirst says whether the Node of a node that is to be removed has to be drained before. A node that does not serve its cluster is removed as it
// is: its pods cannot be ended properly, and the nodes that serve have room for them or not.
func (w World) drainsFirst(c Child) bool {
	if !w.Rollout.Drain || !w.NodesLeave || !c.Joined {
		return false
	}

	lifecycle, _ := c.Spec["lifecycle"].(map[string]any)

	switch {
	case lifecycle["drain"] != removalDrain:
		return c.serves()
	case !c.Answered:
		return true
	default:
		return c.Ready && c.Drain != status.ReasonDrained && c.Drain != status.ReasonDrainUnfinished
	}
}

// drainTrouble is why a drain has not begun, in parentheses; empty where it runs.
func drainTrouble(c Child) string {
	if !c.Answered || c.Drain == "" || c.Drain == status.ReasonDraining || c.Drain == status.ReasonDrained || c.Drain == status.ReasonNotDrained {
		return ""
	}

	return " (" + status.TypeNodeDrained + " " + c.Drain + ")"
}

// withoutOwnDrain is the spec of a node that the claim describes. Where it was to be removed, and the claim asks for it again, it gets pods again.
func withoutOwnDrain(spec map[string]any, m Member) map[string]any {
	lifecycle, _ := spec["lifecycle"].(map[string]any)
	if lifecycle["drain"] != removalDrain || m.Lifecycle["drain"] == removalDrain {
		return spec
	}

	out, l := maps.Clone(spec), maps.Clone(lifecycle)
	delete(l, "drain")

	if drain, ok := m.Lifecycle["drain"]; ok {
		l["drain"] = drain
	}

	out["lifecycle"] = l

	return out
}
