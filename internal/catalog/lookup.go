package catalog

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/internal/message"
)

// unplaced is the origin of an entry that was not decoded.
const unplaced = "catalogue"

// Class returns the class with a name. at is the path of the field with the name; a fault there lists the known classes, nearest
// first.
func (c Catalog) Class(at *field.Path, name string) (Class, field.ErrorList) {
	return find(at, c, KindClass, sectionClasses, name, c.Classes, placedClass)
}

// Image returns the image with a name. at is the path of the field with the name; a fault there lists the known images, nearest
// first.
func (c Catalog) Image(at *field.Path, name string) (Image, field.ErrorList) {
	return find(at, c, KindImage, sectionImages, name, c.Images, placedImage)
}

// Site returns the site with a name. at is the path of the field with the name; a fault there lists the known sites, nearest
// first.
func (c Catalog) Site(at *field.Path, name string) (Site, field.ErrorList) {
	return find(at, c, KindSite, sectionSites, name, c.Sites, placedSite)
}

// Cluster returns the cluster with a name. at is the path of the field with the name; a fault there lists the known clusters, nearest
// first.
func (c Catalog) Cluster(at *field.Path, name string) (Cluster, field.ErrorList) {
	return find(at, c, KindCluster, sectionClusters, name, c.Clusters, placedCluster)
}

func placedClass(v Class, name string) Class {
	v.From = origin(v.From, sectionClasses, name)
	return v
}

func placedImage(v Image, name string) Image {
	v.From = origin(v.From, sectionImages, name)
	return v
}

func placedSite(v Site, name string) Site {
	v.From = origin(v.From, sectionSites, name)
	return v
}

func placedCluster(v Cluster, name string) Cluster {
	v.From = origin(v.From, sectionClusters, name)
	return v
}

// origin of an entry of a section: from, and of one that was not decoded, its place in a catalogue.
func origin(from, section, name string) string {
	if from != "" {
		return from
	}

	return unplaced + "." + section + "." + message.Key(name)
}

// find returns an entry of a section, or why there is none: a faulty entry is none. Where the catalogue itself is missing or
// faulty, the reason says so, because the entry may have been in it.
func find[V any](at *field.Path, c Catalog, kind Kind, section, name string, there map[string]V, placed func(V, string) V) (V, field.ErrorList) {
	v, ok := there[name]

	switch faults := c.faultsOf(section, name); {
	case len(faults) > 0:
		return v, c.toldFaults(kind, name, faults)
	case !ok:
		err := unknown(at, kind, name, c.Told(kind, "", slices.Collect(maps.Keys(there))), c.Absent)
		err.Detail += c.valuelessEntry(kind, section, name)

		return v, append(field.ErrorList{err}, c.Faults[""]...)
	}

	return placed(v, name), nil
}

// examples are first entries of sections that nothing built in fills, by the kind of entry.
var examples = map[Kind]string{ //nolint:gochecknoglobals // A constant table.
	KindCluster: `add clusters: {home: {server: "https://ADDRESS:6443", version: v1.36.5+k3s1}} to the catalogue; a K3sCluster that names no cluster needs no entry`,
	KindSite:    "add sites: {home: {nodes: {pve: {}}, network: {bridge: vmbr0}}} to the catalogue, or name a node with proxmox.node",
}

// OriginUnknown marks the fault of a name that the catalogue does not have. Its text lists names that it has.
const OriginUnknown = "unknown"

func unknown(at *field.Path, kind Kind, name string, there []string, absent string) *field.Error {
	detail := "there is no " + string(kind) + " of that name; " + message.There(there, name)
	if example := examples[kind]; len(there) == 0 && absent == "" && example != "" {
		detail += ": " + example
	}

	if kind == KindImage {
		detail = cmp.Or(OCI(name), detail)
	}

	if absent != "" {
		detail += "; " + absent
	}

	return field.Invalid(at, message.Excerpt(name), detail).WithOrigin(OriginUnknown)
}

// Path returns the origin of a default, by its JSON name.
func (d Defaults) Path(name string) *field.Path {
	if from, ok := d.From[name]; ok {
		return field.NewPath(from)
	}

	return field.NewPath(unplaced, "defaults", name)
}

// BuiltIn says whether the class is in no catalogue that anybody wrote.
func (c Class) BuiltIn() bool { return strings.HasPrefix(c.From, builtInAt+".") }

// BuiltIn says whether the image is in no catalogue that anybody wrote.
func (i Image) BuiltIn() bool { return strings.HasPrefix(i.From, builtInAt+".") }

// Path returns the origin of the class.
func (c Class) Path() *field.Path { return field.NewPath(c.From) }

// Path returns the origin of the image.
func (i Image) Path() *field.Path { return field.NewPath(i.From) }

// Path returns the origin of the site.
func (s Site) Path() *field.Path { return field.NewPath(s.From) }

// NodePath returns the origin of a node of the site.
func (s Site) NodePath(name string) *field.Path { return s.Path().Child("nodes", message.Key(name)) }

// Path returns the origin of the cluster.
func (c Cluster) Path() *field.Path { return field.NewPath(c.From) }
