package compose

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/container"
	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/tenancy"
)

// checkQuota refuses a VM for which its tenant's quota has no room, and one that grows beyond it. Only these ask for the tenant's other machines. Nothing
// waits for the answers: Crossplane calls again with them before it applies anything.
func checkQuota(c *call, cat catalog.Catalog, roles lifecycle.Roles, m *machine.Machine) field.ErrorList {
	name := roles.Described()

	facts := c.facts
	facts.Roles = roles
	has, wants := lifecycle.Has(facts), tenancy.WantsOf(m, m.DiskGiB())

	if vm := c.facts.Observed.VMs[name]; has.Machines > 0 && vm.Metadata.Annotations[proxmox.AdoptedAnnotation] != "" {
		wants = lifecycle.Keeps(vm.Spec.ForProvider, wants, m.Boot.DiskGiB)
	}

	// What was begun is not left half made: it goes on as it was written, and has no more than that.
	if vm, ok := c.facts.Observed.VMs[name]; ok && !vm.ObserveOnly() && (roles.Begun || !lifecycle.Lives(c.facts.Observed.VMs, name)) {
		has = lifecycle.Written(vm)
		if roles.Begun {
			has.DiskGiB = wants.DiskGiB // The data disks are still with the VM that is replaced.
		}
	}

	return quota(c, cat, sizes{has, wants, name, facts.Observed.VMs[name].Metadata}, lifecycle.Newcomer{Roles: roles, Observed: facts.Observed})
}

// checkQuota refuses a container in the same way.
func (c containerCall) checkQuota(cat catalog.Catalog, m *machine.Container) field.ErrorList {
	var has tenancy.Amount

	o, observed := c.active()
	if s := container.StateOf(o, observed); s == container.StateLiving || s == container.StateTakenOver {
		has = lifecycle.HasContainer(o)
	}

	wants := tenancy.WantsOf(&m.Machine, m.DiskGiB())

	if has.Machines > 0 && o.Metadata.Annotations[proxmox.AdoptedAnnotation] != "" {
		wants = lifecycle.ContainerKeeps(o.Spec.ForProvider, wants, m.Boot.DiskGiB)
	}

	return quota(c.call, cat, sizes{has, wants, c.roles().Active, o.Metadata}, c.newcomer())
}

// sizes of a machine: what it has, zero for one that is to be created, and what its claim asks for.
type sizes struct {
	has, wants tenancy.Amount
	// name of the composed VM or container, and its metadata.
	name     string
	metadata proxmox.ObservedMetadata
}

// announcement of the size that the claim asks for.
func (s sizes) announcement() string { return reservationOf(s.name, s.wants) }

func quota(c *call, cat catalog.Catalog, s sizes, n lifecycle.Newcomer) field.ErrorList {
	tenant, ok := cat.Tenancy.TenantOf(c.claim.Identity.Namespace)
	if !ok || !tenancy.HasQuota(tenant) || !s.wants.Beyond(s.has) {
		return nil
	}

	all, err := neighbourhood{c}.everybody()
	if err != nil {
		return field.ErrorList{field.InternalError(field.NewPath("kind"), err)}
	}

	counts := func(namespace string) bool { return cat.Tenancy.Has(tenant, namespace) }

	if s.has.Machines == 0 {
		return tenancy.Exceeds(tenant, c.facts.Owner.Used(all, n, counts), s.has, s.wants)
	}

	exceeds := func(which lifecycle.Announcements) field.ErrorList {
		return tenancy.Exceeds(tenant, c.facts.Owner.UsedBeside(all, which, s.metadata, counts), s.has, s.wants)
	}
	faults := exceeds(lifecycle.AllAnnouncements)

	switch {
	case len(faults) == 0 && (c.input.Explain || s.metadata.Annotations[proxmox.GrowsAnnotation] == s.announcement()):
		return nil
	case len(faults) > 0 && len(exceeds(lifecycle.EarlierAnnouncements)) > 0:
		return faults
	}

	c.announces = &announcement{s.name, proxmox.GrowsAnnotation, s.announcement()}

	return field.ErrorList{tenancy.Announces(tenant)}
}
