package v1alpha1

import (
	claims "github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
)

// The values of default of a tenancy.
const (
	// TenancyAllow lets the claims of a namespace that is no tenant's reach everything, as without a tenancy.
	TenancyAllow = "Allow"
	// TenancyDeny refuses them.
	TenancyDeny = "Deny"
)

// What a tenant's claims may do only with allow.
const (
	AllowAdopt        = "adopt"
	AllowHA           = "ha"
	AllowSnippets     = "snippets"
	AllowTemplates    = "templates"
	AllowPrivileged   = "privileged"
	AllowPin          = "pin"
	AllowMAC          = "mac"
	AllowProxmoxSites = "proxmoxSites"
	AllowStartup      = "startup"
)

// Permissions are all values of allow.
func Permissions() []string {
	return []string{AllowAdopt, AllowHA, AllowMAC, AllowPin, AllowPrivileged, AllowProxmoxSites, AllowSnippets, AllowStartup, AllowTemplates}
}

// DeletionRequired is the value of deletion of a tenant that must not leave VMs behind.
const DeletionRequired = "Required"

// FirewallRequired is the value of firewall of a tenant that must not be without.
const FirewallRequired = "Required"

// A Tenancy says what the claims of namespaces may reach. It refuses new machines and edits; it never stops, detaches or deletes what exists. Without a
// tenancy, every namespace reaches everything that the catalogue names.
type Tenancy struct {
	// default is for namespaces that are no tenant's: Allow, everything, or Deny, nothing. Default: Allow.
	// +optional
	// +kubebuilder:validation:Enum=Allow;Deny
	Default string `json:"default,omitempty"`

	// tenants by name. The label tenant-id of a claim must be the name of its tenant, or missing.
	// +optional
	Tenants map[string]Tenant `json:"tenants,omitempty"`
}

// A Tenant is a team, and what the claims in its namespaces may reach. A list that is left out allows everything of its kind; an empty one allows nothing.
type Tenant struct {
	// namespaces are the tenant's; * stands for any characters. A namespace that one tenant names itself is none of another one's pattern.
	// Example: [team-b, "team-b-*"]
	// +required
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=64
	Namespaces []string `json:"namespaces"`

	// sites of the catalogue, by name, and what of each.
	// +optional
	Sites map[string]TenantSite `json:"sites,omitempty"`

	// classes are the names of sizing classes. Sizes of a claim's own are allowed as far as limits go; without limits, none beyond those of its class.
	// Example: [small, medium]
	// +optional
	// +kubebuilder:validation:MaxItems=64
	Classes []string `json:"classes,omitempty"`

	// images are the names of images. A claim with a VMID or a volume needs templates in allow.
	// Example: [debian-13]
	// +optional
	// +kubebuilder:validation:MaxItems=64
	Images []string `json:"images,omitempty"`

	// clusters are K3s clusters of the catalogue, by name, and the roles that the tenant's nodes may have there: server, agent. A cluster with an endpoint
	// and a token of the tenant's own is no entry of the catalogue, and needs none.
	// Example: {home: [agent]}
	// +optional
	Clusters map[string][]string `json:"clusters,omitempty"`

	// dns are the names that network.dnsRecord may be; * stands for any characters.
	// Example: ["*.team-b.lab.arpa"]
	// +optional
	// +kubebuilder:validation:MaxItems=64
	DNS []string `json:"dns,omitempty"`

	// limits of one machine.
	// +optional
	Limits TenantLimits `json:"limits,omitempty"`

	// quota of all machines of the tenant together: VMs and containers, running or not, each node of a K3sCluster among them.
	// +optional
	Quota TenantQuota `json:"quota,omitempty"`

	// firewall: Required refuses a new VM or container without firewall in its claim, with one that is switched off, or with an interface that is not behind it, and edits
	// that lead there. Default: none.
	// +optional
	// +kubebuilder:validation:Enum=Required
	Firewall string `json:"firewall,omitempty"`

	// deletion: Required refuses a new claim with deletionPolicy: Orphan, which a K3sNode and a K3sCluster have unless they say Delete, and edits that lead there:
	// what stays in Proxmox without its claim no quota counts. Default: none.
	// +optional
	// +kubebuilder:validation:Enum=Required
	Deletion string `json:"deletion,omitempty"`

	// allow is what else claims may do: adopt a VM or a container; name snippets of the nodes (bootstrap.snippets); have an image that is a VMID or a volume
	// (templates); have privileged containers; choose, or leave out, nodes of a site (pin: proxmox.node and proxmox.avoid); choose MAC addresses (mac);
	// have ProxmoxSites (proxmoxSites); be under high availability (ha); say when nodes start them (startup). The catalogue's other rules hold beside: images: Strict of a site refuses a VMID also with templates. Default: none.
	// Example: [adopt, pin]
	// +optional
	// +kubebuilder:validation:items:Enum=adopt;ha;mac;pin;privileged;proxmoxSites;snippets;startup;templates
	Allow []string `json:"allow,omitempty"`
}

