package proxmox

// Annotations that remember, on a managed resource, what cannot be seen in it.
const (
	// BootstrapHashAnnotation is the hash of the bootstrap data that a VM was made with.
	BootstrapHashAnnotation = "homelab.io/bootstrap-hash"
	// ReplaceTriggersAnnotation lists the words of spec.lifecycle.replace that led to a VM, the last one its own.
	ReplaceTriggersAnnotation = "homelab.io/replace-tokens"
	// ReplacingAnnotation marks a VM whose place is about to be taken, for the other servers of its K3s cluster to see. It
	// holds the word that asks for it.
	ReplacingAnnotation = "homelab.io/replacing"
	// CandidateAnnotation marks a VM that is to take the place of another and was not ready yet.
	CandidateAnnotation = "homelab.io/candidate"
	// RebootTriggersAnnotation lists the words of spec.lifecycle.reboot that were followed.
	RebootTriggersAnnotation = "homelab.io/reboot-tokens"
	// RebootPendingAnnotation holds what a running VM still has of what was changed since it started, by field, as JSON.
	RebootPendingAnnotation = "homelab.io/reboot-pending"
	// StoppedForAnnotation marks a VM that was stopped to run again, and says what for.
	StoppedForAnnotation = "homelab.io/stopped-for"
	// AdoptedAnnotation marks a VM that was made by somebody else and taken over.
	AdoptedAnnotation = "homelab.io/adopted"
	// SearchedFromAnnotation is the first number of a range that was looked at.
	SearchedFromAnnotation = "homelab.io/looked-from"
	// SeenInCheckAnnotation marks a VM that was looked at and that the provider has not seen since: what it reports is of the look.
	SeenInCheckAnnotation = "homelab.io/looked"
	// CreatingAnnotation marks a VM that the provider may create, and may neither change nor delete before it has been seen to be the
	// VM that the provider created. It holds the provider's mark of the creation before; see [CreationOf].
	CreatingAnnotation = "homelab.io/creating"
	// FirstStartAnnotation marks a VM that was created, and has not run yet.
	FirstStartAnnotation = "homelab.io/first-start"
	// ResumedAnnotation is the time at which the provider began to make something that it was stopped in the middle of.
	ResumedAnnotation = "homelab.io/resumed"
	// PausedByAnnotation names the error that paused a resource, as a row of package diagnose.
	PausedByAnnotation = "homelab.io/paused-by"
	// PausedForAnnotation is the hash of the claim and the manifest that an error paused a resource for.
	PausedForAnnotation = "homelab.io/paused-for"
	// PausedAnnotation stops the provider's work on a resource, deletion included.
	PausedAnnotation = "crossplane.io/paused"
)

// Annotations of the provider's reconciler: when it began to create something last, and when that failed last.
const (
	CreatePendingAnnotation = "crossplane.io/external-create-pending"
	CreateFailedAnnotation  = "crossplane.io/external-create-failed"
)

// Labels of managed resources.
const (
	MachineLabel = "homelab.io/machine" // The claim's name.
	RoleLabel    = "homelab.io/role"
	ClusterLabel = "homelab.io/k3s-cluster"
	K3sRoleLabel = "homelab.io/k3s-role"
	VMIDLabel    = "homelab.io/vm-id" // VMs only: the number in Proxmox.
	// NamespaceLabel is the claim's namespace.
	NamespaceLabel = "homelab.io/namespace"
)

// CompositeLabel is Crossplane's own, on everything that it composes: the composite's name.
const CompositeLabel = "crossplane.io/composite"
