package cluster

import (
	"maps"
	"reflect"
	"slices"
)

// covers says whether what somebody wants is what there is. What there is may have more fields: defaults, and what a person added.
func covers(has, want any) bool {
	switch w := want.(type) {
	case map[string]any:
		h, ok := has.(map[string]any)
		if !ok && len(w) > 0 {
			return false
		}

		for name, v := range w {
			if !covers(h[name], v) {
				return false
			}
		}

		return true
	case []any:
		h, ok := has.([]any)
		if !ok || len(h) != len(w) {
			return len(w) == 0 && len(h) == 0
		}

		for i := range w {
			if !covers(h[i], w[i]) {
				return false
			}
		}

		return true
	case nil:
		return has == nil
	default:
		return reflect.DeepEqual(has, want)
	}
}

// groups are fields of a spec whose own fields a person thinks of.
var groups = []string{"k3s", "network", "proxmox", "bootstrap", "size"} //nolint:gochecknoglobals // A constant list.

// differences are the fields of a spec that would change, sorted: fields of its top, and of its groups.
func differences(has, want map[string]any) []string {
	var out []string

	for _, name := range slices.Sorted(maps.Keys(want)) {
		if covers(has[name], want[name]) {
			continue
		}

		w, isGroup := want[name].(map[string]any)
		if !isGroup || !slices.Contains(groups, name) {
			out = append(out, name)
			continue
		}

		h, _ := has[name].(map[string]any)
		for _, f := range slices.Sorted(maps.Keys(w)) {
			if !covers(h[f], w[f]) {
				out = append(out, name+"."+f)
			}
		}
	}

	return out
}

// dropped are the fields of a spec that a node would lose, sorted. Defaults of the API server and what a person added are among them, so
// they count only where the template is another one.
func dropped(has, want map[string]any) []string {
	var out []string

	for _, name := range slices.Sorted(maps.Keys(has)) {
		w, ok := want[name]
		if !ok {
			out = append(out, name)
			continue
		}

		h, isGroup := has[name].(map[string]any)
		wg, _ := w.(map[string]any)

		if !isGroup || !slices.Contains(groups, name) {
			continue
		}

		for _, f := range slices.Sorted(maps.Keys(h)) {
			if _, ok := wg[f]; !ok {
				out = append(out, name+"."+f)
			}
		}
	}

	return out
}

// inPlace are the fields that a VM follows without another one in its place, and those of which a node that has joined has no use.
var inPlace = []string{ //nolint:gochecknoglobals // A constant list.
	"class", "size", "size.cores", "size.memory", "size.disk", "size.cpuType", "size.memoryFloor", "role", "tags", "notes", "power", "onBoot", "startup",
	"bootDisk", "disks", "nics", "firewall", "firewall.enabled", "firewall.preset", "firewall.allow", "firewall.log",
	"vga", "devices", "hostname", "deletionPolicy", "deletionProtection", "lifecycle",
	"k3s.labels", "k3s.taints", "k3s.readyWhen", "k3s.drain", "k3s.token", "k3s.server", "k3s.init", "k3s.cluster", "k3s.clusterName",
	"proxmox.node", "proxmox.migrate", "proxmox.pool", "proxmox.vmId", "proxmox.bridge", "proxmox.vlan", "network.bridge", "network.vlan",
	"network.firewall", "network.mtu", "network.dnsRecord", "ha", "ha.enabled", "ha.maxRestart", "ha.maxRelocate", "rollout", "rollout.group", "rollout.wave",
}

// mayReplace says whether a change of fields is a reason for a new VM, where the node says that it needs one.
func mayReplace(fields []string, upgrade bool) bool {
	return slices.ContainsFunc(fields, func(f string) bool {
		if f == "k3s.version" {
			return upgrade
		}

		return !slices.Contains(inPlace, f)
	})
}
