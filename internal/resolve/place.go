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
	"github.com/homelab-io/function-proxmox-machine/internal/validate"
)

// unknownNode stands for the node of a VM that is to be adopted and that neither claim nor catalogue knows. The provider needs a name,
// and searches the whole cluster for the VMID.
const unknownNode = "any"

// placement resolves the machine's place in Proxmox: node, datastores and VMID.
type placement struct {
	n *notes
	p placing
}

// A placing is what is to be at a site.
type placing struct {
	g     *given
	m     *machine.Machine // With image, size and devices.
	image catalog.Image

	site catalog.Site
	name string // Of the site; empty where the machine has none.
}

// told are those of some names at the site that a message may tell who reads it.
func (p placing) told(kind catalog.Kind, names []string) []string {
	return p.g.catalog.Told(kind, p.name, names)
}

// named are the words for those nodes of the site that a tenant's rules name; empty where they name none in particular.
func (p placing) named() string {
	reader := p.g.catalog.Reader
	if reader == nil || reader.Name == "" {
		return ""
	}

	if names, key := reader.Names(catalog.KindNode, p.name); names != nil {
		return fmt.Sprintf(" that %s names", key)
	}

	return ""
}

// valueless is what a fault says besides of those nodes of the site of some names that the catalogue has no value for.
func (p placing) valueless(names ...string) string {
	var out strings.Builder

	for _, name := range p.told(catalog.KindNode, names) {
		at := p.site.NodePath(name)
		if lacks := p.g.catalog.LacksValue(at); lacks != "" {
			out.WriteString("; " + at.String() + " " + lacks)
		}
	}

	return out.String()
}

// place resolves the machine's place in Proxmox, and the site that it is at. The machine has its image, its size and its devices.
func place(g *given, n *notes, m *machine.Machine, image catalog.Image) (machine.Placement, located) {
	found := siteFinder{g, n}.find()
	out := machine.Placement{Pool: g.spec.Proxmox.Pool, Migrate: g.spec.Proxmox.Migrate, Site: found.name}
	out.ProviderConfig, out.ProviderConfigKind = found.site.Provider()

	if !found.ok {
		return out, found.located
	}

	return placement{n: n, p: placing{g: g, m: m, image: image, site: found.site, name: found.name}}.resolve(out)
}

// warnDevices warns of a VM that is to move while it runs, and has devices of its node (PVE/QemuMigrate.pm; strongtz/i915-sriov-dkms issue 405).
func warnDevices(n *notes, spec *v1alpha1.MachineFields) {
	if spec.Proxmox.Migrate && spec.Power != v1alpha1.PowerStopped && len(spec.Devices.PCI)+len(spec.Devices.USB) > 0 {
		n.warn("spec.proxmox.migrate: Proxmox moves no running VM with devices of its node, but with PCI devices whose mapping is live migration capable: set power: Stopped before the VM is to move, or remove migrate.")
	}
}

// resolve the place at the site.
func (r placement) resolve(out machine.Placement) (machine.Placement, located) {
	g, site := r.p.g, r.p.site
	l := located{site: site}

	out.Node, out.Choice, l.unknown = r.chooseNode()
	r.warnShared(out.Node)
	warnRoom(r.n, r.p, out.Node)
	warnAvoid(r.n, r.p)
	warnLost(r.n, r.p)
	warnDevices(r.n, g.spec)

	_, here := site.Nodes[g.existing.Node]
	out.Elsewhere = g.existing.Node != "" && len(site.Nodes) > 0 && !here
	out.Reconnected = reconnected(g, site, out.ProviderConfig)

	if node := g.spec.Proxmox.Node; node != "" && g.existing.Node != "" && node != g.existing.Node {
		out.NoNode = r.noNode(node)
	}

	r.warnUnlisted(out)

	out.Spread = g.spec.Proxmox.Spread
	out.Reserves = reservationOf(g, site)

	if _, ok := site.Nodes[out.Node]; ok {
		if errs := validate.SiteNode(site, out.Node); len(errs) > 0 {
			if !r.n.keeps(g, machine.PartStorage, errs, "", nil) {
				return out, l
			}

			l.site.Nodes = nil
		}
	}

	l.site.Network = r.networkOf(l.site.Network)
	d := Datastores(l.site, out.Node)
	out.DiskDatastore = cmp.Or(g.spec.Proxmox.Storage, g.existing.DiskDatastore, d.Disks)
	out.ImageDatastore = d.Images
	out.SnippetDatastore = d.Snippets
	out.SnippetSource = snippetSource(l.site, out.Node)
	vmIDs(g, r.n, r.p.m.Boot.Template, l.site, &out)

	return out, l
}

