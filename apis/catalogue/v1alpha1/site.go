package v1alpha1

import (
	"encoding/json"

	claims "github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
)

// The values of images of a site.
const (
	// ImagesStrict allows what the catalogue names, and nothing else.
	ImagesStrict = "Strict"
	// ImagesOpen allows what the catalogue does not name, too.
	ImagesOpen = "Open"
)

// A Site is one Proxmox VE cluster, or one standalone node.
type Site struct {
	// providerConfig is the name of the configuration of provider-proxmox-bpg. Default: default.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	ProviderConfig string `json:"providerConfig,omitempty"`

	// providerConfigKind is the kind of that configuration, for namespaced machines. Default: ClusterProviderConfig.
	// +optional
	// +kubebuilder:validation:Enum=ClusterProviderConfig;ProviderConfig
	ProviderConfigKind string `json:"providerConfigKind,omitempty"`

	// proxmox names the Proxmox VE cluster behind the site, in words of your own. Sites with the same name are one cluster, whatever their provider
	// configurations are and in whichever namespaces: VMIDs, addresses of pools, memory of nodes and adoption are compared among all of their machines.
	// Set it where one Proxmox has several configurations, such as a token for each team. Default: what a provider configuration reaches is a cluster of
	// its own, a ProviderConfig of each namespace another one.
	// Example: dc1
	// +optional
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([a-z0-9-]*[a-z0-9])?$`
	Proxmox string `json:"proxmox,omitempty"`

	// nodes are the site's Proxmox nodes by name.
	// +optional
	Nodes map[string]Node `json:"nodes,omitempty"`

	// network has the network defaults of the site's machines.
	// +optional
	Network SiteNetwork `json:"network,omitempty"`

	// vmIds is the range of VMIDs for machines and containers without a vmId. VMIDs in use are skipped. Default: Proxmox' next free VMID; a container
	// needs a vmId then.
	// Example: {from: 4000, to: 4999}
	// +optional
	VMIDs *Range `json:"vmIds,omitempty"`

	// sharedDatastores are the names of the datastores whose content all nodes of the site see at the same time, such as Ceph, NFS or iSCSI.
	// Machines with ha must have all their storage there. Default: none.
	// Example: [ceph, nas]
	// +optional
	// +kubebuilder:validation:MaxItems=64
	SharedDatastores []string `json:"sharedDatastores,omitempty"`

	// firewall lists what of the datacenter's firewall rules of claims may name (firewall.allow[].from and .group). Default: nothing.
	// Example: {ipSets: [lan]}
	// +optional
	Firewall FirewallNames `json:"firewall,omitempty"`

	// report is how guests report on themselves whose claim has no bootstrap.report. Default: Link.
	// +optional
	// +kubebuilder:validation:Enum=Link;None
	Report string `json:"report,omitempty"`

	// images says what the image of a claim may be: Strict, only what images of the catalogue name; Open, also the VMID of a template and a volume that the
	// catalogue does not name. Never a VM that another claim has, and never a disk of a VM. Concerns new VMs and containers. Default: volumes as with Open, with
	// a warning on claims that the catalogue does not cover, and VMIDs as with Strict.
	// +optional
	// +kubebuilder:validation:Enum=Strict;Open
	Images string `json:"images,omitempty"`

	// snippets are the files of nodes that bootstrap.snippets of claims may name, as datastore:snippets/file. Without the key, and with images: Strict, none;
	// without both, all but those that a cluster has for its nodes, and those that the function writes for machines. Concerns new VMs.
	// Example: ["local:snippets/base.yaml"]
	// +optional
	// +kubebuilder:validation:MaxItems=64
	Snippets []string `json:"snippets,omitempty"`

	// privileged says whether a new Container may have unprivileged: false. Root in such a container is root on the node, but for what Proxmox takes away.
	// Default: true, with a warning.
	// +optional
	Privileged *bool `json:"privileged,omitempty"`
}

// FirewallNames are names of what somebody has set up in the firewall of a datacenter (Datacenter, Firewall).
type FirewallNames struct {
	// groups are the names of security groups.
	// Example: [web]
	// +optional
	// +kubebuilder:validation:MaxItems=64
	Groups []string `json:"groups,omitempty"`

	// ipSets are the names of IP sets.
	// Example: [lan]
	// +optional
	// +kubebuilder:validation:MaxItems=64
	IPSets []string `json:"ipSets,omitempty"`

	// aliases are the names of aliases.
	// Example: [nas]
	// +optional
	// +kubebuilder:validation:MaxItems=64
	Aliases []string `json:"aliases,omitempty"`
}

// A SiteNetwork has the network defaults of a site's machines.
type SiteNetwork struct {
	// bridge of the first network interface. Default: vmbr0.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[A-Za-z0-9][A-Za-z0-9_-]*$`
	Bridge string `json:"bridge,omitempty"`

	// vlan is the VLAN tag of the first network interface. Default: none.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=4094
	VLAN int64 `json:"vlan,omitempty"`

	// gateway is the IPv4 address of the router.
	// +optional
	Gateway string `json:"gateway,omitempty"`

	// dns are the addresses of name servers.
	// +optional
	// +kubebuilder:validation:MaxItems=3
	DNS []string `json:"dns,omitempty"`

	// cidr is the prefix length of static addresses that have none.
	// Example: 24
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=32
	CIDR int64 `json:"cidr,omitempty"`

	// domain is the DNS domain of machines.
	// Example: home.arpa
	// +optional
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$`
	Domain string `json:"domain,omitempty"`

	// pool has, or names, the addresses of machines with network.pool: true.
	// +optional
	Pool AddressPool `json:"pool,omitempty"`
}

// A Range is a range of VMIDs; both ends belong to it.
type Range struct {
	// from is the first VMID of the range.
	// +required
	// +kubebuilder:validation:Minimum=100
	// +kubebuilder:validation:Maximum=999999999
	From int64 `json:"from"`

	// to is the last VMID of the range.
	// +required
	// +kubebuilder:validation:Minimum=100
	// +kubebuilder:validation:Maximum=999999999
	To int64 `json:"to"`
}

// A Node is the inventory of a Proxmox node. A list is complete: the function refuses a claim with another name. Names of a
// missing list are not checked.
type Node struct {
	// bridges are the names of the node's bridges.
	// +optional
	Bridges []string `json:"bridges,omitempty"`

	// datastores are the node's datastores by purpose.
	// +optional
	Datastores Datastores `json:"datastores,omitempty"`

	// storages are the node's datastores with their content types.
	// Example: {local: [import, snippets, iso]}
	// +optional
	Storages map[string]Contents `json:"storages,omitempty"`

	// pci are the names of resource mappings of PCI devices.
	// +optional
	PCI []string `json:"pci,omitempty"`

	// usb are the names of resource mappings of USB devices.
	// +optional
	USB []string `json:"usb,omitempty"`

	// memory is all of the node's memory. With it, the function chooses nodes by the memory that they have left. Without a unit MiB.
	// Example: 64Gi
	// +optional
	Memory claims.Quantity `json:"memory,omitempty"`

	// reserve is the part of memory that no VM of this function gets: for Proxmox VE itself, ZFS' cache, containers and other VMs.
	// 0 reserves nothing. Default: 2Gi.
	// +optional
	Reserve claims.Quantity `json:"reserve,omitempty"`

	// cores are the node's CPU threads. A VM with more cores does not start on the node.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1024
	Cores *int64 `json:"cores,omitempty"`
}

// A Content is a content type that a datastore of Proxmox VE serves.
//
// +kubebuilder:validation:Enum=images;rootdir;import;snippets;iso;vztmpl;backup
type Content string

// Contents are the content types that a datastore serves.
type Contents []Content

// Names of the content types, as they were written.
func (c Contents) Names() []string {
	out := make([]string, 0, len(c))
	for _, content := range c {
		out = append(out, string(content))
	}

	return out
}

// Datastores are the datastores of a node by purpose.
type Datastores struct {
	// disks has boot disks and data disks. Default: local-lvm.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[A-Za-z][A-Za-z0-9._-]*$`
	Disks string `json:"disks,omitempty"`

	// images has cloud images, with the content type import. Default: local.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[A-Za-z][A-Za-z0-9._-]*$`
	Images string `json:"images,omitempty"`

	// snippets has cloud-init files, with the content type snippets. Default: local.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[A-Za-z][A-Za-z0-9._-]*$`
	Snippets string `json:"snippets,omitempty"`
}

