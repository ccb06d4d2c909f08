package main

import (
	"maps"
	"strings"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
)

// revertFaults: after an edit and its revert the manifests are those of before, but for what only grows.
func revertFaults(before, after map[string]map[string]any, unmanaged bool) []string {
	for name := range before {
		was := object(runtimeCopy(before[name]))
		forget(before[name], was)
		forget(after[name], was)

		// What the second spec did to a VM that is nobody's to start, stays.
		if unmanaged {
			delete(object(object(before[name]["spec"])["forProvider"]), "started")
			delete(object(object(after[name]["spec"])["forProvider"]), "started")
		}
	}

	c := comparison{}
	c.values("all", anyValues(before), anyValues(after))

	out := make([]string, 0, len(c.out))
	for _, d := range c.out {
		out = append(out, d.String())
	}

	return out
}

// manifestsOf an answer by composed resource name.
func manifestsOf(rsp *fnv1.RunFunctionResponse) map[string]map[string]any {
	out := map[string]map[string]any{}
	for name, r := range rsp.GetDesired().GetResources() {
		out[name] = r.GetResource().AsMap()
	}

	return out
}

// forget takes out of a manifest what remembers: our own annotations, disks that came or grew since before, and what the
// provider would not take away again: a pool, a hardware address, and what is on the cloud-init drive.
func forget(manifest, before map[string]any) {
	maps.DeleteFunc(object(object(manifest["metadata"])["annotations"]), func(k string, _ any) bool { return strings.HasPrefix(k, "homelab.io/") })

	if manifest["kind"] != "EnvironmentVM" {
		return
	}

	p, b := object(object(manifest["spec"])["forProvider"]), object(object(before["spec"])["forProvider"])
	p["disk"] = sameDisks(p["disk"], b["disk"])

	if b["poolId"] == nil {
		delete(p, "poolId")
	}

	for i, nic := range list(p["networkDevice"]) {
		if object(at(list(b["networkDevice"]), i))["macAddress"] == nil {
			delete(object(nic), "macAddress")
		}
	}

	to, from := only(p["initialization"]), only(b["initialization"])
	for _, f := range []string{"dns", "userAccount"} {
		maps.DeleteFunc(only(to[f]), func(k string, _ any) bool { return only(from[f])[k] == nil })

		if len(only(to[f])) == 0 {
			delete(to, f)
		}
	}

	to["ipConfig"] = sameAddresses(list(to["ipConfig"]), list(from["ipConfig"]))
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

// sameAddresses are those of the interfaces that had some before.
func sameAddresses(ips, before []any) []any {
	var out []any

	for i, ip := range ips {
		if len(object(at(before, i))) > 0 {
			out = append(out, ip)
		}
	}

	return out
}
