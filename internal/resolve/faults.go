package resolve

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// consolidate combines the faults of two checks of a claim. It drops a fault of the second check if the first check found a
// fault in the same field, in a field inside it, or in a field around it, because one follows from the other.
func consolidate(first, second field.ErrorList) field.ErrorList {
	out := slices.Clone(first)

	for _, err := range second {
		if !related(first, err) {
			out = append(out, err)
		}
	}

	return out
}

func related(errs field.ErrorList, err *field.Error) bool {
	for _, e := range errs {
		if e.Field == err.Field || within(e.Field, err.Field) || within(err.Field, e.Field) {
			return true
		}
	}

	return false
}

// within reports whether a path is inside another path.
func within(inner, outer string) bool {
	rest, ok := strings.CutPrefix(inner, outer)

	return ok && (strings.HasPrefix(rest, ".") || strings.HasPrefix(rest, "["))
}
