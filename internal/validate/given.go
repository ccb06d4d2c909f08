package validate

import "k8s.io/apimachinery/pkg/util/validation/field"

// given checks a field that a claim says. One that is left out is right, and needs no path: most of a claim's fields are, in every call.
func given[T comparable](at *field.Path, name string, v T, check func(*field.Path, T) field.ErrorList) field.ErrorList {
	var none T
	if v == none {
		return nil
	}

	return check(at.Child(name), v)
}

// givenAll does so for a list.
func givenAll[E any](at *field.Path, name string, items []E, check func(*field.Path, []E) field.ErrorList) field.ErrorList {
	if len(items) == 0 {
		return nil
	}

	return check(at.Child(name), items)
}
