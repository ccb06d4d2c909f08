package compose

import (
	"maps"
	"slices"

	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/util/validation/field"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/tenancy"
)

// An announcement of what a machine which exists is to have.
type announcement struct {
	resource   string // The composed resource name.
	annotation string
	value      string
}

// announcements are the annotations that announce.
func announcements() []string { return []string{proxmox.GrowsAnnotation, proxmox.BringsAnnotation} }

// has says whether an annotation announces; nothing does without an announcement.
func (a *announcement) has(annotation string) bool { return a != nil && a.annotation == annotation }

// write the announcement into a response that has the resource.
func (a *announcement) write(rsp *fnv1.RunFunctionResponse) {
	if a == nil {
		return
	}

	metadata := metadataOf(rsp.GetDesired().GetResources()[a.resource].GetResource())
	if metadata == nil {
		return
	}

	if metadata["annotations"].GetStructValue().GetFields() == nil {
		metadata["annotations"] = structpb.NewStructValue(&structpb.Struct{Fields: map[string]*structpb.Value{}})
	}

	metadata["annotations"].GetStructValue().GetFields()[a.annotation] = structpb.NewStringValue(a.value)
}

// An announcer announces to which size a machine grows, and which addresses an edit brings, and takes that back where the edit is refused. Calls of one moment
// do not see what the others are answered: an edit is carried out only after what it asks for was there for the others to see, and yields to what they have
// announced.
type announcer struct {
	call *call
	kind kind
}

// answers says whether the faults of a call are about what has to be announced, or about what was, and is another one's now. A fatal result would change no
// announcement.
func (c announcer) answers(errs field.ErrorList) bool {
	announces := func(err *field.Error) bool { return err.Origin == tenancy.OriginAnnounced }
	refused := func(err *field.Error) bool { return !ofTenant(err) }

	return len(errs) > 0 && (!slices.ContainsFunc(errs, func(err *field.Error) bool { return !announces(err) }) ||
		!slices.ContainsFunc(errs, refused) && c.hasAnnounced())
}

// hasAnnounced says whether something of the machine announces.
func (c announcer) hasAnnounced() bool {
	for _, r := range c.call.req.GetObserved().GetResources() {
		for _, annotation := range announcements() {
			if annotationsOf(r)[annotation] != nil {
				return true
			}
		}
	}

	return false
}

// answer with everything as it is but the announcement.
func (c announcer) answer(refused *invalidError) error {
	if err := c.kind.retain(); err != nil {
		return err
	}

	rsp := c.call.rsp

	announces := refused.errs[0].Origin == tenancy.OriginAnnounced

	for _, r := range rsp.GetDesired().GetResources() {
		for _, annotation := range announcements() {
			// Who announces a size after its addresses keeps announcing these.
			if !announces || c.call.announces.has(annotation) {
				delete(annotationsOf(r), annotation)
			}
		}
	}

	if announces {
		c.call.announces.write(rsp)
	} else {
		setCondition(rsp, refused.of.Invalid(refused.errs))
		rsp.Results = append(rsp.Results, &fnv1.Result{
			Severity: fnv1.Severity_SEVERITY_WARNING, Message: refused.Error(), Target: fnv1.Target_TARGET_COMPOSITE.Enum(),
		})
	}

	c.keepStatus()

	return nil
}

// keepStatus of the composite, and its readiness. Crossplane removes what a response leaves out, and keeps conditions.
func (c announcer) keepStatus() {
	was := maps.Clone(statusOf(c.call.req).GetFields())
	ready := fnv1.Ready_READY_FALSE

	for _, v := range was["conditions"].GetListValue().GetValues() {
		if of := v.GetStructValue().GetFields(); of["type"].GetStringValue() == "Ready" && of["status"].GetStringValue() == "True" {
			ready = fnv1.Ready_READY_TRUE
		}
	}

	// These are Crossplane's.
	for _, name := range []string{"conditions", "connectionDetails", "claimConditionTypes", "crossplane"} {
		delete(was, name)
	}

	if was == nil {
		was = map[string]*structpb.Value{}
	}

	addStatus(c.call.req, c.call.rsp, &structpb.Struct{Fields: was})
	c.call.rsp.Desired.Composite.Ready = ready
}

// annotationsOf a resource; nil for one without.
func annotationsOf(r *fnv1.Resource) map[string]*structpb.Value {
	return metadataOf(r.GetResource())["annotations"].GetStructValue().GetFields()
}
