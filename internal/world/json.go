package world

import (
	"encoding/json"
	"maps"
	"slices"
	"sync"

	"google.golang.org/protobuf/types/known/structpb"
	"sigs.k8s.io/yaml"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// Object is a JSON object, empty where there is none.
func Object(v any) map[string]any {
	m, ok := v.(map[string]any)
	if !ok {
		return map[string]any{}
	}

	return m
}

// List is a JSON list, nil where there is none.
func List(v any) []any {
	l, _ := v.([]any)
	return l
}

// Copy is an independent copy of a JSON value, with the types that JSON has in Go: a number is a float64.
func Copy(v any) any {
	switch v := v.(type) {
	case nil, string, bool, float64:
		return v
	case int:
		return float64(v)
	case []any:
		if v == nil {
			return nil
		}

		out := make([]any, len(v))
		for i := range v {
			out[i] = Copy(v[i])
		}

		return out
	case map[string]any:
		return copyObject(v)
	case map[string]map[string]any:
		return copyObject(v)
	}

	return throughText(v)
}

func copyObject[T any](v map[string]T) any {
	if v == nil {
		return nil
	}

	out := make(map[string]any, len(v))
	for k := range v {
		out[k] = Copy(v[k])
	}

	return out
}

// throughText is a copy of what is not made of JSON's own types.
func throughText(v any) any {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}

	var out any
	if err := json.Unmarshal(b, &out); err != nil {
		panic(err)
	}

	return out
}

// Keys of an object, sorted.
func Keys[T any](m map[string]T) []string { return slices.Sorted(maps.Keys(m)) }

// Merge lays values over an object; null takes one away.
func Merge(into, over map[string]any) {
	for k, v := range over {
		inner, ok := v.(map[string]any)

		switch {
		case v == nil:
			delete(into, k)
		case ok && len(Object(into[k])) > 0:
			Merge(Object(into[k]), inner)
		default:
			into[k] = v
		}
	}
}

// documents that were read, by their text: a copy costs a fraction of reading one again.
var documents sync.Map

// FromYAML reads one YAML document.
func FromYAML(t Reporter, text string) map[string]any {
	t.Helper()

	if m, ok := documents.Load(text); ok {
		return Object(Copy(m))
	}

	m := map[string]any{}
	if err := yaml.Unmarshal([]byte(text), &m); err != nil {
		t.Fatal(err)
	}

	// A document of nothing but comments or null leaves a nil map, and is not worth keeping.
	if m != nil {
		documents.Store(text, Copy(m))
	}

	return m
}

// Struct is an object as Crossplane sends it.
func Struct(t Reporter, m map[string]any) *structpb.Struct {
	t.Helper()

	// The way over text turns typed lists into plain ones; most objects have none.
	s, err := structpb.NewStruct(m)
	if err != nil {
		s, err = structpb.NewStruct(Object(Copy(m)))
	}

	if err != nil {
		t.Fatal(err)
	}

	return s
}

// EachString of a JSON value.
func EachString(v any, do func(string)) {
	switch v := v.(type) {
	case string:
		do(v)
	case []any:
		for i := range v {
			EachString(v[i], do)
		}
	case map[string]any:
		for k := range v {
			EachString(v[k], do)
		}
	}
}

// terraformed is what Terraform makes of a value's strings: $${ and %%{ are the only escapes of its template language. A string
// that it would evaluate stays as it is; test/properties finds those.
func terraformed(v any) any {
	switch v := v.(type) {
	case string:
		return proxmox.Unescape(v)
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = terraformed(v[i])
		}

		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for k := range v {
			out[k] = terraformed(v[k])
		}

		return out
	}

	return v
}

func number(v any) float64 {
	switch v := v.(type) {
	case float64:
		return v
	case int64:
		return float64(v)
	case int:
		return float64(v)
	}

	return 0
}
