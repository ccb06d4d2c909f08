package lint

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/claim"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// remembered is the flavour that the annotation of a catalogue names; empty where there is no catalogue, or where it has no such annotation.
func (c *catalogue) remembered() string {
	if c == nil {
		return ""
	}

	metadata, _ := c.value["metadata"].(map[string]any)
	annotations, _ := metadata["annotations"].(map[string]any)

	return text(annotations[catalog.AnnotationFlavour])
}

// shown is the flavour that an object shows which kubectl printed: Crossplane wrote its own fields into the spec; empty where it shows none.
func (o object) shown() string {
	spec, _ := o.value["spec"].(map[string]any)

	switch {
	case !exported(o):
		return ""
	case spec["crossplane"] != nil:
		return catalog.FlavourNamespaced
	case spec["resourceRef"] != nil:
		return catalog.FlavourClaims
	default:
		return ""
	}
}

// providerFor an object that uses a catalogue: of the flavour that the caller named, else what the object shows, else that of the catalogue, else the default
// one.
func (o Options) providerFor(what object, from *catalogue) proxmox.Flavour {
	if o.Provider != (proxmox.Flavour{}) {
		return o.Provider
	}

	remembered, err := catalog.ProviderOf(cmp.Or(from.remembered(), catalog.DefaultFlavour))
	if err != nil {
		// Which is a fault of the catalogue.
		remembered, _ = catalog.ProviderOf(catalog.DefaultFlavour)
	}

	// It does not show whether its provider is the former one.
	shown, err := catalog.ProviderOf(what.shown())
	if err == nil && shown.InNamespaces() != remembered.InNamespaces() {
		return shown
	}

	return remembered
}

// unknownFlavour is the fault of a catalogue that remembers a flavour which there is none of: the other commands refuse it.
func (c *catalogue) unknownFlavour() []Fault {
	name := c.remembered()
	if name == "" {
		return nil
	}

	_, err := catalog.ProviderOf(name)
	if err == nil {
		return nil
	}

	path := "metadata.annotations." + message.Key(catalog.AnnotationFlavour)

	return []Fault{c.fault(position(c.node, path), path, err.Error(), Error)}
}

// misplaced are Crossplane's own fields that are where the other flavours have them: the API server drops them, so that they have no effect.
func (o object) misplaced(f proxmox.Flavour) []Fault {
	spec, _ := o.value["spec"].(map[string]any)
	if exported(o) {
		return nil // That is the cluster's.
	}

	var out []Fault

	own, _ := spec["crossplane"].(map[string]any)

	if !f.InNamespaces() {
		if _, ok := spec["crossplane"]; ok {
			const path = "spec.crossplane"
			out = append(out, o.fault(keyOf(o.node, path), path, "unknown field; where the project is installed with claims, write what is below it into spec itself", Error))
		}

		return append(out, o.stays("spec.compositionUpdatePolicy", spec)...)
	}

	for _, m := range claim.Misplaced(spec) {
		path := "spec." + m.Name
		out = append(out, o.fault(keyOf(o.node, path), path, m.Instead, Error))
	}

	out = append(out, o.stays("spec.crossplane.compositionUpdatePolicy", own)...)
	for _, name := range slices.Sorted(maps.Keys(own)) {
		if !slices.Contains(claim.Crossplanes(), name) && name != "resourceRefs" {
			path := "spec.crossplane." + message.Key(name)
			out = append(out, o.fault(keyOf(o.node, path), path, "has no effect: Crossplane has no such field; there are: "+strings.Join(claim.Crossplanes(), ", "), Warning))
		}
	}

	return out
}

// stays is the warning of a claim that keeps the Composition of the day on which it was made (crossplane/crossplane issues 3263 and 3745).
func (o object) stays(path string, of map[string]any) []Fault {
	if text(of["compositionUpdatePolicy"]) != "Manual" {
		return nil
	}

	return []Fault{o.fault(position(o.node, path), path, "Manual: the claim keeps the Composition that it has, and nothing of a later Configuration reaches it until compositionRevisionRef names "+
		"another revision. Write Automatic, unless that is what you want", Warning)}
}

// handmade is the fault of an object of the kind that composites of claims have.
func (o object) handmade(f proxmox.Flavour) Fault {
	kind := o.kind()

	why := "Crossplane makes composites of claims"
	if f.InNamespaces() {
		why = "there is no such kind where the project is installed without claims"
	}

	return o.fault(position(o.node, "kind"), "kind", fmt.Sprintf("%q: %s: write kind %s, in a namespace", kind, why, kind[1:]), Error)
}
