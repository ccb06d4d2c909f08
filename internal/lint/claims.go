package lint

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/internal/bootstrap"
	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/claim"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
	"github.com/homelab-io/function-proxmox-machine/internal/resolve"
)

// noCatalogue is said where a claim needs a catalogue and none was read.
const noCatalogue = "no catalogue was read: name its file with --catalogue, or lint it together with the claims"

// checkClaim has every judge of a claim judge it.
func (l *linter) checkClaim(o object) {
	if isEncrypted(o.value) {
		l.addAtKey(o, "sops", encrypted, Error)

		return
	}

	l.envelope(o, "spec", "status")
	defer func() { l.faults = append(append(l.faults, octals(o, l.faults)...), cutNotes(o)...) }()

	from := l.catalogueOf(o)
	cat := catalog.BuiltIn()
	cat.Absent = noCatalogue

	if from != nil {
		cat, from.asked = from.merged, true
	}

	value := composite(o.value)
	decoded := claim.Decode(value)

	if decoded.K3sCluster != nil {
		l.checkCluster(o, decoded, cat, from)
		return
	}

	if decoded.Container != nil {
		l.checkContainer(o, decoded, cat, from)
		return
	}

	if decoded.ProxmoxSite != nil {
		l.checkSite(o, decoded, cat, from)
		return
	}

	adopts := decoded.Fields().Adopt != nil
	m, faults := resolve.Claim(decoded, cat, resolve.Existing{Adopting: adopts})

	if m != nil && !adopts {
		_, faults = bootstrap.New(m, dummyToken(m), dummySecrets(m)...)
	}

	l.refused(o, from, faults)
	l.judged(o, faults)

	if from != nil {
		from.uses(decoded)
	}

	// Who has something to correct reads of what is useless when that is done.
	if m != nil && len(faults) == 0 {
		l.warned(o, m)
		l.useless(o, decoded, cat)
	}
}

// composite of a claim in its namespace, as Crossplane 2 has it.
func composite(value map[string]any) map[string]any {
	out := maps.Clone(value)

	metadata, ok := out["metadata"].(map[string]any)
	if !ok {
		return out
	}

	metadata = maps.Clone(metadata)
	out["metadata"] = metadata

	// kubectl takes that of its context.
	if _, ok := metadata["namespace"]; !ok {
		metadata["namespace"] = "default"
	}

	return out
}

// dummyToken is a token of the right form. Nobody knows the real one here, and nothing shows it.
func dummyToken(m *machine.Machine) *string {
	if m.K3s == nil || m.K3s.Init {
		return new(strings.Repeat("0", 64))
	}

	return new("K10" + strings.Repeat("0", 64) + "::server:" + strings.Repeat("0", 32))
}

func dummySecrets(m *machine.Machine) []bootstrap.Content {
	out := make([]bootstrap.Content, 0, len(m.Secrets))
	for _, f := range m.Secrets {
		out = append(out, bootstrap.Content{Value: new("0"), Keys: []string{f.Key}})
	}

	return out
}

