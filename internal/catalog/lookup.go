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
	v, ok := c.Classes[name]
	if !ok {
		return Class{}, unknown(at, "class", name, c.Classes)
	}

	if v.From == "" {
		v.From = unplaced + ".classes." + excerpt.Key(name)
	}

	return v, nil
}

// Image of a name. The fault, on the path of what named it, lists the images there are, nearest first.
func (c Catalog) Image(at *field.Path, name string) (Image, *field.Error) {
	v, ok := c.Images[name]
	if !ok {
		return Image{}, unknown(at, "image", name, c.Images)
	}

	if v.From == "" {
		v.From = unplaced + ".images." + excerpt.Key(name)
	}

	return v, nil
}

// Site of a name. The fault, on the path of what named it, lists the sites there are, nearest first.
func (c Catalog) Site(at *field.Path, name string) (Site, *field.Error) {
	v, ok := c.Sites[name]
	if !ok {
		return Site{}, unknown(at, "site", name, c.Sites)
	}

	if v.From == "" {
		v.From = unplaced + ".sites." + excerpt.Key(name)
	}

	return v, nil
}

// Cluster of a name. The fault, on the path of what named it, lists the clusters there are, nearest first.
func (c Catalog) Cluster(at *field.Path, name string) (Cluster, *field.Error) {
	v, ok := c.Clusters[name]
	if !ok {
		return Cluster{}, unknown(at, "cluster", name, c.Clusters)
	}

	if v.From == "" {
		v.From = unplaced + ".clusters." + excerpt.Key(name)
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
