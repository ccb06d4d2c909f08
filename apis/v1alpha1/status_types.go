package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// A Phase is the life of a machine in one word.
type Phase string

// The phases of a machine.
const (
	// PhasePending: the VM waits for its snippets or its image.
	PhasePending Phase = "Pending"
	// PhaseCreating: the provider is making the VM.
	PhaseCreating Phase = "Creating"
	// PhaseStarting: the VM exists, and does not run yet or has no address yet.
	PhaseStarting Phase = "Starting"
	// PhaseRunning: the VM runs as asked.
	PhaseRunning Phase = "Running"
	// PhaseStopped: the VM is stopped as asked.
	PhaseStopped Phase = "Stopped"
	// PhaseAdopting: the VM to take over is looked at, or waits for its approval.
	PhaseAdopting Phase = "Adopting"
	// PhaseReplacing: a new VM is made in the place of this one.
	PhaseReplacing Phase = "Replacing"
	// PhaseFailed: the provider reports an error; the conditions say which.
	PhaseFailed Phase = "Failed"
)

// A Status is the machine that was found, and the decisive figures of the spec that were rendered for it.
type Status struct {
	// conditions of the machine. docs/conditions.md lists them all.
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`

	// phase is the machine's life in one word: Pending, Creating, Adopting, Starting, Running, Stopped, Replacing or Failed.
	// +optional
	Phase Phase `json:"phase,omitempty"`

	// vmId is the VM's number in Proxmox.
	// +optional
	VMID *int64 `json:"vmId,omitempty"`

	// node is the Proxmox node that the VM is on.
	// +optional
	Node string `json:"node,omitempty"`

	// primaryAddress is the address of the first network interface, IPv4 before IPv6. The last one known is kept while the
	// guest agent is away.
	// +optional
	PrimaryAddress string `json:"primaryAddress,omitempty"`

	// addresses are all addresses of the machine's own interfaces. The last ones known are kept while the guest agent is
	// away.
	// +optional
	// +listType=atomic
	Addresses []string `json:"addresses,omitempty"`

	// class is the sizing class that was rendered.
	// +optional
	Class string `json:"class,omitempty"`

	// size is what class and size came to.
	// +optional
	Size *ResolvedSize `json:"size,omitempty"`

	// image is the image that was asked for.
	// +optional
	Image string `json:"image,omitempty"`

	// hostname is the full host name that was rendered.
	// +optional
	Hostname string `json:"hostname,omitempty"`

	// power is the power that was asked for.
	// +optional
	Power Power `json:"power,omitempty"`

	// k3sVersion is the K3s release that was rendered.
	// +optional
	K3sVersion string `json:"k3sVersion,omitempty"`

	// bootstrap tells the bootstrap data that the VM was made with from the data that its claim describes now.
	// +optional
	Bootstrap *BootstrapStatus `json:"bootstrap,omitempty"`

	// pendingReboot are the changes that take effect at the VM's next power cycle.
	// +optional
	// +listType=atomic
	PendingReboot []string `json:"pendingReboot,omitempty"`

	// adoption is what taking over the VM of spec.adopt would do.
	// +optional
	Adoption *AdoptionStatus `json:"adoption,omitempty"`

	// replacement is the VM that takes the place of this one.
	// +optional
	Replacement *ReplacementStatus `json:"replacement,omitempty"`

	// appliedSpec repeats the spec as the machine last was ready with it, field by field. It differs from the spec while an
	// edit is refused, held back or on its way; for GitOps tools to compare.
	// +optional
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:validation:Type=object
	// +kubebuilder:pruning:PreserveUnknownFields
	AppliedSpec AppliedSpec `json:"appliedSpec,omitempty"`
}

// An AppliedSpec holds fields of a spec as they were written.
//
// +kubebuilder:object:generate=false
type AppliedSpec map[string]any

// DeepCopy makes an independent copy.
func (a AppliedSpec) DeepCopy() AppliedSpec { return runtime.DeepCopyJSON(a) }

// DeepCopyInto copies into out.
func (a AppliedSpec) DeepCopyInto(out *AppliedSpec) { *out = a.DeepCopy() }

// An AdoptionStatus is what taking over a VM would do. Lists are empty where nothing of their kind would happen.
type AdoptionStatus struct {
	// vmId is the VM's number.
	// +optional
	VMID int64 `json:"vmId,omitempty"`

	// name of the VM in Proxmox.
	// +optional
	Name string `json:"name,omitempty"`

	// node that the VM is on.
	// +optional
	Node string `json:"node,omitempty"`

	// plan identifies all of this. As spec.adopt.approve it takes the VM over.
	// +optional
	Plan string `json:"plan,omitempty"`

	// changes take effect at once.
	// +optional
	// +listType=atomic
	Changes []string `json:"changes,omitempty"`

	// reboots take effect at the VM's next power cycle, which nothing here causes by surprise.
	// +optional
	// +listType=atomic
	Reboots []string `json:"reboots,omitempty"`

	// refused are not made: the VM keeps what it has.
	// +optional
	// +listType=atomic
	Refused []string `json:"refused,omitempty"`
}

// A ReplacementStatus is the VM that takes the place of another.
type ReplacementStatus struct {
	// token is spec.lifecycle.replace that asked for it.
	// +optional
	Token string `json:"token,omitempty"`

	// vmId is the new VM's number, once it has one.
	// +optional
	VMID *int64 `json:"vmId,omitempty"`

	// node that the new VM is on, or is made on.
	// +optional
	Node string `json:"node,omitempty"`
}

// A ResolvedSize is a machine's size in plain numbers.
type ResolvedSize struct {
	// cores of the VM.
	// +optional
	Cores int64 `json:"cores,omitempty"`

	// memoryMiB is the VM's memory in MiB.
	// +optional
	MemoryMiB int64 `json:"memoryMiB,omitempty"`

	// diskGiB is the size of the boot disk in GiB.
	// +optional
	DiskGiB int64 `json:"diskGiB,omitempty"`
}

// A BootstrapStatus identifies bootstrap data by hash.
type BootstrapStatus struct {
	// hash of the bootstrap data that the VM was made with, or will be made with.
	// +optional
	Hash string `json:"hash,omitempty"`

	// pendingHash of the bootstrap data that the claim describes now, where it differs. Only a new VM will have it.
	// +optional
	PendingHash string `json:"pendingHash,omitempty"`
}
