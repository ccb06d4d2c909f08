package v1alpha1

// A Placement is a VM's place in Proxmox.
//
// +kubebuilder:validation:XValidation:rule="!has(self.migrate) || !self.migrate || has(self.node)",message="migrate needs node: the Proxmox node to which the VM is pinned"
type Placement struct {
	// site is an entry of the catalogue's sites: one Proxmox VE cluster or standalone node, with its defaults. Default: the
	// catalogue's defaults.site; required if the catalogue has several sites and no default. It is immutable once the VM exists.
	// Example: home
	// +optional
	// +kubebuilder:validation:MaxLength=63
	Site string `json:"site,omitempty"`

	// node is the Proxmox node. Default: a node of the site that has everything the claim names, for a K3s server one without
	// another server of its cluster if possible, and of these the one with most memory left, if the catalogue has the memory of the
	// site's nodes; required without a catalogue. For an adopted VM it is found. Changing it moves an
	// existing VM only if migrate is true. If somebody moves the VM in Proxmox, it stays on its new node.
	// Example: pve
	// +optional
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?$')`,message="must be the name of a Proxmox node: letters, digits and hyphens, such as pve"
	Node string `json:"node,omitempty"`

	// avoid are Proxmox nodes that the function does not choose for a new VM. It has no effect beside node. Changing it does not move
	// an existing VM.
	// Example: [pve3]
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=32
	// +kubebuilder:validation:items:MaxLength=63
	// +kubebuilder:validation:XValidation:rule=`self.all(n, n.matches(r'^[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?$'))`,message="must hold names of Proxmox nodes: letters, digits and hyphens, such as pve"
	Avoid []string `json:"avoid,omitempty"`

	// spread names a group of machines and containers, and becomes the label homelab.io/spread of their VMs. For a new VM, the function chooses a node
	// without another one of the same group and namespace, while there is such a node. (Servers of one K3s cluster are such a group
	// anyway.) Beside node it only shows the function the other machines of the group. Changing it does not move an existing VM.
	// Example: dns
	// +optional
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^[a-z0-9]([a-z0-9-]*[a-z0-9])?$')`,message="must hold only lower case letters, digits and hyphens, and neither start nor end with a hyphen"
	Spread string `json:"spread,omitempty"`

	// migrate pins the VM to node: whenever the VM is on another node, also after somebody or Proxmox HA moved it, the
	// provider migrates it to node, while it runs and with its disks. It needs node, which must have everything the claim
	// names. You can change it at any time; true migrates a VM on another node at once.
	// +optional
	Migrate bool `json:"migrate,omitempty"`

	// storage is the datastore of the VM's disks. Default: the node's datastores.disks in the catalogue, else local-lvm.
	// Changing it does not move the disks of an existing VM.
	// Example: local-zfs
	// +optional
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^[A-Za-z][A-Za-z0-9._-]*$')`,message="must be the name of a Proxmox datastore: letters, digits, dots, _ and -, starting with a letter, such as local-zfs"
	Storage string `json:"storage,omitempty"`

	// bridge is the bridge of the first network interface: the same field as network.bridge. Write one of the two; two different
	// values are refused. Default: the site's, else vmbr0. Changing it replugs the interface of a running VM at once.
	// Example: vmbr0
	// +optional
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^[A-Za-z0-9][A-Za-z0-9_-]*$')`,message="must be the name of a bridge of the node: letters, digits, _ and -, such as vmbr0"
	Bridge string `json:"bridge,omitempty"`

	// vlan is the VLAN tag of the first network interface: the same field as network.vlan. Write one of the two; two different
	// values are refused. Default: the site's, else none. Changing it takes effect at once.
	// Example: 20
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=4094
	VLAN *int64 `json:"vlan,omitempty"`

	// vmId is the VMID, 100 to 999999999. Default: a free VMID from the site's vmIds range, else the next free VMID in Proxmox.
	// If another VM has the VMID, condition VMIDInUse names that VM, and no VM is created; from a range, the function tries the
	// next VMID instead. Changing it does not change an existing VM; only a new VM gets the new VMID.
	// Example: 153
	// +optional
	// +kubebuilder:validation:Minimum=100
	// +kubebuilder:validation:Maximum=999999999
	VMID *int64 `json:"vmId,omitempty"`

	// pool is the Proxmox resource pool of the VM; the pool must exist. Changing it takes effect at once; removing it does not
	// change an existing VM.
	// Example: infra
	// +optional
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^[A-Za-z0-9][A-Za-z0-9._/-]*$')`,message="must be the name of a Proxmox resource pool: letters, digits, dots, _, - and /, such as infra"
	Pool string `json:"pool,omitempty"`
}

