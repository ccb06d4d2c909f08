// Package privilege knows which privileges the provider's API token needs in Proxmox VE: one table of the calls that the provider makes for a
// machine. The commands of docs/privileges.md, the sentence of the README and what a condition says of a missing privilege come from it, and the
// provider suite holds every call of the real plugin against it.
package privilege

import (
	"maps"
	"slices"
	"strings"
)

// A Place is a path of Proxmox's access control, as `pveum acl modify` takes it. A privilege there counts for everything below it.
type Place string

// The places where the token needs privileges. A datastore stands for each of its kind: the catalogue names them.
const (
	// PlaceVMs is all VMs, and not some of them: the VMID check must see the VMs of everybody.
	PlaceVMs Place = "/vms"
	// PlaceDisks is a datastore with VMs' disks.
	PlaceDisks Place = "/storage/<disks>"
	// PlaceFiles is a datastore with snippets or images.
	PlaceFiles Place = "/storage/<files>"
	// PlaceNetwork is every bridge: since Proxmox VE 8.0, a bridge is a network of the built-in zone localnetwork.
	PlaceNetwork Place = "/sdn/zones/localnetwork"
	PlaceNodes   Place = "/nodes"
	PlaceMapping Place = "/mapping"
	PlacePool    Place = "/pool/<pool>"
	PlaceRoot    Place = "/"
)

// A Use is what of a claim or a catalogue a privilege is needed for.
type Use string

// The uses. Every other privilege is needed for any machine.
const (
	UseAlways     Use = ""
	UseSnippets   Use = "snippets"
	UseImages     Use = "images with a `url`"
	UseVolumes    Use = "images with a `volume`"
	UseTemplates  Use = "images with a `template`"
	UseDevices    Use = "`devices`"
	UsePools      Use = "`proxmox.pool`"
	UseMigration  Use = "`proxmox.migrate`"
	UseHAMigrated Use = "`proxmox.migrate` of VMs under high availability"
	UseHA         Use = "`ha`"
	UseHostOption Use = "`startup`, and `tags` that the datacenter's options restrict"
	UseCustomCPU  Use = "`cpuType: custom-...`"

	UseSiteNetwork Use = "interfaces of a `ProxmoxSite`"
	UseSitePools   Use = "pools of a `ProxmoxSite`"
)

// usual are the uses that nearly everybody has: they stand among the first commands.
func (u Use) usual() bool {
	return u == UseAlways || u == UseSnippets || u == UseImages || u == UseVolumes
}

// A Need is privileges at a place, all of which a call takes.
type Need struct {
	Place      Place
	Privileges []string
	Use        Use
	// Since and Before are major versions of Proxmox VE: the first that knows the privileges, the first that does not. 0 is any.
	Since, Before int
}

// in says whether a Proxmox VE of this major version has the need.
func (n Need) in(major int) bool {
	return major >= n.Since && (n.Before == 0 || major < n.Before)
}

// A Call of the Proxmox API that the provider makes.
type Call struct {
	// Method and Path are those below /api2/json. {name} is any one part of a path, {name...} all that follow.
	Method, Path string
	// Needs is empty where any token may make the call.
	Needs []Need
	// For is what the provider makes the call for, as a part of a sentence.
	For string
	// Source is the file of Proxmox VE that has the check: repository and path.
	Source string
}

// Find returns the call that a request is.
func Find(method, path string) (Call, bool) {
	for _, c := range Calls {
		if c.Method == method && matches(c.Path, path) {
			return c, true
		}
	}

	return Call{}, false
}

func matches(pattern, path string) bool {
	want, got := strings.Split(pattern, "/"), strings.Split(path, "/")

	for i, w := range want {
		switch {
		case strings.HasSuffix(w, "...}"):
			return len(got) > i
		case i >= len(got), !strings.HasPrefix(w, "{") && w != got[i], got[i] == "" && i > 0:
			return false
		}
	}

	return len(want) == len(got)
}

// At lists the privileges that Proxmox VE of a major version takes at a place, sorted, for uses that keep keeps.
func At(place Place, major int, keep func(Use) bool) []string {
	names := map[string]bool{}

	for _, c := range Calls {
		for _, n := range c.Needs {
			if n.Place != place || !n.in(major) || !keep(n.Use) {
				continue
			}

			for _, p := range n.Privileges {
				names[p] = true
			}
		}
	}

	return slices.Sorted(maps.Keys(names))
}
