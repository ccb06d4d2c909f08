package validate

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	catalogue "github.com/homelab-io/function-proxmox-machine/apis/catalogue/v1alpha1"
)

// VMID checks a VMID. The provider accepts larger numbers, Proxmox VE does not.
func VMID(at *field.Path, id *int64) field.ErrorList { return between(at, id, 100, 999999999) }

// VLAN checks a VLAN tag.
func VLAN(at *field.Path, tag *int64) field.ErrorList { return between(at, tag, 1, 4094) }

// vmIDs checks a range of VMIDs.
func vmIDs(at *field.Path, r *catalogue.Range) field.ErrorList {
	if r == nil {
		return nil
	}

	errs := VMID(at.Child("from"), &r.From)
	errs = append(errs, VMID(at.Child("to"), &r.To)...)

	if r.To < r.From {
		errs = append(errs, field.Invalid(at.Child("to"), r.To, "must not be less than from"))
	}

	return errs
}
