package provider

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
)

// maxRounds is how often a machine may be looked at until nothing changes any more. It takes three: its files, its VM,
// and a last one that finds all as it should be.
const maxRounds = 6

// A Control plays Crossplane and the provider for one composite: it calls the function, lets Terraform make what is
// desired, and shows the function what came of it.
type Control struct {
	Function  *Function
	Bench     *Bench
	Composite unstructured.Unstructured
	Input     map[string]any
	// Required are the objects that the function may ask for.
	Required []unstructured.Unstructured
	// Replay, if not nil, holds outcomes of resources that are the same in another flavour, so that Terraform judges the
	// same text only once.
	Replay *Replay

	composed map[string]*composed
}

// composed is one composed resource: what is desired, and what Terraform made of it.
type composed struct {
	manifest  unstructured.Unstructured
	resource  Resource
	workspace *Workspace
	outcome   Outcome
	// failure is what the provider would try again for.
	failure error
}

// A Round is what one call of the function changed.
type Round struct {
	// Changed are the names of composed resources that are new or other than before, sorted.
	Changed []string
	// Ready is true if the function calls the composite ready, or all of its resources.
	Ready bool
}

// Settle makes rounds until one changes nothing, and returns them all. It is an error if none does, if the function
// leaves out a resource that exists, or if the provider fails or never comes to rest.
func (c *Control) Settle(ctx context.Context) ([]Round, error) {
	var rounds []Round

	for range maxRounds {
		r, err := c.Round(ctx)
		if err != nil {
			return rounds, err
		}

		rounds = append(rounds, r)

		if len(r.Changed) == 0 {
			return rounds, nil
		}
	}

	return rounds, fmt.Errorf("%s does not come to rest: %v", c.Composite.GetName(), rounds)
}

// Delete deletes everything, the VM first, as the provider does when the composite is gone. What its policies do not let be
// deleted stays.
func (c *Control) Delete(ctx context.Context) error {
	names := slices.SortedFunc(maps.Keys(c.composed), func(a, b string) int {
		return kinds()[c.composed[b].resource.Kind].order - kinds()[c.composed[a].resource.Kind].order
	})

	for _, name := range names {
		d := c.composed[name]
		if !slices.Contains(d.resource.Spec.ManagementPolicies, "Delete") {
			continue
		}

		if err := d.workspace.Destroy(ctx, c.Bench.conn); err != nil {
			return fmt.Errorf("cannot delete %s: %w", name, err)
		}
	}

	return nil
}

// Round calls the function and lets Terraform follow it once.
func (c *Control) Round(ctx context.Context) (Round, error) {
	rsp, err := c.call(ctx)
	if err != nil {
		return Round{}, err
	}

	if s := rsp.GetDesired().GetComposite().GetResource().AsMap()["status"]; s != nil {
		c.Composite.Object["status"] = s
	}

	desired := rsp.GetDesired().GetResources()
	for name := range c.composed {
		if _, ok := desired[name]; !ok {
			return Round{}, fmt.Errorf("%s is no longer desired: Crossplane would delete it", name)
		}
	}

	round := Round{Ready: rsp.GetDesired().GetComposite().GetReady() == fnv1.Ready_READY_TRUE || allReady(desired)}

	for _, name := range inOrder(desired) {
		changed, err := c.apply(ctx, name, desired[name].GetResource().AsMap())
		if err != nil {
			return round, err
		}

		if changed {
			round.Changed = append(round.Changed, name)
		}
	}

	slices.Sort(round.Changed)

	return round, nil
}

func allReady(desired map[string]*fnv1.Resource) bool {
	for _, d := range desired {
		if d.GetReady() != fnv1.Ready_READY_TRUE {
			return false
		}
	}

	return len(desired) > 0
}

// inOrder are the names of composed resources, files first, a VM last.
func inOrder(desired map[string]*fnv1.Resource) []string {
	rank := func(name string) int {
		kind, _ := desired[name].GetResource().AsMap()["kind"].(string)

		return kinds()[kind].order
	}

	return slices.SortedFunc(maps.Keys(desired), func(a, b string) int {
		if d := rank(a) - rank(b); d != 0 {
			return d
		}

		return slices.Compare([]string{a}, []string{b})
	})
}

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

	return &fnv1.RunFunctionRequest{
		Meta:     &fnv1.RequestMeta{Tag: "test"},
		Input:    in,
		Observed: &fnv1.State{Composite: &fnv1.Resource{Resource: xr}, Resources: resources},
	}, err
}

// answer finds what the function asks for by name.
func (c *Control) answer(r *fnv1.Requirements) (map[string]*fnv1.Resources, error) {
	out := map[string]*fnv1.Resources{}

	for name, sel := range r.GetResources() {
		out[name] = &fnv1.Resources{}

		for _, o := range c.Required {
			if o.GetAPIVersion() != sel.GetApiVersion() || o.GetKind() != sel.GetKind() || o.GetName() != sel.GetMatchName() || o.GetNamespace() != sel.GetNamespace() {
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

// equal compares two manifests as far as the provider looks at them.
func equal(a, b Resource) bool {
	return reflect.DeepEqual(a.Spec, b.Spec) && a.ExternalName() == b.ExternalName()
}
