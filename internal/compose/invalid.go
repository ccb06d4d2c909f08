package compose

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/internal/claim"
	"github.com/homelab-io/function-proxmox-machine/internal/status"
)

// An invalidError is the error of an invalid spec.
type invalidError struct {
	of   status.Subject
	errs field.ErrorList
}

func (e *invalidError) Error() string { return e.of.Refusal(e.errs) }

// invalid is the error of a spec with faults. The faults are in the order of the spec's fields, in the fatal result and
// in the condition.
func invalid(errs field.ErrorList) error { return &invalidError{status.OfMachine, claim.InOrder(errs)} }

// invalidCluster is that of a K3sCluster.
func invalidCluster(errs field.ErrorList) error {
	return &invalidError{status.OfCluster, claim.InOrderOfCluster(errs)}
}
