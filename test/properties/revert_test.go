package properties

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// revertFaults: after an edit and its revert the manifests are those of before, but for what only grows, and for fields that stay as the second spec left them.
func revertFaults(before, after map[string]map[string]any, stays []string) []string {
	// Data disks that the second spec added stay, and protect the machine from then on.
	for name := range after {
		if before[name] == nil && strings.HasPrefix(name, "protects-") && hasDataDisks(after) && !hasDataDisks(before) {
			delete(after, name)
		}
	}

	// A VM that ran in between has an address, which its DNS record keeps while the VM is stopped.
	if before["dns-record"] == nil && !runs(after) {
		delete(after, "dns-record")
	}

	// A server that runs on holds a place in its cluster, which a stopped one does not.
	if slices.Contains(stays, "started") && runs(after) && !runs(before) {
		maps.DeleteFunc(after, func(name string, _ map[string]any) bool {
			return before[name] == nil && strings.HasSuffix(name, "-quorum")
		})
	}

	// A VM that the second spec stopped for good has none before it runs: to begin with, a record has an address at which the VM was seen.
	if after["dns-record"] == nil && runs(before) && !runs(after) {
		delete(before, "dns-record")
	}

	for name := range before {
		was := world.Object(world.Copy(before[name]))
		forget(before[name], was)
		forget(after[name], was)

		for _, f := range stays {
			delete(world.Object(world.Object(before[name]["spec"])["forProvider"]), f)
			delete(world.Object(world.Object(after[name]["spec"])["forProvider"]), f)
		}
	}

	var out []string
	for _, d := range world.Differences("all", values(before), values(after)) {
		out = append(out, fmt.Sprintf("%s %s: from %.200s to %.200s", d.Path, d.What, d.From, d.To))
	}

	return out
}

// runs says whether a VM is to run.
func runs(manifests map[string]map[string]any) bool {
	for _, m := range manifests {
		if m["kind"] == world.VMKind && world.Object(world.Object(m["spec"])["forProvider"])["started"] == true {
			return true
		}
	}

	return false
}

// hasDataDisks says whether a VM has disks beside the boot disk.
func hasDataDisks(manifests map[string]map[string]any) bool {
	for _, m := range manifests {
		if len(world.List(world.Object(world.Object(m["spec"])["forProvider"])["disk"])) > 1 {
			return true
		}
	}

	return false
}

// forget takes out of a manifest what remembers: our own annotations, disks that came or grew since before, and what the
// provider would not take away again: a pool, a hardware address, and what is on the cloud-init drive.
func forget(manifest, before map[string]any) {
	maps.DeleteFunc(world.Object(world.Object(manifest["metadata"])["annotations"]), func(k string, _ any) bool { return strings.HasPrefix(k, "homelab.io/") })

	// A guest that keeps its addresses stays in the networks that it has them in, with the rules for these.
	if manifest["kind"] == world.FirewallRulesKind {
		p := world.Object(world.Object(manifest["spec"])["forProvider"])
		p["rule"] = slices.DeleteFunc(slices.Clone(world.List(p["rule"])), func(r any) bool {
			return strings.HasSuffix(fmt.Sprint(world.Object(r)["comment"]), " (former network)")
		})
	}

	if manifest["kind"] != "EnvironmentVM" {
		return
	}

	p, b := world.Object(world.Object(manifest["spec"])["forProvider"]), world.Object(world.Object(before["spec"])["forProvider"])
	p["disk"] = sameDisks(p["disk"], b["disk"])

	if b["poolId"] == nil {
		delete(p, "poolId")
	}

	for i, nic := range world.List(p["networkDevice"]) {
		if world.Object(world.At(world.List(b["networkDevice"]), i))["macAddress"] == nil {
			delete(world.Object(nic), "macAddress")
		}
	}

	to, from := only(p["initialization"]), only(b["initialization"])
	for _, f := range []string{"dns", "userAccount"} {
		maps.DeleteFunc(only(to[f]), func(k string, _ any) bool { return only(from[f])[k] == nil })

		if len(only(to[f])) == 0 {
			delete(to, f)
		}
	}

	to["ipConfig"] = sameAddresses(world.List(to["ipConfig"]), world.List(from["ipConfig"]))
}

// sameDisks are those of the disks that were there before, without their sizes.
func sameDisks(disks, before any) map[string]map[string]any {
	out := byKey(disks, "interface")
	had := byKey(before, "interface")
	maps.DeleteFunc(out, func(address string, _ map[string]any) bool { return had[address] == nil })

	for _, d := range out {
		delete(d, "size")
	}

	return out
}

// sameAddresses are those of the interfaces that had some before, without gateways of those that had none.
func sameAddresses(ips, before []any) []any {
	var out []any

	for i, ip := range ips {
		had := world.Object(world.At(before, i))
		if len(had) == 0 {
			continue
		}

		for _, family := range []string{"ipv4", "ipv6"} {
			if only(had[family])["gateway"] == nil {
				delete(only(world.Object(ip)[family]), "gateway")
			}
		}

		out = append(out, ip)
	}

	return out
}

// values of a map, as those of a JSON object.
func values(m map[string]map[string]any) map[string]any {
	out := map[string]any{}
	for k, v := range m {
		out[k] = v
	}

	return out
}
