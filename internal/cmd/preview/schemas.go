package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// installed are kinds that a preview assumes to be installed, since it cannot ask: of those that the function has to know before it
// composes one. They are provider-kubernetes' Object, of claims and of namespaced machines.
func installed() []schema.GroupVersionKind {
	return []schema.GroupVersionKind{
		{Group: "kubernetes.crossplane.io", Version: "v1alpha2", Kind: "Object"},
		{Group: "kubernetes.m.crossplane.io", Version: "v1alpha1", Kind: "Object"},
	}
}

// writeSchemas writes what an API server says at /openapi/v3 of these kinds into a folder, and returns the folder. That there is a schema
// is all that the function asks for.
func writeSchemas(dir string) (string, error) {
	dir = filepath.Join(dir, "schemas")
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return "", fmt.Errorf("cannot make a folder for schemas: %w", err)
	}

	for _, kind := range installed() {
		b, err := json.Marshal(map[string]any{
			"openapi": "3.0.0",
			"info":    map[string]any{"title": "Kubernetes", "version": "v1"},
			"paths":   map[string]any{},
			"components": map[string]any{"schemas": map[string]any{
				kind.Group + "." + kind.Version + "." + kind.Kind: map[string]any{
					"type":       "object",
					"properties": map[string]any{"spec": map[string]any{"type": "object"}},
					"x-kubernetes-group-version-kind": []any{
						map[string]any{"group": kind.Group, "version": kind.Version, "kind": kind.Kind},
					},
				},
			}},
		})
		if err != nil {
			return "", fmt.Errorf("cannot marshal the schema of %s: %w", kind, err)
		}

		if err := os.WriteFile(filepath.Join(dir, kind.Group+".json"), b, 0o600); err != nil {
			return "", fmt.Errorf("cannot write the schema of %s: %w", kind, err)
		}
	}

	return dir, nil
}
