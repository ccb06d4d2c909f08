package main

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// composition is the path of the Composition for xr. Its function's Input has the flavour's provider API and, where people
// read what is rendered, asks the function to explain itself.
func (r renderer) composition(xr unstructured.Unstructured, dir string) (string, error) {
	c, err := r.pkg.compositionOf(xr.GetAPIVersion(), xr.GetKind())
	if err != nil {
		return "", err
	}

	input := map[string]any{}

	if api := r.pkg.flavour.providerAPI; api != "" {
		input["providerAPI"] = api
	}

	if r.options.output == "" {
		input["explain"] = true
	}

	object := map[string]any{}
	if err := readManifest(c.file, &object); err != nil {
		return "", err
	}

	if err := setInput(object, input); err != nil {
		return "", fmt.Errorf("cannot change %s: %w", c.file, err)
	}

	return writeManifests(dir, "composition.yaml", unstructured.Unstructured{Object: object})
}

// setInput sets fields in the Input of a Composition's only step that has one.
func setInput(composition, fields map[string]any) error {
	steps, _, err := unstructured.NestedSlice(composition, "spec", "pipeline")
	if err != nil {
		return fmt.Errorf("cannot read the pipeline: %w", err)
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

// functions writes the Function manifests that the render needs: each function of the pipeline, served by ours.
func (r renderer) functions(compositionFile, dir string) (string, error) {
	c := struct {
		Spec struct {
			Pipeline []struct {
				FunctionRef struct {
					Name string `json:"name"`
				} `json:"functionRef"`
			} `json:"pipeline"`
		} `json:"spec"`
	}{}
	if err := readManifest(compositionFile, &c); err != nil {
		return "", err
	}

	if len(c.Spec.Pipeline) != 1 {
		return "", fmt.Errorf("cannot render %s: want a pipeline of one step, found %d", compositionFile, len(c.Spec.Pipeline))
	}

	return writeManifests(dir, "functions.yaml", unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "pkg.crossplane.io/v1",
		"kind":       "Function",
		"metadata": map[string]any{
			"name": c.Spec.Pipeline[0].FunctionRef.Name,
			"annotations": map[string]any{
				"render.crossplane.io/runtime":                    "Development",
				"render.crossplane.io/runtime-development-target": r.target,
			},
		},
		// Never fetched, but the schema wants a package.
		"spec": map[string]any{"package": "xpkg.crossplane.io/homelab-io/function-proxmox-machine:v0.0.0"},
	}})
}

// writeManifests writes the objects into one file of dir and returns its path.
func writeManifests(dir, name string, objects ...unstructured.Unstructured) (string, error) {
	buf := &bytes.Buffer{}

	for _, o := range objects {
		data, err := yaml.Marshal(o.Object)
		if err != nil {
			return "", fmt.Errorf("cannot marshal %s: %w", name, err)
		}

		buf.WriteString("---\n")
		buf.Write(data)
	}

	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, buf.Bytes(), 0o600); err != nil {
		return "", fmt.Errorf("cannot write %s: %w", name, err)
	}

	return path, nil
}
