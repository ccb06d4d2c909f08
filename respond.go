package main

import (
	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crossplane/function-sdk-go/errors"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/response"

	"github.com/homelab-io/function-proxmox-machine/internal/observe"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/render"
)

// newResponse passes on what earlier steps of the pipeline wrote. Every part that we write to is there.
func newResponse(req *fnv1.RunFunctionRequest) *fnv1.RunFunctionResponse {
	rsp := response.To(req, response.DefaultTTL)

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

// respond writes what was rendered and seen into the response, beside what earlier steps of the pipeline put there.
func respond(req *fnv1.RunFunctionRequest, rsp *fnv1.RunFunctionResponse, rendered render.Result, seen observe.Output) error {
	for name, manifest := range rendered.Manifests {
		ready := fnv1.Ready_READY_FALSE
		if seen.Ready[name] {
			ready = fnv1.Ready_READY_TRUE
		}

		if err := setDesired(rsp, name, manifest, ready); err != nil {
			return err
		}
	}

	if err := setStatus(req, rsp, seen); err != nil {
		return err
	}

	for _, c := range seen.Conditions {
		setCondition(rsp, c)
	}

	for _, e := range seen.Events {
		r := response.Normal
		if e.Warning {
			r = func(rsp *fnv1.RunFunctionResponse, m string) *response.ResultOption {
				return response.Warning(rsp, errors.New(m))
			}
		}

		r(rsp, e.Message).WithReason(e.Reason).TargetCompositeAndClaim()
	}

	// Files may be ready while the VM is still to be rendered: without a word the machine would be ready for a moment.
	if _, ok := rendered.Manifests[render.VMName]; !ok {
		rsp.GetDesired().GetComposite().Ready = fnv1.Ready_READY_FALSE
	}

	return nil
}

func setDesired(rsp *fnv1.RunFunctionResponse, name string, m proxmox.Manifest, ready fnv1.Ready) error {
	s, err := structpb.NewStruct(m)
	if err != nil {
		return errors.Wrapf(err, "cannot write composed resource %q", name)
	}

	rsp.Desired.Resources[name] = &fnv1.Resource{Resource: s, Ready: ready}

	return nil
}

// setStatus writes the composite's status. Crossplane takes nothing else of a desired composite.
func setStatus(req *fnv1.RunFunctionRequest, rsp *fnv1.RunFunctionResponse, seen observe.Output) error {
	status, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&seen.Status)
	if err != nil {
		return errors.Wrap(err, "cannot convert status")
	}

	s, err := structpb.NewStruct(status)
	if err != nil {
		return errors.Wrap(err, "cannot write status")
	}

	observed := req.GetObserved().GetComposite().GetResource().GetFields()

	desired := rsp.GetDesired().GetComposite().GetResource().GetFields()
	desired["apiVersion"] = observed["apiVersion"]
	desired["kind"] = observed["kind"]

	if existing := desired["status"].GetStructValue(); existing != nil {
		for k, v := range s.GetFields() {
			existing.Fields[k] = v
		}

		return nil
	}

	desired["status"] = structpb.NewStructValue(s)

	return nil
}

func setCondition(rsp *fnv1.RunFunctionResponse, c observe.Condition) {
	set := response.ConditionUnknown

	switch c.Status {
	case "True":
		set = response.ConditionTrue
	case "False":
		set = response.ConditionFalse
	}

	set(rsp, c.Type, c.Reason).WithMessage(c.Message).TargetCompositeAndClaim()
}

// keep answers while Crossplane still looks for what we need: everything that exists stays as it is.
func keep(rsp *fnv1.RunFunctionResponse, s proxmox.State) error {
	manifests, err := render.Keep(s)
	if err != nil {
		return errors.Wrap(err, "cannot keep composed resources")
	}

	for name, m := range manifests {
		if err := setDesired(rsp, name, m, fnv1.Ready_READY_UNSPECIFIED); err != nil {
			return err
		}
	}

	return nil
}

// An invalidError is a spec that was not understood.
type invalidError struct{ errs field.ErrorList }

func (e *invalidError) Error() string { return e.errs.ToAggregate().Error() }

// fail makes the response a failure. A condition says on the claim what the fatal result says in the composite's events.
func fail(rsp *fnv1.RunFunctionResponse, err error) {
	var invalid *invalidError
	if errors.As(err, &invalid) {
		setCondition(rsp, observe.Invalid(invalid.errs))
	} else {
		setCondition(rsp, observe.Failed(err))
	}

	response.Fatal(rsp, err)
}
