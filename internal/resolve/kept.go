package resolve

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
)

// Entries are what a living VM has, in the form of a catalogue's entries.
type Entries struct {
	Class  catalog.Class
	Image  catalog.Image
	Site   catalog.Site
	Access machine.Access
	// DataDisks says whether the VM has disks beside the boot disk.
	DataDisks bool
}

// defaults of a catalogue that a claim without the field takes, by JSON name. Each has a value that is built in.
func defaults() []string { return []string{"adminUser", "class", "image", "site", "sshAuthorizedKeys"} }

// lacks says whether the catalogue has no value of a default, by JSON name.
func (g *given) lacks(name string) bool {
	d := g.catalog.Defaults

	switch name {
	case "adminUser":
		return d.AdminUser == ""
	case "class":
		return d.Class == ""
	case "image":
		return d.Image == ""
	case "site":
		return d.Site == ""
	default:
		return len(d.SSHAuthorizedKeys) == 0
	}
}

// doubt is why nobody can tell the catalogue's value of a default, by JSON name. A machine without a VM takes a default that is
// not there for one that never was, and so does one whose VM was last written without it.
func (g *given) doubt(name string) field.ErrorList {
	doubt := g.catalog.Doubt(name)
	if g.existing.Has == nil && !g.existing.Container || g.certain || len(doubt) > 0 || slices.Contains(g.existing.BuiltIn, name) {
		return doubt
	}

	at := g.catalog.Defaults.Path(name)

	switch {
	case g.catalog.Absent != "":
		return field.ErrorList{field.Required(at, g.catalog.Absent)}
	case name != "adminUser" && name != "sshAuthorizedKeys" && g.lacks(name):
		return field.ErrorList{field.Required(at, "the claim names none, and the catalogue has no default")}
	default:
		return nil
	}
}

// doubtOfBuiltIn is why nobody can tell whether a claim that names a built-in entry means it: the catalogue, which may have had another one of that name, is
// not there, or has a key that nobody knows. A machine without a VM takes the built-in one, and so does what never had a catalogue.
func (g *given) doubtOfBuiltIn() field.ErrorList {
	e := g.existing
	never := !slices.ContainsFunc(defaultsOf(e), func(name string) bool { return !slices.Contains(e.BuiltIn, name) })

	if g.certain || never || e.Has == nil && !e.Container {
		return nil
	}

	return g.lost()
}

// lost is why nobody can tell what the catalogue has: it is not there, or has a key that nobody knows.
func (g *given) lost() field.ErrorList {
	if g.catalog.Absent != "" {
		return field.ErrorList{field.Required(field.NewPath("catalogue"), g.catalog.Absent)}
	}

	return g.catalog.Faults[""]
}

// overridden is why a built-in entry is not what a claim means that has its name: what exists was made with the catalogue's own entry of that
// name, which is gone. An edit that brings the name is no matter of the catalogue: nothing was made with that entry. Path is that of the entry,
// as in [machine.Machine].
func (g *given) overridden(n named, path, builtIn string) field.ErrorList {
	if !slices.Contains(g.existing.Overrides, path) {
		return nil
	}

	if lost := g.lost(); len(lost) > 0 {
		return lost
	}

	return field.ErrorList{field.Invalid(n.at, n.name, fmt.Sprintf("the catalogue's own %s is gone, with which the %s was made, and the built-in one of that name is another: %s. "+
		"Put the entry back into the catalogue, or write there what the %[2]s is to have from now on", path, g.guest(), builtIn))}
}

// Beginnings of the paths of a catalogue's entries.
const (
	classesAt = "classes."
	imagesAt  = "images."
)

// defaultsOf what exists are the defaults that it may have from a catalogue.
func defaultsOf(e Existing) []string {
	if e.Container {
		return []string{"class", "site"}
	}

	return defaults()
}

// builtIn are the defaults that the machine has from no catalogue, sorted. What was recorded of a living VM stays until the catalogue
// gives the default: one that the catalogue has lost was not built in. Nil where nobody can tell, and nobody could before.
func builtIn(g *given, kept []machine.Kept) []string {
	recorded := g.existing.BuiltIn
	if len(kept) > 0 {
		return recorded
	}

	if g.existing.Has == nil && !g.existing.Container || recorded == nil {
		recorded = defaults()
	}

	return slices.DeleteFunc(slices.Clone(recorded), func(name string) bool { return !g.lacks(name) })
}