// refused adds what the function refuses. What is wrong with the catalogue is reported with it, once, and not with each claim; unless
// nobody reports it.
func (l *linter) refused(o object, from *catalogue, faults field.ErrorList) {
	_, metadata := o.value["metadata"].(map[string]any)

	for _, err := range faults {
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

// reported says whether a fault of a catalogue is reported with it. A warning at its place, of what no claim may need, gives way to it.
func (l *linter) reported(o object, path string) bool {
	here := func(f Fault) bool { return f.File == o.file && f.Name == cut(o.name()) && f.Path == path }

	if slices.ContainsFunc(l.faults, func(f Fault) bool { return here(f) && f.Severity == Error }) {
		return true
	}

	l.faults = slices.DeleteFunc(l.faults, here)

	return false
}

// put a fault at its place: what should not be there at its name, everything else at the value.
func (l *linter) put(o object, path string, err *field.Error) {
	err = asTyped(o, path, err)
	text := message.Fault(err)

	if err.Type == field.ErrorTypeForbidden {
		l.addAtKey(o, path, text, Error)
		return
	}

	l.add(o, path, text, Error)
}

// judged adds what the API server refuses and the function did not name.
func (l *linter) judged(o object, named field.ErrorList) {
	if l.options.Judge == nil {
		return
	}

	for _, err := range l.options.Judge.Refuse(o.value) {
		path := fieldOf(err)
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

// warned adds what the function itself warns of.
func (l *linter) warned(o object, m *machine.Machine) {
	for _, w := range m.Warnings {
		// The catalogue's own are reported with it, and who needs no catalogue need not have one.
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

		l.add(o, path, strings.TrimSuffix(rest, "."), Warning)
	}
}

// envelope checks what surrounds a spec: the API server drops unknown fields there, and with --validate=strict refuses them.
func (l *linter) envelope(o object, allowed ...string) {
	known := append([]string{"apiVersion", "kind", "metadata"}, allowed...)

	for _, name := range slices.Sorted(maps.Keys(o.value)) {
		if slices.Contains(known, name) {
			continue
		}

		text := "unknown field; " + message.There(known, name)
		if where := inside(o, name); where != "" {
			text = "unknown field; did you mean " + where + "? It is indented too little"
		}

		l.addAtKey(o, message.Key(name), text, Error)
	}

	if _, ok := o.value["status"]; ok && slices.Contains(allowed, "status") && !exported(o) {
		l.addAtKey(o, "status", "has no effect: the function writes the status; leave it out", Warning)
	}

	l.metadata(o)
}

// exported says whether kubectl printed the object.
func exported(o object) bool {
	metadata, _ := o.value["metadata"].(map[string]any)
	_, ok := metadata["resourceVersion"]

	return ok
}

// inside is where a field of the wrong level belongs.
func inside(o object, name string) string {
	if isCatalogue(o) && slices.Contains(sections, name) {
		return "data." + name
	}

	if slices.Contains(claim.FieldNames(), name) {
		return "spec." + name
	}

	return ""
}

// metadata checks what API servers check of every object.
func (l *linter) metadata(o object) {
	metadata, ok := o.value["metadata"].(map[string]any)
	if !ok {
		if v, there := o.value["metadata"]; there && v != nil {
			l.add(o, "metadata", fmt.Sprintf("must be an object with name and namespace: write {name: %s}", example(v, "dns01")), Error)
		} else if !isClaim(o) {
			l.add(o, "metadata", "is missing: must be an object with a name", Error)
		}

		return
	}

	known := []string{
		"name", "namespace", "labels", "annotations", "finalizers", "generateName", "ownerReferences", "uid", "resourceVersion", "generation",
		"creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds", "managedFields", "selfLink",
	}

	for _, name := range slices.Sorted(maps.Keys(metadata)) {
		path := "metadata." + message.Key(name)

		switch v := metadata[name]; {
		case !slices.Contains(known, name):
			l.addAtKey(o, path, "unknown field; "+message.There(known[:4], name), Error)
		case name == "labels" || name == "annotations":
			l.texts(o, path, v)
		case name == "namespace" && v != nil:
			if _, ok := v.(string); !ok {
				l.add(o, path, "must be text: put it in quotes", Error)
			}
		}
	}
}

// texts checks labels and annotations, whose values are text.
func (l *linter) texts(o object, path string, v any) {
	values, ok := v.(map[string]any)
	if !ok && v != nil {
		l.add(o, path, "must be an object of names and text, such as {team: infra}", Error)
		return
	}

	for _, name := range slices.Sorted(maps.Keys(values)) {
		if _, ok := values[name].(string); !ok && values[name] != nil {
			l.add(o, path+"."+message.Key(name), fmt.Sprintf("must be text: write %q", fmt.Sprint(values[name])), Error)
		}
	}
}

// example is a value that was written in the wrong place, where it is short text.
func example(v any, otherwise string) string {
	if s, ok := v.(string); ok && s != "" && len(s) < 64 && message.Key(s) == s {
		return s
	}

	return otherwise
}
