// Package catalog models the catalogue: sizing classes, images, sites and K3s clusters, and the built-in entries.
//
// The data has the same format in an EnvironmentConfig and in the Composition's Input:
//
//	data:
//	  defaults: {class: small, image: ubuntu-24.04, site: home, adminUser: ops}
//	  classes: {small: {cores: 2, memory: 4Gi, disk: 30Gi}}
//	  images: {nixos-25.05: {template: 9000, os: nixos}}
//	  sites: {home: {nodes: {pve: {bridges: [vmbr0]}}}}
//	  clusters: {home: {server: "https://192.168.4.210:6443", version: v1.33.6+k3s1}}
package catalog

import (
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/spelling"
)

// A Catalog has all entries that claims can name. The zero value is empty; [Merge] combines two catalogues.
//
// Every entry has its origin in From, so that a fault in the entry is reported with the right path.
type Catalog struct {
	Defaults Defaults           `json:"defaults,omitzero"`
	Classes  map[string]Class   `json:"classes,omitempty"`
	Images   map[string]Image   `json:"images,omitempty"`
	Sites    map[string]Site    `json:"sites,omitempty"`
	Clusters map[string]Cluster `json:"clusters,omitempty"`

	// Faults by part, for those who use the part. Nil in a catalogue without faults.
	Faults map[Part]field.ErrorList `json:"-"`
	// Formers are the former spellings that the catalogue has. What they say is in the catalogue in today's spelling.
	Formers []spelling.Former `json:"-"`
	// Absent is the EnvironmentConfig that was not found, as "EnvironmentConfig machine-catalog was not found"; empty where the
	// catalogue is there.
	Absent string `json:"-"`
}

// Defaults apply to fields that a claim leaves out.
type Defaults struct {
	Class             string            `json:"class,omitempty"`
	Image             v1alpha1.ImageRef `json:"image,omitempty"`
	Site              string            `json:"site,omitempty"`
	AdminUser         string            `json:"adminUser,omitempty"`
	SSHAuthorizedKeys []string          `json:"sshAuthorizedKeys,omitempty"`
	// PauseOnError pauses a managed resource after an error that only an edit of the claim can fix. Default true.
	PauseOnError *bool `json:"pauseOnError,omitempty"`
	// DeletionProtection of claims without deletionProtection whose VM would be destroyed with the claim. Default: true for a machine
	// with data disks and for a K3s server.
	DeletionProtection *bool `json:"deletionProtection,omitempty"`

	// Approval of claims without lifecycle.approval. Default Never.
	Approval v1alpha1.Approval `json:"approval,omitempty"`

	// From is the origin of each field, by its JSON name.
	From map[string]string `json:"-"`
}

// A Class is a named size.
type Class struct {
	Cores   int64             `json:"cores,omitempty"`
	Memory  v1alpha1.Quantity `json:"memory,omitempty"`
	Disk    v1alpha1.Quantity `json:"disk,omitempty"`
	CPUType string            `json:"cpuType,omitempty"` // Default x86-64-v2-AES.

	From string `json:"-"`
}

// An Image is the source of a boot disk: exactly one of url, volume and template.
type Image struct {
	// URL of a cloud image in qcow2, raw or vmdk format, not compressed. Its content should not change: use a fixed release.
	URL string `json:"url,omitempty"`
	// FileName on the datastore, with the extension .qcow2, .raw, .vmdk or .img. Default: the URL's. The function
	// inserts a hash of URL and checksum, so that a new URL never uses an old file, and renames .img to .qcow2 for Proxmox.
	FileName string `json:"fileName,omitempty"`
	// KeepFileName keeps FileName without a hash, for a file that may already be on the node.
	KeepFileName bool `json:"keepFileName,omitempty"`
	// Checksum as algorithm:hexadecimal; md5, sha1, sha224, sha256, sha384 or sha512.
	Checksum string `json:"checksum,omitempty"`

	// Volume on the node's storage, as storage:type/file; see [ParseVolume].
	Volume string `json:"volume,omitempty"`

	// Template is the VMID of a template, TemplateNode its node (default: the machine's node).
	Template     int64  `json:"template,omitempty"`
	TemplateNode string `json:"templateNode,omitempty"`
	// TemplateDisk is the interface of the template's boot disk, for instance virtio0. Default scsi0.
	TemplateDisk string `json:"templateDisk,omitempty"`

	// OS is the guest's family: debian, ubuntu, nixos, linux, windows or other. Default linux, for an installer other.
	OS string `json:"os,omitempty"`
	// CloudInit is true if the image reads a cloud-init drive. Default true, for an installer false.
	CloudInit *bool `json:"cloudInit,omitempty"`
	// GuestAgent is true if the image contains the QEMU guest agent. Default false, for NixOS true.
	GuestAgent *bool `json:"guestAgent,omitempty"`
	// ConvergeUnit is true if a NixOS image contains nix-gitops-apply.service. Default false.
	ConvergeUnit bool `json:"convergeUnit,omitempty"`
	// Firmware is the firmware that the image needs.
	Firmware *v1alpha1.Firmware `json:"firmware,omitempty"`
	// Disk is the minimum size of the boot disk.
	Disk v1alpha1.Quantity `json:"disk,omitempty"`

	From string `json:"-"`
}

