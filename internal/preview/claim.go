// Package preview shows what Crossplane makes of a claim, before the claim is committed.
//
// It does what a person would otherwise do by hand: it turns a claim into the composite resource that Crossplane would make of it, finds
// the XRD and the Composition of its kind, and has an [Engine] call the function with the catalogue, the Secrets and the observed resources
// that go with the claim. Where nothing was observed it plays a provider that makes what it may create, and finds nothing where it may only
// observe. What becomes of a machine is the function's to decide: the preview asks it to explain itself.
package preview

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/homelab-io/function-proxmox-machine/internal/manifest"
)

// Files beside claims that are no claims.
const (
	fileCatalogue = "catalogue.yaml"
	FileSecrets   = "secrets.yaml"
	fileObserved  = manifest.Observed
)

// A Claim is one document of a file, of a kind that an XRD of the Configuration defines.
type Claim struct {
	File   string
	Line   int // In which it begins, from 1; 0 where Kustomize made it.
	Object unstructured.Unstructured
	Layout []unstructured.Unstructured // The catalogue and the Secrets of the layout that it is part of, the nearest last.
}

// String names the claim for people.
func (c Claim) String() string {
	return fmt.Sprintf("%s %s in %s", c.Object.GetKind(), c.Object.GetName(), c.File)
}

// beside is the path of the named file in the claim's folder, or empty if there is none.
func (c Claim) beside(name string) string {
	if path := filepath.Join(filepath.Dir(c.File), name); exists(path) {
		return path
	}

	return ""
}

// above is the path of the named file in the claim's folder, or in the nearest folder above it that has one, in the same Git repository. Empty if there is
// none.
func (c Claim) above(name string) string {
	if path := c.beside(name); path != "" || c.File == manifest.Stdin || manifest.IsURL(c.File) {
		return path
	}

	nearest := ""

	for folder := filepath.Dir(absolute(c.File)); folder != filepath.Dir(folder); folder = filepath.Dir(folder) {
		if path := filepath.Join(folder, name); nearest == "" && exists(path) {
			nearest = path
		}

		if exists(filepath.Join(folder, ".git")) {
			return nearest
		}
	}

	return "" // In no repository: what is above is nobody's word.
}

func exists(path string) bool {
	_, err := os.Stat(path)

	return err == nil
}

// isBeside says whether a file is one of those that go with claims.
func isBeside(file string) bool {
	return slices.Contains([]string{fileCatalogue, FileSecrets}, filepath.Base(file)) || manifest.IsObserved(file)
}

// readObjects reads every object of a file.
func readObjects(file string) ([]unstructured.Unstructured, error) {
	documents, err := readDocuments(file)

	return manifest.Objects(documents), err
}

// readDocuments reads every document of a file: a list of nothing is one without objects.
func readDocuments(file string) ([]manifest.Document, error) {
	sources, err := manifest.Read([]string{file}, os.Stdin)

	var out []manifest.Document
	for _, s := range sources {
		out = append(out, s.Documents...)
	}

	return out, err
}
