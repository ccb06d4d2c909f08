package claim

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/yaml"
)

// schema is the part of an XRD's schema that says what an object has to have.
type schema struct {
	Properties           map[string]schema `json:"properties"`
	Required             []string          `json:"required"`
	Items                *schema           `json:"items"`
	AdditionalProperties *schema           `json:"additionalProperties"`
}

// requirement is a field that an API server requires, and a spec that lacks it.
type requirement struct {
	path string
	spec any
}

// requirements of a schema at a path. within makes the spec of what is at that path.
func (s schema) requirements(at *field.Path, within func(any) any) (out []requirement) {
	for _, name := range s.Required {
		out = append(out, requirement{at.Child(name).String(), within(map[string]any{})})
	}

	for name, of := range s.Properties {
		out = append(out, of.requirements(at.Child(name), func(v any) any { return within(map[string]any{name: v}) })...)
	}

	if s.Items != nil {
		out = append(out, s.Items.requirements(at.Index(0), func(v any) any { return within([]any{v}) })...)
	}

	if s.AdditionalProperties != nil {
		out = append(out, s.AdditionalProperties.requirements(at.Child("pve"), func(v any) any { return within(map[string]any{"pve": v}) })...)
	}

	return out
}

// TestRequired: who asks no API server reads of all that it requires, whatever else the claim lacks.
func TestRequired(t *testing.T) {
	t.Parallel()

	files, err := filepath.Glob("../../package-v2/xrds/*.yaml")
	if err != nil || len(files) != len(Kinds()) {
		t.Fatalf("there are the XRDs %v (%v), and the kinds %v", files, err, Kinds())
	}

	for _, file := range files {
		data, err := os.ReadFile(filepath.Clean(file))
		if err != nil {
			t.Fatal(err)
		}

		var xrd struct {
			Spec struct {
				Names    struct{ Kind string } `json:"names"`
				Versions []struct {
					Schema struct {
						OpenAPIV3Schema schema `json:"openAPIV3Schema"`
					} `json:"schema"`
				} `json:"versions"`
			} `json:"spec"`
		}
		if err := yaml.Unmarshal(data, &xrd); err != nil {
			t.Fatal(err)
		}

		spec := xrd.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"]

		for _, r := range spec.requirements(field.NewPath("spec"), func(v any) any { return v }) {
			c := Decode(map[string]any{"kind": xrd.Spec.Names.Kind, "metadata": map[string]any{"name": "n", "namespace": "a"}, "spec": r.spec})

			said := func(err *field.Error) bool {
				return err.Field == r.path && err.Type == field.ErrorTypeRequired && err.Detail != ""
			}
			if !slices.ContainsFunc(c.Faults, said) {
				t.Errorf("%s: nothing says that %s is missing from %v: %v", file, r.path, r.spec, c.Faults)
			}
		}
	}
}
