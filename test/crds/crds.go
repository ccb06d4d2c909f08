// Package crds holds objects against real CustomResourceDefinitions as an API server does, and stricter: an unknown field
// is a fault here, where an API server drops it in silence.
package crds

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	extv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"sigs.k8s.io/yaml"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
)

// A Set of definitions by API version and kind.
type Set map[string]*Definition

// A Definition is one version of a kind.
type Definition struct {
	structural *schema.Structural
	schema     validation.SchemaValidator
	rules      *cel.Validator
}

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
		in := v.Schema.OpenAPIV3Schema

		props := &apiextensions.JSONSchemaProps{}
		if err := extv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(in, props, nil); err != nil {
			return errors.Wrap(err, "cannot convert schema")
		}

		structural, err := schema.NewStructural(props)
		if err != nil {
			return errors.Wrap(err, "schema is not structural")
		}

		if errs := schema.ValidateStructural(nil, structural); len(errs) > 0 {
			return errors.Wrap(errs.ToAggregate(), "schema is not structural")
		}

		validator, _, err := validation.NewSchemaValidator(props)
		if err != nil {
			return errors.Wrap(err, "cannot compile schema")
		}

		s[crd.Spec.Group+"/"+v.Name+" "+crd.Spec.Names.Kind] = &Definition{
			structural: structural,
			schema:     validator,
			rules:      cel.NewValidator(structural, true, celconfig.PerCallLimit),
		}
	}

	return nil
}

// Check an object: unknown fields, schema, and CEL rules. It may change the object as admission would, by defaults.
func (s Set) Check(object map[string]any) field.ErrorList {
	return s.CheckUpdate(object, nil)
}

// CheckUpdate is [Set.Check] of an object that is to take the place of an old one.
func (s Set) CheckUpdate(object, old map[string]any) field.ErrorList {
	name := fmt.Sprintf("%v %v", object["apiVersion"], object["kind"])

	d, ok := s[name]
	if !ok {
		return field.ErrorList{field.NotFound(field.NewPath("apiVersion"), name)}
	}

	object = runtime.DeepCopyJSON(object)
	defaulting.Default(object, d.structural)

	var errs field.ErrorList

	pruned := pruning.PruneWithOptions(runtime.DeepCopyJSON(object), d.structural, true,
		schema.UnknownFieldPathOptions{TrackUnknownFieldPaths: true})
	for _, path := range pruned {
		errs = append(errs, field.Forbidden(field.NewPath(path), "unknown field"))
	}

	errs = append(errs, validation.ValidateCustomResource(nil, object, d.schema)...)

	var oldObject any
	if old != nil {
		oldObject = old
	}

	faults, _ := d.rules.Validate(context.Background(), nil, d.structural, object, oldObject, celconfig.RuntimeCELCostBudget)

	return append(errs, faults...)
}
