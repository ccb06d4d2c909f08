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
type releaser struct {
	call *call
	kind kind
}

// releases says whether a machine that is refused has to let go of what it reserved: it has no VM, and gets none until others leave room, or the address that
// another tenant has. Who reserved the same waits until it does, and a fatal result changes nothing.
func (c releaser) releases(errs field.ErrorList) bool {
	full := func(err *field.Error) bool { return err.Origin == resolve.OriginCapacity || ofTenant(err) }

	return len(errs) > 0 && !slices.ContainsFunc(errs, func(err *field.Error) bool { return !full(err) }) && len(c.reservations(errs)) > 0
}

// ofTenant says whether a machine is refused for what its tenant, or another one, has already.
func ofTenant(err *field.Error) bool {
	return err.Origin == tenancy.OriginQuota || err.Origin == tenancy.OriginForeign
}

// reservations are the composed resource names of what only reserves an address, or, of a tenant's machine, a VMID: others would see it as taken by a machine
// that nobody makes, as many as a tenant writes claims. There are none as soon as a VM or a container can exist. What looks at one that is to be adopted
// reserves nothing.
func (c releaser) reservations(errs field.ErrorList) (out []string) {
	seen := c.call.facts.Observed
	looks := slices.ContainsFunc(errs, ofTenant) && !c.adopts()

	for name, vm := range seen.VMs {
		if !vm.ObserveOnly() {
			return nil
		}

		if looks || proxmox.Reserves(vm) {
			out = append(out, name)
		}
	}

	for name, o := range seen.Containers {
		if !o.ObserveOnly() {
			return nil
		}

		if looks {
			out = append(out, name)
		}
	}

	return out
}

// adopts says whether the claim takes a VM or a container over.
func (c releaser) adopts() bool {
	if of := c.call.claim.Container; of != nil {
		return of.Adopt != nil
	}

	return c.call.claim.Fields().Adopt != nil
}

// release what is reserved, and leave everything else as it is.
func (c releaser) release(refused *invalidError) error {
	if err := c.kind.retain(); err != nil {
		return err
	}

	for _, name := range c.reservations(refused.errs) {
		delete(c.call.rsp.GetDesired().GetResources(), name)
	}

	setCondition(c.call.rsp, refused.of.Invalid(refused.errs))

	c.call.rsp.Desired.Composite.Ready = fnv1.Ready_READY_FALSE
	c.call.rsp.Results = append(c.call.rsp.Results, &fnv1.Result{
		Severity: fnv1.Severity_SEVERITY_WARNING, Message: refused.Error(), Target: fnv1.Target_TARGET_COMPOSITE.Enum(),
	})

	return nil
}
