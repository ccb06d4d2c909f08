package preview

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"hash"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Kept are the nodes of clusters as they were rendered last. Who edits a cluster mostly edits one pool or one node of it, and a node that is given the same
// becomes the same: it need not be rendered again. Its zero value has nothing; it is for one renderer at a time, whose settings stay the same.
type Kept struct {
	last, now map[string]Rendered // By what they were made of: of the edit before, and of this one.
}

// Next forgets what the last edit did not need.
func (k *Kept) Next() { k.last, k.now = k.now, map[string]Rendered{} }

// render a node, unless it was rendered of the same.
func (k *Kept) render(made string, render func() Rendered) Rendered {
	out, ok := k.now[made]
	if !ok {
		if out, ok = k.last[made]; !ok {
			out = render()
		}

		if k.now == nil {
			k.now = map[string]Rendered{}
		}

		k.now[made] = out
	}

	// Who masks what is rendered puts other objects into the slice.
	out.Turn.Composed = slices.Clone(out.Turn.Composed)

	return out
}

// nodes renders the nodes of a cluster one by one: each finds what those before it are made of.
type nodes struct {
	renderer Renderer
	story    Story
	given    hash.Hash // Of all that the next node is given beside its claim; nil where nothing is kept.
}

// nodesOf the cluster of a story.
func (r Renderer) nodesOf(in Story) *nodes {
	n := &nodes{renderer: r, story: in}
	n.story.Given = false
	n.story.Observed = slices.Clone(in.Observed)

	// What a cluster answers can be something else each time.
	if r.Kept != nil && in.Fetch == nil {
		n.given = sha256.New()
		n.note(r.Configuration.flavour.folder, r.Configuration.flavour.providerAPI, r.First, r.Full, r.Explain, r.StandIns)
		n.note(contents(in.Required), contents(in.Observed))
	}

	return n
}

// note what the next node is given. What has no text is not kept.
func (n *nodes) note(values ...any) {
	if n.given == nil {
		return
	}

	if err := json.NewEncoder(n.given).Encode(values); err != nil {
		n.given = nil
	}
}

// next renders a node.
func (n *nodes) next(ctx context.Context, c Claim) Rendered {
	n.story.Claim = c
	n.note(c.File, c.Line, c.Object.Object)

	var out Rendered
	if n.given == nil {
		out = n.renderer.Render(ctx, n.story)
	} else {
		out = n.renderer.Kept.render(string(n.given.Sum(nil)), func() Rendered { return n.renderer.Render(ctx, n.story) })
	}

	n.story.Observed = append(n.story.Observed, out.Turn.Composed...)
	n.note(contents(out.Turn.Composed))

	return out
}

// contents of objects, which alone have a text that is the same for the same.
func contents(all []unstructured.Unstructured) []map[string]any {
	out := make([]map[string]any, 0, len(all))
	for _, o := range all {
		out = append(out, o.Object)
	}

	return out
}
