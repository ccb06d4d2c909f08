package observe

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/homelab-io/function-proxmox-machine/internal/diagnose"
)

// A Condition of a machine, for its composite and its claim. Its message holds no time and no text of the provider, so
// the same state gives the same message.
type Condition struct {
	Type    string
	Status  metav1.ConditionStatus // "True", "False" or "Unknown".
	Reason  string
	Message string
}

// An Event is a transition that a person may want to see in `kubectl describe`.
type Event struct {
	Warning bool
	Reason  string
	Message string
}

// The types of conditions, in the order in which they are returned. Ready, Synced, Healthy, UpToDate and Responsive are
// not among them: Crossplane sets those itself and drops what a function says of them.
const (
	// TypeSpecValid says whether the current spec was understood. It is the one condition of a run that failed, and
	// the one by which Flux sees an update that failed.
	TypeSpecValid = "SpecValid"
	// TypeMachineReady says whether the VM runs, or is stopped, as asked.
	TypeMachineReady = "MachineReady"
	// TypeBootstrapCurrent says whether the VM was made with the bootstrap data that its claim describes now.
	TypeBootstrapCurrent = "BootstrapCurrent"
	// TypeReplacementRequired says whether the claim asks for what only a new VM can have.
	TypeReplacementRequired = "ReplacementRequired"
	// TypeProviderHealthy says whether the provider reports an error of any of the machine's managed resources.
	TypeProviderHealthy = "ProviderHealthy"
)

// Reasons of [TypeSpecValid]. ValidationFailed and ConfigurationError are reasons of [TypeProviderHealthy], too.
const (
	// ReasonValid: the spec was understood, and everything that it needs was rendered.
	ReasonValid = "Valid"
	// ReasonValidationFailed: the claim holds a value that cannot be, or the provider refuses one.
	ReasonValidationFailed = diagnose.ClassValidationFailed
	// ReasonConfigurationError: the claim is in order, and what it relies on is not: catalogue, Input, ProviderConfig,
	// datastore, image or template.
	ReasonConfigurationError = diagnose.ClassConfigurationError
)

// Reasons of [TypeMachineReady].
const (
	// ReasonRunning (True): the VM runs as asked, and its address is known where a guest agent can tell it.
	ReasonRunning = "Running"
	// ReasonStopped (True): the VM is stopped as asked.
	ReasonStopped = "Stopped"
	// ReasonWaitingForToken: the VM is not made before the Secret with its K3s token is there.
	ReasonWaitingForToken = "WaitingForToken"
	// ReasonWaitingForSnippets: the VM is not made before its cloud-init snippets are on the node.
	ReasonWaitingForSnippets = "WaitingForSnippets"
	// ReasonWaitingForImage: the VM is not made before its cloud image is on the node.
	ReasonWaitingForImage = "WaitingForImage"
	// ReasonCreating: the provider makes the VM.
	ReasonCreating = "Creating"
	// ReasonStarting: the VM is there, and is to be started.
	ReasonStarting = "Starting"
	// ReasonStopping: the VM runs, and is to be stopped.
	ReasonStopping = "Stopping"
	// ReasonWaitingForAddress: the VM runs, and its guest agent has not reported an address of its interfaces yet.
	ReasonWaitingForAddress = "WaitingForAddress"
	// ReasonDeleting: somebody deleted the managed resource of the VM while its claim lives.
	ReasonDeleting = "Deleting"
)

// Reasons of [TypeBootstrapCurrent].
const (
	// ReasonCurrent (True): the VM was made, or will be made, with what the claim describes.
	ReasonCurrent = "Current"
	// ReasonNotFrozen (True): nothing of the VM's bootstrap is fixed when it is made.
	ReasonNotFrozen = "NotFrozen"
	// ReasonBootstrapChanged (False): the claim describes other bootstrap data than the VM was made with.
	ReasonBootstrapChanged = "BootstrapChanged"
	// ReasonTokenSecretMissing (Unknown): without the Secret of its K3s token nobody can tell.
	ReasonTokenSecretMissing = "TokenSecretMissing"
)

// Reasons of [TypeReplacementRequired].
const (
	// ReasonNotRequired (False): the VM can follow its claim.
	ReasonNotRequired = "NotRequired"
	// ReasonImmutableFieldChanged (True): the claim changes what a VM cannot change while it lives.
	ReasonImmutableFieldChanged = "ImmutableFieldChanged"
)

// Reasons of [TypeProviderHealthy]: the classes of provider errors, beside [ReasonValidationFailed] and
// [ReasonConfigurationError].
const (
	// ReasonNoError (True): the provider reports no error.
	ReasonNoError = diagnose.ClassNoError
	// ReasonNetworkError: Proxmox, or a server with an image, cannot be reached.
	ReasonNetworkError = diagnose.ClassNetworkError
	// ReasonAuthenticationError: Proxmox or a node refuses the provider's credentials, or they lack a privilege.
	ReasonAuthenticationError = diagnose.ClassAuthenticationError
	// ReasonQuotaExceeded: a datastore or a node is full.
	ReasonQuotaExceeded = diagnose.ClassQuotaExceeded
	// ReasonNodeUnhealthy: a node, a datastore or the Proxmox cluster is not in working order.
	ReasonNodeUnhealthy = diagnose.ClassNodeUnhealthy
	// ReasonBusy: Proxmox or the provider is occupied with something else.
	ReasonBusy = diagnose.ClassBusy
	// ReasonImmutableChange: the managed resource differs from the VM in what cannot change.
	ReasonImmutableChange = diagnose.ClassImmutableChange
	// ReasonTainted: making the VM failed half way, and the provider touches it no more.
	ReasonTainted = diagnose.ClassTainted
	// ReasonRebootRequired: a change needs the VM to be stopped and started, which is never done by surprise.
	ReasonRebootRequired = diagnose.ClassRebootRequired
	// ReasonProtected: the VM is protected in Proxmox and cannot be deleted.
	ReasonProtected = diagnose.ClassProtected
	// ReasonPaused: somebody paused the managed resource.
	ReasonPaused = diagnose.ClassPaused
	// ReasonProviderError: any other error of the provider. Also a reason of [TypeMachineReady]: an error keeps the
	// machine from becoming ready.
	ReasonProviderError = diagnose.ClassProviderError
)

// Reasons of events. An error of the provider has its class for a reason, a replacement [TypeReplacementRequired] and a
// changed bootstrap [ReasonBootstrapChanged].
const (
	// EventVMCreated: the VM has a number in Proxmox.
	EventVMCreated = "VMCreated"
	// EventBecameReady: the machine became ready, for the first time or after a start.
	EventBecameReady = "BecameReady"
	// EventProviderRecovered: the provider reports no error any more.
	EventProviderRecovered = "ProviderRecovered"
)

// status of a condition that is a plain yes or no.
func status(yes bool) metav1.ConditionStatus {
	if yes {
		return metav1.ConditionTrue
	}

	return metav1.ConditionFalse
}
