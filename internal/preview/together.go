package preview

import (
	"context"
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// RenderAll renders the claims of stories, several at a time, and returns what became of them in their order. Machines whose nodes or
// addresses are chosen by what others have are rendered once more, one after the other.
func (r Renderer) RenderAll(ctx context.Context, stories []Story, parallel int) []Rendered {
	out := make([]Rendered, len(stories))

	slots := make(chan struct{}, parallel)
	wg := sync.WaitGroup{}

	for i, s := range stories {
		wg.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()

			out[i] = r.Render(ctx, s)
		})
	}

	wg.Wait()
	r.placeTogether(ctx, stories, out)

	return out
}

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
