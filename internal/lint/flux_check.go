package lint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/internal/manifest"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
)

// The sections of docs/flux.md that have more about a warning.
const (
	seeHealth     = " (docs/flux.md, The expressions)"
	seeProtection = " (docs/flux.md, What protects machines from accidental deletion)"
	seeMachines   = " (docs/flux.md, What happens to machines)"
	seeNames      = " (docs/flux.md, Names, order and time)"
	seeWrong      = " (docs/flux.md, What Flux says, and what is wrong)"
)

// check warns of what Flux' Kustomizations do to claims and to what claims need. Flux itself accepts all of it but what [fluxLayer.refused] and
// [fluxRepository.lacking] have.
func (r *fluxRepository) check(protectedByDefault func(object) *bool) []Fault {
	if r == nil {
		return nil
	}

	var out []Fault

	for _, l := range r.layers {
		out = append(out, r.absentPath(l)...)

		if !l.matters() {
			continue
		}

		out = append(out, l.refused()...)
		out = append(out, r.lacking(l)...)
		out = append(out, l.dangers()...)
		out = append(out, r.twice(l)...)
		out = append(out, l.removals(protectedByDefault)...)
		out = append(out, l.changes(r.options.Catalogue)...)
		out = append(out, r.order(l)...)
		out = append(out, r.readiness(l)...)
		out = append(out, l.neverReady()...)
		out = append(out, r.secretsElsewhere(l)...)
		out = append(out, r.secretsNowhere(l)...)
	}

	return slices.Concat(out, r.encrypted(), r.forgotten())
}

// dangers are settings of a layer with which Flux deletes, or does nothing.
func (l fluxLayer) dangers() []Fault {
	var out []Fault

	for _, s := range l.said("force") {
		if s.value == true {
			out = append(out, s.at(l.forces()))
		}
	}

	for _, s := range l.said("suspend") {
		if s.value == true {
			out = append(out, s.at("Flux applies nothing of this layer, and the layers that depend on it get no commit, until somebody removes it"+seeWrong))
		}
	}

	for _, o := range l.objects {
		// What a layer annotates is in no claim's own file.
		if isApplied(o) {
			out = append(out, o.remarks()...)
		}

		if isCrossplane(o) && at(o.value, "spec", "driftDetection", "mode") == "enabled" {
			const path = "spec.driftDetection.mode"
			out = append(out, o.fault(position(o.node, path), path, "\"enabled\": Helm would revert what Crossplane itself writes, such as the certificates of its webhooks: write warn"+seeWrong, Warning))
		}
	}

	return out
}

// forces is what force: true of a layer does.
func (l fluxLayer) forces() string {
	if l.has(isApplied) {
		return "Flux deletes a claim that the API server refuses, be it for one wrong value, and makes it anew: its VM is destroyed unless deletionPolicy is Orphan. Remove it" + seeWrong
	}

	return "Flux deletes what the API server refuses of this layer, to make it anew, and with a package, a kind or a namespace every claim goes. Remove it" + seeWrong
}

// removals are the objects of a layer with which more goes than Flux can bring back, if somebody removes their file or the layer's.
func (l fluxLayer) removals(protectedByDefault func(object) *bool) []Fault {
	if !l.prunes() || l.annotates() {
		return nil
	}

	var out []Fault

	for _, o := range l.objects {
		what, more := goesWithMore(o, protectedByDefault(o))
		if !more || annotated(o, "prune", "disabled") || annotated(o, "reconcile", "disabled") {
			continue
		}

		remedy := "write metadata.annotations: {" + manifest.FluxGroup + "/prune: disabled}"
		if isApplied(o) {
			remedy += ", or spec.deletionProtection: true"
		}

		out = append(out, o.fault(position(o.node, "metadata.name"), "metadata.name", fmt.Sprintf(
			"a commit without this file %s, because layer %s has prune: true: %s%s", what, message.Excerpt(l.self.name()), remedy, seeProtection), Warning))
	}

	return append(out, l.goes(len(out) > 0)...)
}

// goes is the warning that the layer's own removal deletes what it applied.
func (l fluxLayer) goes(unprotected bool) []Fault {
	var out []Fault

	policies := l.said("deletionPolicy")
	for _, s := range policies {
		if policy := text(s.value); policy != "Orphan" && policy != "" && unprotected {
			out = append(out, s.at(fmt.Sprintf("%q: who removes or renames the file of this layer deletes all that it applied: write Orphan%s", message.Excerpt(policy), seeProtection)))
		}
	}

	if len(policies) == 0 && unprotected {
		out = append(out, l.warning("who removes or renames the file of this layer deletes all that it applied, because it has prune: true: write spec.deletionPolicy: Orphan"+seeProtection))
	}

	return out
}

// prunes says whether Flux deletes what is gone from the folder of a layer.
func (l fluxLayer) prunes() bool {
	for _, s := range l.said("prune") {
		if s.value == true {
			return true
		}
	}

	return false
}

// annotates says whether a layer, or a kustomization.yaml below it, annotates what it applies itself.
func (l fluxLayer) annotates() bool {
	for _, s := range l.said("commonMetadata") {
		if s.value == nil || text(at(s.value, "annotations", manifest.FluxGroup+"/prune")) == "disabled" {
			return true
		}
	}

	const annotation, inPatch = manifest.FluxGroup + "/prune", manifest.FluxGroup + "~1prune"

	for _, k := range l.kustomizations {
		if text(at(k.value, "commonAnnotations", annotation)) == "disabled" || patchesSay(k, annotation, inPatch) {
			return true
		}
	}

	return patchesSay(object{value: map[string]any{"patches": at(l.self.value, "spec", "patches")}}, annotation, inPatch)
}

// patchesSay whether the patches of a kustomization have one of some words, or stand in files, which may have them.
func patchesSay(k object, words ...string) bool {
	for _, p := range list(k.value["patches"]) {
		if text(at(p, "path")) != "" {
			return true
		}

		for _, word := range words {
			if strings.Contains(text(at(p, "patch")), word) {
				return true
			}
		}
	}

	return len(list(k.value["patchesStrategicMerge"]))+len(list(k.value["patchesJson6902"]))+len(list(k.value["transformers"])) > 0
}
