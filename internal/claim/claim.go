// Package claim reads what a person asked for out of a composite resource: the typed spec, and whose machine it is.
package claim

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
	"github.com/homelab-io/function-proxmox-machine/internal/spelling"
	"github.com/homelab-io/function-proxmox-machine/internal/strict"
)

// The kinds of machines.
const (
	KindMachine = "Machine"
	KindK3sNode = "K3sNode"
	// KindK3sCluster is no machine: its composed resources are K3sNodes.
	KindK3sCluster = "K3sCluster"
	// KindContainer is an LXC container.
	KindContainer = "Container"
	// KindProxmoxSite are bridges, VLAN interfaces and resource pools of a Proxmox cluster.
	KindProxmoxSite = "ProxmoxSite"
)

// Kinds of claims, in the order in which people look for one by its name.
func Kinds() []string {
	return []string{KindMachine, KindK3sNode, KindContainer, KindK3sCluster, KindProxmoxSite}
}

// NoneAmong says that there is no claim among documents of these kinds, and what one is.
func NoneAmong(kinds []string) string {
	found := Listed(kinds)
	if len(kinds) == 0 {
		found = "nothing: a file that is empty or has comments alone has no manifest, nor has a folder without .yaml, .yml and .json"
	}

	switch found {
	case "EnvironmentConfig":
		found += ", which --catalogue reads"
	case "Kustomization":
		found += ": name the folder that it is in, or that it applies"
	}

	return "found " + found + "; a claim is a document of kind " + message.OneOf(Kinds())
}

// Listed are the kinds of documents in words, each once; empty ones are of documents without a kind.
func Listed(kinds []string) string {
	kinds = slices.Compact(slices.Sorted(slices.Values(kinds)))
	kinds = slices.DeleteFunc(kinds, func(kind string) bool { return kind == "" })

	if len(kinds) == 0 {
		return "nothing with apiVersion and kind"
	}

	for i := range kinds {
		kinds[i] = message.Excerpt(kinds[i])
	}

	return strings.Join(kinds[:min(len(kinds), maxKinds)], ", ")
}

// maxKinds is how many kinds of other documents a message names.
const maxKinds = 5

// Resource of a kind of claims, or of composites, as kubectl names it: machines.homelab.io. A name without its group may be another
// group's: Cluster API has machines, too, and kubectl takes the more stable version.
func Resource(kind string) string { return strings.ToLower(kind) + "s.homelab.io" }

// A Claim is what a person asked for: at most one of Machine, K3sNode, K3sCluster, Container and ProxmoxSite is set.
type Claim struct {
	Identity   machine.Identity
	Machine    *v1alpha1.MachineSpec
	K3sNode    *v1alpha1.K3sNodeSpec
	K3sCluster *v1alpha1.K3sClusterSpec
	Container  *v1alpha1.ContainerSpec

	ProxmoxSite *v1alpha1.ProxmoxSiteSpec

	// OfCluster says that a K3sNode is a node of a K3sCluster, which composes it.
	OfCluster bool
	// Formers are the former spellings that the person typed. What they say is in the claim in today's spelling.
	Formers []spelling.Former
	// Faults that [Decode] found. Package resolve reports them beside those that it finds in the rest of the claim.
	Faults field.ErrorList
}

// Decode a composite resource of either generation from its content. Unknown fields, values of a wrong type and names that
// cannot be rendered are all reported at once, by the path that a person typed. What could be read is in the claim
// even where there are faults, so that others can be looked for.
func Decode(composite map[string]any) Claim {
	c, faults := decode(composite)
	c.Faults = faults

	return c
}

func decode(composite map[string]any) (Claim, field.ErrorList) {
	c := Claim{}

	kind := text(composite, "kind")
	c.Identity.Kind = strings.TrimPrefix(kind, "X")

	var into any

	switch c.Identity.Kind {
	case KindMachine:
		c.Machine = &v1alpha1.MachineSpec{}
		into = c.Machine
	case KindK3sNode:
		c.K3sNode = &v1alpha1.K3sNodeSpec{}
		into = c.K3sNode
	case KindK3sCluster:
		c.K3sCluster = &v1alpha1.K3sClusterSpec{}
		into = c.K3sCluster
	case KindContainer:
		c.Container = &v1alpha1.ContainerSpec{}
		into = c.Container
	case KindProxmoxSite:
		c.ProxmoxSite = &v1alpha1.ProxmoxSiteSpec{}
		into = c.ProxmoxSite
	default:
		return c, field.ErrorList{field.NotSupported(field.NewPath("kind"), message.Excerpt(kind), []string{
			KindMachine, KindK3sNode, KindK3sCluster, KindContainer, KindProxmoxSite,
			"X" + KindMachine, "X" + KindK3sNode, "X" + KindK3sCluster, "X" + KindContainer, "X" + KindProxmoxSite,
		})}
	}

	errs := c.identify(composite)
	c.OfCluster = IsOfCluster(composite)
	at := field.NewPath("spec")

	switch spec := composite["spec"].(type) {
	case nil:
		// The other kinds miss a field of it.
		if c.ProxmoxSite != nil {
			errs = append(errs, field.Required(at, "must have nodes or pools"))
		}
	case map[string]any:
		fields, formers := spelling.Claim(written(spec))
		c.Formers = formers
		errs = append(errs, explained(c.Identity.Kind, strict.Decode(at, fields, into, emptyAllowed), fields)...)
		errs = append(errs, strict.Missing(at, fields, into)...)
	default:
		errs = append(errs, strict.Decode(at, spec, into, emptyAllowed)...)
	}

	return c, errs
}

// written is the part of a composite's spec that a person wrote. The rest is Crossplane's.
func written(spec map[string]any) map[string]any {
	out := make(map[string]any, len(spec))

	for name, v := range spec {
		if !machinery(name) {
			out[name] = v
		}
	}

	return out
}

// Written is the spec of a composite as a person wrote it, without Crossplane's own fields; empty where there is none.
func Written(composite map[string]any) map[string]any {
	spec, _ := composite["spec"].(map[string]any)
	return written(spec)
}

// machinery says whether a field of a spec is Crossplane's own, in one of its versions from 1.20 on (crossplane-runtime,
// pkg/xcrd/schemas.go).
func machinery(name string) bool {
	switch name {
	case "crossplane", "claimRef", "resourceRef", "resourceRefs", "environmentConfigRefs",
		"compositionRef", "compositionSelector", "compositionRevisionRef", "compositionRevisionSelector", "compositionUpdatePolicy",
		"compositeDeletePolicy", "publishConnectionDetailsTo", "writeConnectionSecretToRef":
		return true
	default:
		return false
	}
}

// emptyAllowed says where a person may write empty text: where it means "none", and where the XRDs have it mean that the
// field was left out.
func emptyAllowed(path string) bool {
	switch path {
	case "spec.nix.schedule", "spec.nix.healthCheck", "spec.bootstrap.userData",
		"spec.class", "spec.image", "spec.proxmox.site", "spec.k3s.cluster", "spec.k3s.token.secretRef.key":
		return true
	default:
		return false
	}
}
