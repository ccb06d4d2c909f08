package strict

import (
	"math"
)

// maxWhole is the largest whole number that a JSON number surely holds: beyond it, neighbours are the same float64.
const maxWhole = 1 << 53

// integer is a JSON number's value, where it is whole.
func integer(v any) (int64, bool) {
	switch n := v.(type) {
	case int64:
		return n, true
	case int:
		return int64(n), true
	case float64:
		// The comparisons are false for what is not a number.
		if n == math.Trunc(n) && n >= -maxWhole && n <= maxWhole {
			return int64(n), true
		}
	}

	return 0, false
}

// whole is a copy of a JSON value with its whole numbers as such, so that they are written as they were typed.
func whole(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for k, item := range v {
			out[k] = whole(item)
		}

		return out
	case []any:
		out := make([]any, len(v))
		for i, item := range v {
			out[i] = whole(item)
		}

		return out
	default:
		if n, ok := integer(v); ok {
			return n
		}

		return v
	}
}
