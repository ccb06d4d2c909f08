package preview

import (
	"maps"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/crossplane/function-sdk-go/errors"
)

// A pipelineStep is what a preview needs to know of a step of a Composition.
type pipelineStep struct {
	Step        string         `json:"step"`
	Input       map[string]any `json:"input"`
	FunctionRef struct {
		Name string `json:"name"`
	} `json:"functionRef"`
}

// onlyStep of a Composition. Another function's step cannot be run here, and leaving it out would show something else.
func onlyStep(composition unstructured.Unstructured) (pipelineStep, error) {
	var c struct {
		Spec struct {
			Pipeline []pipelineStep `json:"pipeline"`
		} `json:"spec"`
	}

	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(composition.Object, &c); err != nil {
		return pipelineStep{}, errors.Wrapf(err, "cannot read Composition %s", composition.GetName())
	}

	if len(c.Spec.Pipeline) != 1 {
		return pipelineStep{}, errors.Errorf("cannot render Composition %s: want a pipeline of one step, found %d", composition.GetName(), len(c.Spec.Pipeline))
	}

	return c.Spec.Pipeline[0], nil
}

// composition for a composite. Its function's Input has the flavour's provider API and, where people read what is rendered, asks the
// function to explain itself.
func (r Renderer) composition(xr unstructured.Unstructured) (unstructured.Unstructured, error) {
	c, err := r.Configuration.compositionOf(xr.GetAPIVersion(), xr.GetKind())
	if err != nil {
		return unstructured.Unstructured{}, err
	}

	input := map[string]any{}

	if api := r.Configuration.flavour.providerAPI; api != "" {
		input["providerAPI"] = api
	}

	if r.Explain {
		input["explain"] = true
	}

	out := *c.object.DeepCopy()

	return out, errors.Wrapf(setInput(out.Object, input), "cannot change Composition %s", out.GetName())
}

// setInput sets fields in the Input of a Composition's only step that has one.
func setInput(composition, fields map[string]any) error {
	steps, _, err := unstructured.NestedSlice(composition, "spec", "pipeline")
	if err != nil {
		return errors.Wrap(err, "cannot read the pipeline")
	}

	for _, s := range steps {
		step, ok := s.(map[string]any)
		if !ok {
			continue
		}

		if input, ok := step["input"].(map[string]any); ok {
			maps.Copy(input, fields)

			return unstructured.SetNestedSlice(composition, steps, "spec", "pipeline") //nolint:wrapcheck // Wrapped by the caller.
		}
	}

	return errors.New("no step has an input")
}
