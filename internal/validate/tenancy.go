package validate

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	catalogue "github.com/homelab-io/function-proxmox-machine/apis/catalogue/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
	"github.com/homelab-io/function-proxmox-machine/internal/quantity"
)

var dnsNamesPattern = regexp.MustCompile(`^[a-z0-9*]([a-z0-9.*-]*[a-z0-9*])?$`)

// maxTenantNames is how many names a list of a tenant has at most.
const maxTenantNames = 64

// tenancy checks the rules of all tenants.
func tenancy(c catalog.Catalog) field.ErrorList {
	if c.Tenancy == nil || len(c.TenancyFaults()) > 0 {
		return nil
	}

	at := c.Tenancy.Path()
	errs := OneOf(at.Child("default"), c.Tenancy.Default, catalogue.TenancyAllow, catalogue.TenancyDeny)
	named := map[string]string{}

	for _, name := range slices.Sorted(maps.Keys(c.Tenancy.Tenants)) {
		t := catalog.Tenant{Tenant: c.Tenancy.Tenants[name], Name: name, From: at.Child("tenants", message.Key(name)).String()}
		errs = append(errs, Tenant(c, t)...)

		for i, n := range t.Namespaces {
			if other := named[n]; other != "" {
				errs = append(errs, field.Invalid(t.Path().Child("namespaces").Index(i), message.Excerpt(n),
					"is in the list of tenant "+other+", too: a namespace is one tenant's"))
			}

			named[n] = name
		}
	}

	return errs
}

// TenantNamespaces checks whose the rules of a tenant are. Where that has a fault, nobody can say which namespaces are meant.
func TenantNamespaces(t catalog.Tenant) field.ErrorList {
	at := t.Path().Child("namespaces")
	if t.Namespaces == nil {
		return field.ErrorList{field.Required(at, "must have the tenant's namespaces, such as ["+message.Excerpt(t.Name)+"]")}
	}

	return namespaces(at, t.Namespaces)
}

// Tenant checks the rules of a tenant against the catalogue that they are part of.
func Tenant(c catalog.Catalog, t catalog.Tenant) field.ErrorList {
	at := t.Path()

	errs := TenantNamespaces(t)
	errs = append(errs, textRule{
		maxRunes: 253, pattern: dnsNamesPattern, message: "must be a DNS name in lower case, in which * stands for any characters, such as *.team-b.lab.arpa",
	}.items(at.Child("dns"), t.DNS, maxTenantNames)...)
	errs = append(errs, known(at.Child("classes"), c, catalog.KindClass, "", t.Classes, c.Classes)...)
	errs = append(errs, known(at.Child("images"), c, catalog.KindImage, "", t.Images, c.Images)...)

	for i, word := range t.Allow {
		errs = append(errs, OneOf(at.Child("allow").Index(i), word, catalogue.Permissions()...)...)
	}

	for _, name := range slices.Sorted(maps.Keys(t.Clusters)) {
		p := at.Child("clusters", message.Key(name))
		errs = append(errs, known(p, c, catalog.KindCluster, "", []string{name}, c.Clusters)...)

		for i, role := range t.Clusters[name] {
			errs = append(errs, OneOf(p.Index(i), role, string(v1alpha1.K3sServer), string(v1alpha1.K3sAgent))...)
		}
	}

	for _, name := range slices.Sorted(maps.Keys(t.Sites)) {
		errs = append(errs, known(t.SitePath(name), c, catalog.KindSite, "", []string{name}, c.Sites)...)
		errs = append(errs, tenantSite(t.SitePath(name), c, name, t.Sites[name])...)
	}

	errs = append(errs, OneOf(at.Child("firewall"), t.Firewall, catalogue.FirewallRequired)...)
	errs = append(errs, OneOf(at.Child("deletion"), t.Deletion, catalogue.DeletionRequired)...)

	return append(errs, amounts(at, t)...)
}