// A BootDisk has settings of the boot disk.
type BootDisk struct {
	// backup says whether Proxmox's backup jobs include the disk. Default: true; an adopted VM keeps its own. You
	// can change it at any time.
	// Example: true
	// +optional
	Backup *bool `json:"backup,omitempty"`

	// cache is the disk's cache mode: none, writethrough, writeback, directsync or unsafe. Changing it takes effect at the
	// VM's next power cycle. Default: none; an adopted VM keeps its own.
	// Example: writeback
	// +optional
	// +kubebuilder:validation:Enum=none;writethrough;writeback;directsync;unsafe
	Cache string `json:"cache,omitempty"`

	// discard says whether the VM passes on to the datastore which blocks of the disk the guest no longer uses, so that a thin volume
	// shrinks again. Default: true; an adopted VM keeps its own. Changing it takes effect at the VM's next power cycle.
	// Example: true
	// +optional
	Discard *bool `json:"discard,omitempty"`

	// ssd says whether the guest sees the disk as a solid-state drive, and not as a rotating one. A disk on the bus virtio cannot be one.
	// Default: true, on the bus virtio false; an adopted VM keeps its own. Changing it takes effect at the VM's next power cycle.
	// Example: true
	// +optional
	SSD *bool `json:"ssd,omitempty"`
}

// A Disk is a data disk, identified by its name.
//
// +kubebuilder:validation:XValidation:rule="has(self.filesystem) == has(self.mountPath)",message="filesystem and mountPath need each other: set both, or neither to leave the disk to the guest"
type Disk struct {
	// name is the name of the disk, unique in the claim, and the disk's serial number in the guest. Renaming adds a new empty
	// disk and keeps the old one.
	// Example: data
	// +required
	// +kubebuilder:validation:MaxLength=20
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^[a-z0-9]([a-z0-9-]*[a-z0-9])?$')`,message="must hold only lower case letters, digits and hyphens, and neither start nor end with a hyphen"
	Name string `json:"name"`

	// size is the size of the disk, 1 GiB to 100 TiB, in whole GiB: 500Gi, or 500 (a number without a unit is GiB). A larger
	// value takes effect at once; a smaller value does not change an existing disk.
	// Example: 500Gi
	// +required
	Size Quantity `json:"size"`

	// storage is the datastore of the disk. Default: the boot disk's. Changing it does not move an existing disk.
	// Example: tank
	// +optional
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^[A-Za-z][A-Za-z0-9._-]*$')`,message="must be the name of a Proxmox datastore: letters, digits, dots, _ and -, starting with a letter, such as local-zfs"
	Storage string `json:"storage,omitempty"`

	// backup says whether Proxmox's backup jobs include the disk. You can change it at any time.
	// +optional
	// +kubebuilder:default=true
	Backup *bool `json:"backup,omitempty"`

	// cache is the disk's cache mode: none, writethrough, writeback, directsync or unsafe. Changing it takes effect at the
	// VM's next power cycle.
	// +optional
	// +kubebuilder:default=none
	// +kubebuilder:validation:Enum=none;writethrough;writeback;directsync;unsafe
	Cache string `json:"cache,omitempty"`

	// discard says whether the VM passes on to the datastore which blocks of the disk the guest no longer uses, so that a thin volume
	// shrinks again. Default: true; an adopted VM keeps its own. Changing it takes effect at the VM's next power cycle.
	// Example: true
	// +optional
	Discard *bool `json:"discard,omitempty"`

	// ssd says whether the guest sees the disk as a solid-state drive, and not as a rotating one. A disk on the bus virtio cannot be one.
	// Default: true, on the bus virtio false; an adopted VM keeps its own. Changing it takes effect at the VM's next power cycle.
	// Example: true
	// +optional
	SSD *bool `json:"ssd,omitempty"`

	// filesystem is the file system, ext4 or xfs, with which the first boot of a new VM formats the disk, if the disk is empty; it then
	// mounts the disk at mountPath. A disk with data is never formatted: a disk that has ext4 or xfs already is mounted as it is, and
	// with anything else on the disk the first boot reports an error. The file system grows with the disk at the next start of the guest.
	// On NixOS the flake mounts the disk: status.nixFileSystems has the entries. Default: none, the guest does not touch the disk. An
	// edit does not change an existing VM, and a disk that is added to it stays unformatted: condition BootstrapCurrent has the commands.
	// Example: ext4
	// +optional
	// +kubebuilder:validation:Enum=ext4;xfs
	Filesystem string `json:"filesystem,omitempty"`

	// mountPath is the folder of the guest at which the disk is mounted; filesystem and mountPath need each other. K3s does not start
	// without its node's disks, so that it never writes to the boot disk instead. The folder must be empty, or missing, on the boot disk.
	// An edit does not change an existing VM.
	// Example: /var/lib/rancher/k3s
	// +optional
	// +kubebuilder:validation:MaxLength=200
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^(/[A-Za-z0-9._-]+)+$') && !self.matches(r'/[.]{1,2}(/|$)')`,message="must be an absolute path of letters, digits, dots, _, - and /, without . and .. and without a / at the end, such as /srv/data"
	// +kubebuilder:validation:XValidation:rule=`!self.matches(r'^(/|/home|/root|/var|/var/cache|/var/lib|/var/log|/var/spool)$') && !self.matches(r'^/(bin|boot|dev|etc|lib|lib32|lib64|libx32|nix|proc|run|sbin|sys|tmp|usr)(/|$)') && !self.matches(r'^/var/(lock|run|tmp|lib/cloud|lib/data-disks|lib/dpkg|lib/k3s-bootstrap|lib/nix-gitops|lib/systemd)(/|$)')`,message="must not be a folder of the operating system; use one such as /srv/data or /var/lib/rancher/k3s"
	MountPath string `json:"mountPath,omitempty"`
}