// reservationOf is what other machines have to see of a machine without a VM.
func reservationOf(g *given, site catalog.Site) machine.Reservation {
	switch {
	case g.existing.Node != "":
		return machine.ReservesNothing
	case isTenants(g):
		return machine.ReservesSize
	case !g.existing.Adopting && site.HasInventory():
		return machine.ReservesMemory
	default:
		return machine.ReservesNothing
	}
}

// isTenants says whether the machine is a tenant's.
func isTenants(g *given) bool {
	_, ok := g.catalog.Tenancy.TenantOf(g.id.Namespace)

	return ok
}

// chooseNode returns the claim's node, else the VM's current node, else a node of the site that has everything the claim names, and why that one. unknown
// says that the claim needs a site and has none.
func (r placement) chooseNode() (node string, why *machine.Choice, unknown bool) {
	at := r.p.g.at.Child("proxmox", "node")
	claimed := r.p.g.spec.Proxmox.Node

	switch {
	case r.n.hasKept(machine.PartSite):
		return r.p.g.existing.Node, nil, false
	case r.p.g.moves():
		// The VM would not run on a target node that lacks its bridges, devices or datastores.
		if len(r.p.site.Nodes) > 0 {
			r.checkNode(at, claimed)
		}

		return claimed, nil, false
	case r.p.g.existing.Node != "":
		// The VM runs there, and a later change of the catalogue must not block edits of its claim.
		r.checkEdits()
		return cmp.Or(claimed, r.p.g.existing.Node), nil, false
	case lost(r.p.g, claimed):
		r.n.add(lostNode(r.p.g, claimed))
		return claimed, nil, false
	case claimed != "" && len(r.p.site.Nodes) == 0:
		// The name is taken as it is, as at every site without nodes.
		at := r.p.site.NodePath(claimed)
		if lacks := r.p.g.catalog.LacksValue(at); lacks != "" {
			r.n.warn("%s: %s.", at, lacks)
		}

		return claimed, nil, false
	case claimed != "":
		r.checkNode(at, claimed)
		return claimed, nil, false
	case r.p.g.existing.Adopting && len(r.p.site.Nodes) == 0:
		return unknownNode, nil, false
	case r.p.name == "" && len(r.p.g.sites()) > 0:
		r.n.add(field.Required(r.p.g.at.Child("proxmox", "site"), siteMissing(r.p.g.sites()[0])))

		return "", nil, true
	case r.p.name == "":
		r.n.add(field.Required(at, "must be the Proxmox node for the "+r.p.g.guest()+", unless proxmox.site names a site of the catalogue with nodes; "+
			"of sites "+message.ThereAre(r.p.g.sites())))
		return "", nil, false
	case len(r.p.site.Nodes) == 0:
		r.n.add(field.Required(at, fmt.Sprintf("must be the Proxmox node for the %s: the catalogue lists no nodes of site '%s'%s", r.p.g.guest(), message.Excerpt(r.p.name), r.p.named())+
			r.p.valueless(r.p.g.catalog.ValuelessBelow(r.p.site.Path().Child("nodes"))...)))
		return "", nil, false
	default:
		node, why = chooser(r).anyNode()

		return node, why, false
	}
}

// siteMissing is what a claim without a site and without a node is told, where the catalogue has a site.
func siteMissing(site string) string {
	return fmt.Sprintf("the catalogue has site %[1]s: write proxmox: {site: %[1]s}, or defaults: {site: %[1]s} in the catalogue; a machine without a site needs proxmox.node",
		message.Key(site))
}

// checkNode checks the claim's node against the site's inventory.
func (r placement) checkNode(at *field.Path, name string) {
	if no := r.noNode(name); no != "" {
		r.n.add(field.Invalid(at, message.Excerpt(name), no).WithOrigin(catalog.OriginUnknown))

		return
	}

	r.n.add(preflight(r.p, name)...)
}

// noNode says that the site has no node of a name; empty where it has, and where it lists none.
func (r placement) noNode(name string) string {
	if _, ok := r.p.site.Nodes[name]; ok || len(r.p.site.Nodes) == 0 {
		return ""
	}

	return fmt.Sprintf("node '%s' does not exist in site '%s'; %s", message.Excerpt(name), message.Excerpt(r.p.name),
		message.There(r.p.told(catalog.KindNode, slices.Collect(maps.Keys(r.p.site.Nodes))), name)) + otherKind(r.p.g.catalog, aNode, name) + r.p.valueless(name)
}

