package reach

import (
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	catalogue "github.com/homelab-io/function-proxmox-machine/apis/catalogue/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/capacity"
	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/tenancy"
)

// A Quota of a tenant, and what is used of it.
type Quota struct {
	// Name is machines, cores, memory or disk.
	Name string `json:"name"`
	// Unit of Used and Limit: Mi, Gi, or none.
	Unit string `json:"unit,omitempty"`
	Used int64  `json:"used"`
	// Limit is nil where there is none.
	Limit *int64 `json:"limit,omitempty"`
}

// quotaOf a tenant.
func quotaOf(q catalogue.TenantQuota, used tenancy.Amount) (out []Quota) {
	for _, l := range tenancy.Limits(q, used) {
		out = append(out, Quota(l))
	}

	return out
}

// nobody is the composite of a machine that there is not, to which no managed resource belongs.
const nobody = "-"

// usedBy each tenant, as the function counts for a quota.
func usedBy(cat catalog.Catalog, objects []unstructured.Unstructured) (map[string]tenancy.Amount, error) {
	out := map[string]tenancy.Amount{}

	for _, f := range proxmox.Flavours() {
		all, err := capacity.Neighbours(f, objects)
		if err != nil {
			return nil, err
		}

		owner := lifecycle.Owner{Composite: nobody, Proxmoxes: lifecycle.ProxmoxesOf(cat, f)}

		for _, name := range slices.Sorted(maps.Keys(cat.Tenancy.Tenants)) {
			out[name] = out[name].Plus(owner.Used(all, lifecycle.Newcomer{}, func(namespace string) bool {
				tenant, ok := cat.Tenancy.TenantOf(namespace)
				return ok && tenant.Name == name
			}))
		}
	}

	return out, nil
}
