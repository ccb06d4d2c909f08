package v1alpha1

import (
	claims "github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
)

// An Image is the source of a boot disk: exactly one of url, volume and template.
type Image struct {
	// url of a cloud image in qcow2, raw or vmdk format, not compressed; or, for a Container, of a container template: a .tar.gz, .tar.xz or .tar.zst
	// file. Its content must not change: use the URL of a fixed release.
	// +optional
	URL string `json:"url,omitempty"`

	// fileName on the datastore, with the extension .qcow2, .raw, .vmdk or .img, or that of a container template. The function inserts a hash of URL and checksum, so that
	// a new URL never uses an old file, and renames .img to .qcow2 for Proxmox. Default: the last part of the URL.
	// +optional
	// +kubebuilder:validation:MaxLength=200
	// +kubebuilder:validation:Pattern=`^[A-Za-z0-9_][A-Za-z0-9._+-]*$`
	FileName string `json:"fileName,omitempty"`

	// keepFileName keeps fileName without a hash, for a file that you placed on the nodes. Default: false.
	// +optional
	KeepFileName bool `json:"keepFileName,omitempty"`

	// checksum as algorithm:hexadecimal; the node checks it after the download. The algorithm is md5, sha1, sha224, sha256, sha384 or
	// sha512. Default: not checked.
	// +optional
	// +kubebuilder:validation:Pattern=`^(md5|sha1|sha224|sha256|sha384|sha512):[0-9a-fA-F]+$`
	Checksum string `json:"checksum,omitempty"`

	// volume on the node's storage, as storage:type/file: local:import/x.qcow2 is imported as the boot disk, local:iso/x.iso is inserted
	// into the CD drive of a VM with an empty disk.
	// +optional
	Volume string `json:"volume,omitempty"`

	// template is the VMID of a template, of which the provider makes a full clone.
	// Example: 9000
	// +optional
	// +kubebuilder:validation:Minimum=100
	// +kubebuilder:validation:Maximum=999999999
	Template int64 `json:"template,omitempty"`

	// templateNode is the node of the template. Default: the machine's node.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?$`
	TemplateNode string `json:"templateNode,omitempty"`

	// templateDisk is the interface of the template's boot disk, such as virtio0, as qm config shows it. Default: scsi0.
	// +optional
	// +kubebuilder:validation:Pattern=`^(scsi([0-9]|[12][0-9]|30)|virtio([0-9]|1[0-5])|sata[0-5]|ide[0-3])$`
	TemplateDisk string `json:"templateDisk,omitempty"`

	// os is the guest's family. Default: linux, for an installer other.
	// +optional
	// +kubebuilder:validation:Enum=debian;ubuntu;nixos;linux;windows;other
	OS string `json:"os,omitempty"`

	// cloudInit says that the image reads a cloud-init drive. Default: true, for an installer false.
	// +optional
	CloudInit *bool `json:"cloudInit,omitempty"`

	// guestAgent says that the image contains the QEMU guest agent. Default: false, for NixOS true.
	// +optional
	GuestAgent *bool `json:"guestAgent,omitempty"`

	// convergeUnit says that a NixOS image contains nix-gitops-apply.service. Default: false.
	// +optional
	ConvergeUnit bool `json:"convergeUnit,omitempty"`

	// firmware is the firmware that the image needs.
	// +optional
	Firmware *claims.Firmware `json:"firmware,omitempty"`

	// disk is the minimum size of the boot disk. For a template, not smaller than the template's disk.
	// +optional
	Disk claims.Quantity `json:"disk,omitempty"`
}
