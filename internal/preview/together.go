package preview

import (
	"context"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// placeTogether renders new machines whose node or address the function chose by what other machines have once more, one after the other: each
// finds those before it, and the new ones whose claims name both. In a cluster, the order is that in which the claims are applied.
func (r Renderer) placeTogether(ctx context.Context, stories []Story, rendered []Rendered) {
	var placed []int

	neighbours := map[int][]unstructured.Unstructured{}

	for i, one := range rendered {
		switch {
		case !one.isNew:
		case one.placement() != "" || one.Claim.takesFromPool():
			placed = append(placed, i)
		default:
			neighbours[i] = one.composed()
		}
	}

	if len(placed) == 0 || len(rendered) == 1 {
		return
	}

	for _, i := range placed {
		story := stories[i]
		story.Observed = slices.Clone(story.Observed)

		for n := range stories {
			// Another kind of machine may have the name: its resources would pass for this one's.
			a, b := stories[n].Claim.Object, story.Claim.Object
			if a.GetName() != b.GetName() || a.GetNamespace() != b.GetNamespace() {
				story.Observed = append(story.Observed, neighbours[n]...)
			}
		}

		rendered[i] = r.Render(ctx, story)
		neighbours[i] = rendered[i].composed()
	}
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
