package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"sigs.k8s.io/yaml"
)

// object is what tells one object of a package from another.
type object struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Metadata   struct {
		Name string `json:"name"`
	} `json:"metadata"`
}

// identities lists the objects of a YAML stream, sorted.
func identities(stream []byte) ([]string, error) {
	out := []string{}

	// A leading newline lets the first document's separator be found like the others.
	for doc := range bytes.SplitSeq(append([]byte("\n"), stream...), []byte("\n---")) {
		o := object{}
		if err := yaml.Unmarshal(doc, &o); err != nil {
			return nil, fmt.Errorf("cannot parse object: %w", err)
		}

		if o != (object{}) {
			out = append(out, o.APIVersion+" "+o.Kind+" "+o.Metadata.Name)
		}
	}

	slices.Sort(out)

	return out, nil
}

// identitiesBelow lists the objects of all YAML files at or below root, sorted.
func identitiesBelow(root string) ([]string, error) {
	out := []string{}

	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || (filepath.Ext(path) != ".yaml" && filepath.Ext(path) != ".yml") {
			return err
		}

		data, err := os.ReadFile(filepath.Clean(path))
		if err != nil {
			return err //nolint:wrapcheck // Wrapped below.
		}

		ids, err := identities(data)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}

		out = append(out, ids...)

		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("cannot read the objects of %s: %w", root, err)
	}

	slices.Sort(out)

	return out, nil
}
