package lint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
)

// sort an object by what it is. Objects of others are passed over.
func (l *linter) sort(o object) {
	version := text(o.value["apiVersion"])
	g, _, _ := strings.Cut(version, "/")
	misshapen := shape(o, l.options.Catalogue)

	switch {
	case isClaim(o):
		l.claims = append(l.claims, o)
		if version != apiVersion {
			l.add(o, "apiVersion", fmt.Sprintf("%q: write %s, the only version that there is", message.Excerpt(version), apiVersion), Error)
		}

	case len(misshapen) > 0:
		key, _ := o.content()
		l.faults = append(l.faults, misshapen...)
		l.misshapen = append(l.misshapen, o)
		l.envelope(o, "data", key)
	case isCatalogue(o):
		l.addCatalogue(o)
	case g == group && strings.HasPrefix(o.kind(), "X") && fromCluster(o):
	case g == group && strings.HasPrefix(o.kind(), "X") && slices.Contains(claimKinds, o.kind()[1:]):
		l.composites = append(l.composites, o)
	case g == group:
		l.unknownKind(o)
	case isSecret(o):
		l.secrets = append(l.secrets, o)
	case isProviderConfig(o):
		l.configs = append(l.configs, o)
	case version == "" || o.kind() == "":
		l.nameless(o)
	case ofClaimKind(o):
		l.otherGroup(o, version)
	}
}

// fromCluster says whether an object is as kubectl prints it, for instance the composites of an observed.yaml.
func fromCluster(o object) bool {
	metadata, _ := o.value["metadata"].(map[string]any)
	_, uid := metadata["uid"]
	_, status := o.value["status"]

	return uid || status
}

// elsewhere are words of other tools, in lower case, and the kind that does here what they do there.
var elsewhere = map[string]string{ //nolint:gochecknoglobals // A constant table.
	"vm": "Machine", "virtualmachine": "Machine", "proxmoxmachine": "Machine", "qemu": "Machine", "environmentvm": "Machine",
	"lxc": "Container", "ct": "Container", "lxccontainer": "Container", "environmentcontainer": "Container",
	"cluster": "K3sCluster", "kubernetescluster": "K3sCluster", "node": "K3sNode",
	"site": "ProxmoxSite", "catalogue": "an EnvironmentConfig of apiextensions.crossplane.io/v1beta1, with the catalogue in data",
	"catalog": "an EnvironmentConfig of apiextensions.crossplane.io/v1beta1, with the catalogue in data",
}

// unknownKind is the fault of an object of our group whose kind no XRD defines.
func (l *linter) unknownKind(o object) {
	kinds := claimKinds

	switch kind := o.kind(); {
	case kind == "":
		l.add(o, "kind", "is missing: must be "+message.OneOf(kinds), Error)
	case elsewhere[strings.ToLower(kind)] != "":
		l.add(o, "kind", fmt.Sprintf("%q: there is no such kind in %s: write %s", message.Excerpt(kind), group, elsewhere[strings.ToLower(kind)]), Error)
	default:
		l.add(o, "kind", fmt.Sprintf("%q: there is no such kind in %s; %s", message.Excerpt(kind), group, message.There(kinds, kind)), Error)
	}
}

// nameless is the fault of an object without version or kind. What is in it shows what it was meant to be.
func (l *linter) nameless(o object) {
	var has []string

	for _, s := range sections {
		if _, ok := o.value[s]; ok {
			has = append(has, s)
		}
	}

	_, spec := o.value["spec"]
	part := fragment(o, l.alone)

	switch {
	case len(has) > 0:
		l.addAtKey(o, has[0], fmt.Sprintf("a catalogue is an EnvironmentConfig, with %s below data: begin the file with apiVersion: %s/v1beta1, "+
			"kind: %s, metadata: {name: %s} and data:", strings.Join(has, ", "), environmentGroup, environmentKind, l.options.Catalogue), Error)
	case len(part) > 0:
		l.faults = append(l.faults, part...)
	case text(o.value["apiVersion"]) == "" && (spec || ofClaimKind(o)):
		l.add(o, "apiVersion", "is missing: a claim has apiVersion: "+apiVersion, Error)

		if ofClaimKind(o) {
			l.claims = append(l.claims, o)
		}
	case o.kind() == "" && spec:
		l.add(o, "kind", "is missing: must be "+message.OneOf(claimKinds), Error)
	}
}

// otherGroup is the fault of a claim whose group is misspelt. Another project's Machine, such as Cluster API's, is none of ours.
func (l *linter) otherGroup(o object, version string) {
	g, _, hasVersion := strings.Cut(version, "/")
	if message.Meant(g, []string{group}) == "" && hasVersion && !strings.HasPrefix(g, "homelab") && !strings.HasSuffix(g, "homelab.io") && !isOfCrossplane(g) {
		return
	}

	l.claims = append(l.claims, o)
	l.add(o, "apiVersion", fmt.Sprintf("%q: a claim has %s", message.Excerpt(version), apiVersion), Error)
}

// isOfCrossplane says whether a group is that of Crossplane or of its provider for Proxmox, of which none has a kind of the name of ours.
func isOfCrossplane(g string) bool {
	own := []string{environmentGroup, "pkg.crossplane.io", "crossplane.io"}

	return strings.HasSuffix(g, "crossplane.io") && (strings.Contains(g, "proxmox") || slices.Contains(own, g))
}

// addCatalogue decodes a catalogue.
func (l *linter) addCatalogue(o object) {
	c := &catalogue{object: o, used: map[string]bool{}}
	prefix := c.prefix()

	if data, ok := o.value["data"]; ok {
		c.own, c.faults = catalog.FromValue(data, prefix)
	}

	c.merged = catalog.Merge(catalog.BuiltIn(), c.own.WithFaults(c.faults, prefix))
	l.catalogues = append(l.catalogues, c)
}
