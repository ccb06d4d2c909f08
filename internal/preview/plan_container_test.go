package preview

import (
	"path/filepath"
	"testing"
)

// TestPlanContainer edits a container that runs, and deletes its claim.
func TestPlanContainer(t *testing.T) {
	of := running(t, filepath.Join(repository, "example", "container", "dns01.yaml"))

	cases := map[string]planCase{
		"Nothing":  {"the claim as it is", of.edited(t, func(map[string]any) {}), StateKept, nil, ""},
		"New":      {"nothing exists yet", of.made(t), StateNew, []Effect{EffectCreate}, "container 153 on fun-bedbug"},
		"InPlace":  {"cores change while it runs", of.edited(t, func(s map[string]any) { s["size"] = map[string]any{"cores": int64(3)} }), StateChanged, []Effect{EffectChange}, "spec.size.cores: 1 to 3"},
		"Waits":    {"the features wait for a restart", of.edited(t, func(s map[string]any) { delete(s, "features") }), StateChanged, []Effect{EffectReboot}, "spec.features.nesting"},
		"Stops":    {"it is to be off", of.edited(t, func(s map[string]any) { s["power"] = "Stopped" }), StateChanged, []Effect{EffectChange}, "spec.power: Running to Stopped"},
		"Restarts": {"somebody asks for it", of.edited(t, func(s map[string]any) { s["lifecycle"] = map[string]any{"reboot": "now"} }), StateChanged, []Effect{EffectReboot}, ""},
		"Refused":  {"it keeps its template", of.edited(t, func(s map[string]any) { s["image"] = "local:vztmpl/alpine-3.20-default_20240908_amd64.tar.xz" }), StateRefused, []Effect{EffectRefused}, "spec.image"},
		"Closes": {"what is reached now, and will not be, is said", of.edited(t, func(s map[string]any) {
			s["firewall"] = map[string]any{"allow": []any{map[string]any{"port": int64(53)}}}
		}), StateChanged, []Effect{EffectChange}, "no longer reached: SSH"},
		"NoNode": {"a node that the site lacks is named with those that there are, and no way there", of.edited(t, func(s map[string]any) {
			s["proxmox"].(map[string]any)["node"] = "pve9"
		}), StateRefused, []Effect{EffectRefused}, "node 'pve9' does not exist in site"},
		"OtherNode": {"a container goes to no other node, and a new one does", of.edited(t, func(s map[string]any) {
			s["proxmox"].(map[string]any)["node"] = "still-fawn"
		}), StateRefused, []Effect{EffectRefused}, "spec.lifecycle.replace"},
		"Replaced": {"what --fail-on finds of a VM it finds of a container", of.edited(t, func(s map[string]any) {
			s["lifecycle"], s["deletionProtection"] = map[string]any{"replace": "now"}, false
			s["proxmox"].(map[string]any)["vmId"] = int64(154)
		}), StateChanged, []Effect{EffectReplace, EffectDestroy}, "is destroyed with its root file system"},
		"ReplacedOrphan": {"the old one stays", of.edited(t, func(s map[string]any) {
			s["lifecycle"], s["deletionPolicy"] = map[string]any{"replace": "now"}, "Orphan"
			s["proxmox"].(map[string]any)["vmId"] = int64(154)
		}), StateChanged, []Effect{EffectReplace}, "stays in Proxmox"},
		"ReplacementBlocked": {"nothing happens while the VMID is the old one's", of.edited(t, func(s map[string]any) {
			s["lifecycle"] = map[string]any{"replace": "now"}
		}), StateChanged, []Effect{EffectWait}, "is blocked"},
		"Protects":  {"Proxmox's own option", of.edited(t, func(s map[string]any) { s["proxmox"].(map[string]any)["protection"] = true }), StateChanged, []Effect{EffectChange}, "spec.proxmox.protection: false to true"},
		"Destroyed": {"its policies have Delete, and protection is on", of.deleted(), StateGone, []Effect{EffectRefused}, "would be destroyed with its root file system and all of its disks (the root file system, 4 GiB; /var/lib/pihole, 2G)"},
	}

	for name, tc := range cases {
		t.Run(name, tc.run)
	}
}
