package catalog

import (
	"maps"
	"path"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/apis/catalogue/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
)

// A Tenant is one entry of a tenancy.
type Tenant struct {
	v1alpha1.Tenant

	Name string
	From string
}

// Path returns the origin of the tenant.
func (t Tenant) Path() *field.Path { return field.NewPath(t.From) }

// Site is what the tenant may reach of a site; ok is false where it may not reach the site. Without a list of sites it is all of every site.
func (t Tenant) Site(name string) (site v1alpha1.TenantSite, ok bool) {
	site, ok = t.Sites[name]

	return site, ok || t.Sites == nil
}

// SitePath is the origin of what the tenant may reach of a site.
func (t Tenant) SitePath(name string) *field.Path { return t.Path().Child("sites", message.Key(name)) }

// Path returns the origin of the tenancy.
func (t Tenancy) Path() *field.Path { return field.NewPath(t.From) }

// TenancyFaults are why nobody can tell what claims may reach; empty where the catalogue says it, or has no tenancy.
func (c Catalog) TenancyFaults() field.ErrorList { return c.Faults[sectionTenancy] }

// TenantOf a namespace: the one that names it, else the one with the longest pattern that matches; of several, the first by name. ok is false where
// it is no tenant's. What has no namespace is the platform's.
func (t *Tenancy) TenantOf(namespace string) (out Tenant, ok bool) {
	if t == nil || namespace == "" {
		return Tenant{}, false
	}

	best := 0

	for _, name := range slices.Sorted(maps.Keys(t.Tenants)) {
		for _, pattern := range t.Tenants[name].Namespaces {
			if fit := fits(pattern, namespace); fit > best {
				best, ok = fit, true
				out = Tenant{Tenant: t.Tenants[name], Name: name, From: t.Path().Child("tenants", message.Key(name)).String()}
			}
		}
	}

	return out, ok
}

// Denies says whether a namespace is no tenant's, and may have nothing. What is no word of ours is not taken for permission.
func (t *Tenancy) Denies(namespace string) bool {
	if t == nil || namespace == "" || t.Default == "" || t.Default == v1alpha1.TenancyAllow {
		return false
	}

	_, ok := t.TenantOf(namespace)

	return !ok
}

// ReaderOf is whose names a message to a namespace may tell: its tenant's. Where the namespace may have nothing, it is a tenant without a name and with empty
// lists. ok is false where a message may tell all.
func (t *Tenancy) ReaderOf(namespace string) (out Tenant, ok bool) {
	if t.Denies(namespace) {
		return Tenant{From: t.Path().Child("default").String(), Tenant: v1alpha1.Tenant{
			Namespaces: []string{namespace}, Sites: map[string]v1alpha1.TenantSite{}, Clusters: map[string][]string{}, Classes: []string{}, Images: []string{},
		}}, true
	}

	return t.TenantOf(namespace)
}

// Has says whether a namespace is a tenant's.
func (t *Tenancy) Has(tenant Tenant, namespace string) bool {
	other, ok := t.TenantOf(namespace)

	return ok && other.Name == tenant.Name
}

// literal is how well a name fits that is no pattern: better than any pattern of a name's length.
const literal = 1 << 16

// fits says how well a pattern fits a name: not at all, 0; else the better, the more of the name it says.
func fits(pattern, name string) int {
	switch {
	case pattern == name:
		return literal
	case Matches(pattern, name):
		return 1 + len(strings.ReplaceAll(pattern, "*", ""))
	}

	return 0
}

// Matches says whether a name has a pattern, in which * stands for any characters but /.
func Matches(pattern, name string) bool {
	is, err := path.Match(pattern, name)

	return err == nil && is
}
