package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// A Power says whether a VM should run.
//
// +kubebuilder:validation:Enum=Running;Stopped;Unmanaged
type Power string

// The power states that a claim can request.
const (
	PowerRunning Power = "Running"
	PowerStopped Power = "Stopped"
	// PowerUnmanaged leaves starting and stopping to people who work in Proxmox.
	PowerUnmanaged Power = "Unmanaged"
)

// A DeletionPolicy says what happens to the VM when its claim is deleted.
//
// +kubebuilder:validation:Enum=Delete;Orphan
type DeletionPolicy string

// The deletion policies.
const (
	DeletionDelete DeletionPolicy = "Delete"
	DeletionOrphan DeletionPolicy = "Orphan"
)

// A Machine is a virtual machine on Proxmox VE. With nix.flakeRef it is a NixOS machine that converges from a Git
// flake. Otherwise cloud-init configures it, or, with an installer or an appliance image, the image configures itself.
//
// +kubebuilder:object:root=true
// +kubebuilder:storageversion
// +kubebuilder:subresource:status
// +kubebuilder:resource:path=machines,singular=machine,shortName={mc},categories={homelab}
// +kubebuilder:printcolumn:name="CLASS",type="string",JSONPath=".status.class"
// +kubebuilder:printcolumn:name="NODE",type="string",JSONPath=".status.node"
// +kubebuilder:printcolumn:name="VM",type="integer",JSONPath=".status.vmId"
// +kubebuilder:printcolumn:name="ADDRESS",type="string",JSONPath=".status.primaryAddress"
// +kubebuilder:printcolumn:name="PHASE",type="string",JSONPath=".status.phase"
// +kubebuilder:printcolumn:name="REVISION",type="string",priority=1,description="The revision of its flake that a NixOS machine reported last.",JSONPath=".status.nix.revision"
// +kubebuilder:printcolumn:name="CONVERGED",type="string",priority=1,description="What came of that revision: Applied, RolledBack and others.",JSONPath=".status.nix.outcome"
// +kubebuilder:validation:XValidation:rule="self.metadata.name.matches('^[a-z][a-z0-9-]*$')",message="metadata.name must start with a letter and hold only lower case letters, digits and hyphens: the Proxmox provider makes Terraform identifiers of it"
// +kubebuilder:validation:XValidation:rule=`!has(oldSelf.status) || !has(oldSelf.status.vmId) || (has(self.spec.proxmox) && has(self.spec.proxmox.site) ? self.spec.proxmox.site : "") == (has(oldSelf.spec.proxmox) && has(oldSelf.spec.proxmox.site) ? oldSelf.spec.proxmox.site : "")`,message="spec.proxmox.site is immutable once the VM exists: a VM cannot move to another Proxmox cluster, and the provider would make a second one there"
type Machine struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec is the desired machine.
	// +required
	Spec MachineSpec `json:"spec"`

	// status is the observed machine.
	// +optional
	Status Status `json:"status,omitempty"`
}

// A MachineSpec is the desired machine.
//
// +kubebuilder:validation:XValidation:rule="!has(self.nix) || !has(self.bootstrap) || !has(self.bootstrap.snippets) || !has(self.bootstrap.snippets.userData)",message="nix and bootstrap.snippets.userData exclude each other: the snippet on the node is already the whole user-data"
type MachineSpec struct {
	MachineFields `json:",inline"`

	// deletionPolicy says what happens to the VM when you delete the claim. Delete stops the VM and destroys it with all its
	// disks. Orphan keeps the VM and its cloud-init snippets. You can change it at any time; the value at the time of the
	// deletion counts.
	// +optional
	// +kubebuilder:default=Delete
	DeletionPolicy DeletionPolicy `json:"deletionPolicy,omitempty"`

	// nix makes this a NixOS machine, which applies a flake from Git automatically. It needs a NixOS image. Editing it does not
	// change an existing VM; only a new VM gets the new values.
	// +optional
	Nix *Nix `json:"nix,omitempty"`
}

