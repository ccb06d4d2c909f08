package resolve

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
)

// Content types of datastores.
const (
	contentDisks    = "images"
	contentImport   = "import"
	contentSnippets = "snippets"
)

// An inspection compares a machine with the catalogue's entry for a node. If the entry lacks a list, the inspection does not
// check the names of that kind.
type inspection struct {
	placement

	name   string
	node   catalog.Node
	known  []string // The node's datastores; empty if unknown.
	faults field.ErrorList
}

// preflight reports what a node of the site lacks for the machine.
func (r placement) preflight(name string) field.ErrorList {
	d := r.datastores(name)
	i := inspection{placement: r, name: name, node: r.site.Nodes[name]}
	i.known = knownDatastores(i.node, d)

	i.bridges()
	i.disks(d)
	i.files(d)
	i.devices()

	return i.faults
}

func (i *inspection) devices() {
	at := i.at.Child("devices")
	for n, m := range i.out.PCI {
		i.mapping(at.Child("pci").Index(n).Child("mapping"), "PCI", m, i.node.PCI)
	}

	for n, m := range i.out.USB {
		i.mapping(at.Child("usb").Index(n).Child("mapping"), "USB", m, i.node.USB)
	}
}

func (i *inspection) bridges() {
	b := network{i.resolver}.bridge()
	i.bridge(b.at, b.name)

	for n, nic := range i.spec.NICs {
		i.bridge(i.at.Child("nics").Index(n).Child("bridge"), nic.Bridge)
	}
}

func (i *inspection) disks(d datastores) {
	disks := i.bootDatastore(d)
	i.datastore(disks.at, disks.name, contentDisks)

	for n, disk := range i.spec.Disks {
		if disk.Storage != "" {
			i.datastore(i.at.Child("disks").Index(n).Child("storage"), disk.Storage, contentDisks)
		}
	}
}

// bootDatastore returns the datastore of the boot disk on a node.
func (r placement) bootDatastore(d datastores) named {
	claimed := r.spec.Proxmox.Storage

	switch {
	case r.moves() && r.existing.DiskDatastore != "" && r.existing.DiskDatastore != claimed:
		// A migrated disk keeps the name of its datastore, even if the claim now has another.
		return named{r.existing.DiskDatastore, r.at.Child("proxmox", "node")}
	case claimed != "":
		return named{claimed, r.at.Child("proxmox", "storage")}
	case r.existing.Adopting:
		// The disk exists.
		return named{}
	default:
		return d.disks
	}
}

// files checks the datastores of image and snippets. An adopted VM needs neither. A VM that migrates no longer needs its
// image, unless the image is an installer in its CD drive.
func (i *inspection) files(d datastores) {
	if i.existing.Adopting {
		return
	}

	if i.downloads() && !i.moves() {
		i.datastore(d.images.at, d.images.name, contentImport)
	}

	if v, err := catalog.ParseVolume(i.out.Boot.Volume); err == nil && (i.out.Boot.Source == machine.SourceISO || !i.moves()) {
		i.datastore(i.imageAt(), v.Datastore, v.Content)
	}

	if i.needsSnippets() {
		i.datastore(d.snippets.at, d.snippets.name, contentSnippets)
	}

	s, at := i.spec.Bootstrap.Snippets, i.at.Child("bootstrap", "snippets")
	for _, snippet := range []named{
		{s.UserData, at.Child("userData")}, {s.VendorData, at.Child("vendorData")}, {s.MetaData, at.Child("metaData")},
	} {
		if datastore, _, ok := strings.Cut(snippet.name, ":"); ok {
			i.datastore(snippet.at, datastore, contentSnippets)
		}
	}
}

// imageAt returns the path of the field with the machine's volume.
func (r placement) imageAt() *field.Path {
	if r.image.From != "" {
		return r.image.Path().Child("volume")
	}

	return r.at.Child("image")
}

// knownDatastores returns the datastores of a node that the catalogue names. If the catalogue leaves a purpose out, the default
// datastore of Proxmox VE counts too, unless the catalogue lists all datastores.
func knownDatastores(n catalog.Node, d datastores) []string {
	if len(n.Storages) == 0 && n.Datastores == (catalog.Datastores{}) {
		return nil
	}

	names := slices.Collect(maps.Keys(n.Storages))

	for _, role := range []struct{ said, effective string }{
		{n.Datastores.Disks, d.disks.name}, {n.Datastores.Images, d.images.name}, {n.Datastores.Snippets, d.snippets.name},
	} {
		if role.said != "" || len(n.Storages) == 0 {
			names = append(names, role.effective)
		}
	}

	slices.Sort(names)

	return slices.Compact(names)
}

// bridge checks that the node has a bridge.
func (i *inspection) bridge(at *field.Path, name string) {
	if i.node.Bridges == nil || name == "" || slices.Contains(i.node.Bridges, name) {
		return
	}

	i.faults = append(i.faults, field.Invalid(at, message.Excerpt(name), fmt.Sprintf("network bridge '%s' does not exist on node '%s'; %s (pvesh get /nodes/%s/network lists them)",
		message.Excerpt(name), i.name, message.ThereAre(message.SortNearest(slices.Clone(i.node.Bridges), name)), i.name)))
}

// datastore checks that the node has a datastore, and that the datastore serves a content type.
func (i *inspection) datastore(at *field.Path, name, content string) {
	if len(i.known) == 0 || name == "" {
		return
	}

	if !slices.Contains(i.known, name) {
		i.faults = append(i.faults, field.Invalid(at, message.Excerpt(name), fmt.Sprintf("datastore '%s' does not exist on node '%s'; %s (pvesm status lists them)",
			message.Excerpt(name), i.name, message.ThereAre(message.SortNearest(slices.Clone(i.known), name)))))

		return
	}

	serves, listed := i.node.Storages[name]
	if !listed || slices.Contains(serves, content) {
		return
	}

	serves = slices.Sorted(slices.Values(serves))
	i.faults = append(i.faults, field.Invalid(at, message.Excerpt(name), fmt.Sprintf("datastore '%s' on node '%s' does not serve content type '%s'; it serves: %s",
		message.Excerpt(name), i.name, content, strings.Join(serves, ", "))))
}

// mapping checks that the node has a resource mapping.
func (i *inspection) mapping(at *field.Path, kind, name string, there []string) {
	if there == nil || name == "" || slices.Contains(there, name) {
		return
	}

	i.faults = append(i.faults, field.Invalid(at, message.Excerpt(name), fmt.Sprintf("%s mapping '%s' does not exist on node '%s'; %s (Datacenter, Resource Mappings, lists them)",
		kind, message.Excerpt(name), i.name, message.ThereAre(message.SortNearest(slices.Clone(there), name)))))
}
