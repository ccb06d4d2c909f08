package status

import (
	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
)

// previousReason is a condition's reason as it was where the condition had an answer, and nothing where it had none: after
// a run that failed, Crossplane makes conditions Unknown.
func previousReason(before *v1alpha1.Status, typ string) string {
	c := meta.FindStatusCondition(before.Conditions, typ)
	if c == nil || c.Status == "Unknown" {
		return ""
	}

	return c.Reason
}

// previousCondition is the reason of a condition as it was, also where it was Unknown.
func previousCondition(before *v1alpha1.Status, typ string) string {
	if c := meta.FindStatusCondition(before.Conditions, typ); c != nil {
		return c.Reason
	}

	return ""
}
