package cluster

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/claim"
	"github.com/homelab-io/function-proxmox-machine/internal/status"
)

// Annotations of a node, in which the cluster remembers what it did.
const (
	TemplateAnnotation  = "homelab.io/cluster-template"
	TurnAnnotation      = "homelab.io/cluster-turn"
	JoinedAnnotation    = "homelab.io/cluster-joined"
	RequestedAnnotation = "homelab.io/cluster-requested"
	DataDisksAnnotation = "homelab.io/cluster-data-disks"
	AdoptedAnnotation   = "homelab.io/cluster-adopted"
)

// NameLabel is the label of a node with the name of its cluster.
const NameLabel = "homelab.io/k3scluster"

// TypeSpecObserved is the condition by which a node says which spec its other conditions are about: its message is the spec's [claim.Intent].
// Crossplane writes all conditions of a call at once. The generation that it writes beside them does not tell: it is that of the object which
// Crossplane has when the call has ended, and somebody may have changed the spec meanwhile.
const (
	TypeSpecObserved   = "SpecObserved"
	ReasonSpecObserved = "Observed"
)

// Conditions that Crossplane writes.
const (
	conditionSynced = "Synced"
	conditionReady  = "Ready"
)

// A node as it is observed, as far as a cluster reads it.
type observed struct {
	Metadata struct {
		Name              string            `json:"name"`
		Annotations       map[string]string `json:"annotations"`
		DeletionTimestamp string            `json:"deletionTimestamp"`
	} `json:"metadata"`
	Spec struct {
		Hostname string `json:"hostname"`
		// ClaimRef is that of a node which had a claim before its cluster adopted it.
		ClaimRef struct {
			Name string `json:"name"`
		} `json:"claimRef"`
		K3s struct {
			Role Role `json:"role"`
		} `json:"k3s"`
	} `json:"spec"`
	Status struct {
		Conditions     []condition                `json:"conditions"`
		AppliedSpec    map[string]any             `json:"appliedSpec"`
		VMID           *int64                     `json:"vmId"`
		Node           string                     `json:"node"`
		PrimaryAddress string                     `json:"primaryAddress"`
		Refused        []string                   `json:"refused"`
		K3sVersion     string                     `json:"k3sVersion"`
		Kubernetes     *v1alpha1.KubernetesStatus `json:"kubernetes"`
		Adoption       struct {
			Plan string `json:"plan"`
		} `json:"adoption"`
	} `json:"status"`
}

type condition struct {
	Type    string                 `json:"type"`
	Status  metav1.ConditionStatus `json:"status"`
	Reason  string                 `json:"reason"`
	Message string                 `json:"message"`
}

// Observe reads a node from its composite's content.
func Observe(composite map[string]any) (Child, error) {
	var o observed

	b, err := json.Marshal(parts(composite))
	if err == nil {
		err = json.Unmarshal(b, &o)
	}

	if err != nil {
		return Child{}, errors.Wrap(err, "cannot read the observed node")
	}

	conditions := map[string]condition{}
	for _, c := range o.Status.Conditions {
		conditions[c.Type] = c
	}

	is := func(t string) bool { return conditions[t].Status == metav1.ConditionTrue }
	annotations := o.Metadata.Annotations

	spec := claim.Written(composite)
	out := Child{
		Machine: o.Metadata.Name, Role: o.Spec.K3s.Role, Spec: spec,
		Template: annotations[TemplateAnnotation], Turn: Turn(annotations[TurnAnnotation]), Requested: requestedOf(annotations),
		Answered: is(conditionSynced) && conditions[TypeSpecObserved].Message == claim.Intent(composite),
		Joined:   annotations[JoinedAnnotation] == "true" || o.Status.AppliedSpec != nil || is(status.TypeNodeJoined),
		Ready:    is(conditionReady), Deleting: o.Metadata.DeletionTimestamp != "",
		Need: needOf(conditions), VersionChanged: conditions[status.TypeBootstrapCurrent].Reason == status.ReasonK3sVersionChanged,
		DataDisks: annotations[DataDisksAnnotation] == "true" || hasDisks(spec),
		// Whatever the cluster creates has the mark of its template. A K3sNode that Crossplane refers to already, and has not written yet, has neither.
		Adopted: annotations[AdoptedAnnotation] == "true" || annotations[TemplateAnnotation] == "",
		Restart: restartOf(conditions[status.TypeRebootPending]), Drain: conditions[status.TypeNodeDrained].Reason,
		VMID: o.Status.VMID, ProxmoxNode: o.Status.Node, Address: o.Status.PrimaryAddress, Version: o.Status.K3sVersion,
		NoBetterNode: conditions[status.TypeSpreadBroken].Reason == status.ReasonTooFewNodes,
		NodeName:     nodeName(cmp.Or(o.Spec.Hostname, o.Spec.ClaimRef.Name, o.Metadata.Name)),
	}

	if k := o.Status.Kubernetes; k != nil && k.Version != "" {
		out.Version, out.VersionSeen = k.Version, true
		out.NodeName = cmp.Or(k.Name, out.NodeName)
	}

	// The condition names the fields in which the VM's bootstrap data differ.
	if c := conditions[status.TypeBootstrapCurrent]; c.Reason == status.ReasonBootstrapChanged && !founds(spec) {
		out.Founded = strings.Contains(c.Message, "spec.k3s.init")
	}

	out.onVM(conditions)
	out.Silent = silences(out, conditions)
	out.Had = hadOf(o.Status.AppliedSpec, o.Status.Refused, out.Answered)

	if c := conditions[status.TypeRebootPending]; c.Reason == status.ReasonWaitingForQuorum {
		out.Quorum = c.Message
	}

	if r := conditions[status.TypeMachineReady].Reason; r == status.ReasonWaitingForApproval || r == status.ReasonAdoptionPlanChanged {
		out.Approve = o.Status.Adoption.Plan
	}

	out.heldBy(conditions, composite)

	return out, nil
}

