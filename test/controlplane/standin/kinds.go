package standin

import (
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// A kind of managed resource.
type kind struct {
	schema.GroupVersionKind

	terraform string // Type of Terraform's resource.
	thing     thing
	register  func(s *runtime.Scheme, gvk schema.GroupVersionKind)
}

// Only to tell Go types apart.
type (
	vmKind    struct{}
	fileKind  struct{}
	imageKind struct{}
	ctKind    struct{}
	optKind   struct{}
	ruleKind  struct{}
	haKind    struct{}

	bridgeKind struct{}
	vlanKind   struct{}
	poolKind   struct{}

	oldVMKind    struct{}
	oldFileKind  struct{}
	oldImageKind struct{}
)

// oldKinds are those of releases up to v0.11.1.
var oldKinds = []kind{
	of("virtualenvironmentvm.crossplane.io", "EnvironmentVM", "proxmox_virtual_environment_vm", vms{}, cluster[oldVMKind]),
	of("virtualenvironmentfile.crossplane.io", "EnvironmentFile", "proxmox_virtual_environment_file", files{}, cluster[oldFileKind]),
	of("virtualenvironmentdownloadfile.crossplane.io", "EnvironmentDownloadFile", "proxmox_virtual_environment_download_file", images{}, cluster[oldImageKind]),
}

var kinds = []kind{
	of("virtualenvironmentvm.proxmoxbpg.crossplane.io", "EnvironmentVM", "proxmox_virtual_environment_vm", vms{}, cluster[vmKind]),
	of("virtualenvironmentvm.proxmoxbpg.m.crossplane.io", "EnvironmentVM", "proxmox_virtual_environment_vm", vms{}, inNamespace[vmKind]),
	of("virtualenvironmentfile.proxmoxbpg.crossplane.io", "EnvironmentFile", "proxmox_virtual_environment_file", files{}, cluster[fileKind]),
	of("virtualenvironmentfile.proxmoxbpg.m.crossplane.io", "EnvironmentFile", "proxmox_virtual_environment_file", files{}, inNamespace[fileKind]),
	of("virtualenvironmentdownloadfile.proxmoxbpg.crossplane.io", "EnvironmentDownloadFile", "proxmox_virtual_environment_download_file", images{}, cluster[imageKind]),
	of("virtualenvironmentdownloadfile.proxmoxbpg.m.crossplane.io", "EnvironmentDownloadFile", "proxmox_virtual_environment_download_file", images{}, inNamespace[imageKind]),
	of("virtualenvironmentcontainer.proxmoxbpg.crossplane.io", "EnvironmentContainer", "proxmox_virtual_environment_container", containers{}, cluster[ctKind]),
	of("virtualenvironmentcontainer.proxmoxbpg.m.crossplane.io", "EnvironmentContainer", "proxmox_virtual_environment_container", containers{}, inNamespace[ctKind]),
	of("virtualenvironmentnetworklinuxbridge.proxmoxbpg.crossplane.io", kindBridge, "proxmox_virtual_environment_network_linux_bridge", bridges, cluster[bridgeKind]),
	of("virtualenvironmentnetworklinuxbridge.proxmoxbpg.m.crossplane.io", kindBridge, "proxmox_virtual_environment_network_linux_bridge", bridges, inNamespace[bridgeKind]),
	of("virtualenvironmentnetworklinuxvlan.proxmoxbpg.crossplane.io", kindVLAN, "proxmox_virtual_environment_network_linux_vlan", vlans, cluster[vlanKind]),
	of("virtualenvironmentnetworklinuxvlan.proxmoxbpg.m.crossplane.io", kindVLAN, "proxmox_virtual_environment_network_linux_vlan", vlans, inNamespace[vlanKind]),
	of("virtualenvironmentpool.proxmoxbpg.crossplane.io", kindPool, "proxmox_virtual_environment_pool", pools{}, cluster[poolKind]),
	of("virtualenvironmentpool.proxmoxbpg.m.crossplane.io", kindPool, "proxmox_virtual_environment_pool", pools{}, inNamespace[poolKind]),
	of("virtualenvironmentfirewalloptions.proxmoxbpg.crossplane.io", "EnvironmentFirewallOptions", "proxmox_virtual_environment_firewall_options", firewallOptions{}, cluster[optKind]),
	of("virtualenvironmentfirewalloptions.proxmoxbpg.m.crossplane.io", "EnvironmentFirewallOptions", "proxmox_virtual_environment_firewall_options", firewallOptions{}, inNamespace[optKind]),
	of("virtualenvironmentfirewallrules.proxmoxbpg.crossplane.io", "EnvironmentFirewallRules", "proxmox_virtual_environment_firewall_rules", firewallRules{}, cluster[ruleKind]),
	of("virtualenvironmentfirewallrules.proxmoxbpg.m.crossplane.io", "EnvironmentFirewallRules", "proxmox_virtual_environment_firewall_rules", firewallRules{}, inNamespace[ruleKind]),
	of("virtualenvironmentharesource.proxmoxbpg.crossplane.io", "EnvironmentHaresource", "proxmox_virtual_environment_haresource", haResources{}, cluster[haKind]),
	of("virtualenvironmentharesource.proxmoxbpg.m.crossplane.io", "EnvironmentHaresource", "proxmox_virtual_environment_haresource", haResources{}, inNamespace[haKind]),
}

// The kinds of what a ProxmoxSite has.
const (
	kindBridge = "EnvironmentNetworkLinuxBridge"
	kindVLAN   = "EnvironmentNetworkLinuxVlan"
	kindPool   = "EnvironmentPool"
)

// ofSite says whether a kind is one of those. Their external names are ids as they are, also where they have a slash.
func ofSite(kind string) bool { return kind == kindBridge || kind == kindVLAN || kind == kindPool }

func of(group, name, terraform string, t thing, register func(*runtime.Scheme, schema.GroupVersionKind)) kind {
	return kind{
		GroupVersionKind: schema.GroupVersionKind{Group: group, Version: "v1alpha1", Kind: name},
		terraform:        terraform, thing: t, register: register,
	}
}

func cluster[K any](s *runtime.Scheme, gvk schema.GroupVersionKind) {
	s.AddKnownTypeWithName(gvk, &clusterScoped[K]{})
	s.AddKnownTypeWithName(gvk.GroupVersion().WithKind(gvk.Kind+"List"), &list[clusterScoped[K]]{})
}

func inNamespace[K any](s *runtime.Scheme, gvk schema.GroupVersionKind) {
	s.AddKnownTypeWithName(gvk, &namespaced[K]{})
	s.AddKnownTypeWithName(gvk.GroupVersion().WithKind(gvk.Kind+"List"), &list[namespaced[K]]{})
}

// configGroup is the group of the ProviderConfig, which has always had the provider's name.
func (k kind) configGroup() string {
	_, group, _ := strings.Cut(k.Group, ".")

	return "proxmoxbpg." + strings.TrimPrefix(group, "proxmoxbpg.")
}

// guest says whether it is a VM or a container, and no file.
func (k kind) guest() bool { return k.Kind == "EnvironmentVM" || k.Kind == "EnvironmentContainer" }

// pace of creating one.
func (k kind) pace(p Pace) time.Duration {
	if k.guest() {
		return p.VM
	}

	return p.File
}

// volume that a file becomes.
func (k kind) volume(r request) string {
	if _, isFile := k.thing.(files); isFile || k.Kind == "EnvironmentDownloadFile" {
		return files{}.volumeOf(r)
	}

	return ""
}
