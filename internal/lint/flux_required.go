package lint

import (
	"fmt"
	"slices"
	"strings"
)

// fluxRequired are the fields below spec without which the API server refuses an object of Flux, by its kind, with what to write.
var fluxRequired = map[string][]struct{ field, write string }{ //nolint:gochecknoglobals // A constant table.
	"Kustomization":  {{"interval", "interval: 10m"}, {"prune", "prune: false, or true where Flux is to delete what is gone from the folder"}},
	"HelmRelease":    {{"interval", "interval: 1h"}},
	"GitRepository":  {{"interval", "interval: 10m"}, {"url", "url: https://git.home.arpa/you/fleet, with the address of the repository"}},
	"OCIRepository":  {{"interval", "interval: 10m"}, {"url", "url: oci://registry.home.arpa/you/fleet, with the address of the artifact"}},
	"HelmRepository": {{"url", "url: https://charts.crossplane.io/stable, with the address of the charts"}},
	"Bucket":         {{"bucketName", "bucketName: fleet"}, {"endpoint", "endpoint: s3.home.arpa"}, {"interval", "interval: 10m"}},
}

// lacking are the fields that a layer lacks, its source and Crossplane's release in it. What has neither source nor path yet is a part that something else
// completes; so may be what a patch is about.
func (r *fluxRepository) lacking(l fluxLayer) []Fault {
	var out []Fault

	sources := l.said("sourceRef")
	if len(sources) > 0 && len(l.said("path")) > 0 {
		out = lacksOf(l.self, func(field string) bool { return len(l.said(field)) > 0 })
	}

	for _, o := range r.besides(l, sources) {
		spec, _ := o.value["spec"].(map[string]any)
		out = append(out, lacksOf(o, func(field string) bool { return spec[field] != nil })...)
	}

	return out
}

// besides a layer are its sources, and Crossplane's release in it, as far as no patch says more of their kind.
func (r *fluxRepository) besides(l fluxLayer, sources []fluxSaid) []object {
	var out []object

	for _, path := range r.paths {
		for _, o := range r.files[path] {
			if (isAmong(sources, o) || isCrossplane(o) && slices.ContainsFunc(l.objects, o.is)) && !r.patched(o.kind()) {
				out = append(out, o)
			}
		}
	}

	return out
}

// isAmong says whether an object is one of the sources that a layer names.
func isAmong(sources []fluxSaid, o object) bool {
	return strings.HasPrefix(text(o.value["apiVersion"]), "source.toolkit.fluxcd.io/") &&
		slices.ContainsFunc(sources, func(s fluxSaid) bool { return at(s.value, "kind") == o.kind() && at(s.value, "name") == o.name() })
}

// patched says whether a kustomization.yaml, or a layer, may change objects of a kind.
func (r *fluxRepository) patched(kind string) bool {
	about := func(p any) bool {
		if target := text(at(p, "target", "kind")); target != "" {
			return target == kind
		}

		return text(at(p, "path")) != "" || at(p, "target") != nil || strings.Contains(text(at(p, "patch")), kind)
	}

	for _, path := range r.paths {
		for _, o := range r.files[path] {
			patches := list(o.value["patches"])
			if isFluxKustomization(o) {
				patches = list(at(o.value, "spec", "patches"))
			}

			if slices.ContainsFunc(patches, about) || len(list(o.value["patchesStrategicMerge"]))+len(list(o.value["transformers"])) > 0 {
				return true
			}
		}
	}

	return false
}

// lacksOf are the faults of the fields that an object of Flux is required to have and that nobody says.
func lacksOf(o object, said func(field string) bool) []Fault {
	var out []Fault

	for _, required := range fluxRequired[o.kind()] {
		if path := "spec." + required.field; !said(required.field) {
			out = append(out, o.fault(position(o.node, path), path, fmt.Sprintf("is missing, and the API server refuses the %s: write %s%s", o.kind(), required.write, seeWrong), Warning))
		}
	}

	return out
}
