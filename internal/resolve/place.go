package resolve

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	catalogue "github.com/homelab-io/function-proxmox-machine/apis/catalogue/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
	"github.com/homelab-io/function-proxmox-machine/internal/tenancy"
	"github.com/homelab-io/function-proxmox-machine/internal/validate"
)

// Defaults: the names of a fresh Proxmox VE installation.
const (
	defaultDiskDatastore = "local-lvm"
	defaultFileDatastore = "local"
	defaultBridge        = "vmbr0"
)

// unknownNode stands for the node of a VM that is to be adopted and that neither claim nor catalogue knows. The provider needs a name,
// and searches the whole cluster for the VMID.
const unknownNode = "any"

// placement resolves the machine's place in Proxmox: site, node, datastores and VMID.
type placement struct{ *resolver }

// resolve resolves the machine's place in Proxmox.
func (r placement) resolve() {
	p := &r.out.Placement
	p.Pool = r.spec.Proxmox.Pool
	p.Migrate = r.spec.Proxmox.Migrate
	r.provider(catalog.Site{})

	if !r.findSite() {
		return
	}

	p.Node = r.chooseNode()
	r.warnShared(p.Node)
	r.warnRoom(p.Node)
	r.warnAvoid()

	_, here := r.site.Nodes[r.existing.Node]
	p.Elsewhere = r.existing.Node != "" && len(r.site.Nodes) > 0 && !here

	p.Spread = r.spec.Proxmox.Spread
	p.Reserves = reservationOf(r)

	if _, ok := r.site.Nodes[p.Node]; ok {
		if errs := validate.SiteNode(r.site, p.Node); len(errs) > 0 {
			if !r.keeps(machine.PartStorage, errs, "", nil) {
				return
			}

			r.site.Nodes = nil
		}
	}

	d := r.datastores(p.Node)
	p.DiskDatastore = cmp.Or(r.spec.Proxmox.Storage, r.existing.DiskDatastore, d.disks.name)
	p.ImageDatastore = d.images.name
	p.SnippetDatastore = d.snippets.name
	p.SnippetsNamed = r.namesSnippets(p.Node)
	r.vmID()
}

// reservationOf is what other machines have to see of a machine without a VM.
func reservationOf(r placement) machine.Reservation {
	switch {
	case r.existing.Node != "":
		return machine.ReservesNothing
	case isCounted(r):
		return machine.ReservesSize
	case !r.existing.Adopting && r.site.HasInventory():
		return machine.ReservesMemory
	default:
		return machine.ReservesNothing
	}
}

// isCounted says whether a quota counts the machine.
func isCounted(r placement) bool {
	t, ok := r.catalog.Tenancy.TenantOf(r.id.Namespace)

	return ok && tenancy.HasQuota(t)
}

// findSite resolves the site, and reports whether it succeeded.
func (r placement) findSite() bool {
	n := r.choose(r.spec.Proxmox.Site, r.at.Child("proxmox", "site"), r.catalog.Defaults.Site, "site", "")
	if n.name == "" && len(n.doubt) == 0 {
		return r.needsNoSite()
	}

	site, faults := r.named(n)
	if len(faults) > 0 {
		if !r.keeps(machine.PartSite, faults, r.spec.Proxmox.Site, appliedSite) {
			r.siteFault = true
			return false
		}

		site = r.existing.Has.Site
	}

	r.site = site
	r.out.Placement.Site = n.name
	r.provider(site)

	return true
}

// provider resolves the provider's configuration.
func (r placement) provider(site catalog.Site) {
	r.out.Placement.ProviderConfig, r.out.Placement.ProviderConfigKind = site.Provider()
}

