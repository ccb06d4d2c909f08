package validate

import (
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/internal/message"
)

// duplicateKeys reports duplicates in a list whose items have one identifying field.
func duplicateKeys(at *field.Path, key string, values []string) field.ErrorList {
	var errs field.ErrorList

	for i, v := range values {
		// A missing key is reported elsewhere.
		if v != "" && slices.Contains(values[:i], v) {
			errs = append(errs, field.Duplicate(at.Index(i).Child(key), message.Excerpt(v)))
		}
	}

	return errs
}
