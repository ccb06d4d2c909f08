package resolve

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/internal/excerpt"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/nearest"
	"github.com/homelab-io/function-proxmox-machine/internal/validate"
)

// Defaults: the names of a fresh Proxmox VE installation, and the usual name of the provider's configuration.
const (
	defaultProviderConfig     = "default"
	defaultProviderConfigKind = "ClusterProviderConfig"
	defaultDiskDatastore      = "local-lvm"
	defaultFileDatastore      = "local"
	defaultBridge             = "vmbr0"
)

// placement resolves the machine's place in Proxmox: site, node, datastores and VMID.
type placement struct{ *resolver }

// resolve resolves the machine's place in Proxmox.
func (r placement) resolve() {
	p := &r.out.Placement
	p.Pool = r.spec.Proxmox.Pool
	p.Migrate = r.spec.Proxmox.Migrate
	p.ProviderConfig, p.ProviderConfigKind = defaultProviderConfig, defaultProviderConfigKind

	if !r.findSite() {
		return
	}

	p.Node = r.chooseNode()

	if _, ok := r.site.Nodes[p.Node]; ok {
		if errs := validate.SiteNode(r.site, p.Node); len(errs) > 0 {
			r.add(errs...)
			return
		}
	}

	d := r.datastores(p.Node)
	p.DiskDatastore = cmp.Or(r.spec.Proxmox.Storage, r.existing.DiskDatastore, d.disks.name)
	p.ImageDatastore = d.images.name
	p.SnippetDatastore = d.snippets.name
	p.SnippetsNamed = r.namesSnippets(p.Node)
	r.vmID()
}

// findSite resolves the site, and reports whether it succeeded.
func (r placement) findSite() bool {
	n := r.choose(r.spec.Proxmox.Site, r.at.Child("proxmox", "site"), r.catalog.Defaults.Site, "site", "")
	if n.name == "" {
		return true
	}

	site, err := r.catalog.Site(n.at, n.name)
	if err != nil {
		r.add(err)
		r.siteFault = true

		return false
	}

	if errs := validate.Site(site); len(errs) > 0 {
		r.add(errs...)
		r.siteFault = true

		return false
	}

	r.site = site
	p := &r.out.Placement
	p.Site = n.name
	p.ProviderConfig = cmp.Or(site.ProviderConfig, p.ProviderConfig)
	p.ProviderConfigKind = cmp.Or(site.ProviderConfigKind, p.ProviderConfigKind)

	return true
}

// chooseNode returns the claim's node, else the VM's current node, else a node of the site that has everything the claim names.
func (r placement) chooseNode() string {
	at := r.at.Child("proxmox", "node")
	claimed := r.spec.Proxmox.Node

	switch {
	case r.moves():
		// The VM would not run on a target node that lacks its bridges, devices or datastores.
		if len(r.site.Nodes) > 0 {
			r.checkNode(at, claimed)
		}

		return claimed
	case r.existing.Node != "":
		// No check: the VM runs there, and a later change of the catalogue must not block edits of its claim.
		return cmp.Or(claimed, r.existing.Node)
	case claimed != "" && len(r.site.Nodes) == 0:
		return claimed
	case claimed != "":
		r.checkNode(at, claimed)
		return claimed
	case r.out.Placement.Site == "":
		r.add(field.Required(at, "must be the Proxmox node for the VM, unless proxmox.site names a site of the catalogue with nodes; "+
			"of sites "+nearest.ThereAre(nearest.Names(r.catalog.Sites, ""))))
		return ""
	case len(r.site.Nodes) == 0:
		r.add(field.Required(at, fmt.Sprintf("must be the Proxmox node for the VM: the catalogue lists no nodes of site '%s'", excerpt.Of(r.out.Placement.Site))))
		return ""
	default:
		return r.anyNode()
	}
}

// moves reports whether the claim requests a migration of the VM to another node.
func (r placement) moves() bool {
	p := r.spec.Proxmox

	return r.existing.Node != "" && p.Migrate && p.Node != "" && p.Node != r.existing.Node
}

// checkNode checks the claim's node against the site's inventory.
func (r placement) checkNode(at *field.Path, name string) {
	if _, ok := r.site.Nodes[name]; !ok {
		r.add(field.Invalid(at, excerpt.Of(name), fmt.Sprintf("node '%s' does not exist in site '%s'; %s",
			excerpt.Of(name), excerpt.Of(r.out.Placement.Site), nearest.ThereAre(nearest.Names(r.site.Nodes, name)))))

		return
	}

	r.add(r.preflight(name)...)
}

// anyNode returns a node of the site that has everything the claim names: always the same node for the same machine.
func (r placement) anyNode() string {
	nodes := slices.Sorted(maps.Keys(r.site.Nodes))
	fit := slices.DeleteFunc(slices.Clone(nodes), func(n string) bool { return len(r.preflight(n)) > 0 })

	// A template and its disks are on one node.
	if t := r.image.TemplateNode; t != "" && slices.Contains(fit, t) {
		return t
	}

	if len(fit) > 0 {
		return fit[r.id.Number("node", uint64(len(fit)))]
	}

	// Report the faults of the node with the fewest faults, because it is the easiest to fix.
	best, faults := nodes[0], r.preflight(nodes[0])
	for _, n := range nodes[1:] {
		if f := r.preflight(n); len(f) < len(faults) {
			best, faults = n, f
		}
	}

	if len(nodes) > 1 {
		for _, f := range faults {
			f.Detail += fmt.Sprintf("; no node of site '%s' has everything the claim names", excerpt.Of(r.out.Placement.Site))
		}
	}

	r.add(faults...)

	return best
}

// datastores returns the datastores of a node by purpose, each with the path of its field.
type datastores struct {
	disks, images, snippets named
}

func (r placement) datastores(node string) datastores {
	d := r.site.Nodes[node].Datastores
	at := r.site.NodePath(node).Child("datastores")

	pick := func(said, child, builtIn string) named { return named{cmp.Or(said, builtIn), at.Child(child)} }

	return datastores{
		disks:    pick(d.Disks, "disks", defaultDiskDatastore),
		images:   pick(d.Images, "images", defaultFileDatastore),
		snippets: pick(d.Snippets, "snippets", defaultFileDatastore),
	}
}

// namesSnippets reports whether the catalogue says where a node stores snippets.
func (r placement) namesSnippets(node string) bool {
	n := r.site.Nodes[node]
	name := n.Datastores.Snippets
	contents, known := n.Storages[name]

	return name != "" && (!known || slices.Contains(contents, contentSnippets))
}

// asksForAgent reports whether the claim has the agent installed on an image without one.
func (r placement) asksForAgent() bool {
	return r.spec.Bootstrap.GuestAgent != nil && *r.spec.Bootstrap.GuestAgent && !r.out.Boot.GuestAgent && r.spec.Bootstrap.Snippets.VendorData == ""
}

// needsSnippets reports whether the function will certainly render a snippet for the machine.
func (r placement) needsSnippets() bool {
	return r.out.Boot.CloudInit && r.spec.Bootstrap.Snippets.UserData == "" &&
		(r.k3s != nil || r.nix != nil || r.spec.Bootstrap.UserData != "" || r.asksForAgent())
}

// downloads reports whether the node downloads the image for the machine.
func (r placement) downloads() bool { return r.out.Boot.Source == machine.SourceDownload }
