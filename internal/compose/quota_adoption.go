package compose

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/internal/claim"
	"github.com/homelab-io/function-proxmox-machine/internal/container"
	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/status"
	"github.com/homelab-io/function-proxmox-machine/internal/tenancy"
)

// An adoptionQuota judges what a tenant takes over by what the provider has read of it: the claim does not have to say how large it is.
type adoptionQuota struct {
	call     *call
	newcomer lifecycle.Newcomer
	look     proxmox.ObservedMetadata // Of what looks at the VM or container.
	name     string                   // Its composed resource name.
	approved bool
}

// checkAdoption of a VM, once it is known to be nobody's.
func checkAdoption(c *call, plan *lifecycle.Plan) error {
	a := plan.Adoption
	if a == nil {
		return nil
	}

	name, m := plan.Roles.Described(), plan.Machine
	newcomer := lifecycle.Newcomer{Roles: plan.Roles, Observed: c.facts.Observed}
	q := adoptionQuota{c, newcomer, c.facts.Observed.VMs[name].Metadata, name, a.Consent == lifecycle.ConsentGiven && a.Asked}

	if a.Found == nil {
		a.Reserves = q.reserved()
		return nil
	}

	size := lifecycle.Keeps(*a.Found, tenancy.WantsOf(m, m.DiskGiB()), m.Boot.DiskGiB)

	var errs field.ErrorList
	if a.Reserves, errs = q.check(size); len(errs) > 0 {
		return invalid(errs)
	}

	return nil
}

// checkAdoption of a container.
func (c containerCall) checkAdoption(plan *container.Plan) error {
	a := plan.Adoption
	if a == nil {
		return nil
	}

	observed := c.call.facts.Observed
	newcomer := lifecycle.Newcomer{Roles: lifecycle.Roles{Active: a.Look}, Observed: proxmox.State{Containers: observed.Containers}}
	q := adoptionQuota{c.call, newcomer, observed.Containers[a.Look].Metadata, a.Look, a.Consent == lifecycle.ConsentGiven}

	if a.Found == nil {
		a.Reserves = q.reserved()
		return nil
	}

	m := plan.Container
	size := lifecycle.ContainerKeeps(*a.Found, tenancy.WantsOf(&m.Machine, m.DiskGiB()), m.Boot.DiskGiB)

	var errs field.ErrorList
	if a.Reserves, errs = q.check(size); len(errs) > 0 {
		return &invalidError{status.OfContainer, claim.InOrderOfContainer(errs)}
	}

	return nil
}

// reserved is what was counted by the other machines of the tenant until now.
func (q adoptionQuota) reserved() string { return q.look.Annotations[proxmox.ReservesAnnotation] }

// check the size of what is adopted. What it reserves is there for the others of its tenant to see before it is adopted: of two that are adopted in one
// moment, the first one gets what is left.
func (q adoptionQuota) check(size tenancy.Amount) (reserves string, errs field.ErrorList) {
	tenancies := q.call.tenancy

	tenant, ok := tenancies.TenantOf(q.call.claim.Identity.Namespace)
	if !ok || !tenancy.HasQuota(tenant) {
		return "", nil
	}

	all, err := neighbourhood{q.call}.everybody()
	if err != nil {
		return "", field.ErrorList{field.InternalError(field.NewPath("kind"), err)}
	}

	used := q.call.facts.Owner.Used(all, q.newcomer, func(namespace string) bool { return tenancies.Has(tenant, namespace) })

	if errs := tenancy.ExceedsByAdoption(tenant, used, size); len(errs) > 0 {
		return "", errs
	}

	reserves = reservationOf(q.name, size)
	if q.approved && q.reserved() != reserves && !q.call.input.Explain {
		q.call.announces = &announcement{q.name, proxmox.ReservesAnnotation, reserves}
		return reserves, field.ErrorList{tenancy.AnnouncesAdoption(tenant)}
	}

	return reserves, nil
}
