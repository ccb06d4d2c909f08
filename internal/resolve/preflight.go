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

// An inspection compares a machine with the catalogue's entry for a node. If the entry lacks a list, the node has every name of that
// kind but for those that another node of the site lists.
type inspection struct {
	p placing

	name   string
	node   catalogue.Node
	known  []string // The node's datastores; empty if unknown.
	lacks  []lack
	faults field.ErrorList
}

// A lack is a content type that a machine wants of a datastore that does not serve it, with the place of the fault that says so.
type lack struct {
	fault         int
	at            *field.Path
	name, content string
}

// preflight reports what a node of the site lacks for the machine.
func preflight(p placing, name string) field.ErrorList {
	d := datastoresOf(p.site, name)
	i := inspection{p: p, name: name, node: p.site.Nodes[name]}
	i.known = knownDatastores(i.node)

	i.bridges()
	i.disks(d)
	i.files(d)
	i.devices()
	i.oneCommand()

	return i.faults
}

func (i *inspection) devices() {
	at := i.p.g.at.Child("devices")
	for n, m := range i.p.m.PCI {
		i.mapping(at.Child("pci").Index(n).Child("mapping"), catalog.KindPCI, m, func(n catalogue.Node) []string { return n.PCI })
	}

	for n, m := range i.p.m.USB {
		i.mapping(at.Child("usb").Index(n).Child("mapping"), catalog.KindUSB, m, func(n catalogue.Node) []string { return n.USB })
	}
}

func (i *inspection) bridges() {
	b := bridgeOf(i.p.g, i.p.site)
	i.bridge(b.at, b.name)

	for n, nic := range i.p.g.spec.NICs {
		i.bridge(i.p.g.at.Child("nics").Index(n).Child("bridge"), nic.Bridge)
	}
}

func (i *inspection) disks(d datastores) {
	disks := bootDatastore(i.p.g, d)
	i.datastore(disks.at, disks.name, diskContent(i.p.g.container))

	for n, disk := range i.p.g.spec.Disks {
		if disk.Storage != "" {
			i.datastore(i.p.g.at.Child("disks").Index(n).Child("storage"), disk.Storage, diskContent(i.p.g.container))
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

// files checks the datastores of image and snippets. An adopted VM needs neither. A VM that migrates no longer needs its
// image, unless the image is an installer in its CD drive.
func (i *inspection) files(d datastores) {
	if i.p.g.existing.Adopting {
		return
	}

	if i.p.m.Boot.Source == machine.SourceDownload && !i.p.g.moves() {
		i.datastore(d.images.at, d.images.name, contentImport)
	}

	if v, err := catalog.ParseVolume(i.p.m.Boot.Volume); err == nil && (i.p.m.Boot.Source == machine.SourceISO || !i.p.g.moves()) {
		i.datastore(imageAt(i.p.g, i.p.image), v.Datastore, v.Content)
	}

	if needsSnippets(i.p.g, i.p.m.Boot) {
		i.datastore(d.snippets.at, d.snippets.name, contentSnippets)
	}

	for _, snippet := range claimedSnippets(i.p.g) {
		if datastore, _, ok := strings.Cut(snippet.name, ":"); ok {
			i.datastore(snippet.at, datastore, contentSnippets)
		}
	}
}

// elsewhere are the nodes of the site that list a name, if the inspected node has no list with it. What every Proxmox VE has, every node
// has.
func (i *inspection) elsewhere(name string, names func(catalogue.Node) []string) []string {
	if slices.Contains([]string{"", defaultBridge, defaultDiskDatastore, defaultFileDatastore}, name) || slices.Contains(names(i.node), name) {
		return nil
	}

	var out []string

	for _, n := range slices.Sorted(maps.Keys(i.p.site.Nodes)) {
		if slices.Contains(names(i.p.site.Nodes[n]), name) {
			out = append(out, n)
		}
	}

	return out
}

// onlyElsewhere reports a name that other nodes of the site list, and this one does not.
func (i *inspection) onlyElsewhere(at *field.Path, what, name string, nodes []string) {
	if len(nodes) == 0 {
		return
	}

	where := "is"
	if told := i.p.told(catalog.KindNode, nodes); len(told) == len(nodes) {
		where = "is on node " + strings.Join(told, ", ") + " only, as the catalogue lists it, and"
	} else if len(told) > 0 {
		where = "is on node " + strings.Join(told, ", ") + ", as the catalogue lists it, and"
	}

	i.faults = append(i.faults, field.Invalid(at, message.Excerpt(name), fmt.Sprintf("%s '%s' %s not on node '%s'",
		what, message.Excerpt(name), where, i.name)).WithOrigin(catalog.OriginUnknown))
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

	there := message.There(i.p.told(catalog.KindBridge, i.node.Bridges), name)
	i.faults = append(i.faults, field.Invalid(at, message.Excerpt(name), fmt.Sprintf("network bridge '%s' does not exist on node '%s'; %s (pvesh get /nodes/%s/network lists them)",
		message.Excerpt(name), i.name, there, i.name)+otherKind(i.p.g.catalog, aBridge, name)).WithOrigin(catalog.OriginUnknown))
}

// oneCommand has the faults of a datastore that lacks several content types name all of them: it is to serve them by one command.
func (i *inspection) oneCommand() {
	for _, l := range i.lacks {
		var besides []string

		for _, other := range i.lacks {
			if other.name == l.name {
				besides = append(besides, other.content)
			}
		}

		i.faults[l.fault] = Datastore(l.at, i.name, i.node, l.name, l.content, besides...)
	}
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
		there := inPlace(i.node, name, content, i.p.told(catalog.KindDatastore, i.known))
		i.faults = append(i.faults, field.Invalid(at, message.Excerpt(name), fmt.Sprintf("datastore '%s' does not exist on node '%s'; %s",
			message.Excerpt(name), i.name, there)+otherKind(i.p.g.catalog, aDatastore, name)).WithOrigin(catalog.OriginUnknown))

		return
	}

	if fault := Datastore(at, i.name, i.node, name, content); fault != nil {
		i.lacks = append(i.lacks, lack{len(i.faults), at, name, content})
		i.faults = append(i.faults, fault)
	}
}

// mapping checks that the node has a resource mapping.
func (i *inspection) mapping(at *field.Path, kind catalog.Kind, name string, list func(catalogue.Node) []string) {
	there, what := list(i.node), strings.TrimSuffix(string(kind), "device")+"mapping"
	if there == nil {
		i.onlyElsewhere(at, what, name, i.elsewhere(name, list))
		return
	}

	if name == "" || slices.Contains(there, name) {
		return
	}

	i.faults = append(i.faults, field.Invalid(at, message.Excerpt(name), fmt.Sprintf("%s '%s' does not exist on node '%s'; %s (Datacenter, Resource Mappings, lists them)",
		what, message.Excerpt(name), i.name, message.There(i.p.told(kind, there), name))).WithOrigin(catalog.OriginUnknown))
}
