package compose

import (
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/resolve"
	"github.com/homelab-io/function-proxmox-machine/internal/tenancy"
)

// A releaser lets go of what a refused machine has reserved.
type releaser struct{ call *call }

// releases says whether a machine that is refused has to let go of what it reserved: it has no VM, and gets none until others leave room, or the address that
// another tenant has. Who reserved the same address waits until it does, and a fatal result changes nothing.
func (c releaser) releases(errs field.ErrorList) bool {
	full := func(err *field.Error) bool {
		return err.Origin == resolve.OriginCapacity || err.Origin == tenancy.OriginQuota || err.Origin == tenancy.OriginForeign
	}

	return len(errs) > 0 && !slices.ContainsFunc(errs, func(err *field.Error) bool { return !full(err) }) && len(c.reservations()) > 0
}

// reservations are the composed resource names of VMs that only reserve an address. There are none as soon as a VM can exist.
func (c releaser) reservations() (out []string) {
	for name, vm := range c.call.facts.Observed.VMs {
		if !vm.ObserveOnly() {
			return nil
		}

		if proxmox.Reserves(vm) {
			out = append(out, name)
		}
	}

	return out
}

// release the addresses that are reserved, and leave everything else as it is.
func (c releaser) release(refused *invalidError) error {
	if err := vmCall(c).retain(); err != nil {
		return err
	}

	for _, name := range c.reservations() {
		delete(c.call.rsp.GetDesired().GetResources(), name)
	}

	setCondition(c.call.rsp, refused.of.Invalid(refused.errs))

	c.call.rsp.Desired.Composite.Ready = fnv1.Ready_READY_FALSE
	c.call.rsp.Results = append(c.call.rsp.Results, &fnv1.Result{
		Severity: fnv1.Severity_SEVERITY_WARNING, Message: refused.Error(), Target: fnv1.Target_TARGET_COMPOSITE.Enum(),
	})

	return nil
}
