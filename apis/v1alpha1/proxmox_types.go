package v1alpha1

// A Placement says where in Proxmox a VM lives.
//
// +kubebuilder:validation:XValidation:rule="!has(self.migrate) || !self.migrate || has(self.node)",message="migrate needs node: the Proxmox node that the VM is pinned to"
type Placement struct {
	// site is an entry of the catalogue's sites: one Proxmox VE cluster or lone node, with its defaults. Default: the
	// catalogue's defaults.site. Immutable once the VM exists.
	// Example: home
	// +optional
	// +kubebuilder:validation:MaxLength=63
	Site string `json:"site,omitempty"`

	// node is the Proxmox node. Default: one of the site's nodes that has what the claim names; required without a
	// catalogue. Changing it moves a VM only where migrate is true. A VM that somebody else moved stays where it is now.
	// Example: pve
	// +optional
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?$')`,message="must be the name of a Proxmox node: letters, digits and hyphens, such as pve"
	Node string `json:"node,omitempty"`

	// migrate pins the VM to node: it is moved there, live with its disks, whenever it is elsewhere, also when somebody or
	// Proxmox' HA moved it. Needs node, which must have what the claim names. Without it, a VM stays where it is. May be
	// changed at any time; true moves a VM that is elsewhere at once.
	// +optional
	Migrate bool `json:"migrate,omitempty"`

	// storage is the datastore of the VM's disks. Default: the node's datastores.disks in the catalogue, else local-lvm.
	// Example: local-zfs
	// +optional
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^[A-Za-z][A-Za-z0-9._-]*$')`,message="must be the name of a Proxmox datastore: letters, digits, dots, _ and -, starting with a letter, such as local-zfs"
	Storage string `json:"storage,omitempty"`

	// bridge of the first network interface. Default: the site's, else vmbr0. Changing it re-plugs the interface while the
	// VM runs.
	// Example: vmbr0
	// +optional
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^[A-Za-z0-9][A-Za-z0-9_-]*$')`,message="must be the name of a bridge of the node: letters, digits, _ and -, such as vmbr0"
	Bridge string `json:"bridge,omitempty"`

	// vlan is the VLAN tag of the first network interface. Default: the site's, else none.
	// Example: 20
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=4094
	VLAN *int64 `json:"vlan,omitempty"`

	// vmId is the VM's number in Proxmox, 100 to 999999999. Default: one from the site's vmIds range, else the next free
	// one. A number that another VM has is never used: condition VMIDInUse names that VM, and nothing is made; a number
	// from the range makes way for the next one. A VM keeps the number that it was made with.
	// Example: 153
	// +optional
	// +kubebuilder:validation:Minimum=100
	// +kubebuilder:validation:Maximum=999999999
	VMID *int64 `json:"vmId,omitempty"`

	// pool is the Proxmox resource pool of the VM. It must exist.
	// Example: infra
	// +optional
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^[A-Za-z0-9][A-Za-z0-9._/-]*$')`,message="must be the name of a Proxmox resource pool: letters, digits, dots, _, - and /, such as infra"
	Pool string `json:"pool,omitempty"`
}

// A BootDisk holds settings of the boot disk.
type BootDisk struct {
	// backup says whether Proxmox' backup jobs include the disk. May be changed at any time.
	// +optional
	// +kubebuilder:default=true
	Backup *bool `json:"backup,omitempty"`

	// cache is the disk's cache mode: none, writethrough, writeback, directsync or unsafe. Changing it takes effect at the
	// VM's next power cycle.
	// +optional
	// +kubebuilder:default=none
	// +kubebuilder:validation:Enum=none;writethrough;writeback;directsync;unsafe
	Cache string `json:"cache,omitempty"`
}

// A Disk is a data disk, known by its name.
type Disk struct {
	// name of the disk, unique in the claim. Create-time: it is the disk's serial number.
	// Example: data
	// +required
	// +kubebuilder:validation:MaxLength=20
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^[a-z0-9]([a-z0-9-]*[a-z0-9])?$')`,message="must hold only lower case letters, digits and hyphens, and neither start nor end with a hyphen"
	Name string `json:"name"`

	// size of the disk, 1 GiB to 100 TiB, in whole GiB. It may grow while the VM runs. It is never shrunk.
	// Example: 500Gi
	// +required
	Size Quantity `json:"size"`

	// storage is the datastore of the disk. Default: the boot disk's.
	// Example: tank
	// +optional
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^[A-Za-z][A-Za-z0-9._-]*$')`,message="must be the name of a Proxmox datastore: letters, digits, dots, _ and -, starting with a letter, such as local-zfs"
	Storage string `json:"storage,omitempty"`

	// backup says whether Proxmox' backup jobs include the disk. May be changed at any time.
	// +optional
	// +kubebuilder:default=true
	Backup *bool `json:"backup,omitempty"`

	// cache is the disk's cache mode: none, writethrough, writeback, directsync or unsafe. Changing it takes effect at the
	// VM's next power cycle.
	// +optional
	// +kubebuilder:default=none
	// +kubebuilder:validation:Enum=none;writethrough;writeback;directsync;unsafe
	Cache string `json:"cache,omitempty"`
}

