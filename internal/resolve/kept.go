package resolve

import (
	"reflect"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/claim"
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

// keeps says whether the VM keeps a part of its own because of faults in the catalogue, and notes that. name is the claim's name
// of the entry, and applied finds the name in the claim that the VM was last ready with: a name that the claim did not have then is a
// mistake of the claim. A machine without a living VM keeps nothing; then the faults are the claim's, too.
func (r *resolver) keeps(p machine.Part, faults field.ErrorList, name string, applied func(claim.Claim) string) bool {
	before := r.existing.Applied
	edited := name != "" && before != nil && applied(*before) != name

	if r.existing.Has == nil || edited {
		r.add(faults...)
		return false
	}

	r.out.Kept = append(r.out.Kept, machine.Kept{Part: p, Faults: faults})

	return true
}

// The names of a catalogue's entries in a claim.
func appliedClass(c claim.Claim) string { return fieldsOf(c).Class }
func appliedSite(c claim.Claim) string  { return fieldsOf(c).Proxmox.Site }

func appliedImage(c claim.Claim) string {
	if c.Container != nil {
		return c.Container.Image
	}

	return string(c.Fields().Image)
}

// fieldsOf a claim of a machine, of a container or of a site.
func fieldsOf(c claim.Claim) v1alpha1.MachineFields {
	switch {
	case c.Container != nil:
		return commonFields(*c.Container)
	case c.ProxmoxSite != nil:
		return siteFields(*c.ProxmoxSite)
	}

	return c.Fields()
}

func appliedCluster(c claim.Claim) string {
	if k := c.K3s(); k != nil {
		return k.Cluster
	}

	return ""
}

// defaults of a catalogue that a claim without the field takes, by JSON name. Each has a value that is built in.
func defaults() []string { return []string{"adminUser", "class", "image", "site", "sshAuthorizedKeys"} }

// lacks says whether the catalogue has no value of a default, by JSON name.
func (r *resolver) lacks(name string) bool {
	d := r.catalog.Defaults

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
func (r *resolver) doubt(name string) field.ErrorList {
	doubt := r.catalog.Doubt(name)
	if r.existing.Has == nil && !r.existing.Container || r.certain || len(doubt) > 0 || slices.Contains(r.existing.BuiltIn, name) {
		return doubt
	}

	at := r.catalog.Defaults.Path(name)

	switch {
	case r.catalog.Absent != "":
		return field.ErrorList{field.Required(at, r.catalog.Absent)}
	case name != "adminUser" && name != "sshAuthorizedKeys" && r.lacks(name):
		return field.ErrorList{field.Required(at, "the claim names none, and the catalogue has no default")}
	default:
		return nil
	}
}

// doubtOfBuiltIn is why nobody can tell whether an entry of the catalogue with the name of a built-in one is the built-in one: the catalogue, which may have
// another one of that name, is not there, or has a key that nobody knows. from is where the entry was found; empty for a built-in one. A machine without a VM
// takes it, and so does what never had a catalogue.
func (r *resolver) doubtOfBuiltIn(from string) field.ErrorList {
	exists := r.existing.Has != nil || r.existing.Container && !builtInContainer(r.existing.BuiltIn)

	switch {
	case from != "" || r.certain || !exists:
		return nil
	case r.catalog.Absent != "":
		return field.ErrorList{field.Required(field.NewPath("catalogue"), r.catalog.Absent)}
	default:
		return r.catalog.Faults[""]
	}
}

// builtInContainer says whether a container has its defaults from no catalogue, as was noted when it was last written.
func builtInContainer(recorded []string) bool {
	return slices.Contains(recorded, "class") && slices.Contains(recorded, "site")
}

// builtIn are the defaults that the machine has from no catalogue, sorted. What was recorded of a living VM stays until the catalogue
// gives the default: one that the catalogue has lost was not built in. Nil where nobody can tell, and nobody could before.
func (r *resolver) builtIn() []string {
	recorded := r.existing.BuiltIn
	if len(r.out.Kept) > 0 {
		return recorded
	}

	if r.existing.Has == nil && !r.existing.Container || recorded == nil {
		recorded = defaults()
	}

	return slices.DeleteFunc(slices.Clone(recorded), func(name string) bool { return !r.lacks(name) })
}

// neverHad says whether the defaults that the catalogue does not have make no difference to a living VM: its claim says all that the
// VM has, or what is built in says it. While an edit is on its way, that is the claim which the VM was last ready with, or the edited one.
func neverHad(c claim.Claim, cat catalog.Catalog, e Existing) bool {
	return e.Has != nil && (indifferent(c, cat, e) || e.Applied != nil && indifferent(*e.Applied, cat, e))
}

func indifferent(c claim.Claim, cat catalog.Catalog, e Existing) bool {
	without, faults := resolution{catalog: cat, existing: e, certain: true}.claim(c)
	if len(faults) > 0 {
		return false
	}

	with, faults := resolution{catalog: cat, existing: e}.claim(c)
	if len(faults) > 0 {
		return false
	}

	// Rendered user-data has the account, and the VM's parameters do not tell of it. What is recorded does; where nothing is, the VM's
	// bootstrap data is compared with the claim's by its hash.
	if e.Has.Access.AdminUser == "" && len(e.Has.Access.SSHAuthorizedKeys) == 0 {
		if e.BuiltIn != nil && with.Keeps(machine.PartAccess) {
			return false
		}

		with.Access = without.Access
	}

	return alike(*without, *with)
}

// alike says whether two resolutions of a claim make no difference to a living VM, of which the first one lacks defaults. The source
// and the firmware of a boot disk never change; name servers and domain never go away.
func alike(without, with machine.Machine) bool {
	if len(without.DNS) == 0 {
		with.DNS = without.DNS
	}

	if without.Domain == "" {
		with.Domain = ""
	}

	if len(without.Access.SSHAuthorizedKeys) == 0 {
		with.Access = without.Access
	}

	for _, m := range []*machine.Machine{&without, &with} {
		m.Boot = machine.Boot{DiskGiB: m.Boot.DiskGiB, Backup: m.Boot.Backup, Cache: m.Boot.Cache}
		m.Firmware, m.Class, m.Kept, m.BuiltIn = nil, "", nil, nil
		m.Placement.Site, m.Placement.ImageDatastore, m.Placement.SnippetDatastore = "", "", ""
		m.Placement.VMIDRange, m.Placement.VMIDRangePath = nil, ""
	}

	return reflect.DeepEqual(without, with)
}
