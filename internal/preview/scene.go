package preview

import (
	"slices"

	"github.com/google/uuid"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/crossplane/function-sdk-go/errors"
)

// A Scene is a story as Crossplane has it before anything of the claim is done: for who plays what becomes of it.
type Scene struct {
	Was *unstructured.Unstructured // The composite as it was observed; nil where nothing of it was.
	Is  unstructured.Unstructured  // The composite once the claim is applied, with the defaults of its XRD, and a UID.

	Input    map[string]any                         // Of the Composition's step.
	Composed []unstructured.Unstructured            // What was observed of the composite.
	OfNodes  map[string][]unstructured.Unstructured // The same of the nodes of a K3sCluster, by the names of their composites.
	Others   []unstructured.Unstructured            // What was observed of other machines, and Kubernetes Nodes.
	Required []unstructured.Unstructured            // Catalogue and Secrets.
	Former   []unstructured.Unstructured            // The same as they were observed, where Required has others of their names.
	Fetch    Fetcher                                // Of the cluster; nil where there is none.
	Default  func(object map[string]any)            // Sets the defaults of an object's XRD.
}

// Scene of a story. What was observed of its composed resources without their composite is an error.
func (r Renderer) Scene(in Story) (Scene, error) {
	s, err := r.stage(in)
	if err != nil {
		return Scene{}, errors.Wrapf(err, "cannot read %s", in.Claim)
	}

	composition, err := r.composition(s.composite)
	if err != nil {
		return Scene{}, errors.Wrapf(err, "cannot read %s", in.Claim)
	}

	out := Scene{
		Is: s.composite, Input: inputOf(composition), Composed: s.observed, OfNodes: map[string][]unstructured.Unstructured{},
		Required: slices.Clone(s.required), Former: in.Former, Fetch: s.fetch, Default: r.Configuration.setDefaults,
	}

	if out.Is.Object, err = withDefaults(s.composite.Object, s.composite.GetAPIVersion(), s.definition); err != nil {
		return Scene{}, errors.Wrapf(err, "cannot read %s", in.Claim)
	}

	if out.Is.GetUID() == "" {
		text := out.Is.GroupVersionKind().String() + "\x00" + out.Is.GetNamespace() + "\x00" + out.Is.GetName()
		out.Is.SetUID(types.UID(uuid.NewSHA1(uuid.Nil, []byte(text)).String()))
	}

	for _, o := range in.Observed {
		if o.GetKind() == s.composite.GetKind() && r.Configuration.owns(o.GroupVersionKind().Group) && s.isItself(o) {
			out.Was = &o
		}
	}

	if out.Was == nil && len(s.observed) > 0 {
		return Scene{}, errors.Errorf("cannot read %s: what was observed has %s %s of it, and not its composite, a %s: name what has both",
			in.Claim, s.observed[0].GetKind(), s.observed[0].GetName(), s.composite.GetKind())
	}

	ofNodes := s.ofNodes()
	for _, o := range ofNodes {
		name := metav1.GetControllerOf(&o).Name
		out.OfNodes[name] = append(out.OfNodes[name], o)
	}

	for _, o := range slices.Concat(s.neighbours, s.group, s.nodes) {
		if !slices.ContainsFunc(ofNodes, func(of unstructured.Unstructured) bool { return of.GetUID() == o.GetUID() && PathOf(of) == PathOf(o) }) {
			out.Others = append(out.Others, o)
		}
	}

	return out, nil
}

// setDefaults of an object's XRD, where it has one.
func (p Configuration) setDefaults(object map[string]any) {
	o := unstructured.Unstructured{Object: object}

	d, err := p.definitionOf(o.GroupVersionKind())
	if err != nil {
		return
	}

	for _, v := range d.Spec.Versions {
		if d.Spec.Group+"/"+v.Name == o.GetAPIVersion() {
			setDefaults(object, v.Schema.OpenAPIV3Schema)
		}
	}
}

// inputOf the first step of a Composition that has one.
func inputOf(composition unstructured.Unstructured) map[string]any {
	steps, _, _ := unstructured.NestedSlice(composition.Object, "spec", "pipeline")

	for _, s := range steps {
		step, _ := s.(map[string]any)
		if input, ok := step["input"].(map[string]any); ok {
			return input
		}
	}

	return map[string]any{}
}

// BeginsCluster says whether a K3s cluster begins with this claim.
func (s Scene) BeginsCluster() bool { return beginsCluster(s.Is) }

// StandIn is a dummy for a Secret that is not there, with the keys under which a composite and its catalogue name it.
func (s Scene) StandIn(namespace, name string) unstructured.Unstructured {
	return (&stage{composite: s.Is, required: s.Required}).missingSecret(namespace, name)
}
