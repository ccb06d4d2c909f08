package v1alpha1

// A RebootPolicy says when the provider may power-cycle a VM for changes that need a power cycle.
//
// +kubebuilder:validation:Enum=OnRequest;WhenNeeded
type RebootPolicy string

// The reboot policies.
const (
	RebootOnRequest  RebootPolicy = "OnRequest"
	RebootWhenNeeded RebootPolicy = "WhenNeeded"
)

// A Lifecycle requests actions on an existing VM. The fields replace, reboot and retry are triggers: set a new value, such as
// today's date, to trigger the action once. Reused values, and removing a value, do nothing, so a revert in Git repeats nothing.
type Lifecycle struct {
	// replace triggers the replacement of the VM by a new VM, created from the current claim. The new VM starts with empty data
	// disks. When it is ready, the old VM is removed according to deletionPolicy: Delete destroys it with all its disks, data
	// disks included; Orphan leaves it in Proxmox, stopped. If the two VMs cannot run side by side (fixed address or MAC
	// address, devices of the node, K3s), the old VM is stopped before the new VM is created. To cancel, remove the value before
	// the new VM is ready: the old VM starts again. A K3s server is not replaced while its cluster needs it for quorum.
	// Example: "2026-11-20"
	// +optional
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^[A-Za-z0-9][A-Za-z0-9._-]*$')`,message="must hold only letters, digits, dots, _ and -, and start with a letter or a digit, such as 2026-11-20"
	Replace string `json:"replace,omitempty"`

	// reboot triggers one power cycle of the VM: the provider shuts the VM down and starts it again at once, and waiting
	// changes take effect.
	// Example: "2026-11-20"
	// +optional
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^[A-Za-z0-9][A-Za-z0-9._-]*$')`,message="must hold only letters, digits, dots, _ and -, and start with a letter or a digit, such as 2026-11-20"
	Reboot string `json:"reboot,omitempty"`

	// rebootPolicy says when changes that need a power cycle take effect. OnRequest waits for reboot, or for a power cycle in
	// Proxmox. WhenNeeded power-cycles the VM as soon as there is such a change. You can change it at any time: WhenNeeded
	// restarts the VM at once if changes already wait.
	// +optional
	// +kubebuilder:default=OnRequest
	RebootPolicy RebootPolicy `json:"rebootPolicy,omitempty"`

	// retry lifts the pause of managed resources that the function paused because of an error. Any other edit of the claim
	// lifts it too.
	// Example: "2"
	// +optional
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^[A-Za-z0-9][A-Za-z0-9._-]*$')`,message="must hold only letters, digits, dots, _ and -, and start with a letter or a digit, such as 2"
	Retry string `json:"retry,omitempty"`
}

// An Adopt names an existing VM in Proxmox.
type Adopt struct {
	// vmId is the VMID of the VM, 100 to 999999999. The function finds the VM's node. You can change it until the adoption.
	// Example: 108
	// +required
	// +kubebuilder:validation:Minimum=100
	// +kubebuilder:validation:Maximum=999999999
	VMID int64 `json:"vmId"`

	// approve approves the adoption: read status.adoption, then copy status.adoption.plan here. If the plan changes meanwhile,
	// because the VM or the claim changed, the new plan needs a new approval.
	// Example: "3f9a0c71d2"
	// +optional
	// +kubebuilder:validation:MaxLength=10
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^[0-9a-f]{10}$')`,message="must be the value of status.adoption.plan: ten digits and letters from a to f"
	Approve string `json:"approve,omitempty"`
}
