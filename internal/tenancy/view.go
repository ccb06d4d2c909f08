package tenancy

import (
	"maps"
	"net/netip"
	"slices"

	catalogue "github.com/homelab-io/function-proxmox-machine/apis/catalogue/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
)

// View of a catalogue by the claims of a namespace: of the sites, only the nodes, VMIDs and addresses that the tenant has, so that the function chooses
// among these, and as the one whose messages tell no other names. pinned says that the claim names its node, and that nothing chooses one.
func View(c catalog.Catalog, namespace string, pinned bool) catalog.Catalog {
	t, ok := c.Tenancy.ReaderOf(namespace)
	if !ok {
		return c
	}

	c.Reader = &t
	if t.Sites == nil {
		return c
	}

	c.Sites = maps.Clone(c.Sites)

	for name, allowed := range t.Sites {
		site, ok := c.Sites[name]
		if !ok {
			continue
		}

		if allowed.Nodes != nil && !pinned && len(site.Nodes) > 0 {
			site.Nodes = maps.Clone(site.Nodes)
			maps.DeleteFunc(site.Nodes, func(node string, _ catalogue.Node) bool { return !slices.Contains(allowed.Nodes, node) })
		}

		// A range that ends before it begins is a fault of the rules, and none of the site.
		if r := allowed.VMIDs; r != nil && r.From <= r.To {
			site.VMIDs = allowed.VMIDs
		}

		site.Network.Pool = poolOf(site.Network.Pool, allowed.Addresses)
		c.Sites[name] = site
	}

	return c
}

// poolOf a tenant are the addresses of a site's pool that are the tenant's. Where there are none, the pool stays, and the claim is refused.
func poolOf(site, allowed catalogue.AddressPool) catalogue.AddressPool {
	if site.IsZero() || allowed.IsZero() || site.Named != nil {
		return site
	}

	all, faults := catalog.AddressRanges(site, nil)
	theirs, more := catalog.AddressRanges(allowed, nil)

	both := textOf(overlap(all, theirs))
	if len(faults)+len(more) > 0 || len(both) == 0 {
		return site
	}

	return catalogue.AddressPool{Ranges: both, List: true}
}

// overlap is the addresses that two lists of ranges have in common.
func overlap(a, b []machine.AddressRange) (out []machine.AddressRange) {
	for _, r := range a {
		for _, s := range b {
			from, to := later(r.From, s.From), earlier(r.To, s.To)
			if !to.Less(from) {
				out = append(out, machine.AddressRange{From: from, To: to})
			}
		}
	}

	return out
}

func later(a, b netip.Addr) netip.Addr {
	if a.Less(b) {
		return b
	}

	return a
}

func earlier(a, b netip.Addr) netip.Addr {
	if b.Less(a) {
		return b
	}

	return a
}
