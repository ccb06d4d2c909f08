package strict

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/internal/message"
)

// OriginMissing tells the faults of [Missing] from those of the checks of a field's own, which know better what to write.
const OriginMissing = "missing"

// Missing are the fields that the API server requires and a document lacks. What requires a field is what makes the XRD require it: a json tag without
// omitempty. A null is a field that was left out. What has another form than its type is for [Decode] to say.
func Missing(at *field.Path, from, into any) field.ErrorList {
	t := reflect.TypeOf(into).Elem()
	if !lacks(from, t) {
		return nil
	}

	return missing(at, from, t)
}

// lacks says whether anything is missing. A claim lacks nothing in nearly every call, and no path is made for it.
func lacks(from any, t reflect.Type) bool {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}

	switch v := from.(type) {
	case map[string]any:
		switch t.Kind() {
		case reflect.Struct:
			return slices.ContainsFunc(describe(t).fields, func(f structField) bool {
				value := v[f.name]
				return value == nil && f.required || value != nil && lacks(value, f.of)
			})
		case reflect.Map:
			for _, value := range v {
				if lacks(value, t.Elem()) {
					return true
				}
			}
		default:
		}
	case []any:
		return t.Kind() == reflect.Slice && slices.ContainsFunc(v, func(item any) bool { return lacks(item, t.Elem()) })
	}

	return false
}

func missing(at *field.Path, from any, t reflect.Type) (out field.ErrorList) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}

	switch t.Kind() {
	case reflect.Struct:
		m, ok := from.(map[string]any)
		if !ok {
			return nil
		}

		for _, f := range describe(t).fields {
			switch v := m[f.name]; {
			case v != nil:
				out = append(out, missing(at.Child(f.name), v, f.of)...)
			case f.required:
				out = append(out, field.Required(at.Child(f.name), lacking(f, t)).WithOrigin(OriginMissing))
			}
		}
	case reflect.Slice:
		items, _ := from.([]any)
		for i, item := range items {
			out = append(out, missing(at.Index(i), item, t.Elem())...)
		}
	case reflect.Map:
		m, _ := from.(map[string]any)
		for _, name := range slices.Sorted(maps.Keys(m)) {
			out = append(out, missing(at.Child(message.Key(name)), m[name], t.Elem())...)
		}
	default:
	}

	return out
}

// lacking is what to write of a field that is missing: the field itself where it is an object, else an object that has it.
func lacking(f structField, of reflect.Type) string {
	if form, ok := forms[f.of.Name()]; ok {
		return fmt.Sprintf("write %s: %s", f.name, form.whole())
	}

	if whole := forms[of.Name()].whole(); strings.Contains(whole, f.name+": ") {
		return "such as " + whole
	}

	return "the API server requires it"
}

// whole is an object of this form.
func (f form) whole() string {
	if f.form == "" {
		return f.example
	}

	return strings.Replace(f.form, "%s", f.example, 1)
}
