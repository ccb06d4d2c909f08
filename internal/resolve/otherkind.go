package resolve

import (
	"fmt"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
)

// Kinds of names at a site, in words.
const aNode, aDatastore, aBridge = "a node", "a datastore", "a bridge"

// otherKind is the end of the sentence on a name that is none of its kind: what else has this name in the catalogue, and which field takes it. Empty where
// nothing has it that a message may tell of, or only something of the kind that is wanted, on another node. People write a datastore where a node belongs,
// and a class where an image does.
func otherKind(c catalog.Catalog, wanted, name string) string {
	if name == "" {
		return ""
	}

	is := func(what, where string) string {
		return fmt.Sprintf(". %s is %s: it belongs into %s", message.Excerpt(name), what, where)
	}

	_, class := c.Classes[name]
	_, image := c.Images[name]
	_, site := c.Sites[name]
	_, cluster := c.Clusters[name]

	switch {
	case class && c.Tells(catalog.KindClass, "", name):
		return is("a class", "spec.class")
	case image && c.Tells(catalog.KindImage, "", name):
		return is("an image", "spec.image")
	case site && c.Tells(catalog.KindSite, "", name):
		return is("a site", "spec.proxmox.site")
	case cluster && c.Tells(catalog.KindCluster, "", name):
		return is("a cluster", "spec.k3s.cluster")
	}

	for _, s := range slices.Sorted(maps.Keys(c.Sites)) {
		if what, where := ofSite(c, s, name); what != "" && what != wanted {
			return is(what+" of site "+message.Excerpt(s), where)
		}
	}

	return ""
}

// ofSite is what has a name at a site, and the field for it.
func ofSite(c catalog.Catalog, site, name string) (what, where string) {
	nodes := c.Sites[site].Nodes
	if _, ok := nodes[name]; ok && c.Tells(catalog.KindNode, site, name) {
		return aNode, "spec.proxmox.node"
	}

	for _, n := range slices.Sorted(maps.Keys(nodes)) {
		switch {
		case slices.Contains(namedDatastores(nodes[n]), name) && c.Tells(catalog.KindDatastore, site, name):
			return aDatastore, "spec.proxmox.storage"
		case slices.Contains(nodes[n].Bridges, name) && c.Tells(catalog.KindBridge, site, name):
			return aBridge, "spec.network.bridge"
		case slices.Contains(nodes[n].PCI, name) && c.Tells(catalog.KindPCI, site, name):
			return "a PCI mapping", "spec.devices.pci"
		}
	}

	return "", ""
}

// withOtherKind adds to the fault of a name that the catalogue does not have what else has it.
func withOtherKind(c catalog.Catalog, wanted, name string, faults field.ErrorList) field.ErrorList {
	if len(faults) > 0 && faults[0].Type == field.ErrorTypeInvalid && faults[0].BadValue == message.Excerpt(name) {
		faults[0].Detail += otherKind(c, wanted, name)
	}

	return faults
}
