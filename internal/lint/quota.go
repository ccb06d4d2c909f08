package lint

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/tenancy"
)

// A share of a tenant's quota is what the machines of a claim take of it, one after the other. What other claims of the tenant take, files need not tell.
type share struct {
	catalog catalog.Catalog
	used    tenancy.Amount
	told    bool
}

// take the next machine's part, with the size of its disks together. The first for which the quota has no room is the fault: those after it follow from it.
func (s *share) take(m *machine.Machine, diskGiB int64) field.ErrorList {
	tenant, ok := s.catalog.Tenancy.TenantOf(m.Identity.Namespace)
	if !ok || s.told {
		return nil
	}

	wants := tenancy.WantsOf(m, diskGiB)
	faults := tenancy.Exceeds(tenant, s.used, tenancy.Amount{}, wants)
	s.used, s.told = s.used.Plus(wants), len(faults) > 0

	return faults
}