// warnUnlisted warns of a VM or container on a node that its site does not list any more, such as one whose entry got another name. Somebody who moves it
// from there, or to another Proxmox, knows.
func (r placement) warnUnlisted(p machine.Placement) {
	g := r.p.g
	if !p.Elsewhere || g.moves() || g.existing.ProviderConfig != "" && g.existing.ProviderConfig != p.ProviderConfig {
		return
	}

	n := message.Excerpt(g.existing.Node)
	r.n.warn("%s: node %s, where the %s is, is not listed (%s). The %[3]s stays there. Its memory counts for no node, its edits are not "+
		"compared with what the node has, and none that replaces it can go there. Unless it is to leave that node, write the entry of %[2]s again.",
		r.p.site.Path().Child("nodes"), n, g.guest(), message.There(r.p.told(catalog.KindNode, slices.Collect(maps.Keys(r.p.site.Nodes))), g.existing.Node))
}

// checkEdits checks the names that an edit of the claim brought in against the inventory of the VM's node.
func (r placement) checkEdits() {
	before := r.p.g.existing.Applied
	if _, ok := r.p.site.Nodes[r.p.g.existing.Node]; !ok || before == nil {
		return
	}

	faults := preflight(r.p, r.p.g.existing.Node)
	if len(faults) == 0 { // Mostly: what follows would be garbage in each call.
		return
	}

	fields := before.Fields()
	if before.Container != nil {
		fields = commonFields(*before.Container)
	}

	known, has := namesOf(fields), r.madeWith(fields)

	// A disk that exists stays where it is, and the rest of the edit takes effect.
	for _, d := range r.p.g.spec.Disks {
		if slices.ContainsFunc(fields.Disks, func(b v1alpha1.Disk) bool { return b.Name == d.Name }) {
			known = append(known, d.Storage)
		}
	}

	for _, err := range faults {
		name, ok := err.BadValue.(string)

		switch {
		case !ok:
		case slices.Contains(has, name):
			r.warnLacking(err)
		case strings.HasPrefix(err.Field, r.p.g.at.String()+".") && slices.Contains(namesOf(*r.p.g.spec), name) && !slices.Contains(known, name):
			r.n.add(err)
		}
	}
}

// madeWith are the bridges and devices of a VM or container that was made of these fields. It may have its disks elsewhere than the claim says.
func (r placement) madeWith(applied v1alpha1.MachineFields) []string {
	applied.Disks = nil
	out := namesOf(applied)

	if has := r.p.g.existing.Has; has != nil {
		out = append(out, has.Site.Network.Bridge)
	}

	return slices.DeleteFunc(out, func(name string) bool { return name == "" })
}

// warnLacking warns of what a VM or container has and the entry of its node does not: nothing is taken from it, and whoever took it out of the entry may have
// taken it from the node.
func (r placement) warnLacking(fault *field.Error) {
	if on := r.p.g.existing.ProviderConfig; r.p.g.moves() || on != "" && on != r.p.site.ProviderConfig {
		return
	}

	r.n.warn("%s: %s. The %s has it, and keeps it. If the node lacks it, the %[3]s does not start there again, and no other one takes "+
		"its place there. Else write it into the entry of %[4]s again.",
		fault.Field, fault.Detail, r.p.g.guest(), message.Excerpt(r.p.g.existing.Node))
}

// networkOf is the site's network for the machine. The bridge that the catalogue has for it can be one that the node of a living VM does not have: the VM
// could not start again with it, and keeps the bridge and the VLAN that it has. The bridge of a VM that moves is compared with its next node.
func (r placement) networkOf(network catalogue.SiteNetwork) catalogue.SiteNetwork {
	g, has := r.p.g, r.p.g.existing.Has
	if has == nil || network.Bridge == has.Site.Network.Bridge || g.moves() {
		return network
	}

	node, listed := r.p.site.Nodes[g.existing.Node]
	b := bridgeOf(g, r.p.site)

	if !listed || bridgeSourceOf(g, r.p.site) != bridgeOfSite {
		return network
	}

	i := inspection{p: r.p, name: g.existing.Node, node: node}
	i.bridge(b.at, b.name)

	if len(i.faults) > 0 && r.n.keeps(g, machine.PartBridge, i.faults, g.spec.Proxmox.Site, appliedSite) {
		network.Bridge, network.VLAN = has.Site.Network.Bridge, has.Site.Network.VLAN
	}

	return network
}

// namesOf are the names of a node's things that a running VM can get: bridges, datastores of data disks, and devices.
func namesOf(m v1alpha1.MachineFields) []string {
	out := []string{m.Proxmox.Bridge}

	if m.Network != nil {
		out = append(out, m.Network.Bridge)
	}

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
	others := r.p.g.existing.Spread.Others[node]
	if len(others) == 0 || r.p.g.spec.Proxmox.Node == "" || len(r.p.site.Nodes) == 1 {
		return
	}

	r.n.warn("spec.proxmox.node: %s of the same K3s cluster is on node %s, too: an outage of the node stops both servers.",
		strings.Join(slices.Compact(slices.Clone(others)), ", "), message.Excerpt(node))
}
