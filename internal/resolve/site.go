package resolve

import (
	"cmp"
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strconv"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
	"github.com/homelab-io/function-proxmox-machine/internal/tenancy"
	"github.com/homelab-io/function-proxmox-machine/internal/validate"
)

// ProxmoxSite resolves a ProxmoxSite. It reports all faults at once, behind those of the claim's decoding.
func ProxmoxSite(
	id machine.Identity, spec v1alpha1.ProxmoxSiteSpec, decoding field.ErrorList, c catalog.Catalog, e Existing,
) (*machine.Site, field.ErrorList) {
	common, n := siteFields(spec), &notes{}
	seen := resolution{catalog: tenancy.View(c, id.Namespace, true), existing: e, certain: hadNoSite(c, e)}
	g := &given{resolution: seen, id: id, at: field.NewPath("spec"), spec: &common}

	found := siteFinder{g, n}.find()
	if found.ok {
		knowNodes(g, n, found, spec)
		siteAddresses(n, g.at, found, spec)
	}

	errs := Consolidate(Consolidate(decoding, validate.ProxmoxSite(spec)), n.faults)
	if len(errs) > 0 {
		errs = unlisted(c, id.Namespace, spec.Proxmox.Site, absent(c, errs))
	}

	if errs = Consolidate(errs, judgement{c, e, id}.ofSite(spec, found.name)); len(errs) > 0 {
		return nil, errs
	}

	config, kind := found.site.Provider()
	out := &machine.Site{
		Identity: id, Name: found.name, ProviderConfig: config, ProviderConfigKind: kind,
		Parts: siteParts(spec), Removals: slices.Clone(spec.AllowRemoval.Interfaces), DeletionPolicy: cmp.Or(spec.DeletionPolicy, v1alpha1.DeletionOrphan),
	}

	for _, k := range n.kept {
		out.Kept = append(out.Kept, machine.Kept{Part: machine.PartProvider, Faults: k.Faults})
	}

	for _, name := range spec.AllowRemoval.Pools {
		out.Removals = append(out.Removals, machine.SitePoolKey(name))
	}

	return out, nil
}

// hadNoSite says whether a default site that the catalogue does not have makes no difference to what exists: it has the provider configuration that it
// would have without any site. With several sites in the catalogue, one of them was the default.
func hadNoSite(c catalog.Catalog, e Existing) bool {
	if e.Has == nil || len(c.Sites) > 1 {
		return false
	}

	name, kind := e.Has.Site.Provider()
	builtInName, builtInKind := catalog.Site{}.Provider()

	return name == builtInName && kind == builtInKind
}

// knowNodes reports nodes that the site does not have, where the catalogue knows its nodes.
func knowNodes(g *given, n *notes, found foundSite, spec v1alpha1.ProxmoxSiteSpec) {
	nodes := found.site.Nodes
	if len(nodes) == 0 {
		return
	}

	for _, name := range slices.Sorted(maps.Keys(spec.Nodes)) {
		if _, ok := nodes[name]; !ok {
			n.add(field.Invalid(g.at.Child("nodes", message.Key(name)), message.Excerpt(name), "is no node of the site: "+
				message.OneOf(g.catalog.Told(catalog.KindNode, found.name, message.Nearest(nodes, name)))).WithOrigin(catalog.OriginUnknown))
		}
	}
}

// siteAddresses refuses an interface of a node with the site's gateway for its address, or with a subnet that holds the site's: the node would look for
// the others of the site behind that interface.
func siteAddresses(n *notes, at *field.Path, found foundSite, spec v1alpha1.ProxmoxSiteSpec) {
	gateway, err := netip.ParseAddr(found.site.Network.Gateway)
	if err != nil {
		return
	}

	of := found.site.Path().Child("network", "gateway").String()

	check := func(at *field.Path, text string) {
		p, err := netip.ParsePrefix(text)

		switch {
		case err != nil:
		case p.Addr() == gateway:
			n.add(field.Invalid(at, message.Excerpt(text), "is the gateway of site "+message.Excerpt(found.name)+" ("+of+"): take another address"))
		case p.Contains(gateway) && int64(p.Bits()) < found.site.Network.CIDR:
			n.add(field.Invalid(at, message.Excerpt(text), fmt.Sprintf("the subnet %s holds that of site %s (gateway %s/%d, %s): the node would look for the site's machines "+
				"behind this interface. Take a subnet of its own", p.Masked(), message.Excerpt(found.name), gateway, found.site.Network.CIDR, of)))
		}
	}

	for _, name := range slices.Sorted(maps.Keys(spec.Nodes)) {
		node := at.Child("nodes", message.Key(name))

		for i, b := range spec.Nodes[name].Bridges {
			check(node.Child("bridges").Index(i).Child("address"), b.Address)
		}

		for i, l := range spec.Nodes[name].VLANs {
			check(node.Child("vlans").Index(i).Child("address"), l.Address)
		}
	}
}

// siteParts are what the claim describes.
func siteParts(spec v1alpha1.ProxmoxSiteSpec) []machine.SitePart {
	var out []machine.SitePart

	for _, node := range slices.Sorted(maps.Keys(spec.Nodes)) {
		at := field.NewPath("spec", "nodes", message.Key(node))

		for _, b := range spec.Nodes[node].Bridges {
			p := sitePart(machine.SiteBridge, node, b.Name, at.Child("bridges").Key(b.Name), b.ProxmoxSiteInterface)
			p.Ports, p.VLANAware = slices.Sorted(slices.Values(b.Ports)), b.VLANAware
			out = append(out, p)
		}

		for _, l := range spec.Nodes[node].VLANs {
			name := l.Interface + "." + strconv.FormatInt(l.Tag, 10)
			p := sitePart(machine.SiteVLAN, node, name, at.Child("vlans").Key(name), l.ProxmoxSiteInterface)
			p.Interface, p.Tag = l.Interface, l.Tag
			out = append(out, p)
		}
	}

	for _, p := range spec.Pools {
		out = append(out, machine.SitePart{
			Kind: machine.SitePool, Name: p.Name, Path: field.NewPath("spec", "pools").Key(p.Name).String(), Comment: p.Comment,
		})
	}

	return out
}

func sitePart(kind machine.SitePartKind, node, name string, at *field.Path, i v1alpha1.ProxmoxSiteInterface) machine.SitePart {
	p := machine.SitePart{
		Kind: kind, Node: node, Name: name, Path: at.String(), Comment: i.Comment, Allow: i.AllowInterruption,
		Address: shortest(i.Address), Address6: shortest(i.Address6),
	}

	if i.MTU != nil {
		p.MTU = *i.MTU
	}

	return p
}

// shortest form of a prefix, which its host part belongs to. What is none is a fault, which package validate reports.
func shortest(text string) string {
	p, err := netip.ParsePrefix(text)
	if err != nil {
		return text
	}

	return p.String()
}