// VGA is a VM's display.
type VGA struct {
	// type is the graphics card, by Proxmox's name: std, virtio, virtio-gl, qxl, vmware or cirrus; serial0 shows the VM's serial console
	// in Proxmox in place of a display; none is no display. Default: std; an adopted VM keeps its own. Changing it takes effect at the
	// VM's next power cycle.
	// Example: serial0
	// +optional
	// +kubebuilder:validation:Enum=std;virtio;virtio-gl;qxl;vmware;cirrus;serial0;none
	Type string `json:"type,omitempty"`
}

// HighAvailability is what Proxmox VE's HA manager does for a VM.
type HighAvailability struct {
	// enabled says whether Proxmox's HA manager manages the VM. While the provider stops the VM for a power cycle or a replacement, the HA
	// manager ignores the VM. false removes the VM from HA: the VM runs on.
	// +required
	Enabled *bool `json:"enabled"`

	// maxRestart is how often the HA manager tries to start the VM again on the same node, after a start that failed. 0: it does not
	// try again. Default: 1. Changing it takes effect at once.
	// Example: 2
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=10
	MaxRestart *int64 `json:"maxRestart,omitempty"`

	// maxRelocate is how often the HA manager tries to start the VM on another node, after maxRestart attempts have failed. 0: it does not
	// try other nodes. Default: 1. Changing it takes effect at once.
	// Example: 2
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=10
	MaxRelocate *int64 `json:"maxRelocate,omitempty"`
}

// Devices are devices of the node that are passed through to a VM.
type Devices struct {
	// pci are PCI devices, such as a GPU.
	// +optional
	// +listType=map
	// +listMapKey=mapping
	// +kubebuilder:validation:MaxItems=16
	PCI []Device `json:"pci,omitempty"`

	// usb are USB devices, such as a Coral accelerator.
	// +optional
	// +listType=map
	// +listMapKey=mapping
	// +kubebuilder:validation:MaxItems=4
	USB []Device `json:"usb,omitempty"`
}

