package main

import (
	"errors"
	"fmt"
	"maps"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// maxTurns is far more than any order of resources needs.
const maxTurns = 8

// Annotations of composed resources.
const (
	annotationResourceName = "crossplane.io/composition-resource-name"
	annotationExternalName = "crossplane.io/external-name"
)

// A stage is a claim with all that the command line reads for it, between two turns of Crossplane.
type stage struct {
	claim       claim
	dir         string // Working folder.
	xrd         string
	composition string
	functions   string
	composite   unstructured.Unstructured
	observed    []unstructured.Unstructured // Composed resources as they are now.
	given       bool                        // Whether observed was given by a person, and so is not to be changed.
}

// stage prepares a claim for its first turn.
func (r renderer) stage(c claim, dir string) (*stage, error) {
	d, err := r.pkg.definitionOf(c.object.GroupVersionKind())
	if err != nil {
		return nil, err
	}

	s := &stage{claim: c, dir: dir, xrd: d.file, composite: compositeOf(c.object, d)}

	if s.composition, err = r.composition(s.composite, dir); err != nil {
		return nil, err
	}

	if s.functions, err = r.functions(s.composition, dir); err != nil {
		return nil, err
	}

	s.observed, s.given, err = r.observed(c, s.composite)

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
		s.observed = append(s.observed, made(o))
	}

	return grown, nil
}

// asksForMore is true if a turn's output has a composed resource that is not there yet.
func (s *stage) asksForMore(output []byte) (bool, error) {
	_, composed, err := parseTurn(output)

	return s.lacksOneOf(composed), err
}

func (s *stage) lacksOneOf(composed []unstructured.Unstructured) bool {
	have := map[string]bool{}
	for _, o := range s.observed {
		have[o.GetAnnotations()[annotationResourceName]] = true
	}

	for _, o := range composed {
		if !have[o.GetAnnotations()[annotationResourceName]] {
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
// synced. What a provider reports beyond that is its own, and nothing is made up.
func made(o unstructured.Unstructured) unstructured.Unstructured {
	o = *o.DeepCopy()

	annotations := maps.Clone(o.GetAnnotations())
	if annotations[annotationExternalName] == "" {
		annotations[annotationExternalName] = o.GetName()
		o.SetAnnotations(annotations)
	}

	condition := func(typ, reason string) map[string]any {
		return map[string]any{"type": typ, "status": "True", "reason": reason, "lastTransitionTime": "2024-01-01T00:00:00Z"}
	}
	o.Object["status"] = map[string]any{"conditions": []any{condition("Ready", "Available"), condition("Synced", "ReconcileSuccess")}}

	return o
}