// needsNoSite says whether a claim without a site is clear. With several sites and no default it is not; an existing VM is at one of them.
func (r placement) needsNoSite() bool {
	if len(r.catalog.Sites) < 2 {
		return true
	}

	if r.existing.Node != "" {
		r.warn("spec.proxmox.site: the claim names no site, and the catalogue has several and no defaults.site. The VM stays where it is, with the "+
			"provider's configuration '%s' and no site's network or datastores. A new VM needs the name of a site: set spec.proxmox.site.",
			message.Excerpt(r.out.Placement.ProviderConfig))

		return true
	}

	r.add(field.Required(r.at.Child("proxmox", "site"), "must name a site, because the catalogue has several and no defaults.site; "+
		message.ThereAre(message.Nearest(r.catalog.Sites, ""))))
	r.siteFault = true

	return false
}

// named returns the site with a name, or why there is none.
func (r placement) named(n named) (catalog.Site, field.ErrorList) {
	if len(n.doubt) > 0 {
		return catalog.Site{}, n.doubt
	}

	site, faults := r.catalog.Site(n.at, n.name)
	if len(faults) == 0 {
		faults = validate.Site(site)
	}

	return site, faults
}

// chooseNode returns the claim's node, else the VM's current node, else a node of the site that has everything the claim names.
func (r placement) chooseNode() string {
	at := r.at.Child("proxmox", "node")
	claimed := r.spec.Proxmox.Node

	switch {
	case r.out.Keeps(machine.PartSite):
		return r.existing.Node
	case r.moves():
		// The VM would not run on a target node that lacks its bridges, devices or datastores.
		if len(r.site.Nodes) > 0 {
			r.checkNode(at, claimed)
		}

		return claimed
	case r.existing.Node != "":
		// The VM runs there, and a later change of the catalogue must not block edits of its claim.
		r.checkEdits()
		return cmp.Or(claimed, r.existing.Node)
	case lost(r, claimed):
		r.add(lostNode(r, claimed))
		return claimed
	case claimed != "" && len(r.site.Nodes) == 0:
		return claimed
	case claimed != "":
		r.checkNode(at, claimed)
		return claimed
	case r.existing.Adopting && len(r.site.Nodes) == 0:
		return unknownNode
	case r.out.Placement.Site == "" && len(r.catalog.Sites) > 0:
		r.add(field.Required(r.at.Child("proxmox", "site"), siteMissing(r.catalog.Sites)))
		r.siteFault = true

		return ""
	case r.out.Placement.Site == "":
		r.add(field.Required(at, "must be the Proxmox node for the VM, unless proxmox.site names a site of the catalogue with nodes; "+
			"of sites "+message.ThereAre(message.Nearest(r.catalog.Sites, ""))))
		return ""
	case len(r.site.Nodes) == 0:
		r.add(field.Required(at, fmt.Sprintf("must be the Proxmox node for the VM: the catalogue lists no nodes of site '%s'", message.Excerpt(r.out.Placement.Site))))
		return ""
	default:
		return r.anyNode()
	}
}

// siteMissing is what a claim without a site and without a node is told, where the catalogue has a site.
func siteMissing(sites map[string]catalog.Site) string {
	nearest := message.Nearest(sites, "")

	return fmt.Sprintf("the catalogue has site %[1]s: write proxmox: {site: %[1]s}, or defaults: {site: %[1]s} in the catalogue; a machine without a site needs proxmox.node",
		message.Key(nearest[0]))
}

// moves reports whether the claim requests a migration of the VM to another node.
func (r placement) moves() bool {
	p := r.spec.Proxmox

	return r.existing.Node != "" && p.Migrate && p.Node != "" && p.Node != r.existing.Node
}

// checkNode checks the claim's node against the site's inventory.
func (r placement) checkNode(at *field.Path, name string) {
	if _, ok := r.site.Nodes[name]; !ok {
		r.add(field.Invalid(at, message.Excerpt(name), fmt.Sprintf("node '%s' does not exist in site '%s'; %s",
			message.Excerpt(name), message.Excerpt(r.out.Placement.Site), message.There(slices.Collect(maps.Keys(r.site.Nodes)), name))))

		return
	}

	r.add(r.preflight(name)...)
}

