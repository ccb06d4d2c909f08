package lint

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/internal/claim"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
)

// refused adds what the function refuses. What is wrong with the catalogue is reported with it, once, and not with each claim; unless
// nobody reports it.
func (l *linter) refused(o object, from *catalogue, faults field.ErrorList) {
	_, metadata := o.value["metadata"].(map[string]any)

	for _, err := range o.firsthand(faults) {
		at, path := o, err.Field

		// The envelope is reported already.
		if path == "metadata.name" && !metadata && o.value["metadata"] != nil {
			continue
		}

		if from != nil {
			if below, ok := strings.CutPrefix(path, from.origin()); ok {
				if slices.Index(l.catalogues, from) < l.foreign && l.reported(from.object, below) {
					continue
				}

				at, path = from.object, below
			}
		}

		// Faults with a name of the catalogue say so already. Of those that lack something, nobody knows whether a catalogue has it.
		if path == "catalogue" {
			if slices.ContainsFunc(faults, func(f *field.Error) bool { return f != err && f.Type == field.ErrorTypeRequired }) {
				l.add(o, "spec", noCatalogue, Warning)
			}

			continue
		}

		l.put(at, path, err)
	}
}

// firsthand are the faults without those that are one only because of another one.
func (o object) firsthand(faults field.ErrorList) field.ErrorList {
	return slices.DeleteFunc(slices.Clone(faults), func(err *field.Error) bool { return o.beyond(err.Field) || claim.Follows(faults, err) })
}

// reported says whether a fault of a catalogue is reported with it. A warning at its place, of what no claim may need, gives way to it.
func (l *linter) reported(o object, path string) bool {
	here := func(f Fault) bool { return f.File == o.file && f.Name == cut(o.name()) && f.Path == path }

	if slices.ContainsFunc(l.faults, func(f Fault) bool { return here(f) && f.Severity == Error }) {
		return true
	}

	l.faults = slices.DeleteFunc(l.faults, here)

	return false
}

// judged adds what the API server refuses and the function did not name.
func (l *linter) judged(o object, named field.ErrorList) {
	if l.options.Judge == nil {
		return
	}

	for _, err := range l.options.Judge.Refuse(o.value, l.options.providerFor(o, l.catalogueOf(o))) {
		path := fieldOf(err)
		at := *err
		at.Field = path

		if o.beyond(path) || claim.Follows(named, &at) {
			continue
		}

		if !slices.ContainsFunc(named, func(n *field.Error) bool { return sameField(path, n.Field) }) &&
			!slices.ContainsFunc(l.faults, func(f Fault) bool { return f.File == o.file && f.Name == o.name() && sameField(path, f.Path) }) {
			l.put(o, path, err)
		}
	}
}

// fieldOf a fault of the API server. It has some paths in the message only.
func fieldOf(err *field.Error) string {
	if err.Field != "<nil>" && err.Field != "" {
		return err.Field
	}

	for word := range strings.FieldsSeq(err.Detail) {
		if strings.HasPrefix(word, "spec.") || strings.HasPrefix(word, "metadata.") {
			return strings.TrimRight(word, ":,")
		}
	}

	return ""
}

// sameField says whether two paths name the same field, or one of them a field of the other's: a rule of an XRD names the object that
// it is about.
func sameField(a, b string) bool {
	a, b = plainPath(a), plainPath(b)

	return a == b || a != "" && strings.HasPrefix(b, a+".") || b != "" && strings.HasPrefix(a, b+".")
}

// plainPath is a path whose indexes and keys are parts like any other.
func plainPath(path string) string {
	return strings.NewReplacer("[", ".", "]", "", `"`, "").Replace(path)
}

// warned adds what the function itself warns of: of the claim, and of its catalogue.
func (l *linter) warned(o object, m *machine.Machine) {
	l.faults = withCatalogues(l.faults, l.catalogueOf(o), m.Warnings)

	for _, w := range ofClaim(m.Warnings) {
		l.add(o, w.path, w.text, Warning)
	}
}

// A warning of the function, with the field that it is about: spec where it names none.
type warning struct{ path, text string }

// ofClaim are the warnings that are about a claim, and not its catalogue.
func ofClaim(warnings []string) []warning {
	var out []warning

	for _, w := range warnings {
		// Who needs no catalogue need not have one.
		if strings.HasPrefix(w, environmentKind+" ") || strings.Contains(w, noCatalogue) {
			continue
		}

		path, rest, ok := strings.Cut(w, ": ")

		if !ok || !strings.HasPrefix(path, "spec.") || strings.Contains(path, " ") {
			path, rest = "spec", w

			if first, _, ok := strings.Cut(w, " "); ok && strings.HasPrefix(first, "spec.") {
				path = first
			}
		}

		out = append(out, warning{path, strings.TrimSuffix(rest, ".")})
	}

	return out
}

// withCatalogues are faults with those of warnings that are about the catalogue of a claim, where the catalogue has it; nil for none. All claims have
// them, and each is said once.
func withCatalogues(faults []Fault, from *catalogue, warnings []string) []Fault {
	if from == nil {
		return faults
	}

	for _, w := range warnings {
		of, rest, ok := strings.Cut(w, ": ")
		path, text, located := strings.Cut(rest, ": ")

		if !ok || !located || !strings.HasPrefix(of, environmentKind+" ") || !strings.HasPrefix(path, "data.") {
			continue
		}

		f := from.fault(position(from.node, path), path, strings.TrimSuffix(text, "."), Warning)
		if !slices.Contains(faults, f) {
			faults = append(faults, f)
		}
	}

	return faults
}
