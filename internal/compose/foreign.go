package compose

import (
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/tenancy"
)

// checkForeign refuses a tenant's VM an address, a MAC address or a DNS record that a VM or container of another tenant has. Only what an edit or a new
// machine brings in asks. Nothing waits for the answers: Crossplane calls again with them before it applies anything. What exists announces first what an
// edit brings in.
func checkForeign(c *call, cat catalog.Catalog, roles lifecycle.Roles, m *machine.Machine) field.ErrorList {
	n := lifecycle.Newcomer{Roles: roles, Observed: c.facts.Observed}
	e := editedGuest{name: roles.Described()}

	if vm, ok := c.facts.Observed.VMs[e.name]; ok && !vm.ObserveOnly() {
		e.metadata = vm.Metadata
	}

	return e.foreign(c, cat, m, n, func() []machine.Address { return lifecycle.AddressesBroughtIn(m, c.facts.Observed.VMs) })
}

// checkForeign refuses a container in the same way.
func (c containerCall) checkForeign(cat catalog.Catalog, m *machine.Container) field.ErrorList {
	e := editedGuest{name: c.roles().Active}

	if o, ok := c.active(); ok && !o.ObserveOnly() {
		e.metadata = o.Metadata
	}

	return e.foreign(c.call, cat, &m.Machine, c.newcomer(), func() []machine.Address {
		return lifecycle.AddressesContainerBringsIn(&m.Machine, c.call.facts.Observed.Containers)
	})
}

// An editedGuest is the VM or the container that an edit changes.
type editedGuest struct {
	name     string                   // The composed resource name.
	metadata proxmox.ObservedMetadata // Zero for one that is to be created.
}

func (e editedGuest) foreign(
	c *call, cat catalog.Catalog, m *machine.Machine, n lifecycle.Newcomer, broughtIn func() []machine.Address,
) (errs field.ErrorList) {
	c.announces = nil

	tenant, ok := cat.Tenancy.TenantOf(c.claim.Identity.Namespace)
	if !ok {
		return nil
	}

	// Who had a record before others could see it has it.
	addresses := slices.DeleteFunc(broughtIn(), func(a machine.Address) bool {
		return a.Kind == machine.KindRecord && recorder{c}.has(a.Value)
	})
	if len(addresses) == 0 {
		return nil
	}

	all, err := neighbourhood{c}.everybody()
	if err != nil {
		return field.ErrorList{field.InternalError(field.NewPath("kind"), err)}
	}

	owner := c.facts.Owner
	owner.ProviderConfigRef = c.flavour.Ref(proxmox.ProviderConfig{Name: m.Placement.ProviderConfig, Kind: m.Placement.ProviderConfigKind})

	theirs := func(namespace string) bool { return !cat.Tenancy.Has(tenant, namespace) }

	brings := lifecycle.Bringing{NICs: m.NICs, Addresses: addresses, To: e.metadata}

	for _, a := range owner.ForeignAddresses(brings, all, n, theirs) {
		says := "is that of " + lifecycle.AnotherClaim + ", which is not of tenant " + tenant.Name + ", in the same network: take another one"
		if a.Kind == machine.KindRecord {
			says = "is the name of another claim, which is not of tenant " + tenant.Name + ": take another one"
		}

		errs = append(errs, field.Invalid(field.NewPath(a.Path()), a.Value, says).WithOrigin(tenancy.OriginForeign))
	}

	if len(errs) > 0 || e.metadata.Name == "" {
		return errs
	}

	c.announces = &announcement{e.name, proxmox.BringsAnnotation, brings.String()}
	if brings.IsAnnounced() || c.input.Explain {
		return nil
	}

	return field.ErrorList{tenancy.AnnouncesAddress(field.NewPath(addresses[0].Path()), addresses[0].Value)}
}
