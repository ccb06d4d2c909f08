package resolve

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	catalogue "github.com/homelab-io/function-proxmox-machine/apis/catalogue/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
)

// renderedPattern is the form of the files that package render writes for machines: host name, hash and purpose. They have tokens and secrets of their
// machines.
var renderedPattern = regexp.MustCompile(`-[0-9a-f]{10,}\.(user|meta|vendor)-data\.yaml$`)

// snippets refuses a new VM whose claim reads a file of the node that is meant for others: the guest of the VM has all that is in it.
func (a allowance) snippets() {
	if !a.g.isNew() {
		return
	}

	for _, f := range claimedSnippets(a.g) {
		a.snippet(f)
	}
}

func (a allowance) snippet(f named) {
	if renderedPattern.MatchString(f.name) {
		a.n.add(field.Forbidden(f.at, message.Excerpt(f.name)+" has the name of a file that the function writes for a machine, with what only that machine may read. "+
			"Use another file, under another name"))

		return
	}

	clusters := clustersOf(a.g.catalog.Clusters, f.name)

	switch site := a.ruling; {
	case a.g.k3s != nil && slices.Contains(clusters, a.g.k3s.Cluster):
	case len(clusters) > 0:
		of := "other clusters"
		if told := a.g.catalog.Told(catalog.KindCluster, "", clusters); len(told) > 0 {
			of = "cluster " + message.Excerpt(strings.Join(told, ", "))
		}

		a.n.add(field.Forbidden(f.at, message.Excerpt(f.name)+" is for K3sNodes of "+of+
			" (clusters.<cluster>.snippets of the catalogue)"))
	case !a.ruled || slices.Contains(site.Snippets, f.name):
	case site.Snippets != nil || site.Images == catalogue.ImagesStrict:
		there := "it lists none"
		if len(site.Snippets) > 0 {
			there = message.There(site.Snippets, f.name)
		}

		a.n.add(field.Forbidden(f.at, message.Excerpt(f.name)+" is not in "+site.Path().Child("snippets").String()+
			", which has the files that claims may name; "+there))
	}
}

// clustersOf are the clusters that have a file for their nodes, sorted.
func clustersOf(all map[string]catalog.Cluster, snippet string) []string {
	var out []string

	for _, name := range slices.Sorted(maps.Keys(all)) {
		if slices.Contains(all[name].Snippets, snippet) {
			out = append(out, name)
		}
	}

	return out
}
