package resolve

import (
	"fmt"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	catalogue "github.com/homelab-io/function-proxmox-machine/apis/catalogue/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
)

// governing is the site whose word counts for the machine. A claim without a site reaches the Proxmox of the default provider configuration: a strict
// site with the same configuration decides, since to name no site must not be a way around it. ok is false where no site has a say.
func governing(g *given, l located, p machine.Placement) (site catalog.Site, ok bool) {
	switch {
	case l.unknown:
		return catalog.Site{}, false
	case p.Site != "":
		return l.site, true
	}

	for _, name := range slices.Sorted(maps.Keys(g.catalog.Sites)) {
		other := g.catalog.Sites[name]

		if !other.SameProxmox(reachedBy(p)) {
			continue
		}

		if !ok || other.Images == catalogue.ImagesStrict || site.Images != catalogue.ImagesStrict && other.Privileged != nil && !*other.Privileged {
			site, ok = other, true
		}
	}

	return site, ok
}

// reachedBy is the site of a claim that names none: what its provider configuration reaches.
func reachedBy(p machine.Placement) catalog.Site {
	return catalog.Site{Site: catalogue.Site{ProviderConfig: p.ProviderConfig, ProviderConfigKind: p.ProviderConfigKind}}
}

// An allowance is what the site of a claim lets it name.
type allowance struct {
	g *given
	n *notes

	site   catalog.Site // Of the machine; zero where it has none.
	ruling catalog.Site // The one whose word counts.
	ruled  bool         // Whether there is such a site.
}

// allowanceOf a claim. Nobody asks for the site that rules over what exists.
func allowanceOf(g *given, n *notes, l located, p machine.Placement) allowance {
	a := allowance{g: g, n: n, site: l.site}
	if g.isNew() {
		a.ruling, a.ruled = governing(g, l, p)
	}

	return a
}

// image refuses a new VM whose claim copies what may be somebody else's: a VMID or a volume that no image of the catalogue is. Whoever copies a disk
// is root over what is on it. Templates and volumes that the catalogue has, also as its default, are the platform's word. It notes in the template
// whether the catalogue has it.
func (a allowance) image(b machine.Boot) {
	name, at := string(a.g.spec.Image), a.g.at.Child("image")
	if _, listed := a.g.catalog.Images[name]; name == "" || listed || !a.g.isNew() {
		return
	}

	switch t := b.Template; {
	case t != nil && !namesTemplate(a.g.catalog.Images, a.site, t.VMID):
		t.Unnamed = true
		a.unnamedTemplate(at, name, t.VMID)
	case b.Volume != "" && !namesVolume(a.g.catalog.Images, b.Volume):
		if v, err := catalog.ParseVolume(name); err == nil && v.OfVM() {
			a.n.add(field.Forbidden(at, message.Excerpt(name)+" is a disk of a VM or a container, and who copies it reads all that is on it. Use an image of the catalogue; "+
				message.There(a.g.images(), "")+". If the disk is meant for others, add it to images of the catalogue, as volume"))

			return
		}

		a.unnamed(at, name, "volume "+name)
	}
}

// unnamedTemplate refuses a VMID that no image of the catalogue is, unless the site is open: nobody can tell a template from a VM that somebody made by hand,
// and whose disks are not meant for others.
func (a allowance) unnamedTemplate(at *field.Path, name string, id int64) {
	if a.ruled && a.ruling.Images != "" {
		a.unnamed(at, name, "template "+name)
		return
	}

	a.n.add(field.Forbidden(at, fmt.Sprintf("no image of the catalogue is template %s, and who clones a VM that is none reads all that is on its disks; %s. If VM %d is a template for others, "+
		"give it a name in the catalogue, such as images: {my-template: {template: %[3]d}}", message.Excerpt(name), message.There(a.g.images(), name), id)))
}

// unnamed refuses, or warns of, what no image of the catalogue is, as the site says.
func (a allowance) unnamed(at *field.Path, name, what string) {
	a.unnamedOf(at, what, message.There(a.g.images(), name))
}

// unnamedOf is [allowance.unnamed] with what there is in its place.
func (a allowance) unnamedOf(at *field.Path, what, there string) {
	key := a.ruling.Path().Child("images").String()

	switch {
	case !a.ruled || a.ruling.Images == catalogue.ImagesOpen:
	case a.ruling.Images == "":
		a.n.warn("%s: no image of the catalogue is %s, and a claim that may name any can copy what is somebody else's. Add it to images of the catalogue, then set %s: "+
			"Strict, which refuses all others for new VMs; Open allows them without this warning.", at, message.Excerpt(what), key)
	default:
		a.n.add(field.Forbidden(at, "no image of the catalogue is "+message.Excerpt(what)+", and "+key+" is "+message.Excerpt(a.ruling.Images)+"; "+there))
	}
}

// namesTemplate says whether an image of the catalogue is a template of the machine's site. An image with a node of another site is none.
func namesTemplate(images map[string]catalog.Image, site catalog.Site, id int64) bool {
	for _, i := range images {
		_, here := site.Nodes[i.TemplateNode]
		if i.Template == id && (i.TemplateNode == "" || len(site.Nodes) == 0 || here) {
			return true
		}
	}

	return false
}

// namesVolume says whether an image of the catalogue is a volume.
func namesVolume(images map[string]catalog.Image, id string) bool {
	for _, i := range images {
		if i.Volume == id {
			return true
		}
	}

	return false
}

// template refuses a container template that no image of the catalogue is, where the site is strict.
func (a allowance) template(at *field.Path, name string) {
	if a.ruled && a.ruling.Images == catalogue.ImagesStrict && a.g.isNew() && !namesVolume(a.g.catalog.Images, name) {
		a.unnamedOf(at, "volume "+name, templates(a.g.catalog))
	}
}

// privileges refuses a new privileged container where the site has none: root in it is root on the node, but for what Proxmox takes away.
func (a allowance) privileges(unprivileged *bool) {
	if unprivileged == nil || *unprivileged || !a.g.isNew() {
		return
	}

	at := a.g.at.Child("unprivileged")
	key := a.ruling.Path().Child("privileged").String()

	switch {
	case !a.ruled || a.ruling.Privileged != nil && *a.ruling.Privileged:
	case a.ruling.Privileged == nil:
		a.n.warn("%s: root in a privileged container is root on the node, but for what Proxmox takes away. Set %s: false in the catalogue, which refuses such containers, "+
			"or true, which allows them without this warning.", at, key)
	default:
		a.n.add(field.Forbidden(at, "false makes root in the container root on the node, and "+key+" is false: leave it out, or write true"))
	}
}

// TemplateTaken is the fault of a claim whose image is the VMID of a VM that another claim has. whose says whose it is.
func TemplateTaken(m *machine.Machine, whose string) *field.Error {
	return field.Forbidden(field.NewPath("spec", "image"), message.Excerpt(m.Boot.Image)+" is the VMID of a VM of "+whose+
		", and who clones it reads all that is on its disks. Use an image of the catalogue. If the VM is a template for others, add it to images of the catalogue")
}