// Devices are devices of the node that a VM gets.
type Devices struct {
	// pci devices, such as a GPU.
	// +optional
	// +listType=map
	// +listMapKey=mapping
	// +kubebuilder:validation:MaxItems=16
	PCI []Device `json:"pci,omitempty"`

	// usb devices, such as a Coral accelerator.
	// +optional
	// +listType=map
	// +listMapKey=mapping
	// +kubebuilder:validation:MaxItems=4
	USB []Device `json:"usb,omitempty"`
}

// A Device is one device of the node. Changing the list takes effect at the VM's next power cycle.
type Device struct {
	// mapping is the name of a resource mapping in Proxmox (Datacenter, Resource Mappings). The provider's token needs
	// Mapping.Use on it.
	// Example: gpu0
	// +required
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^[A-Za-z][A-Za-z0-9_-]*$')`,message="must be the name of a resource mapping in Proxmox (Datacenter, Resource Mappings): letters, digits, _ and -, starting with a letter, such as gpu0"
	Mapping string `json:"mapping"`
}

// Firmware is a VM's firmware and chipset. Create-time: the guest's boot loader depends on it.
//
// +kubebuilder:validation:XValidation:rule="!has(self.secureBoot) || !self.secureBoot || (has(self.type) && self.type == 'uefi')",message="secureBoot needs type: uefi"
type Firmware struct {
	// type is bios or uefi. A VM with uefi gets an EFI disk. Default: the image's, else bios.
	// +optional
	// +kubebuilder:validation:Enum=bios;uefi
	Type string `json:"type,omitempty"`

	// secureBoot enrols the vendors' keys in the EFI disk, which switches Secure Boot on.
	// +optional
	SecureBoot bool `json:"secureBoot,omitempty"`

	// tpm adds a TPM 2.0.
	// +optional
	TPM bool `json:"tpm,omitempty"`

	// machine is the chipset: q35, pc (i440fx), or either pinned to a version. Default: the image's, else q35.
	// Example: pc-i440fx-8.1
	// +optional
	// +kubebuilder:validation:MaxLength=40
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^(q35|pc|pc-q35-[0-9]+(\.[0-9]+)+(\+pve[0-9]+)?|pc-i440fx-[0-9]+(\.[0-9]+)+(\+pve[0-9]+)?)$')`,message="must be q35 or pc, or either pinned to a version, such as pc-i440fx-8.1"
	Machine string `json:"machine,omitempty"`
}

// Bootstrap is what cloud-init does on a machine's first boot.
type Bootstrap struct {
	// adminUser is the account that gets the SSH keys and may use sudo. Default: the catalogue's defaults.adminUser, else
	// ops.
	// Example: ops
	// +optional
	// +kubebuilder:validation:MaxLength=32
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^[a-z_][a-z0-9_-]*$')`,message="must be a Linux account: lower case letters, digits, _ and -, starting with a letter or _, such as ops"
	AdminUser string `json:"adminUser,omitempty"`

	// sshAuthorizedKeys are the public keys that may log in, one line each. Default: the catalogue's
	// defaults.sshAuthorizedKeys.
	// Example: [ssh-ed25519 AAAA... ops@home]
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=64
	// +kubebuilder:validation:items:MaxLength=8192
	SSHAuthorizedKeys []string `json:"sshAuthorizedKeys,omitempty"`

	// snippets are cloud-init files that are on the Proxmox node already.
	// +optional
	Snippets Snippets `json:"snippets,omitempty"`

	// userData is more cloud-config. It starts with the line #cloud-config. Lists that the machine needs itself (packages,
	// write_files, users, runcmd) are extended; keys that other fields of the claim decide, such as hostname, are refused;
	// anything else is passed on. No secret may be in it.
	// +optional
	// +kubebuilder:validation:MaxLength=262144
	UserData string `json:"userData,omitempty"`
}

// Snippets are cloud-init files on the Proxmox node, as volume ids of content type snippets.
//
// +kubebuilder:validation:XValidation:rule="!has(self.userData) || !has(self.metaData) || self.userData != self.metaData",message="userData and metaData must be different files"
type Snippets struct {
	// userData is the whole user-data; nothing is rendered then, and host name, users and K3s are the snippet's business.
	// Example: local:snippets/k3s-server-pve.yaml
	// +optional
	// +kubebuilder:validation:MaxLength=255
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^[A-Za-z][A-Za-z0-9._-]*:snippets/[A-Za-z0-9._-]+$')`,message="must be datastore:snippets/file, such as local:snippets/k3s.yaml"
	UserData string `json:"userData,omitempty"`

	// vendorData is a snippet beside the user-data, for what must not be in Git or in the cluster, such as a token: the
	// user-data is rendered, the secret stays on the Proxmox node.
	// Example: local:snippets/k3s-token.yaml
	// +optional
	// +kubebuilder:validation:MaxLength=255
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^[A-Za-z][A-Za-z0-9._-]*:snippets/[A-Za-z0-9._-]+$')`,message="must be datastore:snippets/file, such as local:snippets/k3s-token.yaml"
	VendorData string `json:"vendorData,omitempty"`

	// metaData is used instead of the rendered meta-data.
	// +optional
	// +kubebuilder:validation:MaxLength=255
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^[A-Za-z][A-Za-z0-9._-]*:snippets/[A-Za-z0-9._-]+$')`,message="must be datastore:snippets/file, such as local:snippets/meta.yaml"
	MetaData string `json:"metaData,omitempty"`
}
