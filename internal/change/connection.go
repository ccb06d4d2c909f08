package change

import "cmp"

// Connection is the change that another provider configuration would be: the managed resource would stand for another VM or container, so what lives keeps
// its own. reconnected is the catalogue's key that names the other one; empty where the claim names another site.
func Connection(reconnected, has, wanted string) Change {
	const which = "provider configuration "

	return Change{Field: cmp.Or(reconnected, "spec.proxmox.site"), Has: which + has, Wanted: which + wanted, Effect: Refused}
}
