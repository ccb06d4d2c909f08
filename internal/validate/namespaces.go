package validate

import (
	"regexp"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

var namespacePattern = regexp.MustCompile(`^[a-z0-9*]([a-z0-9*-]*[a-z0-9*])?$`)

const (
	maxNamespaces = 64
	maxNamespace  = 63
)

// namespaces checks a list of namespaces. An empty one would be read as none: its author means that nobody else may, and gets the opposite.
func namespaces(at *field.Path, values []string) field.ErrorList {
	if values != nil && len(values) == 0 {
		return field.ErrorList{field.Required(at, "must name a namespace, such as infra-machines; an empty list is no list")}
	}

	return textRule{maxNamespace, namespacePattern, "must be a namespace, or a pattern such as team-*, in which * stands for any characters"}.items(at, values, maxNamespaces)
}
