package privilege

import (
	"fmt"
	"slices"
	"strings"
)

// A role is the role that a place gets, and how people call the place.
type role struct {
	place Place
	name  string
	words string
}

// roles in the order of the commands.
var roles = []role{ //nolint:gochecknoglobals // A constant table.
	{PlaceVMs, "CrossplaneVMs", "on /vms"},
	{PlaceDisks, "CrossplaneDisks", "on each datastore with disks"},
	{PlaceFiles, "CrossplaneFiles", "on each datastore with snippets or images"},
	{PlaceNetwork, "CrossplaneNetwork", "on /sdn/zones/localnetwork"},
	{PlaceNodes, "CrossplaneNodes", "on /nodes"},
}

const (
	// major is the version that texts without commands are about; before, the one that they name beside it.
	major  = 9
	before = 8

	user = "crossplane@pve"
)

// example is the path of a place as the commands have it: the datastores are those of a fresh Proxmox VE on ZFS.
func example(p Place) string {
	return strings.NewReplacer("<disks>", "local-zfs", "<files>", "local", "<pool>", "machines").Replace(string(p))
}

// UsualCommands create roles, user and token for a Proxmox VE of a major version, 8 or 9, and grant what nearly everybody needs. What the machines
// of one site take is in [Site.Commands].
func UsualCommands(version int) string {
	var out strings.Builder

	for _, r := range roles {
		fmt.Fprintf(&out, "pveum role add %s --privs %q\n", r.name, strings.Join(At(r.place, version, Use.usual), " "))
	}

	fmt.Fprintf(&out, "pveum user add %s --comment 'machines of Crossplane'\n", user)

	for _, r := range roles {
		fmt.Fprintf(&out, "pveum acl modify %s --users %s --roles %s\n", example(r.place), user, r.name)
	}

	fmt.Fprintf(&out, "pveum user token add %s provider --privsep 0\n", user)

	return out.String()
}

// An Extra is what some machines need in addition.
type Extra struct {
	Use      Use
	Commands []string
}

// Extras are the uses that the first commands leave out, in the order of their constants.
func Extras() []Extra {
	out := make([]Extra, 0, len(optional))

	for _, u := range optional {
		e := Extra{Use: u}

		for _, p := range []Place{PlaceVMs, PlaceDisks, PlaceNodes, PlaceMapping, PlacePool, PlaceRoot} {
			if privileges := extra(p, u); len(privileges) > 0 {
				e.Commands = append(e.Commands, grantCommands(p, strings.Join(privileges, " "))...)
			}
		}

		out = append(out, e)
	}

	return out
}

var optional = []Use{ //nolint:gochecknoglobals // A constant table.
	UseTemplates, UseDevices, UsePools, UseMigration, UseHAMigrated, UseHA, UseHostOption, UseCustomCPU, UseSiteNetwork, UseSitePools,
}

// extra are the privileges that a use takes at a place and that the first commands do not grant there.
func extra(p Place, u Use) []string {
	granted := At(p, major, Use.usual)

	return slices.DeleteFunc(At(p, major, func(o Use) bool { return o == u }), func(name string) bool { return slices.Contains(granted, name) })
}

// grantCommands extend the role of a place, or create one.
func grantCommands(p Place, privileges string) []string {
	for _, r := range roles {
		if r.place == p {
			return []string{fmt.Sprintf("pveum role modify %s --append 1 --privs %q", r.name, privileges)}
		}
	}

	name := "Crossplane" + strings.NewReplacer(".", "", " ", "").Replace(privileges)

	acl := fmt.Sprintf("pveum acl modify %s --users %s --roles %s", example(p), user, name)

	// The calls check / itself: below it, Sys.Console would be a shell, and Sys.Modify the configuration, of every node.
	if p == PlaceRoot {
		acl += " --propagate 0"
	}

	return []string{fmt.Sprintf("pveum role add %s --privs %q", name, privileges), acl}
}

// Sentence is everything that the token needs, for a reader who grants it in the GUI: the usual privileges by place, then those of single uses.
func Sentence() string {
	parts := make([]string, 0, len(roles)+1)

	for _, r := range roles {
		privileges := At(r.place, major, Use.usual)

		for i, p := range privileges {
			if !slices.Contains(At(r.place, before, Use.usual), p) {
				privileges[i] = p + " (before Proxmox VE 9: " + strings.Join(replaced(r.place), ", ") + ")"
			}
		}

		parts = append(parts, strings.Join(privileges, ", ")+" "+r.words)
	}

	return strings.Join(parts, "; ")
}

// replaced are the usual privileges at a place that Proxmox VE 8 alone has.
func replaced(p Place) []string {
	now := At(p, major, Use.usual)

	return slices.DeleteFunc(At(p, before, Use.usual), func(name string) bool { return slices.Contains(now, name) })
}

// OptionalSentence is what single uses need in addition, in the same words.
func OptionalSentence() string {
	var names []string

	for _, u := range optional {
		for _, p := range []Place{PlaceVMs, PlaceDisks, PlaceNodes, PlaceMapping, PlacePool, PlaceRoot} {
			for _, name := range extra(p, u) {
				if !slices.Contains(names, name) {
					names = append(names, name)
				}
			}
		}
	}

	return strings.Join(names, ", ")
}