// heldBy notes what keeps the node up, and why it does not take its spec. Where part of a spec is refused, the rest takes effect, and Crossplane is content.
func (c *Child) heldBy(conditions map[string]condition, composite map[string]any) {
	c.Trouble, c.Held = troubleOf(conditions), holdOf(conditions, c.Spec)

	if said := conditions[status.TypeSpecValid]; said.Status == metav1.ConditionFalse && conditions[conditionSynced].Status == metav1.ConditionFalse {
		c.Refused = said.Message
	}

	_, answered := conditions[TypeSpecObserved]
	c.Unmade = c.Refused != "" && !answered && !c.Joined && !c.Adopted && c.VMID == nil && c.Spec["adopt"] == nil && !composes(composite)
}

// composes says whether Crossplane has noted anything that was written for a composite.
func composes(composite map[string]any) bool {
	spec := group(composite, "spec")

	for _, of := range []map[string]any{spec, group(spec, "crossplane")} {
		if refs, _ := of["resourceRefs"].([]any); len(refs) > 0 {
			return true
		}
	}

	return false
}

// onVM notes what the machine's conditions say of the VM itself, and of the Proxmox node that it is on.
func (c *Child) onVM(conditions map[string]condition) {
	ready, healthy := conditions[status.TypeMachineReady], conditions[status.TypeProviderHealthy]

	switch ready.Reason {
	case status.ReasonCreating:
		c.VM = VMStateMaking
	case status.ReasonStopped:
		c.VM = VMStateStopped
	case status.ReasonRecreated:
		if c.VM = VMStateRecreated; rejoined(c.Spec, ready.Message) {
			c.VM = VMStateRejoined
		}
	}

	switch {
	case healthy.Status != metav1.ConditionFalse:
	case healthy.Reason == status.ReasonNodeUnhealthy:
		c.Provider = ProviderHostSilent
	default:
		c.Provider = ProviderTroubled
	}
}

// restartOf a node's VM, as its condition says it.
func restartOf(pending condition) Restart {
	switch {
	case pending.Status != metav1.ConditionTrue:
		return RestartNone
	case pending.Reason == status.ReasonRunsCrossplane:
		return RestartAwaitsHand
	default:
		return RestartPending
	}
}

// rejoined says whether a person has confirmed that the VM has joined the others since it was created again: its word in lifecycle.joined is the time of
// that creation, in which the API server takes no colon, and the message of the node has the same time.
func rejoined(spec map[string]any, message string) bool {
	word := text(group(spec, "lifecycle"), "joined")

	return word != "" && strings.Contains(strings.ReplaceAll(message, ":", "-"), " created it again on "+word)
}

// silences are the conditions that say that a node does not serve its cluster. Nobody reads the Nodes of a cluster without the first two.
func silences(c Child, conditions map[string]condition) (out []string) {
	for _, t := range []string{status.TypeNodeReady, status.TypeEtcdMember} {
		if is, reads := conditions[t]; reads && is.Status != metav1.ConditionTrue {
			out = append(out, t+" "+is.Reason)
		}
	}

	is := conditions[status.TypeNodeJoined]
	if c.Joined && (is.Status == metav1.ConditionFalse || is.Status == metav1.ConditionUnknown && unconfirmed(c)) {
		out = append(out, is.Type+" "+is.Reason)
	}

	return out
}

// unconfirmed says whether a server was replaced, and nobody has confirmed yet that its new VM has joined. That its VM before had joined says nothing.
func unconfirmed(c Child) bool {
	l := group(c.Spec, "lifecycle")
	replaced := text(l, "replace")

	return c.Role == v1alpha1.K3sServer && replaced != "" && l["joined"] != replaced
}

