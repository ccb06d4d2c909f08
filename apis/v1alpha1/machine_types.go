package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// A Power says whether a virtual machine is to run.
//
// +kubebuilder:validation:Enum=Running;Stopped;Unmanaged
type Power string

// The states of power that a claim can ask for.
const (
	PowerRunning Power = "Running"
	PowerStopped Power = "Stopped"
	// PowerUnmanaged leaves starting and stopping to whoever works in Proxmox.
	PowerUnmanaged Power = "Unmanaged"
)

// A DeletionPolicy says what becomes of the virtual machine when its claim is deleted.
//
// +kubebuilder:validation:Enum=Delete;Orphan
type DeletionPolicy string

// The deletion policies.
const (
	DeletionDelete DeletionPolicy = "Delete"
	DeletionOrphan DeletionPolicy = "Orphan"
)

// A Machine is a virtual machine on Proxmox VE. With nix.flakeRef it is a NixOS machine that converges from a Git
// flake; with any other image it is a machine set up by cloud-init, or, with an installer or an appliance, one that
// sets itself up.
//
// +kubebuilder:object:root=true
// +kubebuilder:storageversion
// +kubebuilder:subresource:status
// +kubebuilder:resource:path=machines,singular=machine,categories={homelab}
// +kubebuilder:printcolumn:name="CLASS",type="string",JSONPath=".status.class"
// +kubebuilder:printcolumn:name="NODE",type="string",JSONPath=".status.node"
// +kubebuilder:printcolumn:name="VM",type="integer",JSONPath=".status.vmId"
// +kubebuilder:printcolumn:name="ADDRESS",type="string",JSONPath=".status.primaryAddress"
// +kubebuilder:printcolumn:name="PHASE",type="string",JSONPath=".status.phase"
// +kubebuilder:validation:XValidation:rule="self.metadata.name.matches('^[a-z][a-z0-9-]*$')",message="metadata.name must start with a letter and hold only lower case letters, digits and hyphens: the Proxmox provider makes Terraform identifiers of it"
// +kubebuilder:validation:XValidation:rule=`!has(oldSelf.status) || !has(oldSelf.status.vmId) || (has(self.spec.proxmox) && has(self.spec.proxmox.site) ? self.spec.proxmox.site : "") == (has(oldSelf.spec.proxmox) && has(oldSelf.spec.proxmox.site) ? oldSelf.spec.proxmox.site : "")`,message="spec.proxmox.site is immutable once the VM exists: a VM cannot move to another Proxmox cluster, and the provider would make a second one there"
type Machine struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec is the machine that is wanted.
	// +required
	Spec MachineSpec `json:"spec"`

	// status is the machine that was found.
	// +optional
	Status Status `json:"status,omitempty"`
}

// A MachineSpec is the machine that is wanted.
//
// +kubebuilder:validation:XValidation:rule="!has(self.nix) || !has(self.bootstrap) || !has(self.bootstrap.snippets) || !has(self.bootstrap.snippets.userData)",message="nix and bootstrap.snippets.userData exclude each other: the snippet on the host already is the whole user-data"
type MachineSpec struct {
	MachineFields `json:",inline"`

	// deletionPolicy is what becomes of the VM when the claim is deleted. Delete stops and destroys the VM with its disks.
	// Orphan leaves the VM and its cloud-init snippets alone. May be changed at any time; it acts when the claim is deleted.
	// +optional
	// +kubebuilder:default=Delete
	DeletionPolicy DeletionPolicy `json:"deletionPolicy,omitempty"`

	// nix makes this a NixOS machine that applies a flake from Git by itself. It needs a NixOS image.
	// +optional
	Nix *Nix `json:"nix,omitempty"`
}

