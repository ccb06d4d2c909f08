package compose

// The response is written without the SDK's response package: it would bring client-go into a binary that never talks to
// an API server.

import (
	"maps"
	"time"

	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/crossplane/function-sdk-go/errors"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/render"
	"github.com/homelab-io/function-proxmox-machine/internal/status"
)

// ttl is how long Crossplane may keep an answer. It calls again after it, or earlier if an observed resource changes.
const ttl = time.Minute

// newResponse passes on what earlier steps of the pipeline wrote. Every part that the function writes to exists.
func newResponse(req *fnv1.RunFunctionRequest) *fnv1.RunFunctionResponse {
	rsp := &fnv1.RunFunctionResponse{
		Meta:    &fnv1.ResponseMeta{Tag: req.GetMeta().GetTag(), Ttl: durationpb.New(ttl)},
		Desired: req.GetDesired(),
		Context: req.GetContext(),
	}

	if rsp.GetDesired() == nil {
		rsp.Desired = &fnv1.State{}
	}

	if rsp.GetDesired().GetResources() == nil {
		rsp.Desired.Resources = map[string]*fnv1.Resource{}
	}

	if rsp.GetDesired().GetComposite() == nil {
		rsp.Desired.Composite = &fnv1.Resource{}
	}

	if rsp.GetDesired().GetComposite().GetResource().GetFields() == nil {
		rsp.Desired.Composite.Resource = &structpb.Struct{Fields: map[string]*structpb.Value{}}
	}

	return rsp
}

// respond writes managed resources, status, conditions and events into the response, beside what earlier steps of the pipeline
// wrote there.
func (c *call) respond(plan *lifecycle.Plan, rendered render.Result, seen status.Output) error {
	rsp, desired := c.rsp, rendered.Desired

	manifests, err := manifestsOf(desired, readIn(c.req))
	if err != nil {
		return err
	}

	desire(rsp, manifests, seen.Ready)

	applied := seen.Status.AppliedSpec
	seen.Status.AppliedSpec = nil

	if err := setStatus(c.req, rsp, &seen.Status, applied); err != nil {
		return err
	}

	beside, err := c.protect(plan)
	if err != nil {
		return err
	}

	if err := errors.Join(c.writeObjects(rendered), claimer{c}.write(rendered, plan), recorder{c}.write(seen.Records)); err != nil {
		return err
	}

	for _, condition := range seen.Conditions {
		setCondition(rsp, condition)
	}

	c.answerCluster()

	if c.input.Explain {
		addObjectSteps(beside, rendered, plan)
		addAddressClaimSteps(beside, rendered, plan)
		addDNSRecordSteps(beside, seen.Records, plan)
		steps := steps(plan, desired, beside, seen.Conditions)
		explain(rsp, plan, steps)
		c.explanation = explanation(plan, steps)
		explainClaim(rsp, plan.Machine)
	}

	say(rsp, seen.Events)

	// Files may be ready before the VM is rendered: Crossplane would then report the composite as ready for a moment.
	if _, ok := desired.VMs[plan.Roles.Active]; !ok {
		rsp.GetDesired().GetComposite().Ready = fnv1.Ready_READY_FALSE
	}

	return nil
}

// retain everything that exists, while Crossplane still fetches what the call needs.
func (c vmCall) retain() error {
	manifests, err := manifestsOf(render.Retain(c.call.facts.Observed), readIn(c.call.req))
	if err != nil {
		return err
	}

	is := c.call.facts.Objects
	err = errors.Join(addObjects(manifests, render.RetainObjects(is.Observed)), addObjects(manifests, render.RetainObjects(is.Jobs)),
		addObjects(manifests, render.RetainObjects(plansOfNode(is))), addObjects(manifests, render.RetainObjects(zonesOfNode(is))))
	if err != nil {
		return err
	}

	usages, err := keptUsages(c.call.req.GetObserved().GetResources())
	if err != nil {
		return err
	}

	maps.Copy(manifests, usages)

	for name, o := range c.call.facts.AddressClaims.Observed {
		if manifests[name], err = render.RetainAddressClaim(o).Manifest(); err != nil {
			return errors.Wrapf(err, "cannot keep composed resource %q", name)
		}
	}

	desireAsItIs(c.call.rsp, manifests)

	return recorder(c).retain()
}

// readIn a request, by composed resource name: what is there of each.
func readIn(req *fnv1.RunFunctionRequest) proxmox.Read {
	return func(name string) *structpb.Struct { return req.GetObserved().GetResources()[name].GetResource() }
}

// manifestsOf managed resources, by composed resource name.
func manifestsOf(d proxmox.Desired, read proxmox.Read) (map[string]proxmox.Manifest, error) {
	out := make(map[string]proxmox.Manifest, len(d.VMs)+len(d.Files)+len(d.DownloadFiles)+len(d.HAResources))
	err := errors.Join(proxmox.AddManifests(out, d.VMs, read), proxmox.AddManifests(out, d.Files, read), proxmox.AddManifests(out, d.DownloadFiles, read),
		proxmox.AddManifests(out, d.HAResources, read), proxmox.AddManifests(out, d.Firewalls.Options, read), proxmox.AddManifests(out, d.Firewalls.Rules, read))

	return out, err
}

// fail makes the response a failure. The claim gets the error as a condition, the composite's events as a fatal result.
func fail(rsp *fnv1.RunFunctionResponse, err error) {
	text := err.Error()

	var invalid *invalidError
	if errors.As(err, &invalid) {
		setCondition(rsp, invalid.of.Invalid(invalid.errs))
	} else {
		setCondition(rsp, status.OfMachine.Failed(err))

		text = message.Text(text)
	}

	rsp.Results = append(rsp.Results, &fnv1.Result{
		Severity: fnv1.Severity_SEVERITY_FATAL, Message: text, Target: fnv1.Target_TARGET_COMPOSITE.Enum(),
	})
}

// legible makes every message of a response one that can be shown: names and values in it are other people's.
func legible(rsp *fnv1.RunFunctionResponse) {
	for _, c := range rsp.GetConditions() {
		show := message.Text

		// Faults have a line each.
		if c.GetType() == status.TypeSpecValid {
			show = message.Lines
		}

		c.Message = new(show(c.GetMessage()))
	}

	for _, r := range rsp.GetResults() {
		show := message.Text
		if r.GetSeverity() == fnv1.Severity_SEVERITY_FATAL || r.GetReason() == status.ReasonCatalogueEntryMissing {
			show = message.Lines
		}

		r.Message = show(r.GetMessage())
	}
}
