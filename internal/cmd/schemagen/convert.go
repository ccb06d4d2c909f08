package main

import (
	"encoding/json"
	"regexp"
	"strings"

	extv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// draft of JSON schema that the YAML language server and Monaco read.
const draft = "http://json-schema.org/draft-07/schema#"

// An object of JSON.
type object = map[string]any

// matches is a rule that only matches a text with a pattern. Other rules of CEL cannot be said in a schema.
var matches = regexp.MustCompile(`^([a-z.]+)\.matches\(r?'([^']*)'\)( && .*)?$`)

// patternOf a rule for a field; false where it is a rule of another form. Of two rules in one, the schema has the first.
func patternOf(rule, field string) (string, bool) {
	m := matches.FindStringSubmatch(rule)
	if m == nil || m[1] != field || strings.Contains(m[3], "||") {
		return "", false
	}

	return m[2], true
}

// convert the schema of a CRD to a JSON schema. An object with fields has no others, since the API server drops them.
func convert(p *extv1.JSONSchemaProps) object {
	out := object{}

	if p.Description != "" {
		out["description"] = p.Description
	}

	if former := formerOf(p.Description); former != "" {
		out["deprecationMessage"] = former
	}

	setType(out, p)
	setValues(out, p)
	setLimits(out, p)

	if p.Items != nil && p.Items.Schema != nil {
		out["items"] = convert(p.Items.Schema)
		setLength(out, "minItems", p.MinItems)
		setLength(out, "maxItems", p.MaxItems)

		if p.UniqueItems || p.XListType != nil && *p.XListType == "set" {
			out["uniqueItems"] = true
		}
	}

	if len(p.AnyOf) > 0 && !p.XIntOrString {
		forms := make([]object, 0, len(p.AnyOf))
		for _, form := range p.AnyOf {
			forms = append(forms, convert(&form))
		}

		out["anyOf"] = forms
	}

	setFields(out, p)

	return out
}

// formerOf is the first sentence of a description that calls its field a former spelling.
func formerOf(description string) string {
	sentence, _, _ := strings.Cut(strings.ReplaceAll(description, "\n", " "), ". ")
	if !strings.Contains(sentence, " is the former spelling of ") {
		return ""
	}

	return sentence
}

func setType(out object, p *extv1.JSONSchemaProps) {
	switch {
	case p.XIntOrString:
		out["type"] = []string{"integer", "string"}
	case p.Type != "":
		out["type"] = p.Type
	}
}

func setValues(out object, p *extv1.JSONSchemaProps) {
	if len(p.Enum) > 0 {
		values := make([]any, 0, len(p.Enum))
		for _, e := range p.Enum {
			values = append(values, json.RawMessage(e.Raw))
		}

		out["enum"] = values
	}

	// An empty object says only that there are defaults inside.
	if p.Default != nil && string(p.Default.Raw) != "{}" {
		out["default"] = json.RawMessage(p.Default.Raw)
	}
}

func setLimits(out object, p *extv1.JSONSchemaProps) {
	setLength(out, "minLength", p.MinLength)
	setLength(out, "maxLength", p.MaxLength)

	if p.Minimum != nil {
		out["minimum"] = *p.Minimum
	}

	if p.Maximum != nil {
		out["maximum"] = *p.Maximum
	}

	if p.Pattern != "" {
		out["pattern"] = p.Pattern
	}

	for _, r := range p.XValidations {
		if pattern, ok := patternOf(r.Rule, "self"); ok && p.Pattern == "" {
			out["pattern"], out["patternErrorMessage"] = pattern, r.Message
		}
	}
}

func setLength(out object, key string, n *int64) {
	if n != nil {
		out[key] = *n
	}
}

func setFields(out object, p *extv1.JSONSchemaProps) {
	if len(p.Required) > 0 {
		out["required"] = p.Required
	}

	open := p.XPreserveUnknownFields != nil && *p.XPreserveUnknownFields

	switch {
	case len(p.Properties) > 0:
		fields := object{}
		for name, field := range p.Properties {
			fields[name] = convert(&field)
		}

		out["properties"] = fields

		if !open {
			out["additionalProperties"] = false
		}
	case p.AdditionalProperties != nil && p.AdditionalProperties.Schema != nil:
		out["additionalProperties"] = convert(p.AdditionalProperties.Schema)
	}
}