// MachineFields are the fields that all kinds of machines share.
//
// +kubebuilder:validation:XValidation:rule="!has(self.adopt) || !has(self.proxmox) || !has(self.proxmox.vmId) || self.adopt.vmId == self.proxmox.vmId",message="adopt.vmId and proxmox.vmId must be the same VMID: leave proxmox.vmId out"
// +kubebuilder:validation:XValidation:rule="!has(self.protection) || !has(self.deletionProtection) || self.protection == self.deletionProtection",message="protection is the former spelling of deletionProtection, and contradicts it: remove protection",fieldPath=".protection"
// +kubebuilder:validation:XValidation:rule="!has(self.network) || !has(self.network.bridge) || !has(self.proxmox) || !has(self.proxmox.bridge) || self.network.bridge == self.proxmox.bridge",message="proxmox.bridge contradicts network.bridge, which is the same field: remove one of them",fieldPath=".proxmox.bridge"
// +kubebuilder:validation:XValidation:rule="!has(self.network) || !has(self.network.vlan) || !has(self.proxmox) || !has(self.proxmox.vlan) || self.network.vlan == self.proxmox.vlan",message="proxmox.vlan contradicts network.vlan, which is the same field: remove one of them",fieldPath=".proxmox.vlan"
// +kubebuilder:validation:XValidation:rule="!has(self.ha) || !self.ha.enabled || !has(self.power) || self.power != 'Unmanaged'",message="ha and power: Unmanaged exclude each other: Proxmox's HA manager starts a VM that you stop. Set power: Running or Stopped",fieldPath=".power"
// +kubebuilder:validation:XValidation:rule="!has(self.ha) || !self.ha.enabled || !has(self.proxmox) || !has(self.proxmox.migrate) || !self.proxmox.migrate",message="ha and proxmox.migrate exclude each other: the provider would migrate the VM back that HA has moved. Remove migrate",fieldPath=".proxmox.migrate"
// +kubebuilder:validation:XValidation:rule="!has(self.ha) || !self.ha.enabled || !has(self.devices) || (has(self.devices.pci) ? size(self.devices.pci) : 0) + (has(self.devices.usb) ? size(self.devices.usb) : 0) == 0",message="ha and devices exclude each other: a VM with devices of its node cannot move. Remove one of them",fieldPath=".devices"
type MachineFields struct {
	// class is the sizing class, a name from the catalogue. Built-in classes are micro, small, medium and large. Default: the
	// catalogue's defaults.class, else small. Changing it resizes an existing VM: the disk grows at once, cores and memory
	// change at the VM's next power cycle. A disk never shrinks.
	// Example: medium
	// +optional
	// +kubebuilder:validation:MaxLength=63
	Class string `json:"class,omitempty"`

	// size overrides single values of the class.
	// +optional
	Size Size `json:"size,omitempty"`

	// hostname is the host name of the guest, the name of the VM in Proxmox, and part of its snippets' file names: a DNS name
	// in lower case. A name with a dot is the fully qualified name. Default: the claim's name. Changing it renames an existing VM in
	// Proxmox. A guest with rendered user-data keeps its host name; a guest with user-data from Proxmox gets the new name at
	// its next power cycle.
	// Example: dns01
	// +optional
	// +kubebuilder:validation:MaxLength=200
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$')`,message="must be a DNS name of lower case letters, digits and hyphens, such as dns01 or dns01.home.arpa; each part between dots has at most 63 characters and neither starts nor ends with a hyphen"
	Hostname string `json:"hostname,omitempty"`

	// image is the image that the machine boots from: a name from the catalogue, the VMID of a template to clone (100 to
	// 999999999), or a volume on the node, as storage:type/file (`local:import/noble.qcow2` is imported as the boot disk,
	// `local:iso/debian.iso` is inserted into the CD drive of a VM with an empty disk). Default: the catalogue's
	// defaults.image, else ubuntu-24.04. Changing it does not change an existing VM; only a new VM gets the new image.
	// Example: nixos-25.05
	// +optional
	Image ImageRef `json:"image,omitempty"`

	// role groups machines. It sets the Proxmox tag role_<role> and the label homelab.io/role. You can change it at any time.
	// Example: dns
	// +optional
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^[a-z0-9]([a-z0-9-]*[a-z0-9])?$')`,message="must hold only lower case letters, digits and hyphens, and neither start nor end with a hyphen"
	Role string `json:"role,omitempty"`

	// tags are additional Proxmox tags. The function converts them to lower case, sorts them and removes duplicates. You can
	// change them at any time.
	// Example: [core, tier1]
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=32
	// +kubebuilder:validation:items:MaxLength=63
	// +kubebuilder:validation:items:XValidation:rule=`self.matches(r'^[A-Za-z0-9_][A-Za-z0-9_.+-]*$')`,message="must hold only letters, digits, _, -, + and dots, and start with a letter, a digit or _"
	Tags []string `json:"tags,omitempty"`

	// power says whether the VM should run. Running starts the VM, Stopped shuts it down; a VM without the guest agent is
	// switched off instead. With Unmanaged, the provider starts a new VM once; afterwards you start and stop the VM in
	// Proxmox. Changing it takes effect at once.
	// +optional
	// +kubebuilder:default=Running
	Power Power `json:"power,omitempty"`

	// onBoot says whether Proxmox starts the VM when its node boots. Default: true; an adopted VM keeps its own. You can change it
	// at any time.
	// Example: true
	// +optional
	OnBoot *bool `json:"onBoot,omitempty"`

	// startup is the VM's position in the order in which its node starts and stops VMs. You can change it at any time.
	// +optional
	Startup *Startup `json:"startup,omitempty"`

	// network is the first network interface (eth0). Default: DHCP on the site's bridge.
	// +optional
	Network *Network `json:"network,omitempty"`

	// proxmox is the VM's place in Proxmox: site, node, datastore, bridge, VMID, pool.
	// +optional
	Proxmox Placement `json:"proxmox,omitempty"`

	// bootDisk has settings of the boot disk. Its size is in size.disk, its datastore in proxmox.storage.
	// +optional
	BootDisk BootDisk `json:"bootDisk,omitempty"`

	// disks are data disks in addition to the boot disk, each a new volume: an existing volume and a physical disk of the node
	// cannot be attached, because Proxmox lets only root attach them, and destroys a volume with the VM that has it. The name of a
	// disk is its serial number in the guest, as `lsblk -o PATH,SERIAL` shows it. The name identifies a disk, so the order does not
	// matter. Adding a disk to an existing VM takes effect at once. If you remove a disk from the list, the VM keeps it. If you
	// attach a disk by hand in Proxmox, the provider detaches it when a disk of the claim changes, and Proxmox keeps it as unused.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=16
	// +kubebuilder:validation:XValidation:rule="self.all(d, !has(d.mountPath) || self.exists_one(o, has(o.mountPath) && o.mountPath == d.mountPath))",message="two disks have the same mountPath"
	Disks []Disk `json:"disks,omitempty"`

	// nics are additional network interfaces, in the guest's order (eth1, eth2, ...). Add new interfaces at the end, because
	// the position identifies an interface. Adding or removing an interface of an existing VM takes effect at once.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=7
	NICs []NIC `json:"nics,omitempty"`

	// firewall is the VM's own firewall in Proxmox: which connections from outside reach the guest. It has an effect only if the firewall of
	// the datacenter is on, too (Datacenter, Firewall, Options), which the function cannot see. Default: the catalogue's defaults.firewall of the
	// day on which the VM was made; else none, the VM's firewall stays as it is, also that of an adopted VM. It needs provider-proxmox-bpg v1.9.1 or later. Every change takes effect at once,
	// and the VM keeps running; what the guest could be reached at and cannot be any more is a risk for lifecycle.approval.
	// +optional
	Firewall *Firewall `json:"firewall,omitempty"`

	// vga is the VM's display. Default: std; an adopted VM keeps its own.
	// +optional
	VGA VGA `json:"vga,omitempty"`

	// notes are shown in Proxmox beside the VM, before a line that names the claim. Proxmox reads them as Markdown. You can change them at
	// any time.
	// Example: "Owner: Ada. Runbook: https://wiki.home.arpa/dns"
	// +optional
	// +kubebuilder:validation:MaxLength=4096
	Notes string `json:"notes,omitempty"`

	// ha has the HA manager of Proxmox VE keep the VM running, and start it on another node if its node fails. All that the VM reads of
	// storage must be on datastores that the catalogue lists as sharedDatastores of the site: its disks, its cloud-init drive, its snippets
	// and its installation medium. The VM then stays on whatever node HA has moved it to, also if proxmox.node names another one. Adding and
	// removing ha takes effect at once, and neither stops nor starts the VM. Default: none.
	// Example: {enabled: true}
	// +optional
	HA *HighAvailability `json:"ha,omitempty"`

	// devices are devices of the node that are passed through to the VM, by the names of Proxmox resource mappings.
	// +optional
	Devices Devices `json:"devices,omitempty"`

	// firmware is the VM's firmware and chipset. Default: the image's, else BIOS on q35. A cloned VM has its template's EFI disk
	// and TPM, and an adopted VM keeps its own: leave firmware out, or repeat these values. Changing it does not change an
	// existing VM; only a new VM gets the new values.
	// +optional
	Firmware *Firmware `json:"firmware,omitempty"`

	// lifecycle requests actions on an existing VM: a power cycle, a retry, a replacement.
	// +optional
	Lifecycle Lifecycle `json:"lifecycle,omitempty"`

	// rollout makes the machine one of a group whose machines restart in waves: a restart, a replacement or a move of the VM that the claim or
	// the catalogue asks for waits until all machines of the group in lower waves are finished. Default: the machine waits for nobody. Adding,
	// changing and removing it does not change the VM. If you remove it, what waits begins.
	// Example: {group: edge, wave: 2}
	// +optional
	Rollout *MachineRollout `json:"rollout,omitempty"`

	// adopt adopts an existing VM in two steps. First the provider only reads the VM, and status.adoption lists what the
	// adoption would change. Then you set approve, and the provider adopts the VM. If the VM does not exist, the provider
	// creates nothing. The guest is not configured again: image, bootstrap, nix and k3s change nothing in it. After the
	// adoption, deletionPolicy applies to the VM. adopt has no effect if the machine already has a VM.
	// +optional
	Adopt *Adopt `json:"adopt,omitempty"`

	// runsCrossplane says that Crossplane, or the cluster that it runs in, is on this machine. Nobody could start the VM again once it is
	// stopped, so that the function never stops it: a change that needs a power cycle waits until you restart the VM in Proxmox, and
	// a replacement is refused. To have the VM power-cycled in spite of that, set lifecycle.force. For the only server of a cluster whose
	// Nodes are read with observe: Here the function knows it without this field. Default: false. You can change it at any time; the VM
	// does not change.
	// Example: true
	// +optional
	RunsCrossplane bool `json:"runsCrossplane,omitempty"`

	// deletionProtection prevents the deletion of the claim until you set it to false: to delete a protected machine takes two commits.
	// It is not Proxmox's own option "protection", which the function leaves off. Default: the catalogue's
	// defaults.deletionProtection, else true for a machine with data disks or runsCrossplane and for a K3s server, if deletionPolicy is
	// Delete. You can change it at any time; the VM does not change.
	// +optional
	DeletionProtection *bool `json:"deletionProtection,omitempty"`

	// protection is the former spelling of deletionProtection. It has the same effect, with a warning; the next release refuses it.
	// +optional
	Protection *bool `json:"protection,omitempty" former:"deletionProtection"`

	// bootstrap is the machine's first configuration, which cloud-init applies on the first boot. An edit does not change an
	// existing VM: condition BootstrapCurrent and status.bootstrap report it. Exception: if Proxmox generates the user-data,
	// adminUser and sshAuthorizedKeys change at the next power cycle.
	// +optional
	Bootstrap Bootstrap `json:"bootstrap,omitempty"`
}