// A Device is one device of the node. Changing the list takes effect at the VM's next power cycle.
type Device struct {
	// mapping is the name of a resource mapping in Proxmox (Datacenter, Resource Mappings). The provider's token needs
	// Mapping.Use on the mapping.
	// Example: gpu0
	// +required
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^[A-Za-z][A-Za-z0-9_-]*$')`,message="must be the name of a resource mapping in Proxmox (Datacenter, Resource Mappings): letters, digits, _ and -, starting with a letter, such as gpu0"
	Mapping string `json:"mapping"`
}

// The types of firmware.
const (
	FirmwareBIOS = "BIOS"
	FirmwareUEFI = "UEFI"
)

// Firmware is a VM's firmware and chipset. Changing it does not change an existing VM, because the guest's boot loader depends
// on it.
//
// +kubebuilder:validation:XValidation:rule="!has(self.secureBoot) || !self.secureBoot || (has(self.type) && self.type in ['UEFI', 'uefi'])",message="secureBoot needs type: UEFI"
type Firmware struct {
	// type is BIOS or UEFI. A VM with UEFI gets an EFI disk. Default: the image's, else BIOS. The former spellings bios and uefi have
	// the same effect, with a warning; the next release refuses them.
	// Example: UEFI
	// +optional
	// +kubebuilder:validation:Enum=BIOS;UEFI;bios;uefi
	Type string `json:"type,omitempty"`

	// secureBoot: true enrols the vendors' keys in the EFI disk, which enables Secure Boot.
	// +optional
	SecureBoot bool `json:"secureBoot,omitempty"`

	// tpm: true adds a TPM 2.0.
	// +optional
	TPM bool `json:"tpm,omitempty"`

	// machine is the chipset: q35, pc (i440fx), or one of these with a fixed version. Default: the image's, else q35.
	// Example: pc-i440fx-8.1
	// +optional
	// +kubebuilder:validation:MaxLength=40
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^(q35|pc|pc-q35-[0-9]+(\.[0-9]+)+(\+pve[0-9]+)?|pc-i440fx-[0-9]+(\.[0-9]+)+(\+pve[0-9]+)?)$')`,message="must be q35 or pc, or one of these with a fixed version, such as pc-i440fx-8.1"
	Machine string `json:"machine,omitempty"`
}

// Bootstrap is a machine's first configuration, which cloud-init applies on the first boot.
type Bootstrap struct {
	// adminUser is the account with the SSH keys, which may use sudo. Default: the catalogue's defaults.adminUser, else
	// ops. It must not be a system account of Debian or Ubuntu, such as backup; nor, where Proxmox generates the user-data, a group there, such as admin.
	// Example: ops
	// +optional
	// +kubebuilder:validation:MaxLength=32
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^[a-z_][a-z0-9_-]*$')`,message="must be a Linux account: lower case letters, digits, _ and -, starting with a letter or _, such as ops"
	AdminUser string `json:"adminUser,omitempty"`

	// sshAuthorizedKeys are the public SSH keys of adminUser, one line each. Options of sshd may stand before a key, such as from="192.168.4.0/24",
	// where the function renders the user-data: on K3s nodes, with nix, or with bootstrap.userData. Default: the catalogue's
	// defaults.sshAuthorizedKeys.
	// Example: [ssh-ed25519 AAAA... ops@home]
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=64
	// +kubebuilder:validation:items:MaxLength=8192
	SSHAuthorizedKeys []string `json:"sshAuthorizedKeys,omitempty"`

	// guestAgent: whether the first boot installs the QEMU guest agent, which reports addresses and shuts the guest down in an orderly
	// way. true installs it from a vendor-data snippet if Proxmox generates the user-data; the provider then needs SSH to the node,
	// and the node a datastore for snippets. false installs no agent. Default: true on Debian and Ubuntu if the catalogue names the
	// node's datastore for snippets, and on any Linux with k3s or bootstrap.userData; the agent of the image stays in any case. An
	// edit does not change an existing VM.
	// +optional
	GuestAgent *bool `json:"guestAgent,omitempty"`

	// report: how a K3s node, and a NixOS machine with nix, reports from inside the guest how far its bootstrap is, or what its last
	// convergence came to. Link: by the name of a network link without addresses, such as k3s-joined or nix-ok-3f9a0c, that the guest agent
	// lists, which needs no network and no credentials. None: not at all. Other machines report nothing. Default: that of the site, else Link. An edit does not change
	// an existing VM: there, set REPORT=None in /etc/k3s-bootstrap/env, or NIX_GITOPS_REPORT=None in /etc/nix-gitops/env, and reboot the guest.
	// +optional
	Report BootstrapReport `json:"report,omitempty"`

	// snippets are cloud-init files that you placed on the Proxmox node.
	// +optional
	Snippets Snippets `json:"snippets,omitempty"`

	// secrets are files of the guest whose content comes from Secrets, such as the passwords of a registry. The first boot writes them,
	// owned by root, before packages are installed and before your runcmd. An edit, and a Secret that changes, do not change an
	// existing VM: condition BootstrapCurrent reports it. Crossplane 1.20 cannot pass a namespaced Secret to a function; use
	// snippets.vendorData there.
	// +optional
	// +listType=map
	// +listMapKey=path
	// +kubebuilder:validation:MaxItems=8
	Secrets []SecretFile `json:"secrets,omitempty"`

	// secretStore is an OpenBao or Vault from which the guest fetches files itself, at its first boot: no content of them is in Git, in the
	// cluster or in a snippet. fetch-secrets.service in the guest logs in with a secret id or a certificate that a snippet of yours or the image
	// brings, writes the files, and tries again each minute until it succeeds. Not for NixOS. An edit does not change an existing VM: condition
	// BootstrapCurrent reports it.
	// +optional
	SecretStore *SecretStore `json:"secretStore,omitempty"`

	// userData is additional cloud-config, at most 256 KiB; its first line is #cloud-config. The function appends its packages,
	// write_files, users and runcmd to the machine's own lists. It refuses keys that other fields of the claim set, such as
	// hostname, and secrets. It passes on all other keys unchanged.
	// +optional
	// +kubebuilder:validation:MaxLength=262144
	UserData string `json:"userData,omitempty"`
}

