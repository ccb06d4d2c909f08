package validate

import (
	"fmt"
	"regexp"
	"slices"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/internal/message"
)

// A textRule is the rule for one line of text.
type textRule struct {
	maxRunes int
	pattern  *regexp.Regexp // Nil allows any text.
	message  string         // Describes a correct value.
}

// write is the end of a message that names the value to write; empty where there is none.
func write(value string) string {
	if value == "" {
		return ""
	}

	return ": write " + value
}

// meaning is the rule with the value that a wrong one stands for, where somebody knows it.
func (r textRule) meaning(value string) textRule {
	r.message += write(value)

	return r
}

// check checks optional text.
func (r textRule) check(at *field.Path, value string) field.ErrorList {
	var errs field.ErrorList

	if len(value) > r.maxRunes && utf8.RuneCountInString(value) > r.maxRunes {
		errs = append(errs, field.Invalid(at, message.Excerpt(value), fmt.Sprintf("must be at most %d characters long", r.maxRunes)))
	}

	// Of what nobody has typed, its length is fault enough.
	if value != "" && (len(errs) == 0 || len(value) <= message.Typed) && r.pattern != nil && !r.pattern.MatchString(value) {
		errs = append(errs, field.Invalid(at, message.Excerpt(value), r.message))
	}

	return errs
}

// required checks required text.
func (r textRule) required(at *field.Path, value string) field.ErrorList {
	if value == "" {
		return field.ErrorList{field.Required(at, r.message)}
	}

	return r.check(at, value)
}

// items checks a list of text without duplicates.
func (r textRule) items(at *field.Path, values []string, maxItems int) field.ErrorList {
	errs := count(at, len(values), maxItems)

	for i, v := range values[:min(len(values), maxItems)] {
		errs = append(errs, r.required(at.Index(i), v)...)
	}

	return append(errs, duplicates(at, values)...)
}

// count reports a list with too many items.
func count(at *field.Path, n, maxItems int) field.ErrorList {
	if n <= maxItems {
		return nil
	}

	return field.ErrorList{field.Invalid(at, field.OmitValueType{}, fmt.Sprintf("has %d items and must have at most %d", n, maxItems))}
}

// duplicates reports the duplicates in a list.
func duplicates(at *field.Path, values []string) field.ErrorList {
	var errs field.ErrorList

	// Lists are short, so comparing with the items before is faster than a set.
	for i, v := range values {
		if slices.Contains(values[:i], v) {
			errs = append(errs, field.Duplicate(at.Index(i), message.Excerpt(v)))
		}
	}

	return errs
}

// between reports a number outside its range; both ends belong to the range.
func between(at *field.Path, n *int64, lowest, highest int64) field.ErrorList {
	if n == nil || (lowest <= *n && *n <= highest) {
		return nil
	}

	return field.ErrorList{field.Invalid(at, *n, fmt.Sprintf("must be a whole number from %d to %d", lowest, highest))}
}

// OneOf reports text that is not one of the allowed words.
func OneOf[T ~string](at *field.Path, value T, words ...T) field.ErrorList {
	if value == "" || slices.Contains(words, value) {
		return nil
	}

	return field.ErrorList{field.NotSupported(at, T(message.Excerpt(string(value))), words)}
}
