package v1alpha1

// A RebootPolicy says when changes that need it may power-cycle a VM.
//
// +kubebuilder:validation:Enum=OnRequest;WhenNeeded
type RebootPolicy string

// The reboot policies.
const (
	RebootOnRequest  RebootPolicy = "OnRequest"
	RebootWhenNeeded RebootPolicy = "WhenNeeded"
)

// A Lifecycle asks for what is done to a living VM only when somebody asks for it. Its tokens are free words, for instance a
// date: a word that the machine has not seen before asks, and one that it has seen, or none, asks for nothing. So a revert
// in Git repeats nothing.
type Lifecycle struct {
	// replace asks for a new VM in the place of this one, made from what the claim says now. The old one is removed when
	// the new one is ready, as deletionPolicy says: Delete destroys it with all of its disks, data disks included; Orphan
	// leaves it stopped in Proxmox. It is stopped before the new one is made where the two cannot run side by side: fixed
	// address or MAC, devices of the node, K3s. Taking the word back before the new VM is ready ends the attempt and
	// starts the old one again. Refused for a K3s server that its cluster cannot do without.
	// Example: "2026-11-20"
	// +optional
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^[A-Za-z0-9][A-Za-z0-9._-]*$')`,message="must be a word of letters, digits, dots, _ and -, such as 2026-11-20"
	Replace string `json:"replace,omitempty"`

	// reboot asks for one power cycle of the VM: it is shut down and started again, and changes that waited for that take
	// effect. A new word acts at once.
	// Example: "2026-11-20"
	// +optional
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^[A-Za-z0-9][A-Za-z0-9._-]*$')`,message="must be a word of letters, digits, dots, _ and -, such as 2026-11-20"
	Reboot string `json:"reboot,omitempty"`

	// rebootPolicy says when changes that need a power cycle get one: OnRequest waits for reboot, or for anybody who stops
	// and starts the VM; WhenNeeded power-cycles the VM as soon as such a change is made. May be changed at any time:
	// WhenNeeded takes up at once what waits already.
	// +optional
	// +kubebuilder:default=OnRequest
	RebootPolicy RebootPolicy `json:"rebootPolicy,omitempty"`

	// retry asks for another try after an error that had the machine's managed resources paused. Any other change of the
	// claim does the same.
	// Example: "2"
	// +optional
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^[A-Za-z0-9][A-Za-z0-9._-]*$')`,message="must be a word of letters, digits, dots, _ and -, such as 2"
	Retry string `json:"retry,omitempty"`
}

// An Adopt names a VM that is in Proxmox already.
type Adopt struct {
	// vmId is the number of the VM, 100 to 999999999. Its node is found. May be changed until the VM is taken over.
	// Example: 108
	// +required
	// +kubebuilder:validation:Minimum=100
	// +kubebuilder:validation:Maximum=999999999
	VMID int64 `json:"vmId"`

	// approve is status.adoption.plan, once a person has read what stands beside it. Another plan, for instance since the
	// VM or the claim changed meanwhile, needs another approval.
	// Example: "3f9a0c71d2"
	// +optional
	// +kubebuilder:validation:MaxLength=10
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^[0-9a-f]{10}$')`,message="must be what status.adoption.plan says: ten digits and letters from a to f"
	Approve string `json:"approve,omitempty"`
}
