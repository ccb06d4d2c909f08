package strict

import (
	"maps"
	"reflect"
	"slices"
	"strings"
)

// entries are names for those of maps, by the name of their type, in examples.
var entries = map[string]string{ //nolint:gochecknoglobals // A constant table.
	"Class": "small", "Image": "debian", "Site": "home", "Node": "pve", "Cluster": "home", "ProxmoxSiteNode": "pve", "Tenant": "acme", "TenantSite": "home",
}

// formOfNameless is what to write for a map of objects in which somebody left out the names, as in sites: {nodes: {pve: {}}}: all its keys are fields of an
// entry, and none of its values is one. Empty for any other map.
func formOfNameless(t reflect.Type, m map[string]any) string {
	name := entries[t.Name()]
	if name == "" || len(m) == 0 {
		return ""
	}

	for key, value := range m {
		if !has(t, key) || value == nil || isEntry(t, value) {
			return ""
		}
	}

	fields := slices.Sorted(maps.Keys(m))
	if len(fields) > maxShownItems {
		fields = fields[:maxShownItems]
	}

	return "the name of an entry is missing: write it above its fields, {" + name + ": {" + strings.Join(fields, ": ..., ") + ": ...}}"
}

// isEntry says whether a value can be an entry of a map: an object with a field of one, or without any.
func isEntry(t reflect.Type, value any) bool {
	object, isObject := value.(map[string]any)

	return isObject && (len(object) == 0 || slices.ContainsFunc(slices.Collect(maps.Keys(object)), func(key string) bool { return has(t, key) }))
}
