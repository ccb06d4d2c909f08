package tenancy

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
)

// Unlisted are the faults of a tenant's claim, where a name that the catalogue does not have is refused by the tenant's own list: what the catalogue has beyond
// that list is not the tenant's to know, and no name to suggest. site is the claim's. A name keeps its fault where its list is left out, or has it.
func Unlisted(t catalog.Tenant, site string, faults field.ErrorList) field.ErrorList {
	out := slices.Clone(faults)

	for i, fault := range out {
		typed, _ := fault.BadValue.(string)

		kind, name := kindOf(fault.Field, typed)
		if fault.Origin != catalog.OriginUnknown || kind == "" {
			continue
		}

		if names, key := t.Names(kind, site); names != nil && !slices.Contains(names, name) {
			out[i] = withValue(notListed(t, rule{names, key, string(kind)}, field.NewPath(fault.Field), name), typed)
		}
	}

	return out
}

// A rule is a list of what a tenant may name.
type rule struct {
	names []string // nil allows everything.
	key   *field.Path
	what  string
}

// kindOf what a field of a claim names, and its name; empty for a field that names nothing of the catalogue.
func kindOf(at, text string) (catalog.Kind, string) {
	if strings.HasPrefix(at, "spec.firewall.allow") {
		typed := v1alpha1.FirewallRule{From: text}
		if strings.HasSuffix(at, ".group") {
			typed = v1alpha1.FirewallRule{Group: text}
		}

		name, _ := catalog.FirewallNameOf(typed)

		return name.Kind, name.Name
	}

	return kindOfField(at), text
}

func kindOfField(at string) catalog.Kind {
	switch {
	case at == "spec.class":
		return catalog.KindClass
	case at == "spec.image":
		return catalog.KindImage
	case at == "spec.k3s.cluster", at == "spec.cluster":
		return catalog.KindCluster
	case at == "spec.proxmox.site":
		return catalog.KindSite
	case at == "spec.proxmox.node", strings.HasPrefix(at, "spec.nodes."):
		return catalog.KindNode
	case strings.HasSuffix(at, ".bridge"):
		return catalog.KindBridge
	case strings.HasSuffix(at, ".storage"):
		return catalog.KindDatastore
	case strings.HasPrefix(at, "spec.devices.pci"):
		return catalog.KindPCI
	case strings.HasPrefix(at, "spec.devices.usb"):
		return catalog.KindUSB
	}

	return ""
}

// notListed is the fault of a name that is not in a list of the tenant. A namespace that may have nothing is told of no list.
func notListed(t catalog.Tenant, r rule, at *field.Path, name string) *field.Error {
	if t.Name == "" {
		return field.Invalid(at, message.Excerpt(name), fmt.Sprintf("namespace %s may use no %s (%s)",
			message.Excerpt(strings.Join(t.Namespaces, "")), r.what, t.Path()))
	}

	return field.Invalid(at, message.Excerpt(name), fmt.Sprintf("is no %s of tenant %s (%s); %s", r.what, t.Name, r.key, message.There(slices.Clone(r.names), name)))
}
