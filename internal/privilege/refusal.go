package privilege

import (
	"slices"
	"strings"
)

// Known says whether a name is that of a privilege that the provider's calls take, in any version of Proxmox VE.
func Known(name string) bool {
	return slices.ContainsFunc(Calls, func(c Call) bool {
		return slices.ContainsFunc(c.Needs, func(n Need) bool { return slices.Contains(n.Privileges, name) })
	})
}

// On says what a path of Proxmox's access control is about, as the end of "a privilege ...". It never repeats the name of one object, and is empty for
// a path that the provider's calls do not need.
func On(path string) string {
	for _, p := range []struct{ prefix, words string }{
		{"/vms", "on VMs (/vms)"},
		{"/storage", "on a datastore that this machine needs (/storage/...)"},
		{"/sdn", "on a bridge or VNet that this machine needs (/sdn/zones/...)"},
		{"/nodes", "on nodes (/nodes)"},
		{"/mapping", "on a resource mapping that this machine needs (/mapping/...)"},
		{"/pool", "on the pool (/pool/...)"},
		{"/", "on the whole of Proxmox (/)"},
	} {
		if path == p.prefix || p.prefix != "/" && strings.HasPrefix(path, p.prefix+"/") {
			return p.words
		}
	}

	return ""
}