// amounts checks limits and quota.
func amounts(at *field.Path, t catalog.Tenant) (errs field.ErrorList) {
	limits, quota := at.Child("limits"), at.Child("quota")

	for _, c := range []struct {
		at    *field.Path
		cores int64
	}{{limits.Child("cores"), t.Limits.Cores}, {quota.Child("cores"), t.Quota.Cores}} {
		if c.cores < 0 {
			errs = append(errs, field.Invalid(c.at, c.cores, "must be a number of cores; leave it out for no limit"))
		}
	}

	if n := t.Quota.Machines; n != nil && *n < 0 {
		errs = append(errs, field.Invalid(quota.Child("machines"), *n, "must be a number of machines; leave it out for no limit"))
	}

	if t.Limits.Memory != "" {
		errs = append(errs, Memory(limits.Child("memory"), t.Limits.Memory)...)
	}

	if t.Limits.Disk != "" {
		errs = append(errs, Disk(limits.Child("disk"), t.Limits.Disk)...)
	}

	errs = append(errs, total(quota.Child("memory"), t.Quota.Memory, quantity.TotalMemoryMiB)...)
	errs = append(errs, total(quota.Child("disk"), t.Quota.Disk, quantity.TotalDiskGiB)...)

	slices.SortStableFunc(errs, func(a, b *field.Error) int { return cmp.Compare(a.Field, b.Field) })

	return errs
}

// total of all machines of a tenant; none is no limit.
func total(at *field.Path, q v1alpha1.Quantity, parse func(v1alpha1.Quantity) (int64, error)) field.ErrorList {
	if q == "" {
		return nil
	}

	if strings.HasPrefix(string(q), "0") && !strings.ContainsAny(string(q), "123456789") {
		return field.ErrorList{field.Invalid(at, message.Excerpt(string(q)), "must not be 0: leave it out for no limit; a tenant that may have no machine has machines: 0")}
	}

	return amount(at, q, parse)
}

// tenantSite checks what a tenant may reach of a site. A site without a list of nodes has all names.
func tenantSite(at *field.Path, c catalog.Catalog, site string, t catalogue.TenantSite) (errs field.ErrorList) {
	if nodes := c.Sites[site].Nodes; len(nodes) > 0 {
		errs = append(errs, known(at.Child("nodes"), c, catalog.KindNode, site, t.Nodes, nodes)...)
	}

	for _, name := range slices.Sorted(maps.Keys(t.Bridges)) {
		errs = append(errs, Bridge(at.Child("bridges", message.Key(name)), name)...)

		for i, tag := range t.Bridges[name] {
			errs = append(errs, between(at.Child("bridges", message.Key(name)).Index(i), &tag, 0, 4094)...)
		}
	}

	if t.Addresses.Named != nil {
		errs = append(errs, field.Invalid(at.Child("addresses"), field.OmitValueType{}, "must be ranges of addresses, such as 10.7.0.60-10.7.0.79"))
	} else if !t.Addresses.IsZero() {
		_, faults := catalog.AddressRanges(t.Addresses, at.Child("addresses"))
		errs = append(errs, faults...)
	}

	for _, kind := range []catalog.Kind{catalog.KindGroup, catalog.KindIPSet, catalog.KindAlias} {
		names, key := catalog.NamesOf(kind, t.Firewall)
		there, _ := catalog.NamesOf(kind, c.Sites[site].Firewall)
		errs = append(errs, known(at.Child("firewall", key), c, kind, site, names, setOf(there))...)
	}

	return append(errs, vmIDs(at.Child("vmIds"), t.VMIDs)...)
}

// known checks that the catalogue has the entries that a tenant's list names.
func known[V any](at *field.Path, c catalog.Catalog, kind catalog.Kind, site string, names []string, there map[string]V) (errs field.ErrorList) {
	if len(names) > maxTenantNames {
		return field.ErrorList{field.TooMany(at, len(names), maxTenantNames)}
	}

	for _, name := range names {
		if _, ok := there[name]; ok {
			continue
		}

		text := fmt.Sprintf("the catalogue has no %s of this name", kind)
		// Who may be told none of those that there are is not told that there are none.
		if told := c.Told(kind, site, slices.Collect(maps.Keys(there))); len(told) > 0 || len(there) == 0 {
			text += "; " + message.There(told, name)
		}

		errs = append(errs, field.Invalid(at, message.Excerpt(name), text))
	}

	return errs
}

// setOf names.
func setOf(names []string) map[string]bool {
	out := map[string]bool{}
	for _, name := range names {
		out[name] = true
	}

	return out
}
