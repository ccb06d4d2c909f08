package installation

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/lint"
	"github.com/homelab-io/function-proxmox-machine/internal/manifest"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
)

const environmentConfig = "EnvironmentConfig"

// ownCatalogue is the catalogue of the cluster; nil where there is none.
func (c Cluster) ownCatalogue() *unstructured.Unstructured {
	for i, o := range c.Objects {
		if o.GroupVersionKind().Group == "apiextensions.crossplane.io" && o.GetKind() == environmentConfig && o.GetName() == lint.DefaultCatalogue {
			return &c.Objects[i]
		}
	}

	return nil
}

// otherCatalogues are the names of all there are.
func (c Cluster) otherCatalogues() []string {
	var out []string

	for _, o := range c.Objects {
		if o.GetKind() == environmentConfig {
			out = append(out, message.Excerpt(o.GetName()))
		}
	}

	slices.Sort(out)

	return slices.Compact(out)
}

// catalogue is there, and has no faults.
func (c Cluster) catalogue() []Finding {
	own := c.ownCatalogue()
	if other := c.otherCatalogues(); own == nil && len(other) > 0 {
		return []Finding{{
			checkCatalogue, Warning, "no " + environmentConfig + " " + lint.DefaultCatalogue + ", which claims read: there is " + strings.Join(other, ", "),
			"if that is the catalogue, apply it with metadata.name: " + lint.DefaultCatalogue + "; otherwise kubectl machine init writes one: docs/catalogue.md",
		}}
	}

	if own == nil {
		return []Finding{{
			checkCatalogue, Warning, "no " + environmentConfig + " " + lint.DefaultCatalogue + ": claims have the built-in classes and images, and no site",
			"kubectl machine init writes one: docs/catalogue.md",
		}}
	}

	// Without what the API server added, which is nobody's fault.
	plain := map[string]any{
		"apiVersion": own.GetAPIVersion(), "kind": own.GetKind(), "metadata": map[string]any{"name": own.GetName()}, "data": own.Object["data"],
	}

	text, err := yaml.Marshal(plain)
	if err != nil {
		return []Finding{{checkCatalogue, Unknown, "cannot be read", ""}}
	}

	report := lint.Check([]manifest.Raw{{File: environmentConfig, Documents: manifest.RawDocuments(text)}}, nil, lint.Options{})

	out := make([]Finding, 0, len(report.Faults))

	for _, f := range report.Faults {
		state := Warning
		if f.Severity == lint.Error {
			state = Fault
		}

		out = append(out, Finding{checkCatalogue, state, f.Path + ": " + f.Message, "edit the catalogue where you keep it; kubectl machine lint -f catalogue.yaml shows the line"})
	}

	if len(out) == 0 {
		cat := c.entries()
		out = []Finding{{checkCatalogue, OK, fmt.Sprintf("%s %s: no fault; sites: %d, clusters: %d", environmentConfig, own.GetName(), len(cat.Sites), len(cat.Clusters)), ""}}
	}

	return out
}

// entries of the catalogue that could be read.
func (c Cluster) entries() catalog.Catalog {
	own := c.ownCatalogue()
	if own == nil {
		return catalog.Catalog{}
	}

	cat, _ := catalog.FromValue(own.Object["data"], environmentConfig)

	return cat
}