// A BootstrapReport says how a guest reports on itself.
//
// +kubebuilder:validation:Enum=Link;None
type BootstrapReport string

// The ways to report.
const (
	ReportLink BootstrapReport = "Link"
	ReportNone BootstrapReport = "None"
)

// A SecretFile is a file of the guest whose content is one key of a Secret.
//
// +kubebuilder:validation:XValidation:rule="has(self.allowPlaintext) && self.allowPlaintext",message="a Secret is written into the snippet in plain text: set allowPlaintext: true to accept this, or write the file with a pre-placed snippet (bootstrap.snippets.vendorData)"
type SecretFile struct {
	// secretRef names a key of a Secret in the claim's namespace. The function writes its value in plain text into the managed resource,
	// and the provider writes it into the user-data snippet (mode 0600 on the Proxmox node). The value must be text, of at
	// most 64 KiB.
	// +required
	SecretRef SecretFileRef `json:"secretRef"`

	// allowPlaintext: true accepts that the value is stored in plain text in the managed resource and on the node. It is required.
	// +optional
	AllowPlaintext bool `json:"allowPlaintext,omitempty"`

	// path is the file in the guest. It must not be below the mountPath of a data disk, or belong to the function.
	// Example: /etc/rancher/k3s/registries.yaml
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=255
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^(/[A-Za-z0-9._-]+)+$') && !self.matches(r'/[.]{1,2}(/|$)') && !self.matches(r'^/(dev|proc|run|sys|tmp|var/run|var/tmp)(/|$)')`,message="must be an absolute path of letters, digits, dots, _, - and /, without . and .., and not in a folder that is empty after a reboot, such as /etc/myapp/password"
	Path string `json:"path"`

	// mode is the mode of the file, without access for others. Its owner is root:root.
	// +optional
	// +kubebuilder:default="0600"
	// +kubebuilder:validation:MaxLength=4
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^0[4-7][0-7]0$')`,message="must be an octal mode in quotes, without access for others, such as \"0600\" or \"0640\""
	Mode string `json:"mode,omitempty"`
}

