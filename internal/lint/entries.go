package lint

import (
	"cmp"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/claim"
)

// A catalogue of a file.
type catalogue struct {
	object

	own    catalog.Catalog // Without what is built in.
	merged catalog.Catalog
	faults field.ErrorList // Of its form.
	used   map[string]bool // Entries that claims and defaults use, as section/name.
	asked  bool            // Whether a claim uses the catalogue.
}

// prefix with which faults of the catalogue begin.
func (c *catalogue) prefix() string { return c.origin() + "data" }

func (c *catalogue) origin() string { return environmentKind + " " + c.name() + ": " }

// uses notes which entries a claim uses.
func (c *catalogue) uses(of claim.Claim) {
	f := of.Fields()

	class := cmp.Or(f.Class, c.merged.Defaults.Class, catalog.DefaultClass)
	if f.Adopt != nil && f.Class == "" {
		class = ""
	}

	c.used["classes/"+class] = true
	c.used["images/"+cmp.Or(string(f.Image), string(c.merged.Defaults.Image), catalog.DefaultImage)] = true
	c.used["sites/"+cmp.Or(f.Proxmox.Site, c.merged.Defaults.Site, only(c.merged.Sites))] = true

	if k := of.K3s(); k != nil {
		c.used["clusters/"+k.Cluster] = true
	}
}

// only is the name of the only entry; empty where there are several.
func only[V any](m map[string]V) string {
	if len(m) != 1 {
		return ""
	}

	for name := range m {
		return name
	}

	return ""
}
