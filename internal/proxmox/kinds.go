package proxmox

import (
	"maps"
	"slices"
)

// A kindName is what the provider's API calls a kind beside the kind itself.
type kindName struct{ group, plural string }

// kinds that the function renders, each with the first part of its API group. It renders no kind that is not here: a new or a renamed kind is a row.
var kinds = map[string]kindName{ //nolint:gochecknoglobals // A constant table.
	VMKind:              {"virtualenvironmentvm", "environmentvms"},
	ContainerKind:       {"virtualenvironmentcontainer", "environmentcontainers"},
	FileKind:            {"virtualenvironmentfile", "environmentfiles"},
	DownloadFileKind:    {"virtualenvironmentdownloadfile", "environmentdownloadfiles"},
	HAResourceKind:      {"virtualenvironmentharesource", "environmentharesources"},
	FirewallOptionsKind: {"virtualenvironmentfirewalloptions", "environmentfirewalloptions"},
	FirewallRulesKind:   {"virtualenvironmentfirewallrules", "environmentfirewallrules"},
	BridgeKind:          {"virtualenvironmentnetworklinuxbridge", "environmentnetworklinuxbridges"},
	VLANKind:            {"virtualenvironmentnetworklinuxvlan", "environmentnetworklinuxvlans"},
	PoolKind:            {"virtualenvironmentpool", "environmentpools"},
}

// apiVersion of a kind.
func (f Flavour) apiVersion(kind string) string {
	return kinds[kind].group + "." + f.groupSuffix + "/v1alpha1"
}

// definition is the name of a kind's CustomResourceDefinition, and of its ManagedResourceDefinition.
func (f Flavour) definition(kind string) string {
	return kinds[kind].plural + "." + kinds[kind].group + "." + f.groupSuffix
}

// Definitions are the names of the CustomResourceDefinitions of all kinds that the function renders, sorted.
func (f Flavour) Definitions() []string {
	var out []string
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		out = append(out, f.definition(kind))
	}

	return slices.Sorted(slices.Values(out))
}