// A SecretStore is an OpenBao or Vault, the machine's login to it, and the files that the machine fetches from it.
// +kubebuilder:validation:XValidation:rule="has(self.appRole) != has(self.tls)",message="set exactly one of appRole and tls"
// +kubebuilder:validation:XValidation:rule="!has(self.refresh) || has(self.tls)",message="refresh needs tls: a secret id that was wrapped, or can be used once, is used up after the first fetch"
type SecretStore struct {
	// address is the address of the server, as the guest reaches it. The guest always checks its certificate.
	// Example: https://bao.home.arpa:8200
	// +required
	// +kubebuilder:validation:MaxLength=255
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^https://[A-Za-z0-9.:_\[\]-]+/?$')`,message="must be https:// with a name or an address, a port and nothing after the port, such as https://bao.home.arpa:8200"
	Address string `json:"address"`

	// caCertificate is the certificate of the authority that signed the server's certificate, as PEM. It is no secret. Default: the authorities
	// that the guest's image trusts.
	// +optional
	// +kubebuilder:validation:MaxLength=16384
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^\s*-----BEGIN CERTIFICATE-----\s') && !self.contains('PRIVATE KEY')`,message="must be one or more certificates as PEM, -----BEGIN CERTIFICATE-----, and no private key"
	CACertificate string `json:"caCertificate,omitempty"`

	// namespace is the namespace of OpenBao or of Vault Enterprise. Default: none.
	// Example: home
	// +optional
	// +kubebuilder:validation:MaxLength=255
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^[A-Za-z0-9_.-]+(/[A-Za-z0-9_.-]+)*$') && !self.matches(r'(^|/)[.]{1,2}(/|$)')`,message="must be a path of letters, digits, dots, _, - and /, without / at its ends, such as home"
	Namespace string `json:"namespace,omitempty"`

	// appRole is the machine's login with a secret id. Set exactly one of appRole and tls.
	// +optional
	AppRole *AppRole `json:"appRole,omitempty"`

	// tls is the machine's login with a certificate of its own, which it keeps.
	// +optional
	TLS *CertificateLogin `json:"tls,omitempty"`

	// refresh is how often the guest fetches again after the first time, from 5m to 720h, such as 12h. It replaces the files whose content is
	// another one in the store, also those that a person has edited, and restarts the services in their restart. It never writes a
	// token file of K3s again. Needs tls. Default: never.
	// +optional
	// +kubebuilder:validation:MaxLength=16
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^([0-9]+h)?([0-9]+m)?$') && self != '' && duration(self) >= duration('5m') && duration(self) <= duration('720h')`,message="must be hours and minutes, from 5m to 720h, such as 12h"
	Refresh string `json:"refresh,omitempty"`

	// files are the files that the guest fetches. It writes all of them or none. A K3s node with k3s.token.secretStore needs no others.
	// +optional
	// +listType=map
	// +listMapKey=path
	// +kubebuilder:validation:MaxItems=16
	Files []StoredFile `json:"files,omitempty"`
}

// An AppRole is a login with the auth method AppRole: a role ID, which is no secret, and a secret id, which the machine finds in a file.
type AppRole struct {
	// mount is the path of the auth method.
	// +optional
	// +kubebuilder:default=approle
	// +kubebuilder:validation:MaxLength=255
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^[A-Za-z0-9_.-]+(/[A-Za-z0-9_.-]+)*$') && !self.matches(r'(^|/)[.]{1,2}(/|$)')`,message="must be a path of letters, digits, dots, _, - and /, without / at its ends, such as approle"
	Mount string `json:"mount,omitempty"`

	// roleID is the ID of the role: bao read auth/approle/role/NAME/role-id. Nobody can log in with it alone.
	// Example: 3b1d0ed1-4c2f-6a0b-93d8-3a7e5a0f2c11
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=255
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^[A-Za-z0-9_.-]+$')`,message="must be the ID of a role: letters, digits, dots, _ and -"
	RoleID string `json:"roleID"`

	// secretIDFile is the file in the guest with the secret id. A snippet of bootstrap.snippets.vendorData writes it with bootcmd, or
	// bootstrap.secrets, or the image has it. The guest removes it when it has used it.
	// +optional
	// +kubebuilder:default=/etc/machine-secrets/secret-id
	// +kubebuilder:validation:MaxLength=255
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^(/[A-Za-z0-9._-]+)+$') && !self.matches(r'/[.]{1,2}(/|$)') && !self.matches(r'^/(dev|proc|run|sys|tmp|var/run|var/tmp)(/|$)')`,message="must be an absolute path of letters, digits, dots, _, - and /, without . and .., and not in a folder that is empty after a reboot, such as /etc/machine-secrets/secret-id"
	SecretIDFile string `json:"secretIDFile,omitempty"`

	// wrapped: true: the file has a wrapping token (bao write -f -wrap-ttl=30m auth/approle/role/NAME/secret-id), which can be used once. If somebody else
	// has used it before, the guest says so: status of fetch-secrets.service. false: the file has the secret id itself.
	// +optional
	// +kubebuilder:default=true
	Wrapped *bool `json:"wrapped,omitempty"`
}

