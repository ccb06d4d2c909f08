package lint

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	yamlv3 "go.yaml.in/yaml/v3"

	"github.com/homelab-io/function-proxmox-machine/internal/manifest"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
)

// changes are what a layer makes of the names, the namespaces and the texts of what it applies.
func (l fluxLayer) changes(catalogue string) []Fault {
	return slices.Concat(l.renames(catalogue), l.moves(), l.substitutes())
}

// affixes are the fields with which Kustomize renames all objects.
var affixes = []string{"namePrefix", "nameSuffix"} //nolint:gochecknoglobals // A constant list.

// renames are the prefixes and suffixes of names.
func (l fluxLayer) renames(catalogue string) []Fault {
	var out []Fault

	for _, field := range affixes {
		for _, s := range l.said(field) {
			if what := l.renamed(field, text(s.value), catalogue); what != "" {
				out = append(out, s.at(what))
			}
		}

		for _, k := range l.kustomizations {
			if what := l.renamed(field, text(k.value[field]), catalogue); what != "" {
				out = append(out, k.fault(keyOf(k.node, field), field, what, Warning))
			}
		}
	}

	return out
}

// renamed is what another name does to what a layer applies; empty for nothing.
func (l fluxLayer) renamed(field, affix, catalogue string) string {
	others := func(o object) bool {
		name := affix + o.name()
		if field == "nameSuffix" {
			name = o.name() + affix
		}

		return isCatalogue(o) && name != catalogue
	}

	switch {
	case affix == "":
		return ""
	case l.has(others):
		return fmt.Sprintf("%q: renames the catalogue, and no claim finds it: Compositions name the EnvironmentConfig %s. Remove it%s", message.Excerpt(affix), message.Excerpt(catalogue), seeNames)
	case l.has(partFunction().is), l.has(bringsKinds):
		return fmt.Sprintf("%q: renames the packages, and Crossplane installs a second Function beside the one that the Configuration depends on: no package becomes healthy. Remove it%s",
			message.Excerpt(affix), seeNames)
	case l.has(partConfig().is):
		return fmt.Sprintf("%q: renames the provider's configuration, and claims and catalogue name it without. Remove it%s", message.Excerpt(affix), seeNames)
	case l.has(isApplied):
		return fmt.Sprintf("%q: renames the claims, and one of another name is another machine: who adds it to machines that there are makes them anew, and the former ones are deleted or left. Write the whole name into metadata.name%s",
			message.Excerpt(affix), seeMachines)
	}

	return ""
}

// moves are the claims whose own namespace has no effect.
func (l fluxLayer) moves() []Fault {
	var out []Fault

	for _, s := range l.said("targetNamespace") {
		target := text(s.value)

		for _, o := range l.objects {
			if own := o.namespace(); target != "" && own != "" && own != target && isApplied(o) {
				out = append(out, o.fault(position(o.node, "metadata.namespace"), "metadata.namespace", fmt.Sprintf("%q: has no effect: targetNamespace of layer %s puts the claim into %s%s",
					message.Excerpt(own), message.Excerpt(l.self.name()), message.Excerpt(target), seeWrong), Warning))
			}
		}
	}

	return out
}

// variable is one as Flux replaces it.
var variable = regexp.MustCompile(`(^|[^$])\$\{([A-Za-z_][A-Za-z0-9_]*)`)

// substitutes are the variables of user-data that Flux replaces, where a layer replaces any.
func (l fluxLayer) substitutes() []Fault {
	replaces := l.said("postBuild")
	if len(replaces) == 0 {
		return nil
	}

	var out []Fault

	for _, o := range l.objects {
		off := annotated(o, "substitute", "disabled") || text(at(o.value, "metadata", "labels", manifest.FluxGroup+"/substitute")) == "disabled"
		if !isApplied(o) || off {
			continue
		}

		for _, t := range userData(o.node, "") {
			if f, ok := l.substituted(o, t, replaces); ok {
				out = append(out, f)
			}
		}
	}

	return out
}

// substituted is the first variable of a text that Flux replaces and nobody has given a value to.
func (l fluxLayer) substituted(o object, t textAt, replaces []fluxSaid) (Fault, bool) {
	for _, found := range variable.FindAllStringSubmatch(t.node.Value, -1) {
		name := found[2]
		given := func(s fluxSaid) bool { return at(s.value, "substitute", name) != nil }

		if slices.ContainsFunc(replaces, given) {
			continue
		}

		unless := ""
		if slices.ContainsFunc(replaces, func(s fluxSaid) bool { return len(list(at(s.value, "substituteFrom"))) > 0 }) {
			unless = ", unless an object of substituteFrom has a value for it"
		}

		return o.within(t.path, "${"+name, fmt.Sprintf("Flux puts nothing in place of ${%s}, because layer %s has postBuild%s: write $${%s} for what the guest is to read, "+
			"or annotate the claim with %s/substitute: disabled%s", message.Excerpt(name), message.Excerpt(l.self.name()), unless, message.Excerpt(name), manifest.FluxGroup, seeNames)), true
	}

	return Fault{}, false
}

// A textAt is a text of an object, at its path.
type textAt struct {
	path string
	node *yamlv3.Node
}

// userData are the texts below a node that guests get.
func userData(n *yamlv3.Node, path string) []textAt {
	var out []textAt

	n = resolved(n)

	for k, v := range pairs(n) {
		below := strings.TrimPrefix(path+"."+message.Key(k.Value), ".")
		if k.Value == "userData" && v.Kind == yamlv3.ScalarNode {
			out = append(out, textAt{below, v})
		} else {
			out = append(out, userData(v, below)...)
		}
	}

	if n.Kind == yamlv3.SequenceNode {
		for i, item := range n.Content {
			out = append(out, userData(item, fmt.Sprintf("%s[%d]", path, i))...)
		}
	}

	return out
}
