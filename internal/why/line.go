package why

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/homelab-io/function-proxmox-machine/internal/claim"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// A Line is one machine, cluster, container or site in a list of them. Texts of the cluster are shown as [message.Excerpt] shows them.
type Line struct {
	Namespace string    `json:"namespace,omitempty"` // Of the claim; empty for a composite that belongs to no namespace.
	Kind      string    `json:"kind"`
	Name      string    `json:"name"`
	Phase     string    `json:"phase"` // The function's word; Deleting, Paused, Waiting or Ready where it has none.
	Node      string    `json:"node,omitempty"`
	VMID      int64     `json:"vmId,omitempty"` // Of the VM or the container; 0 without one.
	Address   string    `json:"address,omitempty"`
	Created   time.Time `json:"created,omitzero"`
	Waits     []Wait    `json:"waits,omitempty"` // What is not as it should be, the cause first. Empty where nobody has to do or to await anything.
}

// A Wait is a condition that is not as it should be.
type Wait struct {
	Condition string    `json:"condition"`
	Status    string    `json:"status"`
	Reason    string    `json:"reason,omitempty"`
	Since     time.Time `json:"since,omitzero"`
	Message   string    `json:"message,omitempty"` // In the function's words; a list has lines.
	Todo      string    `json:"todo,omitempty"`    // Empty where the message says what to do, and where there is nothing to do.
}

// The phases of what has none of its own, or whose own no longer counts.
const (
	phaseDeleting = "Deleting"
	PhasePaused   = "Paused" // It has [proxmox.PausedAnnotation].
	phaseWaiting  = "Waiting"
	phaseReady    = "Ready"
)

// Lines are those of the claims and namespaced composites among objects, and of the nodes that a claim's cluster composes, sorted by namespace, kind and
// name. The composite of a claim that is not among them is shown as
// the claim.
func Lines(objects []unstructured.Unstructured) []Line {
	out, composites := []Line{}, []Line{}

	for _, o := range objects {
		group, _, _ := strings.Cut(o.GetAPIVersion(), "/")
		if group != "homelab.io" || !slices.Contains(claim.Kinds(), strings.TrimPrefix(o.GetKind(), "X")) {
			continue
		}

		if l := LineOf(o); claimed(o) {
			composites = append(composites, l)
		} else {
			out = append(out, l)
		}
	}

	for _, c := range composites {
		if !slices.ContainsFunc(out, func(l Line) bool { return l.Namespace == c.Namespace && l.Kind == c.Kind && l.Name == c.Name }) {
			out = append(out, c)
		}
	}

	slices.SortFunc(out, func(a, b Line) int {
		return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(order(a.Kind), order(b.Kind)), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Name, b.Name))
	})

	return out
}

// claimed says whether an object is the composite of a claim. A node that a claim's cluster composes has the claim's labels, too.
func claimed(o unstructured.Unstructured) bool {
	composed := o.GetAnnotations()["crossplane.io/composition-resource-name"] != ""

	return strings.HasPrefix(o.GetKind(), "X") && !composed && o.GetLabels()["crossplane.io/claim-name"] != ""
}

// order of a kind among the others.
func order(kind string) int {
	return slices.Index(claim.Kinds(), strings.TrimPrefix(kind, "X"))
}

// LineOf a claim or a composite.
func LineOf(o unstructured.Unstructured) Line {
	text := func(path ...string) string {
		s, _, _ := unstructured.NestedString(o.Object, path...)

		return message.Excerpt(s)
	}

	id, _, _ := unstructured.NestedFieldNoCopy(o.Object, "status", "vmId")

	out := Line{
		Namespace: message.Excerpt(cmp.Or(o.GetNamespace(), o.GetLabels()["crossplane.io/claim-namespace"])),
		Kind:      message.Excerpt(o.GetKind()), Name: message.Excerpt(o.GetName()), Node: text("status", "node"),
		Address: cmp.Or(text("status", "primaryAddress"), text("spec", "endpoint")), VMID: whole(id), Created: o.GetCreationTimestamp().Time,
	}

	if claimed(o) {
		out.Kind, out.Name = strings.TrimPrefix(out.Kind, "X"), message.Excerpt(o.GetLabels()["crossplane.io/claim-name"])
	}

	all := conditions(o)
	for _, c := range told(unwell(all)) {
		out.Waits = append(out.Waits, Wait{
			Condition: c.kind, Status: c.status, Reason: c.reason, Since: c.since, Message: c.message,
			Todo: end(todoOf(c)),
		})
	}

	switch {
	case o.GetDeletionTimestamp() != nil:
		out.Phase = phaseDeleting
	case proxmox.IsPaused(o.GetAnnotations()):
		out.Phase = PhasePaused
	case text("status", "phase") != "":
		out.Phase = text("status", "phase")
	case len(out.Waits) > 0 || len(all) == 0:
		out.Phase = phaseWaiting
	default:
		out.Phase = phaseReady
	}

	return out
}

// whole is a number as JSON and YAML have it; 0 for anything else.
func whole(v any) int64 {
	switch n := v.(type) {
	case int64:
		return n
	case float64:
		return int64(n)
	default:
		return 0
	}
}
