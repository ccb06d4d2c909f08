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

// A growth is to be announced.
type growth struct {
	resource     string // The composed resource name.
	announcement string
}

// announce the growth in a response that has the resource.
func (g growth) announce(rsp *fnv1.RunFunctionResponse) {
	metadata := metadataOf(rsp.GetDesired().GetResources()[g.resource].GetResource())
	if metadata == nil {
		return
	}

	if metadata["annotations"].GetStructValue().GetFields() == nil {
		metadata["annotations"] = structpb.NewStructValue(&structpb.Struct{Fields: map[string]*structpb.Value{}})
	}

	metadata["annotations"].GetStructValue().GetFields()[proxmox.GrowsAnnotation] = structpb.NewStringValue(g.announcement)
}

// A grower announces to which size a machine grows, and takes that back where there is no room for it. Calls of one moment do not see what the others are
// answered: a machine grows only after what it grows to was there for the others to see, and counts what they have announced.
type grower struct {
	call *call
	kind kind
}

// answers says whether the faults of a call are about a growth alone: one that has to be announced, or one that was, and for which there is no room now. A
// fatal result would change no announcement.
func (c grower) answers(errs field.ErrorList) bool {
	of := func(origin string) bool {
		return len(errs) > 0 && !slices.ContainsFunc(errs, func(err *field.Error) bool { return err.Origin != origin })
	}

	return of(tenancy.OriginGrowth) || of(tenancy.OriginQuota) && len(c.announcements()) > 0
}

// announcements are the composed resource names of what has announced to grow.
func (c grower) announcements() (out []string) {
	for name, r := range c.call.req.GetObserved().GetResources() {
		if annotationsOf(r)[proxmox.GrowsAnnotation] != nil {
			out = append(out, name)
		}
	}

	return out
}

// answer with everything as it is but the announcement.
func (c grower) answer(refused *invalidError) error {
	if err := c.kind.retain(); err != nil {
		return err
	}

	rsp := c.call.rsp

	for _, name := range c.announcements() {
		delete(annotationsOf(rsp.GetDesired().GetResources()[name]), proxmox.GrowsAnnotation)
	}

	if refused.errs[0].Origin == tenancy.OriginGrowth {
		c.call.growth.announce(rsp)
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
func (c grower) keepStatus() {
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
