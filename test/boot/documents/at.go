package documents

import (
	"fmt"
	"strconv"
)

// At is the value at a path of decoded YAML, nil if there is none. A figure is an index of a list.
func At(v any, path ...string) any {
	for _, step := range path {
		switch at := v.(type) {
		case map[string]any:
			v = at[step]
		case []any:
			i, err := strconv.Atoi(step)
			if err != nil || i >= len(at) {
				return nil
			}

			v = at[i]
		default:
			return nil
		}
	}

	return v
}

// Text is the scalar at a path, empty if there is none.
func Text(v any, path ...string) string {
	if v = At(v, path...); v == nil {
		return ""
	}

	return fmt.Sprint(v)
}

// List is the list at a path, empty if there is none.
func List(v any, path ...string) []any {
	l, _ := At(v, path...).([]any)

	return l
}

// Texts are the scalars of the list at a path.
func Texts(v any, path ...string) []string {
	out := []string{}
	for _, e := range List(v, path...) {
		out = append(out, fmt.Sprint(e))
	}

	return out
}
