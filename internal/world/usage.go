package world

import (
	"fmt"
	"slices"
)

// usedBy is the name of the composed resource, an Object or a VM, because of which a composed Usage keeps a VM or an IPAddressClaim; empty where none
// does.
func usedBy(observed map[string]map[string]any, vm map[string]any) string {
	by := usersOf(observed, vm)
	if len(by) == 0 {
		return ""
	}

	return fmt.Sprint(by[0])
}

// usersOf are the names of all resources that Usages name as users of one.
func usersOf(observed map[string]map[string]any, vm map[string]any) []any {
	var out []any

	for _, name := range Keys(observed) {
		spec := Object(observed[name]["spec"])
		of := Object(Object(spec["of"])["resourceRef"])

		if by := Object(Object(spec["by"])["resourceRef"]); by["name"] != nil && of["name"] == Object(vm["metadata"])["name"] {
			out = append(out, by["name"])
		}
	}

	return out
}

// isKept says whether a Usage without an end keeps claim or composite from deletion.
func (m *Machine) isKept() bool { return m.keeper() != "" }

// keeper is the composed resource name of the first such Usage; empty without one.
func (m *Machine) keeper() string {
	names := []any{m.Name(), Object(m.Composite["metadata"])["name"], Object(m.Spec()["claimRef"])["name"]}

	for _, name := range Keys(m.Observed) {
		spec := Object(m.Observed[name]["spec"])
		of := Object(Object(spec["of"])["resourceRef"])["name"]

		if of != nil && spec["by"] == nil && slices.Contains(names, of) {
			return name
		}
	}

	return ""
}
