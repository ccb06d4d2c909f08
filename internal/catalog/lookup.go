package catalog

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/internal/excerpt"
	"github.com/homelab-io/function-proxmox-machine/internal/nearest"
)

// unplaced is where an entry stands that was not decoded.
const unplaced = "catalogue"

// Class of a name. The fault, on the path of what named it, lists the classes there are, nearest first.
func (c Catalog) Class(at *field.Path, name string) (Class, *field.Error) {
	return find(at, "class", "classes", name, c.Classes, fromOfClass)
}

// Image of a name. The fault, on the path of what named it, lists the images there are, nearest first.
func (c Catalog) Image(at *field.Path, name string) (Image, *field.Error) {
	return find(at, "image", "images", name, c.Images, fromOfImage)
}

// Site of a name. The fault, on the path of what named it, lists the sites there are, nearest first.
func (c Catalog) Site(at *field.Path, name string) (Site, *field.Error) {
	return find(at, "site", "sites", name, c.Sites, fromOfSite)
}

// Cluster of a name. The fault, on the path of what named it, lists the clusters there are, nearest first.
func (c Catalog) Cluster(at *field.Path, name string) (Cluster, *field.Error) {
	return find(at, "cluster", "clusters", name, c.Clusters, fromOfCluster)
}

// Where each kind of entry keeps the place that it was written at.
func fromOfClass(v *Class) *string     { return &v.From }
func fromOfImage(v *Image) *string     { return &v.From }
func fromOfSite(v *Site) *string       { return &v.From }
func fromOfCluster(v *Cluster) *string { return &v.From }

// find an entry among those of its section.
func find[V any](at *field.Path, kind, section, name string, there map[string]V, from func(*V) *string) (V, *field.Error) {
	v, ok := there[name]
	if !ok {
		return v, unknown(at, kind, name, there)
	}

	if place := from(&v); *place == "" {
		*place = unplaced + "." + section + "." + excerpt.Key(name)
	}

	return v, nil
}

func unknown[V any](at *field.Path, kind, name string, there map[string]V) *field.Error {
	return field.Invalid(at, excerpt.Of(name), "there is no "+kind+" of that name; "+nearest.ThereAre(nearest.Names(there, name)))
}

// Path of where a default was written, by its JSON name.
func (d Defaults) Path(name string) *field.Path {
	if from, ok := d.From[name]; ok {
		return field.NewPath(from)
	}

	return field.NewPath(unplaced, "defaults", name)
}

// Path of where the class was written.
func (c Class) Path() *field.Path { return field.NewPath(c.From) }

// Path of where the image was written.
func (i Image) Path() *field.Path { return field.NewPath(i.From) }

// Path of where the site was written.
func (s Site) Path() *field.Path { return field.NewPath(s.From) }

// NodePath is where a node of the site was written.
func (s Site) NodePath(name string) *field.Path { return s.Path().Child("nodes", excerpt.Key(name)) }

// Path of where the cluster was written.
func (c Cluster) Path() *field.Path { return field.NewPath(c.From) }
