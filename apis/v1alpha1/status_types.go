package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// A Phase summarises the state of a machine.
type Phase string

// The phases of a machine.
const (
	// PhasePending: the VM waits for its snippets or its image.
	PhasePending Phase = "Pending"
	// PhaseCreating: the provider is creating the VM, and starts it for the first time.
	PhaseCreating Phase = "Creating"
	// PhaseStarting: the VM exists, but does not run yet or has no address yet.
	PhaseStarting Phase = "Starting"
	// PhaseRunning: the VM runs, as requested.
	PhaseRunning Phase = "Running"
	// PhaseStopped: the VM is stopped, as requested.
	PhaseStopped Phase = "Stopped"
	// PhaseAdopting: the provider checks or adopts the VM of spec.adopt, or the adoption waits for an approval.
	PhaseAdopting Phase = "Adopting"
	// PhaseReplacing: a new VM is replacing this one.
	PhaseReplacing Phase = "Replacing"
	// PhaseFailed: the provider reports an error; the conditions name it.
	PhaseFailed Phase = "Failed"
)

// A Status is the observed machine, and the most important rendered values.
type Status struct {
	// conditions are the machine's conditions. docs/conditions.md explains them.
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`

	// phase summarises the machine's state: Pending, Creating, Adopting, Starting, Running, Stopped, Replacing or Failed.
	// +optional
	Phase Phase `json:"phase,omitempty"`

	// vmId is the VMID, as soon as the VM exists.
	// +optional
	VMID *int64 `json:"vmId,omitempty"`

	// node is the VM's current Proxmox node.
	// +optional
	Node string `json:"node,omitempty"`

	// placement is the Proxmox node that the function chose for the VM, and why. It is empty if the claim names the node, or if the
	// catalogue has no memory of the site's nodes and the claim neither avoid nor spread. It does not change while the VM is on this node.
	// +optional
	Placement *PlacementStatus `json:"placement,omitempty"`

	// primaryAddress is the address of the first network interface, IPv4 before IPv6. While the guest agent does not answer, it is
	// the last known address.
	// +optional
	PrimaryAddress string `json:"primaryAddress,omitempty"`

	// addresses are all addresses of the VM's own interfaces. While the guest agent does not answer, they are the last known
	// addresses.
	// +optional
	// +listType=atomic
	Addresses []string `json:"addresses,omitempty"`

	// class is the rendered sizing class.
	// +optional
	Class string `json:"class,omitempty"`

	// size is the result of spec.class and spec.size.
	// +optional
	Size *ResolvedSize `json:"size,omitempty"`

	// image is the image of the VM.
	// +optional
	Image string `json:"image,omitempty"`

	// hostname is the rendered fully qualified host name.
	// +optional
	Hostname string `json:"hostname,omitempty"`

	// power is the requested power state.
	// +optional
	Power Power `json:"power,omitempty"`

	// k3sVersion is the K3s release that the VM was, or will be, created with. Empty if you adopted the VM, or if a snippet of your
	// own installs K3s.
	// +optional
	K3sVersion string `json:"k3sVersion,omitempty"`

	// kubernetes is the machine's Kubernetes Node, if the catalogue observes the K3s cluster.
	// +optional
	Kubernetes *KubernetesStatus `json:"kubernetes,omitempty"`

	// bootstrap identifies the VM's bootstrap data, and the bootstrap data that the claim describes now.
	// +optional
	Bootstrap *BootstrapStatus `json:"bootstrap,omitempty"`

	// pendingReboot lists the changes that take effect at the VM's next power cycle.
	// +optional
	// +listType=atomic
	PendingReboot []string `json:"pendingReboot,omitempty"`

	// refused lists the changes that the VM cannot follow: it keeps its values, and only a new VM has those of the claim.
	// +optional
	// +listType=atomic
	Refused []string `json:"refused,omitempty"`

	// plan is what an edit does to the VM, while it waits for approval (lifecycle.approval), and until what was approved is done.
	// +optional
	Plan *PlanStatus `json:"plan,omitempty"`

	// rollout is how far the machine is among those of its group (spec.rollout). The other machines of the group read it.
	// +optional
	Rollout *WaveStatus `json:"rollout,omitempty"`

	// adoption lists what the adoption of the VM of spec.adopt would change.
	// +optional
	Adoption *AdoptionStatus `json:"adoption,omitempty"`

	// replacement is the new VM that is replacing this one.
	// +optional
	Replacement *ReplacementStatus `json:"replacement,omitempty"`

	// nix is what the guest of a machine with spec.nix reports of its last convergence, by the name of a network link. It is as old as the
	// provider's last poll, 10 minutes by default, and missing while the guest reports nothing.
	// +optional
	Nix *NixStatus `json:"nix,omitempty"`

	// nixFileSystems are, for a NixOS machine, the entries of fileSystems that mount the disks with a mountPath: add them to the
	// machine's configuration in the flake. The function neither formats nor mounts disks on NixOS.
	// +optional
	// +listType=atomic
	NixFileSystems []string `json:"nixFileSystems,omitempty"`

	// appliedSpec is the spec that the machine was last ready with. It differs from spec while an edit is refused or not applied
	// yet, so that GitOps tools can compare the two.
	// +optional
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:validation:Type=object
	// +kubebuilder:pruning:PreserveUnknownFields
	AppliedSpec AppliedSpec `json:"appliedSpec,omitempty"`
}

// An AppliedSpec has the fields of a spec, as the user wrote them.
//
// +kubebuilder:object:generate=false
type AppliedSpec map[string]any

// DeepCopy makes an independent copy.
func (a AppliedSpec) DeepCopy() AppliedSpec { return runtime.DeepCopyJSON(a) }

// DeepCopyInto copies into out.
func (a AppliedSpec) DeepCopyInto(out *AppliedSpec) { *out = a.DeepCopy() }

// A PlacementStatus is the function's choice of a node.
type PlacementStatus struct {
	// node is the Proxmox node that the function chose.
	// +optional
	Node string `json:"node,omitempty"`

	// reason is why it chose the node, in one sentence, with the memory that the nodes had left then.
	// +optional
	Reason string `json:"reason,omitempty"`
}

// A PlanEffect is what an edit does to an existing VM.
//
// +kubebuilder:validation:Enum=Reboot;Stop;Move;Replace;Close;Refuse;Change
type PlanEffect string

// A PlanStatus is what an edit does to an existing VM.
type PlanStatus struct {
	// hash identifies this plan. Copy it into spec.lifecycle.approve to approve the plan.
	// +optional
	Hash string `json:"hash,omitempty"`

	// effects of the plan. Reboot: the VM is power-cycled. Stop: it is stopped. Move: it moves to another node. Replace: a new VM replaces it.
	// Close: its firewall drops what reached the guest before. Refuse: it cannot make a change, and keeps its value. Change: it only changes in other ways.
	// +optional
	// +listType=atomic
	Effects []PlanEffect `json:"effects,omitempty"`

	// changes are what happens after the approval, in sentences.
	// +optional
	// +listType=atomic
	Changes []string `json:"changes,omitempty"`
}

// A WaveStatus is how far a machine, or a container, is among those of its group.
type WaveStatus struct {
	// state of the machine or the container. Finished: it is as claim and catalogue describe it, and nothing waits. Unfinished: it is not, and does not wait
	// for another wave. Waiting: it waits for others of its group. Announced: it is its turn, and it begins with one of the next calls of the
	// function. Begun: the VM or the container restarts, moves or is replaced, and is not back.
	// +optional
	State WaveState `json:"state,omitempty"`

	// waitsFor are the names of the machines or containers that this one waits for. Condition RolloutFinished has the reasons.
	// +optional
	// +listType=atomic
	WaitsFor []string `json:"waitsFor,omitempty"`

	// revision is rollout.revision of the spec that the state is about.
	// +optional
	Revision string `json:"revision,omitempty"`

	// claim is a hash of the spec that the state is about: with Begun, the spec with which the machine began.
	// +optional
	Claim string `json:"claim,omitempty"`

	// catalogue is a hash of the catalogue that the state is about, in the same way.
	// +optional
	Catalogue string `json:"catalogue,omitempty"`

	// bootId is the boot ID that the Kubernetes Node of a K3s node had when a restart began, where Nodes are read: the machine is back when its
	// Node has another one and is Ready.
	// +optional
	BootID string `json:"bootId,omitempty"`
}

// An AdoptionStatus is the plan of an adoption. A list is empty if there are no changes of its kind.
type AdoptionStatus struct {
	// vmId is the VMID.
	// +optional
	VMID int64 `json:"vmId,omitempty"`

	// name is the name of the VM in Proxmox.
	// +optional
	Name string `json:"name,omitempty"`

	// node is the VM's node.
	// +optional
	Node string `json:"node,omitempty"`

	// plan identifies this plan. Copy it into spec.adopt.approve to approve the adoption.
	// +optional
	Plan string `json:"plan,omitempty"`

	// changes are the changes that take effect at once after the approval.
	// +optional
	// +listType=atomic
	Changes []string `json:"changes,omitempty"`

	// reboots are the changes that take effect at the VM's next power cycle, which you request separately.
	// +optional
	// +listType=atomic
	Reboots []string `json:"reboots,omitempty"`

	// refused are the changes that are not made: the VM keeps its values.
	// +optional
	// +listType=atomic
	Refused []string `json:"refused,omitempty"`
}

// A ReplacementStatus is the candidate VM of a replacement.
type ReplacementStatus struct {
	// token is the value of spec.lifecycle.replace that triggered the replacement.
	// +optional
	Token string `json:"token,omitempty"`

	// vmId is the new VM's VMID, as soon as it is known.
	// +optional
	VMID *int64 `json:"vmId,omitempty"`

	// node is the new VM's node.
	// +optional
	Node string `json:"node,omitempty"`
}

// A NixOutcome is what a convergence came to.
//
// +kubebuilder:validation:Enum=Applied;RebootPending;Held;Failed;RolledBack
type NixOutcome string

// A NixStatus is what a NixOS machine reports of its last convergence.
type NixStatus struct {
	// revision is the first six digits of the Git commit: the one that was applied last or, with the outcomes Failed and RolledBack, the one
	// that was tried. Empty if the guest knows none.
	// +optional
	Revision string `json:"revision,omitempty"`

	// outcome of the last run. Applied: the machine runs and boots the revision. RebootPending: it has to reboot to run all of it. Held: a file
	// in the guest keeps it as it is. Failed: it runs what it ran before. RolledBack: it rejected the revision and runs what it ran before.
	// +optional
	Outcome NixOutcome `json:"outcome,omitempty"`
}

// A ResolvedSize is a machine's size as plain numbers.
type ResolvedSize struct {
	// cores is the number of CPU cores of the VM.
	// +optional
	Cores int64 `json:"cores,omitempty"`

	// memoryMiB is the VM's memory in MiB.
	// +optional
	MemoryMiB int64 `json:"memoryMiB,omitempty"`

	// diskGiB is the size of the boot disk in GiB.
	// +optional
	DiskGiB int64 `json:"diskGiB,omitempty"`
}

// A KubernetesStatus is a machine's Kubernetes Node.
type KubernetesStatus struct {
	// name is the name of the Node.
	// +optional
	Name string `json:"name,omitempty"`

	// joined is true if there is a Node of this name, and it is this machine's.
	// +optional
	Joined bool `json:"joined"`

	// ready is true if the machine's Node is Ready.
	// +optional
	Ready bool `json:"ready"`

	// version is the K3s release of the node, as its kubelet reports it.
	// +optional
	Version string `json:"version,omitempty"`

	// roles are the node's roles, for instance control-plane and etcd.
	// +optional
	// +listType=atomic
	Roles []string `json:"roles,omitempty"`
}

// A BootstrapStatus identifies bootstrap data by hash.
type BootstrapStatus struct {
	// hash identifies the bootstrap data that the VM was created with, or will be created with.
	// +optional
	Hash string `json:"hash,omitempty"`

	// pendingHash identifies the bootstrap data that the claim describes now, if it differs. Only a new VM gets it.
	// +optional
	PendingHash string `json:"pendingHash,omitempty"`
}
