package resolve

import (
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/internal/message"
	"github.com/homelab-io/function-proxmox-machine/internal/strict"
)

// OriginWarning tells warnings from faults on their way from the fields of a node to those of its cluster's claim.
const OriginWarning = "warning"

// Consolidate combines the faults of two checks of a claim. It drops a fault of the second check if the first check found a
// fault in the same field, in a field inside it, or in a field around it, because one follows from the other.
func Consolidate(first, second field.ErrorList) field.ErrorList {
	// What is missing is said best by the check that needs it.
	out := slices.DeleteFunc(slices.Clone(first), func(e *field.Error) bool {
		return e.Origin == strict.OriginMissing && (relatedTo(first, e) || relatedTo(second, e))
	})
	first = slices.Clone(out)

	for _, err := range second {
		if !related(first, err) {
			out = append(out, err)
		}
	}

	return out
}

// relatedTo reports whether a check says itself that a field is missing of which nothing is known but that the API server requires it. What it says of the
// value that nobody typed is no such thing.
func relatedTo(errs field.ErrorList, missing *field.Error) bool {
	return related(slices.DeleteFunc(slices.Clone(errs), func(e *field.Error) bool {
		return e.Origin == strict.OriginMissing || e.Origin == OriginWarning || e.Field == missing.Field && e.Type != field.ErrorTypeRequired
	}), missing)
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
func within(inner, outer string) bool { return inner != outer && message.Within(inner, outer) }
