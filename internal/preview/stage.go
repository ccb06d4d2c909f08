package preview

import (
	"reflect"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/homelab-io/function-proxmox-machine/internal/claim"
)

// maxTurns is far more than any order of resources needs. Five servers of a K3sCluster appear one by one.
const maxTurns = 16

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

// A stage is a claim with all that an engine needs for it, between two turns.
type stage struct {
	claim      Claim
	definition definition
	composite  unstructured.Unstructured
	required   []unstructured.Unstructured // Catalogue and Secrets.
	observed   []unstructured.Unstructured // Composed resources as they are now.
	neighbours []unstructured.Unstructured // Managed resources of other machines.
	group      []unstructured.Unstructured // Composites of other machines of the kind, which may be in the claim's group.
	nodes      []unstructured.Unstructured // Kubernetes Nodes.
	installed  []unstructured.Unstructured // Definitions of kinds that are assumed to be there; none where a cluster can be asked.
	fetch      Fetcher
	dummies    []string // Secrets that are not there, and for which dummies stand.
	memory     memory   // Of the turns so far.
	first      *Turn    // The first turn, where standing in for missing Secrets has done it; nil where it is to be done, and once it is shown.
	given      bool     // Whether observed was given by a person, and so is not to be changed.
}

// stage prepares a claim for its first turn.
func (r Renderer) stage(in Story) (*stage, error) {
	d, err := r.Configuration.definitionOf(in.Claim.Object.GroupVersionKind())
	if err != nil {
		return nil, err
	}

	s := &stage{
		claim: in.Claim, definition: d, composite: compositeOf(in.Claim.Object, d), required: in.Required, fetch: in.Fetch,
		memory: memory{sent: r.sent},
	}
	if s.memory.sent == nil {
		s.memory.sent = newSent()
	}

	if in.Fetch == nil {
		s.installed = s.memory.sent.installed
	}

	r.observe(s, in.Observed, in.Given)

	return s, nil
}

// input of the next turn.
func (s *stage) input(composition unstructured.Unstructured, full bool) Input {
	return Input{
		Definition: s.definition.object, definition: s.definition, Composition: composition, Composite: s.composite,
		Observed: s.observed, Required: slices.Concat(s.required, s.neighbours, s.group, s.nodes, s.installed), Full: full, Fetch: s.fetch, memory: &s.memory,
	}
}

// provide lets a provider make the composed resources of a turn, and keeps the composite's status. It returns whether there
// was anything new to make.
func (s *stage) provide(t Turn) bool {
	if status, ok := t.Composite.Object["status"]; ok {
		s.composite.Object["status"] = status
	}

	grown := s.lacksOneOf(t.Composed)

	s.observed = nil
	for _, o := range t.Composed {
		switch {
		case onlyLooks(o):
			s.observed = append(s.observed, notFound(o))
		case clusterOf(o) != nil && kindOf(o) == claim.KindK3sNode:
			s.observed = append(s.observed, joined(o))
		default:
			s.observed = append(s.observed, made(o))
		}
	}

	return grown
}

// lacksOneOf is true if one of some composed resources does not exist yet, or is to be another one than the provider
// made: a VM takes several turns, of which the last ones ask for its VMID once more, create it, and start it.
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
