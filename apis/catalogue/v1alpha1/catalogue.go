package v1alpha1

import (
	claims "github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
)

// APIVersion is what a catalogue of this version has in apiVersion, or leaves out.
const APIVersion = "catalogue.homelab.io/v1alpha1"

// A Catalogue is what claims can name: classes, images, sites and K3s clusters, and what applies to claims that name none.
type Catalogue struct {
	// defaults apply to fields that a claim leaves out.
	// +optional
	Defaults Defaults `json:"defaults,omitempty"`

	// classes are sizing classes by name. Built in are micro, small, medium and large.
	// +optional
	Classes map[string]Class `json:"classes,omitempty"`

	// images are sources of boot disks by name. Built in are ubuntu-24.04, ubuntu-26.04, debian-12 and debian-13.
	// +optional
	Images map[string]Image `json:"images,omitempty"`

	// sites are Proxmox VE clusters, or standalone nodes, by name.
	// +optional
	Sites map[string]Site `json:"sites,omitempty"`

	// clusters are K3s clusters by name.
	// +optional
	Clusters map[string]Cluster `json:"clusters,omitempty"`

	// tenancy says what the claims of each namespace may reach. Default: everything.
	// +optional
	Tenancy *Tenancy `json:"tenancy,omitempty"`

	// apiVersion is the version of the catalogue. Default: catalogue.homelab.io/v1alpha1.
	// +optional
	// +kubebuilder:validation:Enum=catalogue.homelab.io/v1alpha1
	APIVersion string `json:"apiVersion,omitempty"`
}

// Defaults apply to fields that a claim leaves out.
type Defaults struct {
	// class is the sizing class of a claim without one. Default: small.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	Class string `json:"class,omitempty"`

	// image is the image of a claim without one. Default: ubuntu-24.04.
	// +optional
	Image claims.ImageRef `json:"image,omitempty"`

	// site is the site of a claim without one. With several sites and no default, a claim without a site is refused.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	Site string `json:"site,omitempty"`

	// adminUser is the account with the SSH keys. Default: ops.
	// +optional
	// +kubebuilder:validation:MaxLength=32
	// +kubebuilder:validation:Pattern=`^[a-z_][a-z0-9_-]*$`
	AdminUser string `json:"adminUser,omitempty"`

	// sshAuthorizedKeys are public keys for claims that name none.
	// +optional
	// +kubebuilder:validation:MaxItems=64
	SSHAuthorizedKeys []string `json:"sshAuthorizedKeys,omitempty"`

	// pauseOnError pauses a managed resource after an error that only an edit of the claim can fix. Any edit of the claim lifts the pause.
	// Default: true.
	// +optional
	PauseOnError *bool `json:"pauseOnError,omitempty"`

	// deletionProtection of claims without deletionProtection whose VM would be destroyed with the claim. Default: true for a machine
	// with data disks and for a K3s server.
	// +optional
	DeletionProtection *bool `json:"deletionProtection,omitempty"`

	// approval of claims without lifecycle.approval: Never, OnRisk or Always. Default: Never.
	// +optional
	Approval claims.Approval `json:"approval,omitempty"`

	// firewall of claims without firewall, for a VM or a container that is made from now on: one that exists keeps what it was made with. What a claim says
	// takes its place as a whole. Its preset is ssh or none; a K3s node gets the preset of its role in place of ssh. Default: none.
	// +optional
	Firewall *claims.Firewall `json:"firewall,omitempty"`
}

// A Class is a named size.
type Class struct {
	// cores are virtual CPU cores.
	// +required
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1024
	Cores int64 `json:"cores,omitempty"`

	// memory is 128 MiB to 2 TiB; without a unit MiB.
	// Example: 4Gi
	// +required
	Memory claims.Quantity `json:"memory,omitempty"`

	// disk is the size of the boot disk, 1 GiB to 100 TiB; without a unit GiB.
	// Example: 30Gi
	// +required
	Disk claims.Quantity `json:"disk,omitempty"`

	// cpuType is a CPU type as Proxmox spells it, such as host or x86-64-v3, or custom-<name>. With host, a VM has every feature of its
	// node's CPU, and can only run on nodes with the same CPU. Default: x86-64-v2-AES.
	// +optional
	// +kubebuilder:validation:Pattern=`^[A-Za-z0-9_-]*$`
	CPUType string `json:"cpuType,omitempty"`
}
