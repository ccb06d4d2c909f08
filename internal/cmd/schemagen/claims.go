package main

import (
	"os"

	extv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/xcrd"
	xpv1 "github.com/crossplane/crossplane/apis/v2/apiextensions/v1"
)

// crdOf is the CRD that Crossplane makes of an XRD, for the kind that people write: its claim, else its composite.
func crdOf(file string) (*extv1.CustomResourceDefinition, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, errors.Wrap(err, "cannot read XRD")
	}

	xrd := &xpv1.CompositeResourceDefinition{}
	if err := yaml.UnmarshalStrict(b, xrd); err != nil {
		return nil, errors.Wrapf(err, "cannot parse %s", file)
	}

	convert := xcrd.ForCompositeResource
	if xrd.Spec.ClaimNames != nil {
		convert = xcrd.ForCompositeResourceClaim
	}

	crd, err := convert(xrd)

	return crd, errors.Wrapf(err, "cannot make a CRD of %s", file)
}

// claimSchema is the schema of what people write: an object without status.
func claimSchema(crd *extv1.CustomResourceDefinition) (kind, object) {
	k := kindOf(crd)
	props := crd.Spec.Versions[0].Schema.OpenAPIV3Schema

	out := convert(props)
	out["$schema"] = draft
	out["title"] = k.Name
	out["required"] = []string{"apiVersion", "kind", "metadata", "spec"}

	fields, _ := out["properties"].(object)
	fields["apiVersion"] = object{"type": "string", "const": k.APIVersion, "description": "The group and version of the kind."}
	fields["kind"] = object{"type": "string", "const": k.Name, "description": k.Name + " is the kind of the object."}
	fields["metadata"] = metadata(props)
	// What kubectl prints has a status, which nobody writes.
	fields["status"] = object{"type": "object", "description": "status is what Crossplane reports; nobody writes it."}

	return k, out
}

// metadata of an object, with what the rules of the kind say of its name.
func metadata(props *extv1.JSONSchemaProps) object {
	name := object{"type": "string", "minLength": 1, "maxLength": 63, "description": "name of the object."}

	for _, r := range props.XValidations {
		if pattern, ok := patternOf(r.Rule, "self.metadata.name"); ok {
			name["pattern"], name["patternErrorMessage"] = pattern, r.Message
		}
	}

	return objectMeta(name)
}

// objectMeta is the part of Kubernetes' metadata that people write; the API server has more.
func objectMeta(name object) object {
	texts := object{"type": "object", "additionalProperties": object{"type": "string"}}

	return object{
		"type": "object", "description": "metadata has the name of the object, and its namespace, labels and annotations.",
		"properties": object{"name": name, "namespace": object{"type": "string"}, "labels": texts, "annotations": texts},
		"required":   []string{"name"},
	}
}

// anyOf is the schema of a file of any kind: that of its kind, and none for kinds of others.
func anyOf(kinds []kind) object {
	cases := make([]object, 0, len(kinds))

	for _, k := range kinds {
		cases = append(cases, object{
			"if": object{
				"properties": object{"kind": object{"const": k.Name}, "apiVersion": object{"const": k.APIVersion}},
				"required":   []string{"kind", "apiVersion"},
			},
			"then": object{"$ref": k.File},
		})
	}

	return object{"$schema": draft, "title": "homelab.io", "description": "A claim or a catalogue; objects of other kinds are not judged.", "allOf": cases}
}
