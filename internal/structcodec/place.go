package structcodec

import (
	"reflect"
	"strings"

	"github.com/crossplane/function-sdk-go/errors"
)

// A placeError is an error at a place of an object.
type placeError struct {
	path string // With a dot in front, as in .spec.disks[0].size.
	err  error
}

func (e *placeError) Error() string { return strings.TrimPrefix(e.path, ".") + ": " + e.err.Error() }

func (e *placeError) Unwrap() error { return e.err }

// within puts a step, .field or [index], in front of the place of an error.
func within(step string, err error) error {
	var inner *placeError
	if errors.As(err, &inner) {
		return &placeError{path: step + inner.path, err: inner.err}
	}

	return &placeError{path: step, err: err}
}

// wanted is the kind of value that a Go type is read from.
func wanted(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "text"
	case reflect.Bool:
		return "true or false"
	case reflect.Int, reflect.Int64:
		return "a whole number"
	case reflect.Slice:
		return "a list"
	case reflect.Struct, reflect.Map:
		return "an object"
	default:
		return "a " + t.String()
	}
}
