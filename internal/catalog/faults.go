package catalog

import (
	"maps"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/internal/message"
)

// A Part is a part of a catalogue that can be wrong while the others are right: the catalogue as a whole (empty), a section
// ("classes"), an entry ("classes/small"), or a default ("defaults/class").
type Part string

// Sections of a catalogue, by JSON name.
const (
	sectionDefaults = "defaults"
	sectionClasses  = "classes"
	sectionImages   = "images"
	sectionSites    = "sites"
	sectionClusters = "clusters"
	sectionTenancy  = "tenancy"
)

// maxFaults is where the decoder stops to report. What it did not report could be anywhere.
const maxFaults = 40

// WithFaults returns the catalogue with the faults that [FromValue] found with the same prefix, each assigned to its part. Only
// those who use a part get its faults.
func (c Catalog) WithFaults(faults field.ErrorList, prefix string) Catalog {
	if len(faults) == 0 {
		return c
	}

	c.Faults = map[Part]field.ErrorList{}

	for _, err := range faults {
		path := strings.TrimPrefix(err.Field, prefix)
		if path == "."+versionKey {
			c.unknownVersion(err)
			continue
		}

		part := partOf(path, c.entryNames())
		c.Faults[part] = append(c.Faults[part], err)
	}

	if len(faults) >= maxFaults {
		c.Faults[""] = append(c.Faults[""], faults...)
	}

	return c
}

// unknownVersion is a fault of every section: an entry of another version can mean anything, also where a lower catalogue has one of its name.
func (c Catalog) unknownVersion(err *field.Error) {
	for _, section := range []Part{sectionDefaults, sectionClasses, sectionImages, sectionSites, sectionClusters, sectionTenancy} {
		c.Faults[section] = append(c.Faults[section], err)
	}
}

// entryNames are the names of a catalogue's entries by section, as paths spell them.
func (c Catalog) entryNames() map[string][]string {
	out := map[string][]string{}

	for name := range c.Defaults.set() {
		out[sectionDefaults] = append(out[sectionDefaults], name)
	}

	addNames(out, sectionClasses, c.Classes)
	addNames(out, sectionImages, c.Images)
	addNames(out, sectionSites, c.Sites)
	addNames(out, sectionClusters, c.Clusters)

	return out
}

func addNames[V any](to map[string][]string, section string, entries map[string]V) {
	to[section] = []string{}
	for name := range entries {
		to[section] = append(to[section], message.Key(name))
	}
}

// partOf is the part of a path below the catalogue. Names may have dots, so the longest one counts. A name that is not known is
// that of an entry which is no object; it ends at the first dot.
func partOf(path string, names map[string][]string) Part {
	section, rest, _ := strings.Cut(strings.TrimPrefix(path, "."), ".")

	if section == sectionTenancy {
		return sectionTenancy // Rules that cannot be read allow nothing, whoever's they are.
	}

	known, ok := names[section]
	if !ok {
		return ""
	}

	longest := ""

	for _, name := range known {
		after, ok := strings.CutPrefix(rest, name)
		if ok && len(name) > len(longest) && (after == "" || after[0] == '.' || after[0] == '[') {
			longest = name
		}
	}

	switch {
	case longest != "":
		return Part(section + "/" + longest)
	case section == sectionDefaults || rest == "":
		return Part(section)
	default:
		return Part(section + "/" + rest)
	}
}

// faultsOf are the faults of an entry: its own, and those of its section.
func (c Catalog) faultsOf(section, name string) field.ErrorList {
	var out field.ErrorList

	out = append(out, c.Faults[Part(section+"/"+message.Key(name))]...)

	return append(out, c.Faults[Part(section)]...)
}

// Doubt is why nobody can tell the catalogue's value of a default, by JSON name: the catalogue has a key that nobody knows, or
// its defaults are faulty. Empty where the value, or that there is none, is certain.
func (c Catalog) Doubt(name string) field.ErrorList {
	var out field.ErrorList

	out = append(out, c.Faults[""]...)
	out = append(out, c.Faults[Part(sectionDefaults)]...)

	return append(out, c.Faults[Part(sectionDefaults+"/"+name)]...)
}

// mergeFaults keeps the faults of both catalogues, but for entries of the lower one that the upper one replaces.
func mergeFaults(lower, upper Catalog) map[Part]field.ErrorList {
	if len(lower.Faults)+len(upper.Faults) == 0 {
		return nil
	}

	out := maps.Clone(lower.Faults)
	if out == nil {
		out = map[Part]field.ErrorList{}
	}

	for section, names := range upper.entryNames() {
		for _, name := range names {
			if section != sectionDefaults {
				delete(out, Part(section+"/"+name))
			}
		}
	}

	if upper.Tenancy != nil {
		delete(out, sectionTenancy)
	}

	for part, faults := range upper.Faults {
		out[part] = append(out[part], faults...)
	}

	return out
}
