package compose

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/tenancy"
)

// checkForeign refuses a tenant's VM an address or a MAC address that a VM or container of another tenant has. Only what an edit or a new machine brings in
// asks. Nothing waits for the answers: Crossplane calls again with them before it applies anything.
func checkForeign(c *call, cat catalog.Catalog, roles lifecycle.Roles, m *machine.Machine) field.ErrorList {
	n := lifecycle.Newcomer{Roles: roles, Observed: c.facts.Observed}

	return foreign(c, cat, m, n, func() []machine.Address { return lifecycle.AddressesBroughtIn(m, c.facts.Observed.VMs) })
}

// checkForeign refuses a container in the same way.
func (c containerCall) checkForeign(cat catalog.Catalog, m *machine.Container) field.ErrorList {
	return foreign(c.call, cat, &m.Machine, c.newcomer(), func() []machine.Address {
		return lifecycle.AddressesContainerBringsIn(&m.Machine, c.call.facts.Observed.Containers)
	})
}

func foreign(c *call, cat catalog.Catalog, m *machine.Machine, n lifecycle.Newcomer, broughtIn func() []machine.Address) (errs field.ErrorList) {
	tenant, ok := cat.Tenancy.TenantOf(c.claim.Identity.Namespace)
	if !ok {
		return nil
	}

	addresses := broughtIn()
	if len(addresses) == 0 {
		return nil
	}

	all, err := neighbourhood{c}.everybody()
	if err != nil {
		return field.ErrorList{field.InternalError(field.NewPath("kind"), err)}
	}

	owner := c.facts.Owner
	owner.ProviderConfigRef = c.flavour.Ref(proxmox.ProviderConfig{Name: m.Placement.ProviderConfig, Kind: m.Placement.ProviderConfigKind})

	theirs := func(namespace string) bool {
		other, is := cat.Tenancy.TenantOf(namespace)
		return !is || other.Name != tenant.Name
	}

	for _, a := range owner.ForeignAddresses(m.NICs, addresses, all, n, theirs) {
		errs = append(errs, field.Invalid(field.NewPath(a.Path()), a.Value,
			"is that of "+lifecycle.AnotherClaim+", which is not of tenant "+tenant.Name+", in the same network: take another one").WithOrigin(tenancy.OriginForeign))
	}

	return errs
}