// nodeName of a machine with a host name: without its domain, as a K3sNode has it.
func nodeName(hostname string) string {
	name, _, _ := strings.Cut(hostname, ".")
	return name
}

// parts of a composite's content that may be read: without the specs, which are most of it.
func parts(composite map[string]any) map[string]any {
	out := map[string]any{"metadata": composite["metadata"]}

	if spec, ok := composite["spec"].(map[string]any); ok {
		if k, ok := spec["k3s"].(map[string]any); ok {
			out["spec"] = map[string]any{"hostname": spec["hostname"], "claimRef": spec["claimRef"], "k3s": map[string]any{"role": k["role"]}}
		}
	}

	if s, ok := composite["status"].(map[string]any); ok {
		s = maps.Clone(s)

		// Whether there is one counts, and what its VM is known by.
		if applied, ok := s["appliedSpec"].(map[string]any); ok {
			s["appliedSpec"] = map[string]any{"network": applied["network"], "proxmox": applied["proxmox"]}
		}

		out["status"] = s
	}

	return out
}

// needOf a new VM.
func needOf(conditions map[string]condition) Need {
	switch c := conditions[status.TypeReplacementRequired]; {
	case c.Status == metav1.ConditionTrue && c.Reason == status.ReasonReplacing:
		return NeedReplacing
	case c.Status == metav1.ConditionTrue && c.Reason == status.ReasonReplacementBlocked:
		return NeedBlocked
	case c.Status == metav1.ConditionTrue:
		return NeedNewVM
	}

	if c := conditions[status.TypeBootstrapCurrent]; c.Status == metav1.ConditionFalse && c.Reason == status.ReasonBootstrapChanged {
		return NeedNewVM
	}

	return NeedNothing
}

// troubleOf a node, in its own words: the reason of the condition that says why it is not ready.
func troubleOf(conditions map[string]condition) string {
	for _, t := range []string{status.TypeSpecValid, status.TypeProviderHealthy, status.TypeMachineReady} {
		if c := conditions[t]; c.Status == metav1.ConditionFalse {
			return t + " " + c.Reason
		}
	}

	if c := conditions[status.TypeReplacementRequired]; c.Reason == status.ReasonReplacementBlocked {
		return c.Reason
	}

	if c := conditions[status.TypeNodeJoined]; c.Status != "" && c.Status != metav1.ConditionTrue {
		return c.Type + " " + c.Reason
	}

	return ""
}

// handsNeeded are the reasons that only a person can end, by condition; the first that is there counts.
var handsNeeded = []struct { //nolint:gochecknoglobals // A constant table.
	condition string
	reasons   []string
}{
	{status.TypeReplacementRequired, []string{status.ReasonReplacementBlocked}},
	{status.TypeNodeDrained, []string{status.ReasonDrainBlocked, status.ReasonRunsCrossplane, status.ReasonWaitingForQuorum}},
	{status.TypeRebootPending, []string{status.ReasonRunsCrossplane}},
	{status.TypeVMIDInUse, []string{status.ReasonNumberMadeBefore}},
	{status.TypeMachineReady, []string{status.ReasonAddressInUse}},
	// The other errors of the provider come and go by themselves, or nobody knows what they are.
	{status.TypeProviderHealthy, []string{
		status.ReasonAuthenticationError, status.ReasonConfigurationError, status.ReasonImmutableChange, status.ReasonNodeUnhealthy, status.ReasonPaused,
		status.ReasonProtected, status.ReasonQuotaExceeded, status.ReasonTainted, status.ReasonValidationFailed,
	}},
}

// holdOf is what keeps a node from what was begun with it, where only a person can go on. A server that waits for its quorum waits for other servers,
// of which the cluster tells more.
func holdOf(conditions map[string]condition, spec map[string]any) Hold {
	for _, h := range handsNeeded {
		if c := conditions[h.condition]; slices.Contains(h.reasons, c.Reason) {
			return Hold{Reason: c.Reason, Message: c.Message}
		}
	}

	// The function goes on to another VMID where the claim names none.
	named := group(spec, "proxmox")["vmId"] != nil || spec["adopt"] != nil
	if c := conditions[status.TypeVMIDInUse]; named && c.Status == metav1.ConditionTrue {
		return Hold{Reason: c.Reason, Message: c.Message}
	}

	return Hold{}
}

// requestedOf are the actions that a node has taken over; none where the annotation cannot be read.
func requestedOf(annotations map[string]string) map[string]any {
	var out map[string]any

	text := annotations[RequestedAnnotation]
	if !strings.HasPrefix(text, "{") || json.Unmarshal([]byte(text), &out) != nil {
		return nil
	}

	return out
}
