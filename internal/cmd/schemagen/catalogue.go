package main

import (
	"golang.org/x/tools/go/packages"
	extv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/controller-tools/pkg/crd"
	"sigs.k8s.io/controller-tools/pkg/loader"
	"sigs.k8s.io/controller-tools/pkg/markers"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
)

// environmentVersion of the EnvironmentConfig that has a catalogue.
const environmentVersion = "apiextensions.crossplane.io/v1beta1"

// catalogueSchema is the schema of an EnvironmentConfig with a catalogue.
func catalogueSchema(pkg string) (object, error) {
	data, err := flattened(pkg, "Catalogue")
	if err != nil {
		return nil, err
	}

	catalogue := convert(&data)
	if err := setNames(catalogue); err != nil {
		return nil, err
	}

	return object{
		"$schema": draft, "title": "EnvironmentConfig with a catalogue", "type": "object",
		"description": "A catalogue: what claims can name.",
		"properties": object{
			"apiVersion": object{"type": "string", "const": environmentVersion, "description": "The group and version of the kind."},
			"kind":       object{"type": "string", "const": "EnvironmentConfig", "description": "EnvironmentConfig is the kind of the object."},
			"metadata":   objectMeta(object{"type": "string", "description": "name of the object. The Compositions read machine-catalog.", "default": "machine-catalog"}),
			"data":       catalogue,
		},
		"required":             []string{"apiVersion", "kind", "metadata", "data"},
		"additionalProperties": false,
	}, nil
}

// flattened is the schema of a Go type, with those of all types that it is made of.
func flattened(pkg, name string) (extv1.JSONSchemaProps, error) {
	roots, err := loader.LoadRoots(pkg)
	if err != nil || len(roots) != 1 {
		return extv1.JSONSchemaProps{}, errors.Errorf("cannot load package %s: %v", pkg, err)
	}

	registry := &markers.Registry{}
	if err := (crd.Generator{}).RegisterMarkers(registry); err != nil {
		return extv1.JSONSchemaProps{}, errors.Wrap(err, "cannot register markers")
	}

	p := &crd.Parser{Collector: &markers.Collector{Registry: registry}, Checker: &loader.TypeChecker{}}
	crd.AddKnownTypes(p)
	p.NeedPackage(roots[0])
	p.Schemata[crd.TypeIdent{Package: roots[0], Name: "AddressPool"}] = addressPool()

	ident := crd.TypeIdent{Package: roots[0], Name: name}
	p.NeedFlattenedSchemaFor(ident)

	if loader.PrintErrors(roots, packages.TypeError) {
		return extv1.JSONSchemaProps{}, errors.Errorf("cannot generate the schema of %s", name)
	}

	return p.FlattenedSchemata[ident], nil
}

// setNames limits the names of entries to what claims can name.
func setNames(catalogue object) error {
	fields, _ := catalogue["properties"].(object)

	for section, names := range map[string]object{
		"classes":  {"minLength": 1, "maxLength": 63},
		"sites":    {"minLength": 1, "maxLength": 63},
		"clusters": {"minLength": 1, "maxLength": 63},
		// A number is a template, and a name with a colon is a volume.
		"images": {"minLength": 1, "maxLength": 255, "not": object{"pattern": "^[0-9]+$|:"}},
	} {
		field, ok := fields[section].(object)
		if !ok {
			return errors.Errorf("cannot find section %s in the catalogue's type", section)
		}

		field["propertyNames"] = names
	}

	return nil
}

// addressPool is the schema of a pool, which is text, a list or an object.
func addressPool() extv1.JSONSchemaProps {
	const (
		address = `[0-9]{1,3}(\.[0-9]{1,3}){3}`
		longest = 32
	)

	addresses := extv1.JSONSchemaProps{
		Type: "string", Pattern: `^ *` + address + ` *(- *` + address + ` *)?$`,
		Description: "A range of addresses, such as 192.168.4.50-192.168.4.99, or one address.",
	}
	text := func(description string) extv1.JSONSchemaProps {
		return extv1.JSONSchemaProps{Type: "string", Description: description}
	}

	return extv1.JSONSchemaProps{AnyOf: []extv1.JSONSchemaProps{
		addresses,
		{Type: "array", Items: &extv1.JSONSchemaPropsOrArray{Schema: &addresses}, MinItems: new(int64(1)), MaxItems: new(int64(longest))},
		{
			Type: "object", Description: "A pool of Cluster API, such as {kind: InClusterIPPool, name: lab}.", Required: []string{"kind", "name"},
			Properties: map[string]extv1.JSONSchemaProps{
				"apiGroup": text("apiGroup of the pool's kind. Default: ipam.cluster.x-k8s.io."),
				"kind":     text("kind of the pool, such as InClusterIPPool or GlobalInClusterIPPool."),
				"name":     text("name of the pool."),
			},
		},
	}}
}
