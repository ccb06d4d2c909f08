package properties

import (
	"fmt"

	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// byKey are the objects of a list by one of their fields.
func byKey(v any, field string) map[string]map[string]any {
	out := map[string]map[string]any{}

	for _, item := range world.List(v) {
		out[fmt.Sprint(world.Object(item)[field])] = world.Object(item)
	}

	return out
}

// diskFaults: every disk stays at its address, with its data, its name and at least its size.
func diskFaults(was, is map[string]any) []string {
	var out []string

	before, after := byKey(was["disk"], "interface"), byKey(is["disk"], "interface")
	if len(world.List(is["disk"])) != len(after) {
		out = append(out, "two disks have one address")
	}

	for address, old := range before {
		next, ok := after[address]
		if !ok {
			out = append(out, "disk "+address+" is detached")
			continue
		}

		for _, f := range []string{"datastoreId", "importFrom", "fileId", "serial", "aio", "iothread", "replicate"} {
			if old[f] != next[f] {
				out = append(out, fmt.Sprintf("disk %s: %s is %v and was %v", address, f, next[f], old[f]))
			}
		}

		if next["size"].(float64) < old["size"].(float64) {
			out = append(out, fmt.Sprintf("disk %s shrinks from %v to %v", address, old["size"], next["size"]))
		}
	}

	for address, d := range after {
		if d["interface"] == "" || d["interface"] == nil {
			out = append(out, fmt.Sprintf("disk %v has no address", d["serial"]))
		}

		if _, ok := before[address]; !ok && (d["importFrom"] != nil || d["fileId"] != nil || d["serial"] == nil) {
			out = append(out, fmt.Sprintf("disk %s is added with %v", address, d))
		}
	}

	return out
}

// initializationFaults: the cloud-init drive stays where it is with the files that it names, and what was written to it once
// does not go again, which the provider would try for ever.
func initializationFaults(was, is map[string]any) []string {
	before := world.List(was["initialization"])
	after := world.List(is["initialization"])

	if len(before) != len(after) {
		return []string{fmt.Sprintf("initialization has %d items and had %d", len(after), len(before))}
	}

	if len(before) == 0 {
		return nil
	}

	var out []string

	old, next := world.Object(before[0]), world.Object(after[0])
	for _, f := range []string{"datastoreId", "interface", "userDataFileId", "vendorDataFileId", "metaDataFileId"} {
		if old[f] != next[f] {
			out = append(out, fmt.Sprintf("initialization: %s is %v and was %v", f, next[f], old[f]))
		}
	}

	for _, f := range []string{"dns", "userAccount"} {
		out = append(out, shrunk(f, only(old[f]), only(next[f]))...)
	}

	oldIPs := world.List(old["ipConfig"])
	nextIPs := world.List(next["ipConfig"])

	for i, ip := range oldIPs {
		if len(world.Object(ip)) > 0 && len(world.Object(world.At(nextIPs, i))) == 0 {
			out = append(out, fmt.Sprintf("initialization: ipConfig[%d] goes", i))
		}
	}

	if n := len(nextIPs); n > 0 && len(world.Object(nextIPs[n-1])) == 0 && n > len(oldIPs) {
		out = append(out, "initialization: ipConfig ends with nothing")
	}

	return out
}

// shrunk fields of an object: those that had something and have nothing.
func shrunk(name string, old, next map[string]any) []string {
	var out []string

	for f, v := range old {
		_, isList := v.([]any)

		had, has := v != "", next[f] != nil && next[f] != ""
		if isList {
			had, has = len(world.List(v)) > 0, len(world.List(next[f])) > 0
		}

		if had && !has {
			out = append(out, fmt.Sprintf("initialization: %s.%s goes", name, f))
		}
	}

	return out
}

// only item of a list; empty without one.
func only(v any) map[string]any {
	return world.Object(world.At(world.List(v), 0))
}
