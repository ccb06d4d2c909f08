package cloudinit

import (
	"maps"
	"path"
	"slices"
	"strings"
)

// Rules are the restrictions of a user's cloud-config. Some kinds of machines
// add rules to those of [MachineRules].
type Rules struct {
	// Owned maps a refused top-level key to the advice what to do instead, for example
	// "set spec.hostname".
	Owned map[string]string
	// Reserved maps a refused path on the machine to the advice what to do instead. A path
	// that ends with "/" includes everything below it. Merge refuses the document's own files
	// anyway.
	Reserved map[string]string
	// VendorBootcmd is true if the machine's vendor-data has a bootcmd. Cloud-init
	// replaces lists instead of joining them, so a bootcmd in user-data would replace it.
	VendorBootcmd bool
	// Account is the account that gets the user's ssh_authorized_keys, with the document's own keys in its entry of users, if there
	// is one. Nil leaves the keys to the image's default user.
	Account *User
}

// MachineRules returns the rules of every machine: keys that fields of the claim
// set, and keys that would break this document. The caller may change the maps.
func MachineRules() Rules {
	const (
		name      = "the host name comes from spec.hostname and spec.network.domain"
		hardening = "every machine allows SSH logins by key only, and not as root; set spec.bootstrap.sshAuthorizedKeys"
		modules   = "the machine's bootstrap needs the image's own list of modules"
		source    = "the machine reads its data from Proxmox's cloud-init drive"
		merging   = "the function defines the merging, see the documentation of spec.bootstrap.userData"
	)

	return Rules{
		Owned: map[string]string{
			"hostname":                  name,
			"fqdn":                      name,
			"prefer_fqdn_over_hostname": name,
			"preserve_hostname":         name,
			"create_hostname_file":      name,
			"manage_etc_hosts":          name,
			"user":                      "the first user is spec.bootstrap.adminUser; add others under users",
			"ssh_pwauth":                hardening,
			"disable_root":              hardening,
			"cloud_init_modules":        modules,
			"cloud_config_modules":      modules,
			"cloud_final_modules":       modules,
			"datasource":                source,
			"datasource_list":           source,
			"vendor_data":               "vendor-data comes from spec.bootstrap.snippets.vendorData",
			"network":                   "the network configuration comes from spec.network",
			"merge_how":                 merging,
			"merge_type":                merging,
		},
		Reserved: map[string]string{},
	}
}

// Refuse returns why the machine's own cloud-config cannot have another file at a path; empty if it can.
func (r Rules) Refuse(d Document, file string) string {
	if slices.ContainsFunc(d.WriteFiles, func(own File) bool { return path.Clean(own.Path) == path.Clean(file) }) {
		return "the machine's bootstrap writes this file"
	}

	advice, _ := r.reserved(file)

	return advice
}

// reserved returns the advice for a reserved path.
func (r Rules) reserved(file string) (string, bool) {
	file = path.Clean(file)

	for _, place := range slices.Sorted(maps.Keys(r.Reserved)) {
		if file == path.Clean(place) || strings.HasSuffix(place, "/") && strings.HasPrefix(file, place) {
			return r.Reserved[place], true
		}
	}

	return "", false
}
