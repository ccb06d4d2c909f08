package main

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// maxTurns is far more than any order of resources needs.
const maxTurns = 8

// Annotations of composed resources.
const (
	annotationResourceName = "crossplane.io/composition-resource-name"
	annotationExternalName = "crossplane.io/external-name"
	// A provider writes it before it creates something, and the function for as long as a VM is being created.
	annotationCreatePending = "crossplane.io/external-create-pending"
	annotationCreating      = "homelab.io/creating"
)

// someTime at which all of a preview happens.
const someTime = "2024-01-01T00:00:00Z"

// A stage is a claim with all that the command line reads for it, between two turns of Crossplane.
type stage struct {
	claim       claim
	dir         string // Working folder.
	xrd         string
	composition string
	functions   string
	composite   unstructured.Unstructured
	observed    []unstructured.Unstructured // Composed resources as they are now.
	neighbours  []unstructured.Unstructured // Managed resources of other machines.
	nodes       []unstructured.Unstructured // Kubernetes Nodes.
	given       bool                        // Whether observed was given by a person, and so is not to be changed.
}

// stage prepares a claim for its first turn.
func (r renderer) stage(c claim, dir string) (*stage, error) {
	d, err := r.pkg.definitionOf(c.object.GroupVersionKind())
	if err != nil {
		return nil, err
	}

	s := &stage{claim: c, dir: dir, xrd: d.file, composite: compositeOf(c.object, d)}

	if err := r.observe(s); err != nil {
		return nil, err
	}

	if s.composition, err = r.composition(s.composite, dir); err != nil {
		return nil, err
	}

	s.functions, err = r.functions(s.composition, dir)

	return s, err
}

// provide lets a provider make the composed resources of a turn's output, and keeps the composite's status. It returns
// whether there was anything new to make.
func (s *stage) provide(output []byte) (bool, error) {
	composite, composed, err := parseTurn(output)
	if err != nil {
		return false, err
	}

	if status, ok := composite.Object["status"]; ok {
		s.composite.Object["status"] = status
	}

	grown := s.lacksOneOf(composed)

	s.observed = s.observed[:0]
	for _, o := range composed {
		if onlyLooks(o) {
			s.observed = append(s.observed, notFound(o))
		} else {
			s.observed = append(s.observed, made(o))
		}
	}

	return grown, nil
}

// asksForMore is true if a turn's output has a composed resource that does not exist yet, or that is to be another one than the
// provider made: a VM takes several turns, of which the last ones ask for its VMID once more, create it, and start it.
func (s *stage) asksForMore(output []byte) (bool, error) {
	_, composed, err := parseTurn(output)

	return s.lacksOneOf(composed), err
}

func (s *stage) lacksOneOf(composed []unstructured.Unstructured) bool {
	specs := map[string]any{} // By name; a name that is not in it is not there yet.
	for _, o := range s.observed {
		specs[o.GetAnnotations()[annotationResourceName]] = o.Object["spec"]
	}

	for _, o := range composed {
		spec, there := specs[o.GetAnnotations()[annotationResourceName]]
		if !there || !reflect.DeepEqual(spec, o.Object["spec"]) {
			return true
		}
	}

	return false
}

// parseTurn splits what the command line printed: the composite, the composed resources, and results, which are left
// out.
func parseTurn(output []byte) (unstructured.Unstructured, []unstructured.Unstructured, error) {
	objects, err := parseObjects(output)
	if err != nil {
		return unstructured.Unstructured{}, nil, fmt.Errorf("cannot read what was rendered: %w", err)
	}

	if len(objects) == 0 {
		return unstructured.Unstructured{}, nil, errors.New("nothing was rendered, not even a composite")
	}

	composed := []unstructured.Unstructured{}

	for _, o := range objects[1:] {
		if o.GetAnnotations()[annotationResourceName] != "" {
			composed = append(composed, o)
		}
	}

	return objects[0], composed, nil
}

// made is a managed resource as any provider leaves it once all is well: it has an external name, and it is ready and
// synced. A VM that the provider was asked to create is reported as it was asked for, without which nobody could tell it from
// somebody else's. What a provider reports beyond that is its own, and nothing is made up.
func made(o unstructured.Unstructured) unstructured.Unstructured {
	o = *o.DeepCopy()

	annotations := maps.Clone(o.GetAnnotations())
	if annotations[annotationExternalName] == "" {
		annotations[annotationExternalName] = o.GetName()
	}

	status := map[string]any{"conditions": []any{
		condition("Ready", "True", "Available", ""), condition("Synced", "True", "ReconcileSuccess", ""),
	}}

	if annotations[annotationCreating] != "" {
		annotations[annotationCreatePending] = someTime

		at, _, _ := unstructured.NestedMap(o.Object, "spec", "forProvider")
		if at == nil {
			at = map[string]any{}
		}

		at["id"] = annotations[annotationExternalName]
		status["atProvider"] = at
	}

	o.SetAnnotations(annotations)
	o.SetGeneration(1)
	o.Object["status"] = status

	return o
}

// notFound is a managed resource that the provider may only observe, and does not find.
func notFound(o unstructured.Unstructured) unstructured.Unstructured {
	o = *o.DeepCopy()
	o.SetGeneration(1)
	o.Object["status"] = map[string]any{"conditions": []any{
		condition("Synced", "False", "ReconcileError", "observe failed: external resource does not exist"),
	}}

	return o
}

func condition(typ, status, reason, message string) map[string]any {
	c := map[string]any{
		"type": typ, "status": status, "reason": reason, "lastTransitionTime": someTime, "observedGeneration": int64(1),
	}
	if message != "" {
		c["message"] = message
	}

	return c
}

// onlyLooks is true for a managed resource that the provider may neither make nor change.
func onlyLooks(o unstructured.Unstructured) bool {
	policies, _, err := unstructured.NestedStringSlice(o.Object, "spec", "managementPolicies")

	return err == nil && slices.Equal(policies, []string{"Observe"})
}
