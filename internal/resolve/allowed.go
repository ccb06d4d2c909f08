package resolve

import (
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
func (r *resolver) governing() (site catalog.Site, ok bool) {
	switch {
	case r.siteFault:
		return catalog.Site{}, false
	case r.out.Placement.Site != "":
		return r.site, true
	}

	for _, name := range slices.Sorted(maps.Keys(r.catalog.Sites)) {
		other := r.catalog.Sites[name]

		if !other.SameProxmox(reachedBy(r.out.Placement)) {
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

// isNew says whether the claim's words decide what is created: there is no VM or container, and none to adopt.
func (r *resolver) isNew() bool {
	return r.existing.Has == nil && r.existing.Node == "" && !r.existing.Adopting
}

// allowed refuses a new VM whose claim copies what may be somebody else's: a VMID or a volume that no image of the catalogue is. Whoever copies a disk
// is root over what is on it. Templates and volumes that the catalogue has, also as its default, are the platform's word.
func (r bootDisk) allowed() {
	name, at := string(r.spec.Image), r.at.Child("image")
	if _, listed := r.catalog.Images[name]; name == "" || listed || !r.isNew() {
		return
	}

	switch t := r.out.Boot.Template; {
	case t != nil && !namesTemplate(r.catalog.Images, r.site, t.VMID):
		t.Unnamed = true
		unnamed(r.resolver, at, name, "template "+name)
	case r.out.Boot.Volume != "" && !namesVolume(r.catalog.Images, r.out.Boot.Volume):
		if v, err := catalog.ParseVolume(name); err == nil && v.OfVM() {
			r.add(field.Forbidden(at, message.Excerpt(name)+" is a disk of a VM or a container, and who copies it reads all that is on it. Use an image of the catalogue; "+
				message.There(slices.Collect(maps.Keys(r.catalog.Images)), "")+". If the disk is meant for others, add it to images of the catalogue, as volume"))

			return
		}

		unnamed(r.resolver, at, name, "volume "+name)
	}
}

// unnamed refuses, or warns of, what no image of the catalogue is, as the site says.
func unnamed(r *resolver, at *field.Path, name, what string) {
	site, ok := r.governing()
	key := site.Path().Child("images").String()

	switch {
	case !ok || site.Images == catalogue.ImagesOpen:
	case site.Images == "":
		r.warn("%s: no image of the catalogue is %s, and a claim that may name any can copy what is somebody else's. Add it to images of the catalogue, then set %s: "+
			"Strict, which refuses all others for new VMs; Open allows them without this warning.", at, message.Excerpt(what), key)
	default:
		r.add(field.Forbidden(at, "no image of the catalogue is "+message.Excerpt(what)+", and "+key+" is "+message.Excerpt(site.Images)+"; "+
			message.There(slices.Collect(maps.Keys(r.catalog.Images)), name)))
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

// allowedTemplate refuses a container template that no image of the catalogue is, where the site is strict.
func (r *container) allowedTemplate(at *field.Path, name string) {
	if site, ok := r.governing(); ok && site.Images == catalogue.ImagesStrict && r.isNew() && !namesVolume(r.catalog.Images, name) {
		unnamed(r.resolver, at, name, "volume "+name)
	}
}

// allowedPrivileges refuses a new privileged container where the site has none: root in it is root on the node, but for what Proxmox takes away.
func (r *container) allowedPrivileges() {
	if p := r.spec.Unprivileged; p == nil || *p || !r.isNew() {
		return
	}

	at := r.at.Child("unprivileged")
	site, ok := r.governing()
	key := site.Path().Child("privileged").String()

	switch {
	case !ok || site.Privileged != nil && *site.Privileged:
	case site.Privileged == nil:
		r.warn("%s: root in a privileged container is root on the node, but for what Proxmox takes away. Set %s: false in the catalogue, which refuses such containers, "+
			"or true, which allows them without this warning.", at, key)
	default:
		r.add(field.Forbidden(at, "false makes root in the container root on the node, and "+key+" is false: leave it out, or write true"))
	}
}

// TemplateTaken is the fault of a claim whose image is the VMID of a VM that another claim has. whose says whose it is.
func TemplateTaken(m *machine.Machine, whose string) *field.Error {
	return field.Forbidden(field.NewPath("spec", "image"), message.Excerpt(m.Boot.Image)+" is the VMID of a VM of "+whose+
		", and who clones it reads all that is on its disks. Use an image of the catalogue. If the VM is a template for others, add it to images of the catalogue")
}
