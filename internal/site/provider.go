package site

import (
	"maps"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/homelab-io/function-proxmox-machine/internal/diagnose"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/status"
)

// A finding is an error that the provider reports of a managed resource.
type finding struct {
	row        diagnose.Row
	name, kind string
	apiVersion string
	node       string
}

// errorsOf are the errors that the provider reports. What a look finds is no error, and neither is what the function mends by itself.
func errorsOf(p Plan) []finding {
	var out []finding

	for _, name := range slices.Sorted(maps.Keys(p.Observed.SiteParts)) {
		o := p.Observed.SiteParts[name]
		if proxmox.LacksInterface(o) || o.ObserveOnly() && o.FoundNone() || proxmox.IsTainted(o) {
			continue
		}

		if r, wrong := diagnose.Of(o, ""); wrong {
			out = append(out, finding{r, name, o.Kind, o.APIVersion, o.Spec.ForProvider.NodeName})
		}
	}

	return out
}

// provider is the condition on what the provider reports.
func (t reporter) provider() status.Condition {
	c := status.Condition{Type: status.TypeProviderHealthy, Status: metav1.ConditionTrue, Reason: status.ReasonNoError, Message: "The provider reports no error."}
	if len(t.errors) == 0 {
		return c
	}

	sorted := slices.Clone(t.errors)
	slices.SortStableFunc(sorted, func(a, b finding) int { return urgency(a) - urgency(b) })

	var texts []string

	for _, f := range sorted {
		text := f.row.Meaning + " " + f.row.Remedy
		if f.row.Retryable {
			text += " The provider retries automatically."
		}

		texts = append(texts, f.name+" ("+f.kind+"): "+t.fill(text, f))
	}

	c.Status, c.Reason, c.Message = metav1.ConditionFalse, sorted[0].row.Class, strings.Join(texts, " ")

	return c
}

func urgency(f finding) int {
	if f.row.Retryable {
		return 1
	}

	return 0
}

// fill puts the site's own names into a text of the table of errors.
func (t reporter) fill(text string, f finding) string {
	id := t.Site.Identity
	resource := proxmox.ResourceOf(f.apiVersion, f.kind)

	if namespaced := proxmox.InNamespaces(f.apiVersion, f.kind); namespaced || id.Namespace == "" {
		text = strings.ReplaceAll(text, ",homelab.io/namespace=<namespace>", "")

		if namespaced && id.Namespace != "" {
			resource += " -n " + id.Namespace
		}
	}

	pairs := []string{"<machine>", id.Name, "<resource>", resource}

	for placeholder, value := range map[string]string{"<site>": t.Site.Name, "<node>": f.node, "<namespace>": id.Namespace} {
		if value != "" {
			pairs = append(pairs, placeholder, value)
		}
	}

	return strings.NewReplacer(pairs...).Replace(text)
}
