package reach

import (
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	catalogue "github.com/homelab-io/function-proxmox-machine/apis/catalogue/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
	"github.com/homelab-io/function-proxmox-machine/internal/validate"
)

// A Report is what all tenants of a catalogue can reach, and what is outside of their rules.
type Report struct {
	// Default is Allow or Deny: what namespaces can reach that are no tenant's.
	Default string   `json:"default"`
	Tenants []Tenant `json:"tenants"`
	// Outside are claims in namespaces that are no tenant's.
	Outside []Outside `json:"outside,omitempty"`
	// Unjudged are claims of which nobody can tell what they ask for.
	Unjudged []Unjudged `json:"unjudged,omitempty"`
}

// Any stands in a list of names for every name.
const Any = "*"

// A Tenant is what one tenant can reach. Lists have names in the catalogue's order or sorted; [Any] alone is every name, also those that the catalogue does not
// have.
type Tenant struct {
	Name       string   `json:"name"`
	Namespaces []string `json:"namespaces"`
	Sites      []Site   `json:"sites"`
	Classes    []string `json:"classes"`
	Images     []string `json:"images"`
	// Clusters are K3s clusters of the catalogue, each with the roles that the tenant's nodes may have there.
	Clusters map[string][]string    `json:"clusters"`
	DNS      []string               `json:"dns"`
	Limits   catalogue.TenantLimits `json:"limits"`
	Firewall string                 `json:"firewall,omitempty"`
	Deletion string                 `json:"deletion,omitempty"`
	Allow    []string               `json:"allow"`
	Quota    []Quota                `json:"quota"`
	// Faults are why nobody can tell what the tenant may reach: nothing new is allowed until they are gone.
	Faults []string `json:"faults,omitempty"`
	// Outside are the claims and machines in the tenant's namespaces that the rules would refuse today.
	Outside []Outside `json:"outside,omitempty"`
}

// A Site is what a tenant can reach of a site.
type Site struct {
	Name  string   `json:"name"`
	Nodes []string `json:"nodes"`
	// Bridges are names with VLAN tags; 0 is untagged, and a bridge without a tag is allowed with all. [Any] is every bridge.
	Bridges    map[string][]int64 `json:"bridges"`
	Datastores []string           `json:"datastores"`
	PCI        []string           `json:"pci"`
	USB        []string           `json:"usb"`
	// Firewall is what of the datacenter's firewall the rules of claims may name; left out where that is nothing.
	Firewall catalogue.FirewallNames `json:"firewall,omitzero"`
	// Pool of Proxmox that claims must name; empty where there is no such rule.
	Pool string `json:"pool,omitempty"`
	// Addresses are ranges; [Any] where no rule says them.
	Addresses []string `json:"addresses"`
	// VMIDs is a range; nil where neither the tenant nor the site has one.
	VMIDs *catalogue.Range `json:"vmIds,omitempty"`
}

// Of a catalogue, which has the built-in one below it, and of what there is: claims, composites and managed resources.
func Of(cat catalog.Catalog, objects []unstructured.Unstructured) (Report, error) {
	t := cat.Tenancy
	out := Report{Default: catalogue.TenancyAllow, Tenants: []Tenant{}}

	if t == nil {
		return out, nil
	}

	if t.Default != "" {
		out.Default = t.Default
	}

	used, err := usedBy(cat, objects)
	if err != nil {
		return out, err
	}

	outside, unjudged, err := judge(cat, objects)
	if err != nil {
		return out, err
	}

	out.Unjudged = unjudged

	for _, name := range slices.Sorted(maps.Keys(t.Tenants)) {
		tenant := catalog.Tenant{Tenant: t.Tenants[name], Name: name, From: t.Path().Child("tenants", message.Key(name)).String()}
		one := tenantOf(cat, tenant)
		one.Quota = quotaOf(tenant.Quota, used[name])
		one.Outside = outside[name]

		for _, f := range validate.Tenant(cat, tenant) {
			one.Faults = append(one.Faults, f.Error())
		}

		out.Tenants = append(out.Tenants, one)
	}

	out.Outside = outside[""]

	return out, nil
}