// An AddressPool is one range of IPv4 addresses, as the text 192.168.4.50-192.168.4.99, or a list of ranges. A range may be one
// address. Or it names a pool of Cluster API's IPAM, as an object. The zero value is no pool.
//
// Its schema is in internal/cmd/schemagen, since no marker says that a field is text, a list or an object.
type AddressPool struct {
	Ranges []string `json:"-"`
	List   bool     `json:"-"` // Whether the ranges were written as a list.
	// Named is the object that names a pool of Cluster API's IPAM, as it was written; nil where there are ranges.
	Named map[string]any `json:"-"`
	// Unreadable says that there was something that is neither text, nor a list of texts, nor an object.
	Unreadable bool `json:"-"`
}

// UnmarshalJSON accepts any JSON: what is no pool is a fault that the function reports with its path.
func (p *AddressPool) UnmarshalJSON(b []byte) error {
	var text string
	if json.Unmarshal(b, &text) == nil {
		*p = AddressPool{Ranges: []string{text}}
		return nil
	}

	var texts []string
	if json.Unmarshal(b, &texts) == nil {
		*p = AddressPool{Ranges: texts, List: true}
		return nil
	}

	var named map[string]any
	if json.Unmarshal(b, &named) == nil && named != nil {
		*p = AddressPool{Named: named}
		return nil
	}

	*p = AddressPool{Unreadable: true}

	return nil
}

// IsZero says whether there is no pool.
func (p AddressPool) IsZero() bool {
	return !p.Unreadable && !p.List && p.Named == nil && len(p.Ranges) == 0
}
