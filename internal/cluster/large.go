package cluster

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
)

// maxTemplate is how many values a template has at most, lists, objects and their keys among them. No schema limits a template, and each node of its pool is
// judged by all of it.
const maxTemplate = 2000

// CheckSize of a claim. What is too large is not looked at any further.
func CheckSize(spec v1alpha1.K3sClusterSpec) field.ErrorList {
	at := field.NewPath("spec")
	errs := templateSize(at.Child("servers", "template"), spec.Servers.Template)

	for i, p := range spec.Agents {
		errs = append(errs, templateSize(at.Child("agents").Index(i).Child("template"), p.Template)...)
	}

	return errs
}

func templateSize(at *field.Path, t v1alpha1.NodeTemplate) field.ErrorList {
	n := valuesOf(map[string]any(t))
	if n <= maxTemplate {
		return nil
	}

	return field.ErrorList{field.Invalid(at, field.OmitValueType{}, fmt.Sprintf("has %d values and must have at most %d", n, maxTemplate))}
}

// valuesOf counts a value and all in it.
func valuesOf(v any) int {
	n := 1

	switch v := v.(type) {
	case map[string]any:
		for _, value := range v {
			n += valuesOf(value)
		}
	case []any:
		for _, value := range v {
			n += valuesOf(value)
		}
	}

	return n
}