// A CertificateLogin is a login with the auth method for TLS certificates. Certificate and key are the machine's identity: they stay in the guest.
type CertificateLogin struct {
	// mount is the path of the auth method.
	// +optional
	// +kubebuilder:default=cert
	// +kubebuilder:validation:MaxLength=255
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^[A-Za-z0-9_.-]+(/[A-Za-z0-9_.-]+)*$') && !self.matches(r'(^|/)[.]{1,2}(/|$)')`,message="must be a path of letters, digits, dots, _, - and /, without / at its ends, such as cert"
	Mount string `json:"mount,omitempty"`

	// role is the name of the role: bao write auth/cert/certs/ROLE. Default: the server tries all of them.
	// +optional
	// +kubebuilder:validation:MaxLength=255
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^[A-Za-z0-9_.-]+$')`,message="must be the name of a role: letters, digits, dots, _ and -"
	Role string `json:"role,omitempty"`

	// certificateFile is the file in the guest with the machine's certificate as PEM, and those between it and its authority. A snippet of
	// bootstrap.snippets.vendorData writes it with bootcmd, or bootstrap.secrets, or the image has it.
	// +optional
	// +kubebuilder:default=/etc/machine-secrets/tls.crt
	// +kubebuilder:validation:MaxLength=255
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^(/[A-Za-z0-9._-]+)+$') && !self.matches(r'/[.]{1,2}(/|$)') && !self.matches(r'^/(dev|proc|run|sys|tmp|var/run|var/tmp)(/|$)')`,message="must be an absolute path of letters, digits, dots, _, - and /, without . and .., and not in a folder that is empty after a reboot, such as /etc/machine-secrets/tls.crt"
	CertificateFile string `json:"certificateFile,omitempty"`

	// keyFile is the file in the guest with the key of the certificate as PEM, without a passphrase, and without access for others.
	// +optional
	// +kubebuilder:default=/etc/machine-secrets/tls.key
	// +kubebuilder:validation:MaxLength=255
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^(/[A-Za-z0-9._-]+)+$') && !self.matches(r'/[.]{1,2}(/|$)') && !self.matches(r'^/(dev|proc|run|sys|tmp|var/run|var/tmp)(/|$)')`,message="must be an absolute path of letters, digits, dots, _, - and /, without . and .., and not in a folder that is empty after a reboot, such as /etc/machine-secrets/tls.key"
	KeyFile string `json:"keyFile,omitempty"`
}

// A StoredSecret is a field of a secret in a secrets engine KV, version 1 or 2.
type StoredSecret struct {
	// mount is the path of the secrets engine.
	// +optional
	// +kubebuilder:default=secret
	// +kubebuilder:validation:MaxLength=255
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^[A-Za-z0-9_.-]+(/[A-Za-z0-9_.-]+)*$') && !self.matches(r'(^|/)[.]{1,2}(/|$)')`,message="must be a path of letters, digits, dots, _, - and /, without / at its ends, such as secret"
	Mount string `json:"mount,omitempty"`

	// secret is the path of the secret in the engine, without data/.
	// Example: k3s/home
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=255
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^[A-Za-z0-9_.-]+(/[A-Za-z0-9_.-]+)*$') && !self.matches(r'(^|/)[.]{1,2}(/|$)')`,message="must be a path of letters, digits, dots, _, - and /, without / at its ends, such as k3s/home"
	Secret string `json:"secret"`

	// field is the field of the secret. Its value must be text, and not empty.
	// Example: token
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=255
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^[A-Za-z0-9_.-]+$')`,message="must be a field of the secret: letters, digits, dots, _ and -"
	Field string `json:"field"`
}

