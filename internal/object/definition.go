package object

import "strings"

// Definition is the name of the CustomResourceDefinition of Objects.
func (f Flavour) Definition() string {
	group, _, _ := strings.Cut(f.APIVersion, "/")

	return "objects." + group
}

// Version of the kind Object, like v1alpha1.
func (f Flavour) Version() string {
	_, version, _ := strings.Cut(f.APIVersion, "/")

	return version
}
