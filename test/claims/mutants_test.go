package claims

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

// A mutant is a value to be put into one place of a claim. Absent removes what is there.
type mutant struct {
	path  []string
	value any
}

type absent struct{}

// mutants of a value and of everything in it.
func mutants(path []string, v any) []mutant {
	out := make([]mutant, 0, 16)

	for _, wrong := range wrongValues(v) {
		out = append(out, mutant{path, wrong})
	}

	child := func(name string) []string { return append(slices.Clone(path), name) }

	switch v := v.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			out = append(out, mutant{child(name), absent{}})
			out = append(out, mutants(child(name), v[name])...)
		}

		out = append(out, mutant{child("unknownField"), "x"})
	case []any:
		for i, item := range v {
			out = append(out, mutants(child(strconv.Itoa(i)), item)...)
		}
	}

	return out
}

// wrongValues in place of a right one. Not each is wrong everywhere: the XRD says which are.
func wrongValues(v any) []any {
	out := []any{nil, map[string]any{}, []any{}, map[string]any{"x": "y"}, []any{"x"}, []any{nil}}

	switch v := v.(type) {
	case string:
		out = append(out, 123, 123.5, true, "", " ", "\n", v+"\n", "\n"+v, v+" ", strings.ToUpper(v), "-"+v, v+"-", v+"."+v, "ä", v+"ä",
			strings.Repeat("x", 64), strings.Repeat("x", 300), strings.Repeat("x", 300000), strings.Repeat("9", 20), "nonsense",
			`${file("/etc/passwd")}`, "%{ if true }", "a: b\nc: d", "1.2.3.4", "1.2.3.4/24", "::1", "2001:db8::1", "01:00:00:00:00:00", "0", "-1", "9000", "https://x")
	case float64, int64:
		out = append(out, "abc", "1", 1.5, -1, 0, 1, 33, 129, 99, 4095, 1025, 86401, 1000000000, 1e18, true)
	case bool:
		out = append(out, "yes", "true", 1, !v)
	case []any:
		out = append(out, "x", 1, append(slices.Clone(v), v...), manyOf(v, 100))
	case map[string]any:
		out = append(out, "x", 1, true)
	}

	return out
}

func manyOf(items []any, n int) []any {
	out := make([]any, 0, n)
	for len(items) > 0 && len(out) < n {
		out = append(out, items...)
	}

	return out
}

// put the value into its place of an object, and say whether there is such a place.
func (m mutant) put(object map[string]any) bool {
	var at any = object

	for _, name := range m.path[:len(m.path)-1] {
		switch v := at.(type) {
		case map[string]any:
			at = v[name]
		case []any:
			i, err := strconv.Atoi(name)
			if err != nil || i >= len(v) {
				return false
			}

			at = v[i]
		default:
			return false
		}
	}

	last := m.path[len(m.path)-1]
	_, remove := m.value.(absent)

	switch v := at.(type) {
	case map[string]any:
		if remove {
			delete(v, last)
			return true
		}

		v[last] = jsonValue(m.value)
	case []any:
		i, err := strconv.Atoi(last)
		if err != nil || i >= len(v) {
			return false
		}

		v[i] = jsonValue(m.value)
	default:
		return false
	}

	return true
}

// jsonValue has numbers as an API server's JSON decoder makes them: whole ones are int64.
func jsonValue(v any) any {
	switch v := v.(type) {
	case int:
		return int64(v)
	case []any:
		out := make([]any, len(v))
		for i, item := range v {
			out[i] = jsonValue(item)
		}

		return out
	default:
		return v
	}
}