// A TenantSite is what a tenant may reach of a site.
type TenantSite struct {
	// nodes of the site. The function chooses among these.
	// +optional
	// +kubebuilder:validation:MaxItems=64
	Nodes []string `json:"nodes,omitempty"`

	// bridges, by name, and the VLAN tags on each; 0 is untagged. A bridge with an empty list is allowed with every tag.
	// Example: {vmbr0: [30, 31]}
	// +optional
	Bridges map[string][]int64 `json:"bridges,omitempty"`

	// datastores for disks.
	// +optional
	// +kubebuilder:validation:MaxItems=64
	Datastores []string `json:"datastores,omitempty"`

	// pci are names of resource mappings of PCI devices.
	// +optional
	// +kubebuilder:validation:MaxItems=64
	PCI []string `json:"pci,omitempty"`

	// usb are names of resource mappings of USB devices.
	// +optional
	// +kubebuilder:validation:MaxItems=64
	USB []string `json:"usb,omitempty"`

	// firewall lists what of the datacenter's firewall rules of claims may name. Unlike the other lists, one that is left out allows nothing: who edits a
	// security group, an IP set or an alias of others changes what this tenant's machines open. Default: nothing.
	// Example: {ipSets: [lan]}
	// +optional
	Firewall FirewallNames `json:"firewall,omitempty"`

	// pool of Proxmox that every machine of the tenant is in: claims must say it in proxmox.pool. Default: any, or none.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	Pool string `json:"pool,omitempty"`

	// addresses are the ranges of IPv4 addresses that a claim may fix, and that network.pool takes from the site's pool. Fixed IPv6 addresses are then refused.
	// Default: all.
	// Example: 10.7.0.60-10.7.0.79
	// +optional
	Addresses AddressPool `json:"addresses,omitempty"`

	// vmIds is the range of VMIDs, also of those that the function chooses. Default: the site's, and any that a claim says.
	// Example: {from: 4200, to: 4299}
	// +optional
	VMIDs *Range `json:"vmIds,omitempty"`
}

// TenantLimits are the most that one machine may have.
type TenantLimits struct {
	// cores of one machine. Default: no limit.
	// +optional
	// +kubebuilder:validation:Minimum=1
	Cores int64 `json:"cores,omitempty"`

	// memory of one machine. Default: no limit.
	// Example: 16Gi
	// +optional
	Memory claims.Quantity `json:"memory,omitempty"`

	// disk is that of all disks of one machine together. Default: no limit.
	// Example: 200Gi
	// +optional
	Disk claims.Quantity `json:"disk,omitempty"`
}

// A TenantQuota is the most that all machines of a tenant may have together.
type TenantQuota struct {
	// machines is how many VMs and containers. Default: no limit.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Machines *int64 `json:"machines,omitempty"`

	// cores of all machines. Default: no limit.
	// +optional
	// +kubebuilder:validation:Minimum=1
	Cores int64 `json:"cores,omitempty"`

	// memory of all machines. Default: no limit.
	// Example: 80Gi
	// +optional
	Memory claims.Quantity `json:"memory,omitempty"`

	// disk of all machines. Default: no limit.
	// Example: 2Ti
	// +optional
	Disk claims.Quantity `json:"disk,omitempty"`
}
