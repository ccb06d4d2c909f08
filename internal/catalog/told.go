package catalog

import (
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/internal/message"
)

// A Kind of names that a catalogue has and a tenant can have a list of, in words.
type Kind string

// The kinds. Nodes and what follows them are names at a site.
const (
	KindClass     Kind = "class"
	KindImage     Kind = "image"
	KindCluster   Kind = "cluster"
	KindSite      Kind = "site"
	KindNode      Kind = "node"
	KindBridge    Kind = "bridge"
	KindDatastore Kind = "datastore"
	KindPCI       Kind = "PCI device"
	KindUSB       Kind = "USB device"
	KindGroup     Kind = "security group"
	KindIPSet     Kind = "IP set"
	KindAlias     Kind = "alias"
)

// Names of a kind that the tenant may use, and the origin of the list; nil allows every name, and is never what of a firewall may be named. site is where
// names at a site are: of a site that is not the tenant's, it may use none.
func (t Tenant) Names(kind Kind, site string) (names []string, key *field.Path) {
	switch kind { //nolint:exhaustive // The others are names at a site.
	case KindClass:
		return t.Classes, t.Path().Child("classes")
	case KindImage:
		return t.Images, t.Path().Child("images")
	case KindCluster:
		return keysOf(t.Clusters), t.Path().Child("clusters")
	case KindSite:
		return keysOf(t.Sites), t.Path().Child("sites")
	}

	of, ok := t.Site(site)
	if !ok {
		return []string{}, t.Path().Child("sites")
	}

	switch kind {
	case KindNode:
		return of.Nodes, t.SitePath(site).Child("nodes")
	case KindBridge:
		return keysOf(of.Bridges), t.SitePath(site).Child("bridges")
	case KindDatastore:
		return of.Datastores, t.SitePath(site).Child("datastores")
	case KindPCI:
		return of.PCI, t.SitePath(site).Child("pci")
	case KindGroup, KindIPSet, KindAlias:
		names, name := NamesOf(kind, of.Firewall)
		return names, t.SitePath(site).Child("firewall", name)
	default:
		return of.USB, t.SitePath(site).Child("usb")
	}
}

// Told are those of some names of a kind that a message may tell who reads it: a tenant is told none beyond its lists.
func (c Catalog) Told(kind Kind, site string, names []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !c.Tells(kind, site, name) })
}

// Tells says whether a message may tell a name of a kind to who reads it.
func (c Catalog) Tells(kind Kind, site, name string) bool {
	if c.Reader == nil {
		return true
	}

	may, _ := c.Reader.Names(kind, site)

	return may == nil || slices.Contains(may, name)
}

// toldFaults are the faults of an entry as a message may tell them to who reads it: those of nodes that are not a tenant's are one, which names none.
func (c Catalog) toldFaults(kind Kind, name string, faults field.ErrorList) (out field.ErrorList) {
	if c.Reader == nil || kind != KindSite {
		return faults
	}

	may, _ := c.Reader.Names(KindNode, name)
	hidden := false

	for _, f := range faults {
		before, node, of := strings.Cut(f.Field, "."+sectionSites+"."+message.Key(name)+".nodes")

		switch {
		case !of || node == "" || may == nil || slices.ContainsFunc(may, func(n string) bool { return message.Within(node, "."+message.Key(n)) }):
			out = append(out, f)
		case !hidden:
			hidden = true
			out = append(out, field.Invalid(field.NewPath(before, sectionSites, message.Key(name), "nodes"), field.OmitValueType{},
				"cannot be read, because of a fault in a node that this namespace may not use: nothing new is made until whoever writes the catalogue corrects it"))
		}
	}

	return out
}

// keysOf the entries of a rule, sorted; an empty list, which allows nothing, where there are none, and nil where the rule is left out.
func keysOf[V any](entries map[string]V) []string {
	if entries == nil {
		return nil
	}

	out := slices.AppendSeq([]string{}, maps.Keys(entries))
	slices.Sort(out)

	return out
}
