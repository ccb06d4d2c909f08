package preview

import (
	"maps"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// A Rendered is what became of one claim, or why nothing did.
type Rendered struct {
	Claim   Claim
	Turn    Turn // In which the last resource appeared, without the results that are the plan.
	Err     error
	plan    plan
	remarks []string
	isNew   bool // Whether there was nothing of the machine.

	Nodes    []Child        // Of a K3sCluster.
	appeared map[string]int // The turn in which a composed resource appeared, from 1.
}

// appear notes the composed resources that are new in a turn.
func appear(in map[string]int, turn int, composed []unstructured.Unstructured) map[string]int {
	out := maps.Clone(in)
	if out == nil {
		out = map[string]int{}
	}

	for _, o := range composed {
		if name := o.GetAnnotations()[annotationResourceName]; out[name] == 0 {
			out[name] = turn
		}
	}

	return out
}

// all that was rendered of a claim: it, and the nodes of a cluster.
func (r Rendered) all() []Rendered {
	out := []Rendered{r}
	for _, c := range r.Nodes {
		out = append(out, c.Rendered.all()...)
	}

	return out
}

// composed are the managed resources of a machine, or of all nodes of a cluster.
func (r Rendered) composed() []unstructured.Unstructured {
	var out []unstructured.Unstructured
	for _, one := range r.all() {
		out = append(out, one.Turn.Composed...)
	}

	return out
}

// placement is why the function chose the node of the machine, or of the first such node of a cluster; empty where it did not.
func (r Rendered) placement() string {
	for _, one := range r.all() {
		if reason, _, _ := unstructured.NestedString(one.Turn.Composite.Object, "status", "placement", "reason"); reason != "" {
			return reason
		}
	}

	return ""
}