// A Site is one Proxmox VE cluster, or one standalone node.
type Site struct {
	// ProviderConfig is the name of the provider's configuration. Default: default.
	ProviderConfig string `json:"providerConfig,omitempty"`
	// ProviderConfigKind is ClusterProviderConfig (default) or ProviderConfig, for namespaced machines.
	ProviderConfigKind string `json:"providerConfigKind,omitempty"`

	Nodes   map[string]Node `json:"nodes,omitempty"`
	Network SiteNetwork     `json:"network,omitzero"`
	// VMIDs is the range of VMIDs for new machines without a vmId.
	VMIDs *Range `json:"vmIds,omitempty"`
	// Report is how guests report on themselves whose claim does not say it: Link (default) or None.
	Report string `json:"report,omitempty"`

	From string `json:"-"`
}

// A SiteNetwork has the network defaults of a site's machines.
type SiteNetwork struct {
	Bridge  string   `json:"bridge,omitempty"`
	VLAN    int64    `json:"vlan,omitempty"`
	Gateway string   `json:"gateway,omitempty"`
	DNS     []string `json:"dns,omitempty"`
	CIDR    int64    `json:"cidr,omitempty"`
	Domain  string   `json:"domain,omitempty"`
	// Pool has, or names, the addresses of machines that ask for one with network.pool: true.
	Pool AddressPool `json:"pool,omitzero"`
}

// A Range is a range of VMIDs; both ends belong to it.
type Range struct {
	From int64 `json:"from"`
	To   int64 `json:"to"`
}

// A Node is the inventory of a Proxmox node. A list is complete: the function refuses a claim with another name. Names of a
// missing list are not checked.
type Node struct {
	Bridges    []string   `json:"bridges,omitempty"`
	Datastores Datastores `json:"datastores,omitzero"`
	// Storages are the node's datastores with their content types, for instance {local: [import, snippets, iso]}.
	Storages map[string][]string `json:"storages,omitempty"`
	PCI      []string            `json:"pci,omitempty"`
	USB      []string            `json:"usb,omitempty"`

	// Memory is all of the node's memory. With it, the function chooses nodes by the memory that they have left. Without a unit MiB.
	Memory v1alpha1.Quantity `json:"memory,omitempty"`
	// Reserve is the part of Memory that no VM of this function gets: for Proxmox VE itself, ZFS' cache, containers and other VMs. Default
	// [DefaultReserve]; 0 reserves nothing.
	Reserve v1alpha1.Quantity `json:"reserve,omitempty"`
	// Cores are the node's CPU threads, 1 to 1024. A VM with more cores does not start on the node.
	Cores *int64 `json:"cores,omitempty"`
}

// DefaultReserve is the reserve of a node that has memory and no reserve: what Proxmox VE itself needs, by its documentation's system
// requirements.
const DefaultReserve = "2Gi"

// Datastores are the datastores of a node by purpose.
type Datastores struct {
	Disks    string `json:"disks,omitempty"`    // Default local-lvm.
	Images   string `json:"images,omitempty"`   // Default local.
	Snippets string `json:"snippets,omitempty"` // Default local.
}

