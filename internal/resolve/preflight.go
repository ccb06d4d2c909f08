package resolve

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	catalogue "github.com/homelab-io/function-proxmox-machine/apis/catalogue/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
)

// Content types of datastores.
const (
	contentDisks    = "images"
	contentImport   = "import"
	contentSnippets = "snippets"
	contentRootDir  = "rootdir" // Volumes of containers.
	contentTemplate = "vztmpl"
)

// An inspection compares a machine with the catalogue's entry for a node. If the entry lacks a list, the node has every name of that
// kind but for those that another node of the site lists.
type inspection struct {
	placement

	name   string
	node   catalogue.Node
	known  []string // The node's datastores; empty if unknown.
	faults field.ErrorList
}

// preflight reports what a node of the site lacks for the machine.
func (r placement) preflight(name string) field.ErrorList {
	d := r.datastores(name)
	i := inspection{placement: r, name: name, node: r.site.Nodes[name]}
	i.known = knownDatastores(i.node)

	i.bridges()
	i.disks(d)
	i.files(d)
	i.devices()

	return i.faults
}

func (i *inspection) devices() {
	at := i.at.Child("devices")
	for n, m := range i.out.PCI {
		i.mapping(at.Child("pci").Index(n).Child("mapping"), "PCI", m, func(n catalogue.Node) []string { return n.PCI })
	}

	for n, m := range i.out.USB {
		i.mapping(at.Child("usb").Index(n).Child("mapping"), "USB", m, func(n catalogue.Node) []string { return n.USB })
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
	i.datastore(disks.at, disks.name, diskContent(i.container))

	for n, disk := range i.spec.Disks {
		if disk.Storage != "" {
			i.datastore(i.at.Child("disks").Index(n).Child("storage"), disk.Storage, diskContent(i.container))
		}
	}
}

// diskContent is the content type of the datastores of a VM's, or a container's, disks.
func diskContent(container bool) string {
	if container {
		return contentRootDir
	}

	return contentDisks
}

// bootDatastore returns the datastore of the boot disk on a node.
func (r placement) bootDatastore(d datastores) named {
	claimed := r.spec.Proxmox.Storage

	switch {
	case r.moves() && r.existing.DiskDatastore != "" && r.existing.DiskDatastore != claimed:
		// A migrated disk keeps the name of its datastore, even if the claim now has another.
		return named{name: r.existing.DiskDatastore, at: r.at.Child("proxmox", "node")}
	case claimed != "":
		return named{name: claimed, at: r.at.Child("proxmox", "storage")}
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
		{name: s.UserData, at: at.Child("userData")}, {name: s.VendorData, at: at.Child("vendorData")}, {name: s.MetaData, at: at.Child("metaData")},
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

// knownDatastores returns all datastores of a node, or nil if the catalogue does not list all of them: all with their content types, or
// one for each purpose.
func knownDatastores(n catalogue.Node) []string {
	d := n.Datastores
	if len(n.Storages) == 0 && (d.Disks == "" || d.Images == "" || d.Snippets == "") {
		return nil
	}

	return namedDatastores(n)
}

// namedDatastores are the datastores that the catalogue names for a node.
func namedDatastores(n catalogue.Node) []string {
	names := slices.Collect(maps.Keys(n.Storages))
	for _, name := range []string{n.Datastores.Disks, n.Datastores.Images, n.Datastores.Snippets} {
		if name != "" {
			names = append(names, name)
		}
	}

	slices.Sort(names)

	return slices.Compact(names)
}

// elsewhere are the nodes of the site that list a name, if the inspected node has no list with it. What every Proxmox VE has, every node
// has.
func (i *inspection) elsewhere(name string, names func(catalogue.Node) []string) []string {
	if slices.Contains([]string{"", defaultBridge, defaultDiskDatastore, defaultFileDatastore}, name) || slices.Contains(names(i.node), name) {
		return nil
	}

	var out []string

	for _, n := range slices.Sorted(maps.Keys(i.site.Nodes)) {
		if slices.Contains(names(i.site.Nodes[n]), name) {
			out = append(out, n)
		}
	}

	return out
}

// onlyElsewhere reports a name that other nodes of the site list, and this one does not.
func (i *inspection) onlyElsewhere(at *field.Path, what, name string, nodes []string) {
	if len(nodes) > 0 {
		i.faults = append(i.faults, field.Invalid(at, message.Excerpt(name), fmt.Sprintf("%s '%s' is on node %s only, as the catalogue lists it, and not on node '%s'",
			what, message.Excerpt(name), strings.Join(nodes, ", "), i.name)))
	}
}

// bridge checks that the node has a bridge.
func (i *inspection) bridge(at *field.Path, name string) {
	if i.node.Bridges == nil {
		i.onlyElsewhere(at, "network bridge", name, i.elsewhere(name, func(n catalogue.Node) []string { return n.Bridges }))
		return
	}

	if name == "" || slices.Contains(i.node.Bridges, name) {
		return
	}

	i.faults = append(i.faults, field.Invalid(at, message.Excerpt(name), fmt.Sprintf("network bridge '%s' does not exist on node '%s'; %s (pvesh get /nodes/%s/network lists them)",
		message.Excerpt(name), i.name, message.There(i.node.Bridges, name), i.name)))
}

// datastore checks that the node has a datastore, and that the datastore serves a content type.
func (i *inspection) datastore(at *field.Path, name, content string) {
	if len(i.known) == 0 {
		i.onlyElsewhere(at, "datastore", name, i.elsewhere(name, namedDatastores))
		return
	}

	if name == "" {
		return
	}

	if !slices.Contains(i.known, name) {
		i.faults = append(i.faults, field.Invalid(at, message.Excerpt(name), fmt.Sprintf("datastore '%s' does not exist on node '%s'; %s (pvesm status lists them)",
			message.Excerpt(name), i.name, message.There(i.known, name))))

		return
	}

	if fault := Datastore(at, i.name, i.node, name, content); fault != nil {
		i.faults = append(i.faults, fault)
	}
}

// Datastore says why a node's storages do not have a datastore with a content type; nil where they do, and where the catalogue has no storages of the node.
func Datastore(at *field.Path, nodeName string, n catalogue.Node, name, content string) *field.Error {
	if len(n.Storages) == 0 {
		return nil
	}

	contents, listed := n.Storages[name]
	if !listed {
		return field.Invalid(at, message.Excerpt(name), fmt.Sprintf("the storages of node '%s' have no such datastore; %s (pvesm status lists them)",
			message.Excerpt(nodeName), message.There(slices.Collect(maps.Keys(n.Storages)), name)))
	}

	serves := slices.Sorted(slices.Values(contents.Names()))
	if slices.Contains(serves, content) {
		return nil
	}

	all := slices.Sorted(slices.Values(append(slices.Clone(serves), content)))

	return field.Invalid(at, message.Excerpt(name), fmt.Sprintf("datastore '%[1]s' on node '%[2]s' does not serve content type '%[3]s'; it serves: %[4]s. "+
		"Run `pvesm set %[1]s --content %[5]s` as root on the node, then add %[3]s to its storages in the catalogue",
		message.Excerpt(name), message.Excerpt(nodeName), content, strings.Join(serves, ", "), strings.Join(all, ",")))
}

// mapping checks that the node has a resource mapping.
func (i *inspection) mapping(at *field.Path, kind, name string, list func(catalogue.Node) []string) {
	there := list(i.node)
	if there == nil {
		i.onlyElsewhere(at, kind+" mapping", name, i.elsewhere(name, list))
		return
	}

	if name == "" || slices.Contains(there, name) {
		return
	}

	i.faults = append(i.faults, field.Invalid(at, message.Excerpt(name), fmt.Sprintf("%s mapping '%s' does not exist on node '%s'; %s (Datacenter, Resource Mappings, lists them)",
		kind, message.Excerpt(name), i.name, message.There(there, name))))
}
