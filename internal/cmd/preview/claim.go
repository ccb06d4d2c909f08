package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"
)

// Files of a story that are no claims.
const (
	fileCatalogue = "catalogue.yaml"
	fileSecrets   = "secrets.yaml"
	fileObserved  = "observed.yaml"
)

// preferredExample is previewed where no claim is named: it shows both a VM and its cloud-init.
const preferredExample = "k3s-cluster/server-1.yaml"

// A claim is one document of a file, of a kind that an XRD of the package defines.
type claim struct {
	file   string
	object unstructured.Unstructured
}

// String names the claim for people.
func (c claim) String() string {
	return fmt.Sprintf("%s %s in %s", c.object.GetKind(), c.object.GetName(), c.file)
}

// beside is the path of the named file in the claim's folder, or empty if there is none.
func (c claim) beside(name string) string {
	path := filepath.Join(filepath.Dir(c.file), name)
	if _, err := os.Stat(path); err != nil {
		return ""
	}

	return path
}

// readClaims reads the claims of a file, or of all files in a folder and below it. Documents of other API groups are
// passed over; a document of our group and of a kind that no XRD has is an error, since it is a typing mistake. So is
// a path without any claim.
func readClaims(path string, pkg configuration) ([]claim, error) {
	files, err := claimFiles(path)
	if err != nil {
		return nil, err
	}

	claims := []claim{}

	for _, file := range files {
		objects, err := readObjects(file)
		if err != nil {
			return nil, err
		}

		for _, o := range objects {
			if !pkg.owns(o.GroupVersionKind().Group) {
				continue
			}

			if _, err := pkg.definitionOf(o.GroupVersionKind()); err != nil {
				return nil, fmt.Errorf("cannot render %s: %w", file, err)
			}

			if o.GetName() == "" {
				return nil, fmt.Errorf("cannot render %s: a %s has no metadata.name", file, o.GetKind())
			}

			claims = append(claims, claim{file: file, object: o})
		}
	}

	if len(claims) == 0 {
		return nil, fmt.Errorf("no claim found in %s: expected a document of kind %s", path, pkg.kinds())
	}

	return claims, nil
}

// claimFiles lists the YAML files at or below path that may hold claims, sorted. Hidden ones are skipped, and so are folders
// below path that Kustomize is to build: what is in them is not whole.
func claimFiles(path string) ([]string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("cannot find the claim: %w", err)
	}

	if !info.IsDir() {
		return []string{path}, nil
	}

	files := []string{}
	err = filepath.WalkDir(path, func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && p != path && kustomized(p):
			return fs.SkipDir
		case d.IsDir() || !isYAML(p) || strings.HasPrefix(d.Name(), "."):
			return nil
		case slices.Contains([]string{fileCatalogue, fileSecrets, fileObserved}, d.Name()):
			return nil
		}

		files = append(files, p)

		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("cannot list the claims of %s: %w", path, err)
	}

	return files, nil
}

func kustomized(folder string) bool {
	_, err := os.Stat(filepath.Join(folder, "kustomization.yaml"))
	return err == nil
}

// defaultClaim is the example to render where none is asked for.
func defaultClaim(root string, pkg configuration) (string, error) {
	examples := filepath.Join(root, "example")

	preferred := filepath.Join(examples, filepath.FromSlash(preferredExample))
	if _, err := os.Stat(preferred); err == nil {
		return preferred, nil
	}

	claims, err := readClaims(examples, pkg)
	if err != nil {
		return "", err
	}

	return claims[0].file, nil
}

// readObjects reads every document of a YAML file. It refuses duplicate keys, of which Kubernetes would silently keep
// one.
func readObjects(file string) ([]unstructured.Unstructured, error) {
	data, err := os.ReadFile(filepath.Clean(file))
	if err != nil {
		return nil, fmt.Errorf("cannot read manifests: %w", err)
	}

	objects, err := parseObjects(data)
	if err != nil {
		return nil, fmt.Errorf("cannot parse %s: %w", file, err)
	}

	return objects, nil
}

// parseObjects reads every document of a YAML stream.
func parseObjects(data []byte) ([]unstructured.Unstructured, error) {
	objects := []unstructured.Unstructured{}
	documents := utilyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(data)))

	for {
		doc, err := documents.Read()
		if errors.Is(err, io.EOF) {
			return objects, nil
		}

		if err != nil {
			return nil, fmt.Errorf("cannot split documents: %w", err)
		}

		object := map[string]any{}
		if err := yaml.UnmarshalStrict(doc, &object); err != nil {
			return nil, fmt.Errorf("document %d: %w", len(objects)+1, err)
		}

		objects = append(objects, flat(object)...)
	}
}

// flat is an object, or the items of a list of objects, as kubectl prints several.
func flat(object map[string]any) []unstructured.Unstructured {
	o := unstructured.Unstructured{Object: object}

	items, ok := object["items"].([]any)
	if !ok || !strings.HasSuffix(o.GetKind(), "List") {
		if len(object) == 0 {
			return nil
		}

		return []unstructured.Unstructured{o}
	}

	out := []unstructured.Unstructured{}

	for _, item := range items {
		if object, ok := item.(map[string]any); ok {
			out = append(out, unstructured.Unstructured{Object: object})
		}
	}

	return out
}

func isYAML(path string) bool {
	return strings.HasSuffix(path, ".yaml") || strings.HasSuffix(path, ".yml")
}