// A Proxy has the HTTP proxies of a cluster's nodes.
type Proxy struct {
	HTTP  string   `json:"http,omitempty"`  // For http:// addresses, such as http://proxy.home.arpa:3128.
	HTTPS string   `json:"https,omitempty"` // For https:// addresses.
	No    []string `json:"no,omitempty"`    // Names, domains, addresses and networks that nodes reach directly.
	// False is No where a key without quotes was read as YAML 1.1 does: kubectl writes false for it.
	False []string `json:"false,omitempty"`
}

// Direct returns what nodes reach directly, however its key was read.
func (p Proxy) Direct() []string {
	return slices.Concat(p.No, p.False)
}

// A Cluster has the settings of all nodes of a K3s cluster.
type Cluster struct {
	Server  string             `json:"server,omitempty"`
	Version string             `json:"version,omitempty"`
	Token   *v1alpha1.K3sToken `json:"token,omitempty"`
	Disable []string           `json:"disable,omitempty"`
	TLSSANs []string           `json:"tlsSANs,omitempty"`
	Config  v1alpha1.K3sConfig `json:"config,omitempty"`
	// InstallURL is the installer's address. Default: the release's own script.
	InstallURL string `json:"installURL,omitempty"`
	// InstallSHA256 is the installer's checksum. Default: not checked.
	InstallSHA256 string `json:"installSHA256,omitempty"`
	// ReleaseURL is the folder of all releases, in which K3s itself is RELEASE/k3s. Default: the installer's own, on GitHub.
	ReleaseURL string `json:"releaseURL,omitempty"`
	// BinarySHA256 is the checksum of K3s itself. Default: that of the release's list of checksums.
	BinarySHA256 string `json:"binarySHA256,omitempty"`
	// Proxy is what nodes reach the Internet through. Default: none.
	Proxy Proxy `json:"proxy,omitzero"`
	// Observe is how the function learns that a VM has become a node of the cluster. Default None.
	Observe machine.Observation `json:"observe,omitempty"`
	// ProviderConfig is the name of the configuration of provider-kubernetes: a ProviderConfig, for namespaced machines a
	// ClusterProviderConfig. Required with observe: Object. With it, a machine's Node is deleted with the machine.
	ProviderConfig string `json:"providerConfig,omitempty"`
	// ProtectVolumes keeps a machine with deletionPolicy Delete from deletion while a PersistentVolume has its data on the machine's Node and
	// nowhere else. It needs observe: Here. Default false.
	ProtectVolumes bool `json:"protectVolumes,omitempty"`
	// Drain is how nodes are drained, before outages and by spec.lifecycle.drain. Drains need observe and providerConfig.
	Drain Drain `json:"drain,omitzero"`
	// SystemUpgrade is where system-upgrade-controller is, and what it upgrades nodes with, for K3sClusters with upgrade: SystemUpgrade.
	SystemUpgrade SystemUpgrade `json:"systemUpgrade,omitzero"`

	From string `json:"-"`
}

// A SystemUpgrade says how system-upgrade-controller is installed in a cluster. Its defaults are those of the controller's own manifests.
type SystemUpgrade struct {
	// Namespace of the controller, which is that of its Plans. Default system-upgrade.
	Namespace string `json:"namespace,omitempty"`
	// ServiceAccount of the Jobs that upgrade nodes. Default system-upgrade.
	ServiceAccount string `json:"serviceAccount,omitempty"`
	// Image that upgrades K3s, without a tag: the tag is the release. Default rancher/k3s-upgrade.
	Image string `json:"image,omitempty"`
}

// A Drain says how the nodes of a cluster are drained.
type Drain struct {
	// Outages says that nodes are drained before the provider stops their VMs for a planned outage. A claim's spec.k3s.drain takes
	// precedence. Default false.
	Outages bool `json:"outages,omitempty"`
	// Image has kubectl, with a tag or digest. Default: registry.k8s.io/kubectl, a release that this function names.
	Image string `json:"image,omitempty"`
	// TimeoutMinutes is how long a drain may take, 1 to 720 minutes. Default 10.
	TimeoutMinutes *int64 `json:"timeoutMinutes,omitempty"`
}
