package judge

import (
	"context"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	extv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	celconfig "k8s.io/apiserver/pkg/apis/cel"

	"github.com/crossplane/function-sdk-go/errors"
)

// A Definition is one version of a kind.
type Definition struct {
	structural *schema.Structural
	schema     validation.SchemaValidator
	rules      *cel.Validator
}

// NewDefinition compiles a version of a CRD. It returns an error where an API server would not serve its schema.
func NewDefinition(v extv1.CustomResourceDefinitionVersion) (*Definition, error) {
	props := &apiextensions.JSONSchemaProps{}
	if err := extv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(v.Schema.OpenAPIV3Schema, props, nil); err != nil {
		return nil, errors.Wrap(err, "cannot convert schema")
	}

	structural, err := schema.NewStructural(props)
	if err != nil {
		return nil, errors.Wrap(err, "schema is not structural")
	}

	if errs := schema.ValidateStructural(nil, structural); len(errs) > 0 {
		return nil, errors.Wrap(errs.ToAggregate(), "schema is not structural")
	}

	validator, _, err := validation.NewSchemaValidator(props)
	if err != nil {
		return nil, errors.Wrap(err, "cannot compile schema")
	}

	return &Definition{structural: structural, schema: validator, rules: cel.NewValidator(structural, true, celconfig.PerCallLimit)}, nil
}

// Check an object, as the API server does when kubectl asks it to be strict: unknown fields, schema, list types, and the CEL
// rules where the rest lets them run. old is the object that it takes the place of; nil for a new one.
func (d *Definition) Check(object, old map[string]any) field.ErrorList {
	object = runtime.DeepCopyJSON(object)

	var errs field.ErrorList

	unknown := pruning.PruneWithOptions(object, d.structural, true, schema.UnknownFieldPathOptions{TrackUnknownFieldPaths: true})
	for _, path := range unknown {
		errs = append(errs, field.Forbidden(field.NewPath(path), "unknown field"))
	}

	defaulting.PruneNonNullableNullsWithoutDefaults(object, d.structural)
	defaulting.Default(object, d.structural)

	schemaErrs := validation.ValidateCustomResource(nil, object, d.schema)
	schemaErrs = append(schemaErrs, listtype.ValidateListSetsAndMaps(nil, d.structural, object)...)
	errs = append(errs, schemaErrs...)

	for _, err := range schemaErrs {
		// These keep the API server from running rules, which expect values of the right types and sizes.
		switch err.Type {
		case field.ErrorTypeNotSupported, field.ErrorTypeRequired, field.ErrorTypeTooLong, field.ErrorTypeTooMany, field.ErrorTypeTypeInvalid:
			return errs
		default:
		}
	}

	var before any
	if old != nil {
		before = old
	}

	faults, _ := d.rules.Validate(context.Background(), nil, d.structural, object, before, celconfig.RuntimeCELCostBudget)

	return append(errs, faults...)
}

// Structural is the schema of the definition.
func (d *Definition) Structural() *schema.Structural { return d.structural }
