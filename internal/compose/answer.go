package compose

import (
	"google.golang.org/protobuf/types/known/structpb"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/crossplane/function-sdk-go/errors"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/object"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/status"
	"github.com/homelab-io/function-proxmox-machine/internal/structcodec"
)

// say events of composite and claim.
func say(rsp *fnv1.RunFunctionResponse, events []status.Event) {
	for _, e := range events {
		severity := fnv1.Severity_SEVERITY_NORMAL
		if e.Warning {
			severity = fnv1.Severity_SEVERITY_WARNING
		}

		rsp.Results = append(rsp.Results, &fnv1.Result{
			Severity: severity, Message: e.Message, Reason: &e.Reason, Target: fnv1.Target_TARGET_COMPOSITE_AND_CLAIM.Enum(),
		})
	}
}

// desire managed resources by composed resource name, with whether each is ready.
func desire(rsp *fnv1.RunFunctionResponse, manifests map[string]proxmox.Manifest, ready map[string]bool) {
	for name, m := range manifests {
		is := fnv1.Ready_READY_FALSE
		if ready[name] {
			is = fnv1.Ready_READY_TRUE
		}

		rsp.Desired.Resources[name] = &fnv1.Resource{Resource: m, Ready: is}
	}
}

// desireAsItIs what exists, by composed resource name, without a word of whether it is ready.
func desireAsItIs(rsp *fnv1.RunFunctionResponse, manifests map[string]proxmox.Manifest) {
	for name, m := range manifests {
		rsp.Desired.Resources[name] = &fnv1.Resource{Resource: m}
	}
}

// setStatus of the composite: what was seen, as a struct for JSON, and applied, a spec of any kind, which has no type. Crossplane takes nothing else of a
// desired composite.
func setStatus(req *fnv1.RunFunctionRequest, rsp *fnv1.RunFunctionResponse, seen any, applied v1alpha1.AppliedSpec) error {
	s, err := structcodec.EncodeAs(seen, statusOf(req), structcodec.Text{})
	if err != nil {
		return errors.Wrap(err, "cannot write status")
	}

	if applied != nil {
		spec, err := structpb.NewStruct(applied)
		if err != nil {
			return errors.Wrap(err, "cannot write status.appliedSpec")
		}

		s.Fields["appliedSpec"] = structpb.NewStructValue(spec)
	}

	addStatus(req, rsp, s)

	return nil
}

// addStatus to what earlier steps of the pipeline wrote.
func addStatus(req *fnv1.RunFunctionRequest, rsp *fnv1.RunFunctionResponse, s *structpb.Struct) {
	observed := req.GetObserved().GetComposite().GetResource().GetFields()

	desired := rsp.GetDesired().GetComposite().GetResource().GetFields()
	desired["apiVersion"] = observed["apiVersion"]
	desired["kind"] = observed["kind"]

	// The status fields of earlier steps stay, except those that the function writes itself.
	for k, v := range desired["status"].GetStructValue().GetFields() {
		if _, ours := s.GetFields()[k]; !ours {
			s.Fields[k] = v
		}
	}

	desired["status"] = structpb.NewStructValue(s)
}

func setCondition(rsp *fnv1.RunFunctionResponse, c status.Condition) {
	status := fnv1.Status_STATUS_CONDITION_UNKNOWN

	switch c.Status {
	case metav1.ConditionTrue:
		status = fnv1.Status_STATUS_CONDITION_TRUE
	case metav1.ConditionFalse:
		status = fnv1.Status_STATUS_CONDITION_FALSE
	case metav1.ConditionUnknown:
	}

	rsp.Conditions = append(rsp.Conditions, &fnv1.Condition{
		Type: c.Type, Status: status, Reason: c.Reason, Message: &c.Message, Target: fnv1.Target_TARGET_COMPOSITE_AND_CLAIM.Enum(),
	})
}

// addObjects of provider-kubernetes, by composed resource name.
func addObjects[M any](to map[string]proxmox.Manifest, objects map[string]object.Of[M]) error {
	for name, o := range objects {
		m, err := object.ManifestOf(o)
		if err != nil {
			return errors.Wrapf(err, "cannot write composed resource %q", name)
		}

		to[name] = m
	}

	return nil
}
