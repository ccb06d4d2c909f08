package proxmox

import (
	"strconv"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"
)

// HAResourceKind is the kind of an entry of Proxmox's HA manager.
const HAResourceKind = "EnvironmentHaresource"

// An HAState is what the HA manager is asked to do with a VM (Proxmox VE's ha-resources-opts, ha-manager.adoc).
type HAState string

// The states. There are two more: enabled is another word for started, and disabled, for error recovery, is for people.
const (
	// HAStarted: the HA manager keeps the VM running, and starts it elsewhere if its node fails.
	HAStarted HAState = "started"
	// HAStopped: the HA manager keeps the VM stopped, and moves it if its node fails.
	HAStopped HAState = "stopped"
	// HAIgnored: the HA manager does not touch the VM, and Proxmox's API starts and stops it directly. In any other state, a call of the API
	// that starts or stops the VM changes the requested state of the HA manager, in place of starting or stopping.
	HAIgnored HAState = "ignored"
)

// An HAResource has Proxmox's HA manager manage one VM.
type HAResource = Resource[HAResourceParameters]

// HAResourceParameters of an [HAResource].
type HAResourceParameters struct {
	ResourceID string  `json:"resourceId"` // As vm:101.
	State      HAState `json:"state"`
	// MaxRestart and MaxRelocate are always written: Proxmox stores no default, and the provider would see a difference.
	MaxRestart  int64 `json:"maxRestart"`
	MaxRelocate int64 `json:"maxRelocate"`

	HAKept
}

// HAKept is what an entry has that no claim says, and that the provider would take away where it is not written: the entry had it before its VM's claim
// had ha.
type HAKept struct {
	Comment string `json:"comment,omitempty"`
	// Group of Proxmox VE 8. Proxmox VE 9 has rules in place of groups, which are not the entry's, and which the provider cannot write.
	Group    string `json:"group,omitempty"`
	Failback *bool  `json:"failback,omitempty"` // Since Proxmox VE 9.
}

// An ObservedHAResource is an [HAResource] as it was found.
type ObservedHAResource = Observed[HAResourceParameters, HAResourceObservation]

// HAResourceObservation is what the provider reports of an entry of the HA manager.
type HAResourceObservation struct {
	ID    string  `json:"id"`
	State HAState `json:"state"`

	HAKept
}

// LooksForHA says whether the provider only looks whether the HA manager has the VM already, or may do no more with its entry.
func LooksForHA(o ObservedHAResource) bool { return OnlyObserves(o.Spec.ManagementPolicies) }

// notInHA is what the plugin says of an entry that it is to read and that does not exist (bpg v0.111.1, fwprovider/cluster/ha/resource_haresource.go).
const notInHA = "HA resource not found"

// HAHasNone says whether the provider has looked for the entry of a VM, and there is none.
func HAHasNone(o ObservedHAResource) bool {
	c := o.Condition(ConditionSynced)

	return o.Absent() || c.IsFalse() && o.Fresh(ConditionSynced) && strings.Contains(c.Message, notInHA)
}

// KeptOfHA is what the entry keeps: what it was written with, or, where the provider has only looked at it, what it was found with.
func KeptOfHA(o ObservedHAResource) HAKept {
	if !LooksForHA(o) {
		return o.Spec.ForProvider.HAKept
	}

	return o.Status.AtProvider.HAKept
}

// haPrefix begins the composed resource name of an HA resource; the composed resource name of its VM follows.
const haPrefix = "ha-"

// HAResourceOf is the composed resource name of the HA resource of a VM, by the VM's composed resource name.
func HAResourceOf(vm string) string { return haPrefix + vm }

// VMOfHAResource is the opposite of [HAResourceOf].
func VMOfHAResource(name string) string { return strings.TrimPrefix(name, haPrefix) }

// NewHAResource makes the managed resource of the HA manager's entry for a VM. Its external name is set from the start, so that the provider finds
// an entry which exists already.
func NewHAResource(apiVersion string, ref ProviderConfigRef, m Metadata, d Deletion, vm int64, p HAResourceParameters) HAResource {
	p.ResourceID = "vm:" + strconv.FormatInt(vm, 10)

	if m.Annotations == nil {
		m.Annotations = map[string]string{}
	}

	m.Annotations[ExternalNameAnnotation] = p.ResourceID

	return HAResource{
		APIVersion: apiVersion, Kind: HAResourceKind, Metadata: m,
		Spec: Spec[HAResourceParameters]{ManagementPolicies: Policies(d), ProviderConfigRef: ref, ForProvider: p},
	}
}

// ObserveHAResource reads an HA resource.
func ObserveHAResource(object *structpb.Struct) (ObservedHAResource, error) {
	return observe[HAResourceParameters, HAResourceObservation](object)
}

// LetsStop says whether the HA manager leaves a VM alone that is stopped: the provider was told so, and has seen it at its last poll. An entry that
// could never be made keeps nothing running.
func LetsStop(o ObservedHAResource) bool {
	quiet := func(s HAState) bool { return s == HAIgnored || s == HAStopped || s == "disabled" }

	switch at := o.Status.AtProvider; {
	case LooksForHA(o) && HAHasNone(o):
		return true
	case !quiet(o.Spec.ForProvider.State):
		return false
	case at.ID == "" && !o.Is(ConditionReady):
		return o.Condition(ConditionSynced).IsFalse() && o.Fresh(ConditionSynced) && !o.Working()
	default:
		return quiet(at.State)
	}
}