// MachineFields are what every kind of machine has in common.
//
// +kubebuilder:validation:XValidation:rule="!has(self.adopt) || !has(self.proxmox) || !has(self.proxmox.vmId) || self.adopt.vmId == self.proxmox.vmId",message="adopt.vmId and proxmox.vmId must be the same number: leave proxmox.vmId out"
type MachineFields struct {
	// class is the sizing class, a name from the catalogue. Built in are micro, small, medium and large. Default: the
	// catalogue's defaults.class, else small. Changing it resizes the VM: disks grow at once, cores and memory take
	// effect at the next power cycle, and nothing is ever shrunk.
	// Example: medium
	// +optional
	// +kubebuilder:validation:MaxLength=63
	Class string `json:"class,omitempty"`

	// size overrides single figures of the class.
	// +optional
	Size Size `json:"size,omitempty"`

	// hostname is the host name of the guest, the name of the VM in Proxmox and the stem of its snippet files: a DNS name
	// in lower case. With a dot in it, it is taken as the full name. Default: the claim's name. Create-time: the guest
	// keeps the name that it was made with; changing it later renames the VM in Proxmox only.
	// Example: dns01
	// +optional
	// +kubebuilder:validation:MaxLength=200
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$')`,message="must be a DNS name of lower case letters, digits and hyphens, such as dns01 or dns01.home.arpa; each part between dots has at most 63 characters and neither starts nor ends with a hyphen"
	Hostname string `json:"hostname,omitempty"`

	// image is what the machine boots from: a name from the catalogue, the number of a template to clone (100 to
	// 999999999), or a volume that is on the node already, as storage:type/file (`local:import/noble.qcow2` is imported,
	// `local:iso/debian.iso` is put into the CD drive of an empty machine). Default: the catalogue's defaults.image,
	// else ubuntu-24.04. Create-time: a VM keeps the disk that it was made with.
	// Example: nixos-25.05
	// +optional
	Image ImageRef `json:"image,omitempty"`

	// role groups machines. It becomes the Proxmox tag role_<role> and the label homelab.io/role.
	// Example: dns
	// +optional
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^[a-z0-9]([a-z0-9-]*[a-z0-9])?$')`,message="must hold only lower case letters, digits and hyphens, and neither start nor end with a hyphen"
	Role string `json:"role,omitempty"`

	// tags are further Proxmox tags. They are stored in lower case, sorted, each once. May be changed at any time.
	// Example: [core, tier1]
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=32
	// +kubebuilder:validation:items:MaxLength=63
	// +kubebuilder:validation:items:XValidation:rule=`self.matches(r'^[A-Za-z0-9_][A-Za-z0-9_.+-]*$')`,message="must hold only letters, digits, _, -, + and dots, and start with a letter, a digit or _"
	Tags []string `json:"tags,omitempty"`

	// power says whether the VM is to run. Stopped shuts a running VM down, Running starts it. A VM without the guest agent
	// is not asked to shut down but switched off. Unmanaged starts a new VM once, and from then on neither starts nor stops
	// it: what somebody does in Proxmox stays.
	// +optional
	// +kubebuilder:default=Running
	Power Power `json:"power,omitempty"`

	// onBoot says whether Proxmox starts the VM when its node boots. May be changed at any time.
	// +optional
	// +kubebuilder:default=true
	OnBoot *bool `json:"onBoot,omitempty"`

	// startup is the VM's place in the order in which its node starts and stops VMs. May be changed at any time.
	// +optional
	Startup *Startup `json:"startup,omitempty"`

	// network is the first network interface. Default: DHCP on the site's bridge.
	// +optional
	Network *Network `json:"network,omitempty"`

	// proxmox says where the VM lives.
	// +optional
	Proxmox Placement `json:"proxmox,omitempty"`

	// bootDisk holds settings of the boot disk. Its size is in size.disk, its datastore in proxmox.storage.
	// +optional
	BootDisk BootDisk `json:"bootDisk,omitempty"`

	// disks are data disks beside the boot disk. Each one's name is its serial number in the guest, which finds
	// it as /dev/disk/by-id/scsi-0QEMU_QEMU_HARDDISK_<name>. A disk is known by its name, so the order does not matter; one
	// that is taken out of the list stays with the VM. A disk that was attached by hand in Proxmox is detached, and kept
	// as unused, when a disk of the claim changes.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=16
	Disks []Disk `json:"disks,omitempty"`

	// nics are further network interfaces, in the order in which the guest finds them (eth1, eth2, ...). Add new ones at
	// the end.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=7
	NICs []NIC `json:"nics,omitempty"`

	// devices passes devices of the node into the VM, by the names of Proxmox resource mappings.
	// +optional
	Devices Devices `json:"devices,omitempty"`

	// firmware is the VM's firmware and chipset. Default: the image's, else BIOS on q35. A cloned VM has its template's EFI disk
	// and TPM, and an adopted one its own: name here what is there, or nothing.
	// +optional
	Firmware *Firmware `json:"firmware,omitempty"`

	// lifecycle asks for what is done to a living VM only when somebody asks for it: a power cycle, another try, a new VM.
	// +optional
	Lifecycle Lifecycle `json:"lifecycle,omitempty"`

	// adopt takes over a VM that is in Proxmox already, in two steps: first it is only looked at, and status.adoption says
	// what would change; then approve takes it over. Nothing is created where the VM does not exist. The guest is not set
	// up again: image, bootstrap, nix and k3s change nothing in it. From then on the VM is the machine's own, and
	// deletionPolicy holds for it. Without effect once the machine has a VM.
	// +optional
	Adopt *Adopt `json:"adopt,omitempty"`

	// protection makes deleting the claim fail until this is false again. Default: true for a K3s server whose
	// deletionPolicy is Delete, else false. May be changed at any time; the VM is not touched.
	// +optional
	Protection *bool `json:"protection,omitempty"`

	// bootstrap is what cloud-init does on the first boot. Create-time: once the VM exists, an edit is reported in the
	// condition BootstrapCurrent and in status.bootstrap, and the VM keeps running as it is.
	// +optional
	Bootstrap Bootstrap `json:"bootstrap,omitempty"`
}

