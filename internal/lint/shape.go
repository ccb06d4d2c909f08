package lint

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/internal/message"
)

// content of a catalogue that an object has, and the key that it is below: data, or spec as most kinds have it. Empty where it has none. Other people's
// objects have sections of these names, too, but as text.
func (o object) content() (under string, has []string) {
	for _, key := range []string{"data", "spec"} {
		below, _ := o.value[key].(map[string]any)

		var found []string

		for _, s := range sections {
			if _, ok := below[s].(map[string]any); ok {
				found = append(found, s)
			}
		}

		if len(found) > 0 {
			return key, found
		}
	}

	return "", nil
}

// shape are the faults of an object that has the content of a catalogue, or its name, and that nobody reads as one, with the lines to write; none of what
// is a catalogue, and of other people's objects.
func shape(o object, name string) []Fault {
	g, _, _ := strings.Cut(text(o.value["apiVersion"]), "/")
	key, found := o.content()
	mine := o.kind() == environmentKind && (g == environmentGroup || o.name() == name || len(found) > 0)

	switch {
	case g == environmentGroup && o.kind() == environmentKind && key != "spec":
		return nil // A catalogue, or other people's.
	case len(found) == 0 && !mine, isClaim(o), slices.Contains(claimKinds, o.kind()):
		return nil
	case !mine && g != environmentGroup && g != group && o.kind() != "ConfigMap" && o.name() != name:
		return nil
	}

	lines := fmt.Sprintf("apiVersion: %s/v1beta1, kind: %s, metadata: {name: %s} and data:", environmentGroup, environmentKind, name)
	if len(found) > 0 {
		lines += " with " + strings.Join(found, ", ") + " below it"
	}

	var out []Fault

	add := func(path, text string) {
		out = append(out, o.fault(position(o.node, path), path, text, Error))
	}

	switch {
	case o.kind() != environmentKind:
		add("kind", fmt.Sprintf("%q: the file has the content of a catalogue in another form, so nobody reads it: begin it with %s", message.Excerpt(o.kind()), lines))
	case g != environmentGroup:
		add("apiVersion", fmt.Sprintf("%q: an EnvironmentConfig has %s/v1beta1", message.Excerpt(text(o.value["apiVersion"])), environmentGroup))
	}

	if key == "spec" && o.kind() == environmentKind {
		out = append(out, o.fault(keyOf(o.node, key), key, "a catalogue has its content below data, so nobody reads this one: write data: in place of spec:", Error))
	}

	return out
}

// reshaped is an object as the catalogue that it was meant to be.
func (o object) reshaped() object {
	key, _ := o.content()

	o.value = maps.Clone(o.value)
	o.value["data"] = o.value[key]

	return o
}
