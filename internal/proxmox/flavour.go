package proxmox

import (
	"slices"
	"strings"
)

// A Flavour is one published shape of the provider's API. All have the same forProvider; they differ in what is data here.
type Flavour struct {
	// Name as an Input spells it: legacy, cluster or namespaced.
	Name string

	groupSuffix string // Of every managed resource's API group.
	refKind     bool   // Whether managed resources are in namespaces, and their providerConfigRef names a kind.
	kinds       *kindTable
}

// The flavours of the provider's API.
//
// Legacy is the provider up to v0.11.1. Cluster needs v1.9.1 or later: cluster scoped resources do not work from v1.0.0
// to v1.9.0 (valkiriaaquatica/provider-proxmox-bpg#188). Namespaced needs v1.0.0 or later.
var (
	Legacy     = Flavour{Name: "legacy", groupSuffix: "crossplane.io", kinds: &environmentKinds}                                 //nolint:gochecknoglobals // A constant table.
	Cluster    = Flavour{Name: "cluster", groupSuffix: "proxmoxbpg.crossplane.io", kinds: &environmentKinds}                     //nolint:gochecknoglobals // A constant table.
	Namespaced = Flavour{Name: "namespaced", groupSuffix: "proxmoxbpg.m.crossplane.io", refKind: true, kinds: &environmentKinds} //nolint:gochecknoglobals // A constant table.
)

// flavours are all of them. A test can invent one more.
var flavours = []Flavour{Legacy, Cluster, Namespaced} //nolint:gochecknoglobals // A constant table.

// Flavours are all of them.
func Flavours() []Flavour { return slices.Clone(flavours) }

// FlavourOf an installation, whose composites are in namespaces or are not, and whose Input may name a flavour; [Namespaced] or [Cluster] where there is no
// such flavour of that name.
func FlavourOf(namespaced bool, name string) Flavour {
	for _, f := range flavours {
		if f.Name == name && f.refKind == namespaced {
			return f
		}
	}

	if namespaced {
		return Namespaced
	}

	return Cluster
}

// InNamespaces says whether managed resources are in namespaces.
func (f Flavour) InNamespaces() bool { return f.refKind }

// VMAPIVersion is the API version of VMs.
func (f Flavour) VMAPIVersion() string { return f.apiVersion(VMKind) }

// ContainerAPIVersion is the API version of containers.
func (f Flavour) ContainerAPIVersion() string { return f.apiVersion(ContainerKind) }

// ContainerDefinition is the name of the CustomResourceDefinition of containers, and the version in which they are written.
func (f Flavour) ContainerDefinition() (name, version string) {
	_, version, _ = strings.Cut(f.ContainerAPIVersion(), "/")

	return f.definition(ContainerKind), version
}

// FileAPIVersion is the apiVersion of snippets.
func (f Flavour) FileAPIVersion() string { return f.apiVersion(FileKind) }

// DownloadFileAPIVersion is the apiVersion of images.
func (f Flavour) DownloadFileAPIVersion() string {
	return f.apiVersion(DownloadFileKind)
}

// HAResourceAPIVersion is the apiVersion of HA resources.
func (f Flavour) HAResourceAPIVersion() string { return f.apiVersion(HAResourceKind) }

// FirewallOptionsAPIVersion is the apiVersion of the options of a VM's firewall.
func (f Flavour) FirewallOptionsAPIVersion() string {
	return f.apiVersion(FirewallOptionsKind)
}

// FirewallRulesAPIVersion is the apiVersion of the rules of a VM's firewall.
func (f Flavour) FirewallRulesAPIVersion() string {
	return f.apiVersion(FirewallRulesKind)
}

// UpdatesFirewalls says whether the provider changes the rules of a firewall without a gap. Up to v0.11.1 it does not: it writes rules by their
// old positions (bpg/terraform-provider-proxmox#2575), or deletes all of them first (#2296).
func (f Flavour) UpdatesFirewalls() bool { return f != Legacy }

// StartsContainers says whether the provider can start and stop a container. Before v1.14.0 (bpg/proxmox v0.107.0) it cannot: it writes an empty
// configuration first, which Proxmox refuses (bpg/terraform-provider-proxmox#2883). Of the releases after v0.11.1 nothing here tells which one it is.
func (f Flavour) StartsContainers() bool { return f != Legacy }

// A ProviderConfig names the provider's configuration: endpoint and credentials.
type ProviderConfig struct {
	Name string
	Kind string // ProviderConfig or ClusterProviderConfig; used where the flavour asks for it.
}

// Ref is how a resource of this flavour names a provider configuration.
func (f Flavour) Ref(pc ProviderConfig) ProviderConfigRef {
	ref := ProviderConfigRef{Name: pc.Name}
	if f.refKind {
		ref.Kind = pc.Kind
	}

	return ref
}
