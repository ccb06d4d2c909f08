package validate

import (
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
)

// secretRef checks a reference to a key of a Secret.
func secretRef(at *field.Path, r *v1alpha1.SecretKeyRef) field.ErrorList {
	var errs field.ErrorList

	switch {
	case r.Name == "":
		errs = append(errs, field.Required(at.Child("name"), "must be the name of a Secret in the claim's namespace"))
	case len(validation.IsDNS1123Subdomain(r.Name)) > 0:
		errs = append(errs, field.Invalid(at.Child("name"), field.OmitValueType{}, "must be the name of a Secret in the claim's namespace, such as k3s-join-token"))
	}

	if r.Key != "" && len(validation.IsConfigMapKey(r.Key)) > 0 {
		errs = append(errs, field.Invalid(at.Child("key"), field.OmitValueType{}, "must be a key of the Secret, such as token"))
	}

	return errs
}
