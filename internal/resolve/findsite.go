package resolve

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
	"github.com/homelab-io/function-proxmox-machine/internal/validate"
)

// A siteFinder finds the site of a claim.
type siteFinder struct {
	g *given
	n *notes
}

// A foundSite is the site of a claim. ok is false where nothing more is to be resolved of the machine's place.
type foundSite struct {
	located

	name string // Empty where the machine has none.
	ok   bool
}

// find the site.
func (r siteFinder) find() foundSite {
	n := r.g.choose(r.g.spec.Proxmox.Site, r.g.at.Child("proxmox", "site"), r.g.catalog.Defaults.Site, "site", "")
	if n.name == "" && len(n.doubt) == 0 {
		known := r.needsNoSite()

		return foundSite{located: located{unknown: !known}, ok: known}
	}

	site, faults := r.named(n)
	if len(faults) > 0 {
		if !r.n.keeps(r.g, machine.PartSite, faults, r.g.spec.Proxmox.Site, appliedSite) {
			return foundSite{located: located{unknown: true}, name: n.name}
		}

		site = r.g.existing.Has.Site
	}

	return foundSite{located: located{site: site}, name: n.name, ok: true}
}

// needsNoSite says whether a claim without a site is clear. With several sites and no default it is not; an existing VM is at one of them.
func (r siteFinder) needsNoSite() bool {
	if len(r.g.catalog.Sites) < 2 {
		r.warnOfOnly()

		return true
	}

	if r.g.existing.Node != "" {
		config, _ := catalog.Site{}.Provider()
		r.n.warn("spec.proxmox.site: the claim names no site, and the catalogue has several and no defaults.site. The VM stays where it is, with the "+
			"provider's configuration '%s' and no site's network or datastores. A new VM needs the name of a site: set spec.proxmox.site.",
			message.Excerpt(config))

		return true
	}

	r.n.add(field.Required(r.g.at.Child("proxmox", "site"), "must name a site, because the catalogue has several and no defaults.site; "+
		message.ThereAre(r.g.sites())))
	return false
}

// warnOfOnly warns of a new claim that names a node of the only site, and not the site: nothing of its network and datastores counts for it.
func (r siteFinder) warnOfOnly() {
	node := r.g.spec.Proxmox.Node

	for _, name := range r.g.sites() {
		if _, ofSite := r.g.catalog.Sites[name].Nodes[node]; ofSite && r.g.isNew() {
			r.n.warn("spec.proxmox.site: the claim names no site, so that nothing of site '%[1]s' counts for it, neither its network nor its datastores, although %[2]s is a node of it: "+
				"write proxmox: {site: %[1]s, node: %[2]s}, or defaults: {site: %[1]s} in the catalogue.", message.Excerpt(name), message.Excerpt(node))
		}
	}
}

// named returns the site with a name, or why there is none.
func (r siteFinder) named(n named) (catalog.Site, field.ErrorList) {
	if len(n.doubt) > 0 {
		return catalog.Site{}, n.doubt
	}

	site, faults := r.g.catalog.Site(n.at, n.name)
	faults = withOtherKind(r.g.catalog, "", n.name, faults)
	if len(faults) == 0 {
		faults = validate.Site(site)
	}

	return site, faults
}
