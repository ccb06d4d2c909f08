package resolve

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// consolidate puts faults of two looks at a claim together. What the second look says of a field that the first one found
// at fault, or of a field in it or around it, only follows from that.
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

// within says whether a path leads into another one.
func within(inner, outer string) bool {
	rest, ok := strings.CutPrefix(inner, outer)

	return ok && (strings.HasPrefix(rest, ".") || strings.HasPrefix(rest, "["))
}
