package preview

import (
	"path/filepath"
	"testing"
)

// TestPlanSite edits a site that exists, and deletes its claim.
func TestPlanSite(t *testing.T) {
	of := running(t, filepath.Join(repository, "example", "site-parts", "home.yaml"))

	// bridge is the first one of the first node.
	bridge := func(spec map[string]any) map[string]any {
		node := spec["nodes"].(map[string]any)["pve1"].(map[string]any)

		return node["bridges"].([]any)[0].(map[string]any)
	}

	cases := map[string]planCase{
		"Nothing": {"the claim as it is", of.edited(t, func(map[string]any) {}), StateKept, nil, ""},
		"New":     {"nothing exists yet", of.made(t), StateNew, []Effect{EffectCreate}, "bridge pve1/vmbr1: create"},
		"Comment": {"free", of.edited(t, func(s map[string]any) { bridge(s)["comment"] = "other" }), StateChanged, []Effect{EffectChange}, "comment: storage network"},
		"Waits":   {"it interrupts", of.edited(t, func(s map[string]any) { bridge(s)["mtu"] = int64(1500) }), StateChanged, []Effect{EffectWait}, "waits for allowInterruption: spec.nodes.pve1.bridges[vmbr1].mtu: 9000 to 1500"},
		"Refused": {"the last port stays", of.edited(t, func(s map[string]any) { delete(bridge(s), "ports") }), StateRefused, []Effect{EffectRefused}, "ports: enp2s0 to none"},
		"Removed": {"what is removed stays in Proxmox", of.edited(t, func(s map[string]any) { s["pools"] = []any{} }), StateChanged, []Effect{EffectChange}, "it stays in Proxmox as it is, and the claim no longer manages it"},
		"Allows": {"the hash belongs into the interface's entry", of.edited(t, func(s map[string]any) {
			bridge(s)["mtu"] = int64(1500)
		}), StateChanged, []Effect{EffectWait}, "spec.nodes.pve1.bridges[vmbr1].allowInterruption: "},
		"Destroyed": {"the policies are written first, and the next call deletes it: --fail-on finds it before", of.edited(t, func(s map[string]any) {
			s["pools"], s["deletionPolicy"], s["allowRemoval"] = []any{}, "Delete", map[string]any{"pools": []any{"k3s", "tier1"}}
		}), StateChanged, []Effect{EffectDestroy}, "pool tier1: remove\n"},
		"NotNamed": {"without allowRemoval nothing is deleted", of.edited(t, func(s map[string]any) {
			s["pools"], s["deletionPolicy"] = []any{}, "Delete"
		}), StateChanged, []Effect{EffectWait}, "allowRemoval.pools does not name it"},
		"Policy": {"a site has no disks", of.edited(t, func(s map[string]any) {
			s["deletionPolicy"] = "Delete"
		}), StateKept, nil, "destroys the bridges, VLAN interfaces and pools that are not in use"},
		"Mark": {"the mark behind a comment is the function's, and no part of the claim", of.edited(t, func(s map[string]any) {
			bridge(s)["comment"] = "other"
		}), StateChanged, []Effect{EffectChange}, "comment: storage network to other\n"},
		"Deleted": {"the end of the claim", of.deleted(), StateGone, nil, "stays in Proxmox as it is"},
	}

	for name, tc := range cases {
		t.Run(name, tc.run)
	}
}