// A Size overrides single figures of a sizing class.
type Size struct {
	// cores is the number of virtual CPU cores, 1 to 1024. Changing it takes effect at the VM's next power cycle.
	// Example: 2
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1024
	Cores *int64 `json:"cores,omitempty"`

	// memory is the VM's memory, 128 MiB to 2 TiB, in whole MiB: 4Gi, 4096Mi, or 4096 (a number without a unit is MiB).
	// Changing it takes effect at the VM's next power cycle.
	// Example: 4Gi
	// +optional
	Memory Quantity `json:"memory,omitempty"`

	// disk is the size of the boot disk, 1 GiB to 100 TiB, in whole GiB: 30Gi, or 30 (a number without a unit is GiB). It
	// may grow while the VM runs. It is never shrunk.
	// Example: 30Gi
	// +optional
	Disk Quantity `json:"disk,omitempty"`
}

// A Startup is a VM's place in the start and stop order of its node.
type Startup struct {
	// order is the place in the order: lower numbers start first and stop last.
	// Example: 1
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=1000000
	Order *int64 `json:"order,omitempty"`

	// upDelaySeconds is how long the node waits after starting this VM before it starts the next one.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=86400
	UpDelaySeconds *int64 `json:"upDelaySeconds,omitempty"`

	// downDelaySeconds is how long the node waits for this VM to shut down.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=86400
	DownDelaySeconds *int64 `json:"downDelaySeconds,omitempty"`
}

// A Nix machine converges by itself from a flake in Git.
type Nix struct {
	// flakeRef is the flake and the configuration in it: git+https://host/repo?ref=main#name, git+ssh://git@host/repo#name,
	// github:owner/repo#name or gitlab:owner/repo#name. No password may be in it. Without #name the host name is used.
	// Create-time: the machine reads it from /etc/nix-flake-target.
	// Example: git+https://git.home.arpa/infra#dns01
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=512
	FlakeRef string `json:"flakeRef"`

	// schedule is a systemd calendar expression at which the machine looks for a new revision. Empty: it converges once,
	// on its first boot. Create-time.
	// Example: daily
	// +optional
	// +kubebuilder:validation:MaxLength=128
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^[A-Za-z0-9*:/,.~ -]*$')`,message="must be a calendar expression of systemd, such as daily or *-*-* 03:00"
	Schedule string `json:"schedule,omitempty"`

	// reboot says when converging may reboot the machine: never, when kernel or initrd changed (kernel), or after every
	// new revision (always). Create-time.
	// +optional
	// +kubebuilder:default=never
	// +kubebuilder:validation:Enum=never;kernel;always
	Reboot string `json:"reboot,omitempty"`

	// healthCheck is a shell command that must succeed after a new revision was activated; otherwise the machine returns
	// to the revision before. Create-time.
	// Example: systemctl is-active unbound
	// +optional
	// +kubebuilder:validation:MaxLength=1024
	HealthCheck string `json:"healthCheck,omitempty"`
}