// checkEdits checks the names that an edit of the claim brought in against the inventory of the VM's node.
func (r placement) checkEdits() {
	before := r.existing.Applied
	if _, ok := r.site.Nodes[r.existing.Node]; !ok || before == nil {
		return
	}

	known := namesOf(before.Fields())

	// A disk that exists stays where it is, and the rest of the edit takes effect.
	for _, d := range r.spec.Disks {
		if slices.ContainsFunc(before.Fields().Disks, func(b v1alpha1.Disk) bool { return b.Name == d.Name }) {
			known = append(known, d.Storage)
		}
	}

	for _, err := range r.preflight(r.existing.Node) {
		name, ok := err.BadValue.(string)
		if ok && strings.HasPrefix(err.Field, r.at.String()+".") && slices.Contains(namesOf(*r.spec), name) && !slices.Contains(known, name) {
			r.add(err)
		}
	}
}

// namesOf are the names of a node's things that a running VM can get: bridges, datastores of data disks, and devices.
func namesOf(m v1alpha1.MachineFields) []string {
	out := []string{m.Proxmox.Bridge}

	for _, n := range m.NICs {
		out = append(out, n.Bridge)
	}

	for _, d := range m.Disks {
		out = append(out, d.Storage)
	}

	for _, d := range m.Devices.PCI {
		out = append(out, d.Mapping)
	}

	for _, d := range m.Devices.USB {
		out = append(out, d.Mapping)
	}

	return out
}

// warnShared warns of a server whose claim pins it to the node of another server, unless the site has no other node.
func (r placement) warnShared(node string) {
	others := r.existing.Spread.Others[node]
	if len(others) == 0 || r.spec.Proxmox.Node == "" || len(r.site.Nodes) == 1 {
		return
	}

	r.warn("spec.proxmox.node: %s of the same K3s cluster is on node %s, too: an outage of the node stops both servers.",
		strings.Join(others, ", "), message.Excerpt(node))
}

// datastores returns the datastores of a node by purpose, each with the path of its field.
type datastores struct {
	disks, images, snippets named
}

func (r placement) datastores(node string) datastores {
	d := Datastores(r.site, node)
	at := r.site.NodePath(node).Child("datastores")

	return datastores{
		disks:    named{name: d.Disks, at: at.Child("disks")},
		images:   named{name: d.Images, at: at.Child("images")},
		snippets: named{name: d.Snippets, at: at.Child("snippets")},
	}
}

// Datastores are those of a site's node, with defaults. A node that the site does not list has the defaults.
func Datastores(site catalog.Site, node string) catalogue.Datastores {
	d := site.Nodes[node].Datastores

	return catalogue.Datastores{
		Disks:    cmp.Or(d.Disks, defaultDiskDatastore),
		Images:   cmp.Or(d.Images, defaultFileDatastore),
		Snippets: cmp.Or(d.Snippets, defaultFileDatastore),
	}
}

// namesSnippets reports whether the catalogue says where a node stores snippets.
func (r placement) namesSnippets(node string) bool {
	n := r.site.Nodes[node]
	name := n.Datastores.Snippets
	contents, known := n.Storages[name]

	return name != "" && (!known || slices.Contains(contents.Names(), contentSnippets))
}

// asksForAgent reports whether the claim has the agent installed on an image without one.
func (r placement) asksForAgent() bool {
	return r.spec.Bootstrap.GuestAgent != nil && *r.spec.Bootstrap.GuestAgent && !r.out.Boot.GuestAgent && r.spec.Bootstrap.Snippets.VendorData == ""
}

// needsSnippets reports whether the function will certainly render a snippet for the machine.
func (r placement) needsSnippets() bool {
	return r.out.Boot.CloudInit && r.spec.Bootstrap.Snippets.UserData == "" &&
		(r.k3s != nil || r.nix != nil || r.spec.Bootstrap.UserData != "" || r.asksForAgent() || r.mountsDisks() || len(r.spec.Bootstrap.Secrets) > 0 ||
			r.spec.Bootstrap.SecretStore != nil)
}

// downloads reports whether the node downloads the image for the machine.
func (r placement) downloads() bool { return r.out.Boot.Source == machine.SourceDownload }
