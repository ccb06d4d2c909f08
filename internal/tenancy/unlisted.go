package tenancy

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
)

// Unlisted are the faults of a tenant's claim, where a name that the catalogue does not have is refused by the tenant's own list: what the catalogue has beyond
// that list is not the tenant's to know, and no name to suggest. site is the claim's. A name keeps its fault where its list is left out, or has it.
func Unlisted(t catalog.Tenant, site string, faults field.ErrorList) field.ErrorList {
	out := slices.Clone(faults)

	for i, fault := range out {
		name, _ := fault.BadValue.(string)

		r, ruled := ruleOf(t, site, fault.Field)
		if fault.Origin != catalog.OriginUnknown || !ruled || r.names == nil || slices.Contains(r.names, name) {
			continue
		}

		out[i] = notListed(t, r, field.NewPath(fault.Field), name)
	}

	return out
}

// A rule is a list of what a tenant may name.
type rule struct {
	names []string // nil allows everything.
	key   *field.Path
	what  string
}

// ruleOf the field of a claim that names something of the catalogue; false for any other field.
func ruleOf(t catalog.Tenant, site, at string) (rule, bool) {
	of, key := t.Sites[site], t.SitePath(site)

	switch {
	case at == "spec.class":
		return rule{t.Classes, t.Path().Child("classes"), "class"}, true
	case at == "spec.image":
		return rule{t.Images, t.Path().Child("images"), "image"}, true
	case at == "spec.k3s.cluster", at == "spec.cluster":
		return rule{listOf(t.Clusters), t.Path().Child("clusters"), "cluster"}, true
	case at == "spec.proxmox.site":
		return rule{listOf(t.Sites), t.Path().Child("sites"), "site"}, true
	case at == "spec.proxmox.node":
		return rule{of.Nodes, key.Child("nodes"), "node"}, true
	case strings.HasSuffix(at, ".bridge"):
		return rule{listOf(of.Bridges), key.Child("bridges"), "bridge"}, true
	case strings.HasSuffix(at, ".storage"):
		return rule{of.Datastores, key.Child("datastores"), "datastore"}, true
	case strings.HasPrefix(at, "spec.devices.pci"):
		return rule{of.PCI, key.Child("pci"), "PCI device"}, true
	case strings.HasPrefix(at, "spec.devices.usb"):
		return rule{of.USB, key.Child("usb"), "USB device"}, true
	}

	return rule{}, false
}

// listOf the names of entries; nil where nothing is listed.
func listOf[V any](entries map[string]V) []string {
	if entries == nil {
		return nil
	}

	return namesOf(entries)
}

// notListed is the fault of a name that is not in a list of the tenant.
func notListed(t catalog.Tenant, r rule, at *field.Path, name string) *field.Error {
	return field.Invalid(at, message.Excerpt(name), fmt.Sprintf("is no %s of tenant %s (%s); %s", r.what, t.Name, r.key, message.There(slices.Clone(r.names), name)))
}
