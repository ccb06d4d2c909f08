package standin

import (
	"reflect"
	"slices"
	"strings"
)

// number of a field, 0 if it is not there.
func number(v any) int {
	switch n := v.(type) {
	case int64:
		return int(n)
	case float64:
		return int(n)
	}

	return 0
}

// figure is a number with its fraction.
func figure(v any) float64 {
	switch n := v.(type) {
	case int64:
		return float64(n)
	case float64:
		return n
	}

	return 0
}

func text(v any) string { s, _ := v.(string); return s }

func flag(v any) bool { b, _ := v.(bool); return b }

func items(v any) []any { l, _ := v.([]any); return l }

// object of a field, nil if it is none.
func object(v any) map[string]any {
	switch m := v.(type) {
	case map[string]any:
		return m
	case values:
		return m
	}

	return nil
}

// block is the only element of a list, as Terraform's blocks are written; nil if there is none.
func block(v any) map[string]any {
	if l := items(v); len(l) > 0 {
		return object(l[0])
	}

	return nil
}

// plain is what Proxmox gets of texts that are Terraform templates.
func plain(v any) any {
	switch t := v.(type) {
	case string:
		return strings.NewReplacer("$${", "${", "%%{", "%{").Replace(t)
	case []any:
		out := make([]any, len(t))
		for i := range t {
			out[i] = plain(t[i])
		}

		return out
	case map[string]any:
		out := make(map[string]any, len(t))
		for k := range t {
			out[k] = plain(t[k])
		}

		return out
	}

	return v
}

// template says whether a text is a template that is not escaped.
func template(v any) bool {
	switch t := v.(type) {
	case string:
		rest := strings.NewReplacer("$${", "", "%%{", "").Replace(t)
		return strings.Contains(rest, "${") || strings.Contains(rest, "%{")
	case []any:
		return slices.ContainsFunc(t, template)
	case map[string]any:
		for k := range t {
			if template(t[k]) {
				return true
			}
		}
	}

	return false
}

// covers says whether all that is asked for is there. What was not asked for is not managed.
func covers(have, want any) bool {
	switch w := want.(type) {
	case map[string]any:
		h := object(have)
		for k := range w {
			if !covers(h[k], w[k]) {
				return false
			}
		}

		return true
	case []any:
		h := items(have)
		if len(h) != len(w) {
			return false
		}

		for i := range w {
			if !covers(h[i], w[i]) {
				return false
			}
		}

		return true
	case int64, float64:
		return figure(have) == figure(want)
	case string:
		return text(have) == w
	case bool:
		return flag(have) == w
	}

	return reflect.DeepEqual(have, want)
}
