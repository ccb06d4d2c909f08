package provider

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
)

// call calls the function until it asks for nothing new, as Crossplane does.
func (c *Control) call(ctx context.Context) (*fnv1.RunFunctionResponse, error) {
	req, err := c.request()
	if err != nil {
		return nil, err
	}

	for range 5 {
		rsp, err := c.Function.Run(ctx, req)
		if err != nil {
			return nil, err
		}

		required, err := c.answer(rsp.GetRequirements())
		if err != nil {
			return nil, err
		}

		if maps.EqualFunc(required, req.GetRequiredResources(), func(a, b *fnv1.Resources) bool { return proto.Equal(a, b) }) {
			return rsp, nil
		}

		req.RequiredResources = required
	}

	return nil, errors.New("the function does not stop asking for more")
}

func (c *Control) request() (*fnv1.RunFunctionRequest, error) {
	resources := map[string]*fnv1.Resource{}

	for name, d := range c.composed {
		s, err := asStruct(d.observed())
		if err != nil {
			return nil, err
		}

		resources[name] = &fnv1.Resource{Resource: s}
	}

	xr, err := asStruct(c.Composite.Object)
	if err != nil {
		return nil, err
	}

	in, err := asStruct(c.Input)
	meta := &fnv1.RequestMeta{Tag: "test"}

	if !c.Old {
		meta.Capabilities = []fnv1.Capability{
			fnv1.Capability_CAPABILITY_CAPABILITIES, fnv1.Capability_CAPABILITY_REQUIRED_RESOURCES,
			fnv1.Capability_CAPABILITY_CREDENTIALS, fnv1.Capability_CAPABILITY_CONDITIONS,
		}
	}

	return &fnv1.RunFunctionRequest{
		Meta:     meta,
		Input:    in,
		Observed: &fnv1.State{Composite: &fnv1.Resource{Resource: xr}, Resources: resources},
	}, err
}

// answer finds what the function asks for, by name or by labels.
func (c *Control) answer(r *fnv1.Requirements) (map[string]*fnv1.Resources, error) {
	out := map[string]*fnv1.Resources{}
	all := c.objects()

	for name, sel := range r.GetResources() {
		out[name] = &fnv1.Resources{}

		for _, o := range all {
			if !selects(sel, o) {
				continue
			}

			s, err := asStruct(asStored(o).Object)
			if err != nil {
				return nil, err
			}

			out[name].Items = append(out[name].GetItems(), &fnv1.Resource{Resource: s})
		}
	}

	return out, nil
}

// objects are all that the API server has: what was given, and the managed resources of all composites, in the order of
// their names.
func (c *Control) objects() []unstructured.Unstructured {
	out := slices.Clone(c.Required)

	for _, other := range append([]*Control{c}, c.Neighbours...) {
		for _, name := range slices.Sorted(maps.Keys(other.composed)) {
			out = append(out, unstructured.Unstructured{Object: other.composed[name].observed()})
		}
	}

	return out
}

func selects(sel *fnv1.ResourceSelector, o unstructured.Unstructured) bool {
	if o.GetAPIVersion() != sel.GetApiVersion() || o.GetKind() != sel.GetKind() {
		return false
	}

	if ns := sel.Namespace; ns != nil && o.GetNamespace() != *ns { //nolint:protogetter // Only the field tells whether it is set.
		return false
	}

	if sel.GetMatchLabels() == nil {
		// One that has no namespace is of no namespace.
		return o.GetName() == sel.GetMatchName() && o.GetNamespace() == sel.GetNamespace()
	}

	labels := o.GetLabels()
	for k, v := range sel.GetMatchLabels().GetLabels() {
		if labels[k] != v {
			return false
		}
	}

	return true
}

// status puts into the composite what the function says of it.
func (c *Control) status(rsp *fnv1.RunFunctionResponse) {
	c.Conditions = map[string]*fnv1.Condition{}
	c.Results = rsp.GetResults()

	for _, cond := range rsp.GetConditions() {
		c.Conditions[cond.GetType()] = cond
	}

	s, ok := rsp.GetDesired().GetComposite().GetResource().AsMap()["status"].(map[string]any)
	if !ok {
		return
	}

	// Crossplane keeps conditions of its own, and those of the function, beside what else is in the status.
	conditions := []any{condition("Synced", "True", "ReconcileSuccess", "", 0)}
	for _, typ := range slices.Sorted(maps.Keys(c.Conditions)) {
		cond := c.Conditions[typ]
		conditions = append(conditions, condition(typ, word(cond.GetStatus()), cond.GetReason(), cond.GetMessage(), 0))
	}

	s["conditions"] = conditions
	c.Composite.Object["status"] = s
}

func word(s fnv1.Status) string {
	return map[fnv1.Status]string{
		fnv1.Status_STATUS_CONDITION_TRUE: "True", fnv1.Status_STATUS_CONDITION_FALSE: "False",
		fnv1.Status_STATUS_CONDITION_UNKNOWN: "Unknown", fnv1.Status_STATUS_CONDITION_UNSPECIFIED: "Unknown",
	}[s]
}

// asStruct turns an object into a message by way of JSON, as Crossplane does.
func asStruct(o map[string]any) (*structpb.Struct, error) {
	b, err := (&unstructured.Unstructured{Object: o}).MarshalJSON()
	if err != nil {
		// An Input is no Kubernetes object, but has a kind all the same.
		return nil, fmt.Errorf("cannot marshal an object: %w", err)
	}

	s := &structpb.Struct{}
	if err := protojson.Unmarshal(b, s); err != nil {
		return nil, fmt.Errorf("cannot read an object: %w", err)
	}

	return s, nil
}
