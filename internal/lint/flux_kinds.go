package lint

import (
	"slices"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/internal/claim"
	"github.com/homelab-io/function-proxmox-machine/internal/manifest"
)

// A fluxPart is what claims need, or what that needs.
type fluxPart struct {
	what string // As a sentence says it.
	is   func(object) bool
}

// fluxParts are the parts that layers apply. The claims themselves are none.
func fluxParts() []fluxPart {
	return []fluxPart{partCrossplane(), partKinds(), partFunction(), partProvider(), partConfig(), partCatalogue()}
}

func partCrossplane() fluxPart { return fluxPart{"Crossplane's HelmRelease", isCrossplane} }
func partKinds() fluxPart      { return fluxPart{"the kinds of claims", bringsKinds} }
func partFunction() fluxPart {
	return fluxPart{"the Function", isPackage("Function", "proxmox-machine")}
}
func partProvider() fluxPart  { return fluxPart{"the Provider", isPackage("Provider", "proxmox")} }
func partConfig() fluxPart    { return fluxPart{"the provider's configuration", isProviderConfig} }
func partCatalogue() fluxPart { return fluxPart{"the catalogue", isCatalogue} }

// isApplied says whether an object is a claim, or a composite that somebody applies in place of one.
func isApplied(o object) bool {
	kind, composite := strings.CutPrefix(o.kind(), "X")
	g, _, _ := strings.Cut(text(o.value["apiVersion"]), "/")

	return isClaim(o) || composite && g == group && slices.Contains(claimKinds, kind) && !fromCluster(o)
}

func isCrossplane(o object) bool {
	return o.kind() == "HelmRelease" && text(at(o.value, "spec", "chart", "spec", "chart")) == "crossplane"
}

// isPackage of Crossplane, of a kind and with a word in its name.
func isPackage(kind, word string) func(object) bool {
	return func(o object) bool {
		return o.kind() == kind && strings.HasPrefix(text(o.value["apiVersion"]), "pkg.crossplane.io/") &&
			(strings.Contains(text(at(o.value, "spec", "package")), word) || strings.Contains(o.name(), word))
	}
}

// bringsKinds says whether an object brings the kinds of claims: the Configuration, or one of its XRDs where somebody applies them alone.
func bringsKinds(o object) bool {
	return isPackage("Configuration", "proxmox-machine")(o) || o.kind() == "CompositeResourceDefinition" && at(o.value, "spec", "group") == group
}

func isProviderConfig(o object) bool {
	return strings.HasPrefix(text(o.value["apiVersion"]), "proxmox") && (o.kind() == "ProviderConfig" || o.kind() == "ClusterProviderConfig")
}

// at a path of keys of an object; nil where there is nothing.
func at(value any, keys ...string) any {
	for _, key := range keys {
		m, _ := value.(map[string]any)
		value = m[key]
	}

	return value
}

// annotated says whether an object has an annotation with a value, such as Flux reads them.
func annotated(o object, name, value string) bool {
	return strings.EqualFold(text(at(o.value, "metadata", "annotations", manifest.FluxGroup+"/"+name)), value)
}

// goesWithMore says whether more goes with an object than Flux can bring back, and what its deletion does.
func goesWithMore(o object, protectedByDefault *bool) (string, bool) {
	switch {
	case isApplied(o) && strings.HasSuffix(o.kind(), claim.KindContainer):
		return "destroys the container with all disks", destroyed(o, protectedByDefault)
	case isApplied(o) && strings.HasSuffix(o.kind(), claim.KindK3sCluster):
		return "destroys all nodes of the cluster with their disks", destroyed(o, protectedByDefault)
	case isApplied(o):
		return "destroys the VM with all disks", destroyed(o, protectedByDefault)
	case bringsKinds(o):
		return "deletes the kinds of claims, every claim, and the VMs of those with deletionPolicy: Delete", true
	case partProvider().is(o):
		return "deletes the provider's kinds and every managed resource, and VMs with them", true
	}

	return "", false
}

// destroyed says whether the deletion of a claim destroys what somebody misses. An agent has nothing that its cluster does not make anew.
func destroyed(o object, protectedByDefault *bool) bool {
	spec, _ := o.value["spec"].(map[string]any)
	kind := strings.TrimPrefix(o.kind(), "X")
	server := kind == claim.KindK3sCluster || at(spec, "k3s", "role") == "server"
	keeps := server || len(list(spec["disks"])) > 0 || spec["runsCrossplane"] == true

	policy := text(spec["deletionPolicy"])
	if policy == "" && (kind == claim.KindMachine || kind == claim.KindContainer) {
		policy = "Delete"
	}

	switch protection, ok := spec["deletionProtection"].(bool); {
	case policy != "Delete", kind == claim.KindProxmoxSite, kind == claim.KindK3sNode && !keeps:
		return false
	case ok:
		return !protection
	case protectedByDefault != nil:
		return !*protectedByDefault
	default:
		return !keeps
	}
}
