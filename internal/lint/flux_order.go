package lint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/internal/message"
)

// A fluxNeed is that layers of one part need another part.
type fluxNeed struct {
	who, needs fluxPart
	// Whether the kinds of who come with needs: then nobody can apply both at once, since Flux asks the API server about all objects of a layer first.
	kinds bool
	why   string // What happens without it.
}

func fluxNeeds() []fluxNeed {
	claims := fluxPart{"claims", isApplied}

	return []fluxNeed{
		{claims, partKinds(), true, "no matches for kind"},
		{claims, partCatalogue(), false, "a commit with a new class and a claim that names it is refused until the catalogue is there"},
		{claims, partConfig(), false, "machines wait without credentials"},
		{partConfig(), partProvider(), true, "no matches for kind"},
		{partKinds(), partCrossplane(), true, "no matches for kind"},
		{partProvider(), partCrossplane(), true, "no matches for kind"},
		{partCatalogue(), partCrossplane(), true, "no matches for kind"},
	}
}

// order are the faults of a layer that does not wait for what it needs, where that is among the layers.
func (r *fluxRepository) order(l fluxLayer) []Fault {
	var out []Fault

	waits, known := l.waitsFor()
	if !known {
		return nil
	}

	for _, need := range fluxNeeds() {
		if !l.has(need.who.is) {
			continue
		}

		if l.has(need.needs.is) {
			if need.kinds {
				out = append(out, l.warning(fmt.Sprintf("has %s and %s in one layer, and Flux applies neither: %s. Move %s into a layer of their own, with dependsOn: [{name: %s}]%s",
					need.needs.what, need.who.what, need.why, need.who.what, message.Excerpt(l.self.name()), seeWrong)))
			}

			continue
		}

		if missing, ok := r.missing(l, need); ok {
			out = append(out, l.dependsOn(fmt.Sprintf("does not wait for layer %s with %s: %s. Write dependsOn: [%s]%s",
				missing, need.needs.what, need.why, strings.Join(named(append(slices.Clone(waits), missing)), ", "), seeNames)))
		}
	}

	return append(out, r.misspelt(l, waits)...)
}

// named are layers as dependsOn has them.
func named(layers []string) []string {
	out := make([]string, 0, len(layers))
	for _, name := range layers {
		out = append(out, "{name: "+message.Excerpt(name)+"}")
	}

	return out
}

// dependsOn is a warning at the field, or where it should be.
func (l fluxLayer) dependsOn(text string) Fault {
	if at(l.self.value, "spec", "dependsOn") == nil {
		return l.warning(text)
	}

	return l.self.fault(keyOf(l.self.node, "spec.dependsOn"), "spec.dependsOn", text, Warning)
}

// waitsFor are the names of the layers that a layer depends on; false where a patch changes them in a way that nobody follows here.
func (l fluxLayer) waitsFor() ([]string, bool) {
	var out []string

	for _, s := range l.said("dependsOn") {
		if s.value == nil {
			return nil, false
		}

		for _, d := range list(s.value) {
			out = append(out, text(at(d, "name")))
		}
	}

	return out, true
}

// missing is the nearest layer with what a layer needs; false where it waits for one, or where there is none.
func (r *fluxRepository) missing(l fluxLayer, need fluxNeed) (string, bool) {
	best, nearest := "", -1

	for _, other := range r.layers {
		if !other.has(need.needs.is) || r.reaches(other, l.self.name(), nil) {
			continue
		}

		if r.reaches(l, other.self.name(), nil) {
			return "", false
		}

		if near := sharedFolders(other.self.file, l.self.file); near > nearest {
			best, nearest = other.self.name(), near
		}
	}

	return best, nearest >= 0
}

// reaches says whether a layer waits for another, be it by way of others. A layer that nobody follows waits for all.
func (r *fluxRepository) reaches(l fluxLayer, name string, seen []string) bool {
	waits, known := l.waitsFor()
	if !known || slices.Contains(waits, name) {
		return true
	}

	for _, other := range r.layers {
		next := other.self.name()
		if slices.Contains(waits, next) && !slices.Contains(seen, next) && r.reaches(other, name, append(slices.Clone(seen), next)) {
			return true
		}
	}

	return false
}

// misspelt are the names of layers that there are not, and that are nearly those of others. Others may be in another repository.
func (r *fluxRepository) misspelt(l fluxLayer, waits []string) []Fault {
	var out []Fault

	names := make([]string, 0, len(r.layers))
	for _, other := range r.layers {
		if other.self.name() != l.self.name() {
			names = append(names, other.self.name())
		}
	}

	for i, name := range waits {
		meant := message.Meant(name, names)
		if slices.Contains(names, name) || meant == "" || meant == name {
			continue
		}

		path := fmt.Sprintf("spec.dependsOn[%d].name", i)
		out = append(out, l.self.fault(position(l.self.node, path), path, fmt.Sprintf("%q: there is no layer of that name, and Flux never applies this one; did you mean %s?%s",
			message.Excerpt(name), meant, seeNames), Warning))
	}

	return out
}

// readiness are the faults of a layer that others depend on, and that is ready before what it applies.
func (r *fluxRepository) readiness(l fluxLayer) []Fault {
	var after []string

	for _, other := range r.layers {
		if waits, _ := other.waitsFor(); slices.Contains(waits, l.self.name()) && !slices.Contains(after, other.self.name()) {
			after = append(after, other.self.name())
		}
	}

	if len(after) == 0 {
		return nil
	}

	wait, checks := l.says("wait"), l.said("healthChecks")
	name := message.Excerpt(after[0])

	switch {
	case !wait && len(checks) == 0:
		return []Fault{l.warning(fmt.Sprintf("is ready as soon as Flux has applied it, and layer %s, which depends on it, comes too early: write spec.wait: true%s", name, seeWrong))}
	case l.has(isPackage("Configuration", "proxmox-machine")) && !names(checks, "CompositeResourceDefinition"):
		return []Fault{l.warning(fmt.Sprintf("is ready before the kinds of the Configuration are there, which are not in Git, and layer %s, which depends on it, fails with: no matches for kind. "+
			"Write, in place of wait, spec.healthChecks with {apiVersion: apiextensions.crossplane.io/v1, kind: CompositeResourceDefinition, name: machines.homelab.io}%s", name, seeWrong))}
	case l.has(isApplied) && len(l.said("healthCheckExprs")) == 0:
		return []Fault{l.warning(fmt.Sprintf("counts a claim as ready although its edit was refused, or is still being applied, and layer %s, which depends on it, comes too early: "+
			"write spec.healthCheckExprs, as example/flux/layers/machines-health.yaml has them%s", name, seeHealth))}
	}

	return nil
}

// says whether a field of a layer is true, or may be.
func (l fluxLayer) says(field string) bool {
	return slices.ContainsFunc(l.said(field), func(s fluxSaid) bool { return s.value == true || s.value == nil })
}

// names says whether health checks name a kind, or may do so.
func names(checks []fluxSaid, kind string) bool {
	return slices.ContainsFunc(checks, func(s fluxSaid) bool {
		return s.value == nil || slices.ContainsFunc(list(s.value), func(c any) bool { return at(c, "kind") == kind })
	})
}
