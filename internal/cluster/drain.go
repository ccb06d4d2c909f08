package cluster

import (
	"maps"

	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/status"
)

// drainsFirst says whether the Node of a node that is to be removed has to be drained before. A node that does not serve its cluster is removed as it
// is: its pods cannot be ended properly, and the nodes that serve have room for them or not.
func drainsFirst(now *situation, c Child) bool {
	if !now.Rollout.Drain || !now.NodesLeave || !c.Joined {
		return false
	}

	has, _ := c.Spec["lifecycle"].(map[string]any)

	switch {
	case has["drain"] != lifecycle.DrainForRemoval:
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
	has, _ := spec["lifecycle"].(map[string]any)
	if has["drain"] != lifecycle.DrainForRemoval || m.Lifecycle["drain"] == lifecycle.DrainForRemoval {
		return spec
	}

	out, l := maps.Clone(spec), maps.Clone(has)
	delete(l, "drain")

	if drain, ok := m.Lifecycle["drain"]; ok {
		l["drain"] = drain
	}

	out["lifecycle"] = l

	return out
}

// drainedAsClaimed is the spec of a node whose drain cannot go on: whether it is drained follows the claim at once, since an edit of that is the way out, and
// its turn does not begin before what was begun with the node has ended.
func drainedAsClaimed(spec, claimed map[string]any, c Child) map[string]any {
	if c.Held.Reason != status.ReasonDrainBlocked {
		return spec
	}

	out, k := maps.Clone(spec), maps.Clone(group(spec, "k3s"))
	delete(k, "drain")

	if drain, said := group(claimed, "k3s")["drain"]; said {
		k["drain"] = drain
	}

	out["k3s"] = k

	return out
}
