// Package crds holds objects against real CustomResourceDefinitions as an API server does, and stricter: an unknown field
// is a fault here, where an API server drops it in silence.
package crds

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	extv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/yaml"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
)

// A Set of definitions by API version and kind.
type Set map[string]*Definition

// Load reads the CRDs of directories. A directory without any is an error.
func Load(dirs ...string) (Set, error) {
	s := Set{}

	for _, dir := range dirs {
		files, err := filepath.Glob(filepath.Join(dir, "*.yaml"))
		if err != nil || len(files) == 0 {
			return nil, errors.Errorf("no CRDs in %s", dir)
		}

		for _, f := range files {
			b, err := os.ReadFile(f) //nolint:gosec // A test's own files.
			if err != nil {
				return nil, err
			}

			crd := extv1.CustomResourceDefinition{}
			if err := yaml.UnmarshalStrict(bytes.TrimSpace(b), &crd); err != nil {
				return nil, errors.Wrapf(err, "cannot read %s", f)
			}

			if err := s.Add(crd); err != nil {
				return nil, errors.Wrapf(err, "cannot use %s", f)
			}
		}
	}

	return s, nil
}

// Add a definition to the set, every version of it.
func (s Set) Add(crd extv1.CustomResourceDefinition) error {
	for _, v := range crd.Spec.Versions {
		d, err := NewDefinition(v)
		if err != nil {
			return err
		}

		s[crd.Spec.Group+"/"+v.Name+" "+crd.Spec.Names.Kind] = d
	}

	return nil
}

// Check an object against the definition of its kind; see [Definition.Check].
func (s Set) Check(object map[string]any) field.ErrorList {
	name := fmt.Sprintf("%v %v", object["apiVersion"], object["kind"])

	d, ok := s[name]
	if !ok {
		return field.ErrorList{field.NotFound(field.NewPath("apiVersion"), name)}
	}

	return d.Check(object, nil)
}
