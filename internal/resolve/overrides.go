package resolve

import (
	"slices"

	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
)

// overrides are the entries under the name of a built-in one that a machine has from the catalogue. Where the catalogue does not tell all, what
// was recorded stays. What had the built-in entry before the catalogue got one of its name, which is recorded as [before], goes back to it: an edit of
// a catalogue can be taken back.
func overrides(g *given, m *machine.Machine) []string {
	e := g.existing
	if len(m.Kept) > 0 {
		return e.Overrides
	}

	var out []string

	if class := g.catalog.Classes[m.Class]; catalog.OverridesClass(m.Class, class) {
		path := classesAt + m.Class

		switch edited := e.Applied != nil && appliedClass(*e.Applied) != g.spec.Class; {
		case slices.Contains(e.Overrides, path), !slices.Contains(e.Overrides, before+path) && (e.Has == nil || edited || sizes{g: g}.has(class)):
			out = append(out, path)
		default:
			out = append(out, before+path)
		}
	}

	// Of a VM that lives nobody can tell whose image it was made from, if nothing is recorded.
	path := imagesAt + m.Boot.Image
	known := e.Has == nil || slices.Contains(e.Overrides, path) || e.Applied != nil && appliedImage(*e.Applied) != string(g.spec.Image)

	if !g.container && known && catalog.OverridesImage(m.Boot.Image, g.catalog.Images[m.Boot.Image]) {
		out = append(out, path)
	}

	return out
}

// before begins the record of an entry that came when the machine had the built-in one of its name.
const before = "-"
