package lint

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	yamlv3 "go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/homelab-io/function-proxmox-machine/internal/claim"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
)

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

	if slices.Contains(allowed, "spec") {
		l.faults = append(l.faults, o.specless()...)
	}

	l.metadata(o)
}

// exported says whether kubectl printed the object.
func exported(o object) bool {
	metadata, _ := o.value["metadata"].(map[string]any)
	_, ok := metadata["resourceVersion"]

	return ok
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
		case name == "spec" && isClaim(o):
			l.addAtKey(o, path, "is indented too far, so that it is a part of metadata: write spec: at the beginning of its line, as metadata is", Error)
		case !slices.Contains(known, name):
			l.addAtKey(o, path, "unknown field; "+message.There(known[:4], name), Error)
		case name == "labels" || name == "annotations":
			l.texts(o, path, v)

			if name == "annotations" && isClaim(o) && !exported(o) {
				l.faults = append(l.faults, o.remarks()...)
			}
		case name == "namespace" && v != nil:
			l.faults = append(l.faults, o.wrongNamespace(path, v)...)
		}
	}
}

// remarks are the warnings of the annotations of a claim.
func (o object) remarks() []Fault {
	var out []Fault
	for _, r := range claim.Remarks(o.value) {
		out = append(out, o.fault(keyOf(o.node, r.Path), r.Path, r.Why, Warning))
	}

	return out
}

// wrongNamespace is the fault of the namespace of an object: no cluster has one of another form, and a catalogue is in none.
func (o object) wrongNamespace(path string, v any) []Fault {
	name, ok := v.(string)

	switch {
	case !ok:
		return []Fault{o.fault(position(o.node, path), path, "must be text: put it in quotes", Error)}
	case isCatalogue(o) && name != "":
		text := "has no effect: an EnvironmentConfig is in no namespace, and all read the same one; leave it out"

		return []Fault{o.fault(keyOf(o.node, path), path, text, Warning)}
	case isClaim(o) && name != "" && len(validation.IsDNS1123Label(name)) > 0:
		text := fmt.Sprintf("%q: must hold only lower case letters, digits and hyphens, up to 63, with a letter or digit at both ends", message.Excerpt(name))
		if meant := dnsLabel(name); meant != "" {
			text += ": write " + meant
		}

		return []Fault{o.fault(position(o.node, path), path, text, Error)}
	}

	return nil
}

// dnsLabel is a name in the letters that a namespace has; empty if none is left, or it has a placeholder.
func dnsLabel(name string) string {
	meant := strings.Trim(strings.NewReplacer("_", "-", ".", "-", " ", "-").Replace(strings.ToLower(name)), "-")
	if len(validation.IsDNS1123Label(meant)) > 0 {
		return ""
	}

	return meant
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
			at, typed := path+"."+message.Key(name), fmt.Sprint(values[name])
			// YAML reads another value than was typed: yes as true, and 010 as 8.
			if n := position(o.node, at); n.Kind == yamlv3.ScalarNode {
				typed = n.Value
			}

			l.add(o, at, fmt.Sprintf("must be text: write %q", message.Excerpt(typed)), Error)
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
