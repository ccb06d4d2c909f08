package proxmox

import (
	"maps"
	"slices"
	"strings"
)

// A kindName is what the provider's API calls a kind: the kind itself, the first part of its API group, and the plural.
type kindName struct{ kind, group, plural string }

// A kindTable has the kinds that the function renders, by what they are called here. It renders no kind that is not in it: a new or a renamed kind is a row.
type kindTable map[string]kindName

// environmentKinds are the kinds of every release of the provider so far, which are called so here, too.
var environmentKinds = kindTable{ //nolint:gochecknoglobals // A constant table.
	VMKind:              {VMKind, "virtualenvironmentvm", "environmentvms"},
	ContainerKind:       {ContainerKind, "virtualenvironmentcontainer", "environmentcontainers"},
	FileKind:            {FileKind, "virtualenvironmentfile", "environmentfiles"},
	DownloadFileKind:    {DownloadFileKind, "virtualenvironmentdownloadfile", "environmentdownloadfiles"},
	HAResourceKind:      {HAResourceKind, "virtualenvironmentharesource", "environmentharesources"},
	FirewallOptionsKind: {FirewallOptionsKind, "virtualenvironmentfirewalloptions", "environmentfirewalloptions"},
	FirewallRulesKind:   {FirewallRulesKind, "virtualenvironmentfirewallrules", "environmentfirewallrules"},
	BridgeKind:          {BridgeKind, "virtualenvironmentnetworklinuxbridge", "environmentnetworklinuxbridges"},
	VLANKind:            {VLANKind, "virtualenvironmentnetworklinuxvlan", "environmentnetworklinuxvlans"},
	PoolKind:            {PoolKind, "virtualenvironmentpool", "environmentpools"},
}

// apiVersion of a kind.
func (f Flavour) apiVersion(kind string) string {
	return (*f.kinds)[kind].group + "." + f.groupSuffix + "/v1alpha1"
}

// definition is the name of a kind's CustomResourceDefinition, and of its ManagedResourceDefinition.
func (f Flavour) definition(kind string) string {
	return (*f.kinds)[kind].plural + "." + (*f.kinds)[kind].group + "." + f.groupSuffix
}

// Definitions are the names of the CustomResourceDefinitions of all kinds that the function renders, sorted.
func (f Flavour) Definitions() []string {
	var out []string
	for _, kind := range slices.Sorted(maps.Keys(*f.kinds)) {
		out = append(out, f.definition(kind))
	}

	return slices.Sorted(slices.Values(out))
}

// Written are the kinds of a flavour as its provider calls them, by API version.
func (f Flavour) Written() map[string]string {
	out := map[string]string{}
	for kind, name := range *f.kinds {
		out[f.apiVersion(kind)] = name.kind
	}

	return out
}

// WrittenKind is what the provider calls a kind in an API version; the kind itself where the provider does not have it.
func WrittenKind(apiVersion, kind string) string {
	if f, ok := flavourWith(apiVersion, kind); ok {
		return (*f.kinds)[kind].kind
	}

	return kind
}

// readKind is what a kind of the provider is called here; the kind itself where it is nobody's.
func readKind(apiVersion, written string) string {
	if _, known := environmentKinds[written]; known {
		return written
	}

	for _, f := range flavours {
		for kind, name := range *f.kinds {
			if name.kind == written && f.apiVersion(kind) == apiVersion {
				return kind
			}
		}
	}

	return written
}

// ResourceOf is a kind in an API version as kubectl takes it: the plural with the group, since kinds of several flavours have the same names.
func ResourceOf(apiVersion, kind string) string {
	if f, ok := flavourWith(apiVersion, kind); ok {
		return f.definition(kind)
	}

	group, _, _ := strings.Cut(apiVersion, "/")

	return strings.ToLower(kind) + "s." + group
}

// InNamespaces says whether managed resources of a kind in an API version are in namespaces.
func InNamespaces(apiVersion, kind string) bool {
	f, ok := flavourWith(apiVersion, kind)

	return ok && f.InNamespaces()
}

// flavourWith is the flavour that has a kind in an API version.
func flavourWith(apiVersion, kind string) (Flavour, bool) {
	for _, f := range flavours {
		if _, has := (*f.kinds)[kind]; has && f.apiVersion(kind) == apiVersion {
			return f, true
		}
	}

	return Flavour{}, false
}