// A StoredFile is a file of the guest whose content is a field of a secret in the secret store.
type StoredFile struct {
	StoredSecret `json:",inline"`

	// path is the file in the guest. It must not be below the mountPath of a data disk, or belong to the function.
	// Example: /etc/rancher/k3s/registries.yaml
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=255
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^(/[A-Za-z0-9._-]+)+$') && !self.matches(r'/[.]{1,2}(/|$)') && !self.matches(r'^/(dev|proc|run|sys|tmp|var/run|var/tmp)(/|$)')`,message="must be an absolute path of letters, digits, dots, _, - and /, without . and .., and not in a folder that is empty after a reboot, such as /etc/myapp/password"
	Path string `json:"path"`

	// mode is the mode of the file, without access for others.
	// +optional
	// +kubebuilder:default="0600"
	// +kubebuilder:validation:MaxLength=4
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^0[4-7][0-7]0$')`,message="must be an octal mode in quotes, without access for others, such as \"0600\" or \"0640\""
	Mode string `json:"mode,omitempty"`

	// owner is the user and the group of the file. Both must be there before cloud-init runs runcmd: packages and users are.
	// +optional
	// +kubebuilder:default="root:root"
	// +kubebuilder:validation:MaxLength=65
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^[a-z_][a-z0-9_-]*:[a-z_][a-z0-9_-]*$')`,message="must be user:group, such as root:root"
	Owner string `json:"owner,omitempty"`

	// restart are the services that are restarted when a refresh has replaced the file, if they run: systemctl try-restart --no-block. Those of K3s
	// are refused: the secret store would choose the time, for all servers of a cluster. Needs refresh.
	// Example: [myapp.service]
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=4
	// +kubebuilder:validation:items:MaxLength=128
	// +kubebuilder:validation:items:XValidation:rule=`self.matches(r'^[A-Za-z0-9_.@:-]+[.]service$') && !self.matches(r'^(k3s|k3s-agent|k3s-bootstrap|fetch-secrets|fetch-secrets-refresh)[.]service$')`,message="must be the name of a service, such as myapp.service, and neither of K3s nor of what fetches secrets"
	Restart []string `json:"restart,omitempty"`
}

// A SecretFileRef is one key of a Secret in the claim's namespace.
type SecretFileRef struct {
	// name is the name of the Secret.
	// Example: registry-password
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`

	// key is the key in the Secret.
	// Example: registries.yaml
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Key string `json:"key"`
}

// Snippets are cloud-init files on the Proxmox node, as volume IDs with content type snippets.
//
// +kubebuilder:validation:XValidation:rule="!has(self.userData) || !has(self.metaData) || self.userData != self.metaData",message="userData and metaData must be different files"
type Snippets struct {
	// userData is the whole user-data: the function renders none, and your snippet must set host name, users and K3s.
	// Example: local:snippets/k3s-server-pve.yaml
	// +optional
	// +kubebuilder:validation:MaxLength=255
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^[A-Za-z][A-Za-z0-9._-]*:snippets/[A-Za-z0-9._-]+$')`,message="must be datastore:snippets/file, such as local:snippets/k3s.yaml"
	UserData string `json:"userData,omitempty"`

	// vendorData is a snippet in addition to the user-data, for secrets that must not be in Git or in the cluster, such as a K3s
	// token: the function renders the user-data, and the secret stays on the Proxmox node.
	// Example: local:snippets/k3s-token.yaml
	// +optional
	// +kubebuilder:validation:MaxLength=255
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^[A-Za-z][A-Za-z0-9._-]*:snippets/[A-Za-z0-9._-]+$')`,message="must be datastore:snippets/file, such as local:snippets/k3s-token.yaml"
	VendorData string `json:"vendorData,omitempty"`

	// metaData is a snippet that replaces the rendered meta-data.
	// +optional
	// +kubebuilder:validation:MaxLength=255
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^[A-Za-z][A-Za-z0-9._-]*:snippets/[A-Za-z0-9._-]+$')`,message="must be datastore:snippets/file, such as local:snippets/meta.yaml"
	MetaData string `json:"metaData,omitempty"`
}