// A Size overrides single values of a sizing class.
type Size struct {
	// cores is the number of virtual CPU cores, 1 to 1024. Default: the class's. Changing it takes effect at the VM's next
	// power cycle.
	// Example: 2
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1024
	Cores *int64 `json:"cores,omitempty"`

	// memory is the VM's memory, 128 MiB to 2 TiB, in whole MiB: 4Gi, 4096Mi, or 4096 (a number without a unit is MiB).
	// Default: the class's. Changing it takes effect at the VM's next power cycle.
	// Example: 4Gi
	// +optional
	Memory Quantity `json:"memory,omitempty"`

	// memoryFloor is the memory that the VM keeps while its node is short of memory: Proxmox takes back what lies between memoryFloor and
	// memory (ballooning), if the guest has the balloon driver, as all Linux kernels have. Units are those of memory; it is at most memory.
	// Default: none, the VM keeps all of its memory; an adopted VM keeps its own. Changing it takes effect at the VM's next power cycle.
	// Example: 2Gi
	// +optional
	MemoryFloor Quantity `json:"memoryFloor,omitempty"`

	// cpuType is the type of the processor that the guest sees: host has all features of the node's processor, but such a VM can move
	// only to nodes with the same processor; x86-64-v2-AES, x86-64-v3 and others, as Proxmox lists them, are older ones that more nodes
	// have; custom-<name> is one of your own. Default: the class's, else x86-64-v2-AES; an adopted VM keeps its own. Changing it takes
	// effect at the VM's next power cycle.
	// Example: host
	// +optional
	// +kubebuilder:validation:MaxLength=71
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^[A-Za-z0-9][A-Za-z0-9_-]*$')`,message="must be a CPU type of Proxmox, such as host or x86-64-v3, or custom-<name>"
	CPUType string `json:"cpuType,omitempty"`

	// disk is the size of the boot disk, 1 GiB to 100 TiB, in whole GiB: 30Gi, or 30 (a number without a unit is GiB).
	// Default: the class's. A larger value takes effect at once; a smaller value does not change an existing VM.
	// Example: 30Gi
	// +optional
	Disk Quantity `json:"disk,omitempty"`
}

