package catalog

import (
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/internal/message"
)

// valueless are the paths of entries with a name and no value, as `pve:` alone. YAML reads null there, which counts as left out everywhere; of an entry,
// somebody who typed its name means one with the defaults of everything.
func valueless(at *field.Path, data any) []string {
	var out []string

	names := func(at *field.Path, entries map[string]any) {
		for _, name := range slices.Sorted(maps.Keys(entries)) {
			if entries[name] == nil {
				out = append(out, at.Child(message.Key(name)).String())
			}
		}
	}

	sections := object(data)
	for _, section := range []string{sectionClasses, sectionImages, sectionSites, sectionClusters} {
		names(at.Child(section), object(sections[section]))
	}

	sites := object(sections[sectionSites])
	for _, name := range slices.Sorted(maps.Keys(sites)) {
		names(at.Child(sectionSites, message.Key(name), "nodes"), object(object(sites[name])["nodes"]))
	}

	tenants := object(object(sections[sectionTenancy])["tenants"])
	names(at.Child(sectionTenancy, "tenants"), tenants)

	for _, name := range slices.Sorted(maps.Keys(tenants)) {
		names(at.Child(sectionTenancy, "tenants", message.Key(name), "sites"), object(object(tenants[name])["sites"]))
	}

	return out
}

// object is a value as an object; nil for anything else, which the decoder refuses.
func object(v any) map[string]any {
	m, _ := v.(map[string]any)

	return m
}

// NoValue is said of an entry with a name and no value.
const NoValue = "has no value, and counts as left out: write its fields or {} behind the name, or remove it"

// LacksValue says whether the entry at a path has a name and no value.
func (c Catalog) LacksValue(at *field.Path) bool { return slices.Contains(c.Valueless, at.String()) }

// ValuelessBelow are the names below a path that the catalogue has no value for.
func (c Catalog) ValuelessBelow(at *field.Path) []string {
	var out []string

	for _, path := range c.Valueless {
		if name, below := strings.CutPrefix(path, at.String()+"."); below {
			out = append(out, name)
		}
	}

	return out
}

// valuelessEntry is what a message says besides of an entry that is not there, if the catalogue has its name without a value, and the message may tell so.
func (c Catalog) valuelessEntry(kind Kind, section, name string) string {
	for _, path := range c.Valueless {
		if c.Tells(kind, "", name) && strings.HasSuffix(path, "."+section+"."+message.Key(name)) {
			return "; " + path + " " + NoValue
		}
	}

	return ""
}