// IsOutside says whether there is anything that the rules would refuse today.
func (r Report) IsOutside() bool {
	return len(r.Outside) > 0 || slices.ContainsFunc(r.Tenants, func(t Tenant) bool { return len(t.Outside) > 0 })
}

// tenantOf a catalogue: what its lists allow.
func tenantOf(cat catalog.Catalog, t catalog.Tenant) Tenant {
	out := Tenant{
		Name: t.Name, Namespaces: t.Namespaces, Sites: []Site{},
		Classes: listed(t.Classes, slices.Collect(maps.Keys(cat.Classes))), Images: listed(t.Images, slices.Collect(maps.Keys(cat.Images))),
		Clusters: t.Clusters, DNS: listed(t.DNS, nil), Limits: t.Limits, Firewall: t.Firewall, Deletion: t.Deletion, Allow: slices.Sorted(slices.Values(t.Allow)),
	}

	if out.Allow == nil {
		out.Allow = []string{}
	}

	if out.Clusters == nil {
		out.Clusters = map[string][]string{}
		for name := range cat.Clusters {
			out.Clusters[name] = []string{Any}
		}
	}

	for _, name := range slices.Sorted(maps.Keys(cat.Sites)) {
		if allowed, ok := t.Site(name); ok {
			out.Sites = append(out.Sites, siteOf(name, cat.Sites[name], allowed))
		}
	}

	return out
}

// siteOf a catalogue: what a tenant can reach of it.
func siteOf(name string, site catalog.Site, allowed catalogue.TenantSite) Site {
	nodes := listed(allowed.Nodes, slices.Collect(maps.Keys(site.Nodes)))
	out := Site{
		Name: name, Nodes: nodes, Bridges: allowed.Bridges, Datastores: listed(allowed.Datastores, nil),
		PCI:  listed(allowed.PCI, onNodes(site, nodes, func(n catalogue.Node) []string { return n.PCI })),
		USB:  listed(allowed.USB, onNodes(site, nodes, func(n catalogue.Node) []string { return n.USB })),
		Pool: allowed.Pool, Addresses: []string{Any}, VMIDs: site.VMIDs, Firewall: allowed.Firewall,
	}

	if out.Bridges == nil {
		out.Bridges = map[string][]int64{}
		for _, bridge := range listed(nil, onNodes(site, nodes, func(n catalogue.Node) []string { return n.Bridges })) {
			out.Bridges[bridge] = []int64{}
		}
	}

	if !allowed.Addresses.IsZero() {
		out.Addresses = allowed.Addresses.Ranges
	}

	if allowed.VMIDs != nil {
		out.VMIDs = allowed.VMIDs
	}

	return out
}

// onNodes is what the nodes have that a tenant may use, sorted.
func onNodes(site catalog.Site, nodes []string, of func(catalogue.Node) []string) (out []string) {
	for name, node := range site.Nodes {
		if slices.Contains(nodes, name) {
			out = append(out, of(node)...)
		}
	}

	slices.Sort(out)

	return slices.Compact(out)
}

// listed are the names of a tenant's list. Where it is left out, they are those that there are; where nobody knows these, any.
func listed(allowed, there []string) []string {
	switch {
	case allowed != nil:
		return allowed
	case len(there) == 0:
		return []string{Any}
	}

	slices.Sort(there)

	return there
}

// In is the part of a report that is about a namespace: its tenant, and what of the namespace is outside of the rules.
func (r Report) In(t *catalog.Tenancy, namespace string) Report {
	tenant, _ := t.TenantOf(namespace)
	elsewhere := func(o Outside) bool { return o.Namespace != namespace }

	r.Tenants = slices.DeleteFunc(slices.Clone(r.Tenants), func(one Tenant) bool { return one.Name != tenant.Name })
	for i := range r.Tenants {
		r.Tenants[i].Outside = slices.DeleteFunc(slices.Clone(r.Tenants[i].Outside), elsewhere)
	}

	r.Outside = slices.DeleteFunc(slices.Clone(r.Outside), elsewhere)
	r.Unjudged = slices.DeleteFunc(slices.Clone(r.Unjudged), func(u Unjudged) bool { return u.Namespace != namespace })

	return r
}
