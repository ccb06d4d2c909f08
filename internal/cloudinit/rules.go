package cloudinit

import (
	"maps"
	"path"
	"slices"
	"strings"
)

// Rules say what a user's cloud-config may not touch. A machine of a certain
// kind adds to what [MachineRules] returns.
type Rules struct {
	// Owned maps a top-level key to what to do instead, for example
	// "set spec.hostname". The key is refused with that advice.
	Owned map[string]string
	// Reserved maps a path on the machine to what to do instead. A path that
	// ends in "/" stands for everything below it. Files that the document itself
	// writes are refused without being named here.
	Reserved map[string]string
	// VendorBootcmd says that the machine's vendor-data has a bootcmd. Cloud-init
	// replaces lists, it does not join them: a bootcmd in user-data would hide it.
	VendorBootcmd bool
}

// MachineRules returns the rules of every machine: the keys that its own
// description decides or that would undo this document. The maps belong to the caller.
func MachineRules() Rules {
	const (
		name      = "the host name comes from spec.hostname and spec.network.domain"
		hardening = "logins are by SSH key and not as root on every machine; name the keys in spec.bootstrap.sshAuthorizedKeys"
		modules   = "the machine's bootstrap needs the image's own list of modules"
		source    = "the machine reads its data from the drive that Proxmox makes"
		merging   = "what is merged how is decided here, see the documentation of spec.bootstrap.userData"
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
			"network":                   "the network is described by spec.network",
			"merge_how":                 merging,
			"merge_type":                merging,
		},
		Reserved: map[string]string{},
	}
}

// reserved returns the advice for a path that must not be written, if it is one.
func (r Rules) reserved(file string) (string, bool) {
	file = path.Clean(file)

	for _, place := range slices.Sorted(maps.Keys(r.Reserved)) {
		if file == path.Clean(place) || strings.HasSuffix(place, "/") && strings.HasPrefix(file, place) {
			return r.Reserved[place], true
		}
	}

	return "", false
}