// A Startup is a VM's position in the start and stop order of its node.
type Startup struct {
	// order is the position: lower numbers start first and stop last.
	// Example: 1
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=1000000
	Order *int64 `json:"order,omitempty"`

	// upDelaySeconds is the time in seconds that the node waits after starting this VM, before it starts the next VM.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=86400
	UpDelaySeconds *int64 `json:"upDelaySeconds,omitempty"`

	// downDelaySeconds is the time in seconds that the node waits for this VM to shut down.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=86400
	DownDelaySeconds *int64 `json:"downDelaySeconds,omitempty"`
}

// A Nix machine converges automatically from a flake in Git.
type Nix struct {
	// flakeRef names a flake and a configuration in it: git+https://host/repo?ref=main#name, git+ssh://git@host/repo#name,
	// github:owner/repo#name or gitlab:owner/repo#name. It must not contain a password. Default of #name: the host name. The
	// machine reads it from /etc/nix-flake-target. Changing it does not change an existing VM.
	// Example: git+https://git.home.arpa/infra#dns01
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=512
	FlakeRef string `json:"flakeRef"`

	// schedule is a systemd calendar expression: the times at which the machine checks for a new revision, in the machine's time
	// zone or in the one that the expression ends with (Sat 04:00 America/New_York). Default: none, the machine converges once, on
	// its first boot. Changing it does not change an existing VM.
	// Example: daily
	// +optional
	// +kubebuilder:validation:MaxLength=128
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^[A-Za-z0-9*:/,.~_+ -]*$')`,message="must be a calendar expression of systemd, such as daily or Sat 04:00 America/New_York"
	Schedule string `json:"schedule,omitempty"`

	// reboot says when the machine may reboot itself after converging: Never, if kernel or initrd changed (Kernel), or after
	// every new revision (Always). Changing it does not change an existing VM. The former spellings never, kernel and always have the
	// same effect; the next release refuses them.
	// Example: Kernel
	// +optional
	// +kubebuilder:default=Never
	// +kubebuilder:validation:Enum=Never;Kernel;Always;never;kernel;always
	Reboot string `json:"reboot,omitempty"`

	// healthCheck is a shell command that runs after the activation of a new revision. If it fails, the machine returns to the
	// previous revision. Changing it does not change an existing VM.
	// Example: systemctl is-active unbound
	// +optional
	// +kubebuilder:validation:MaxLength=1024
	HealthCheck string `json:"healthCheck,omitempty"`
}
