package preview

import (
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/homelab-io/function-proxmox-machine/internal/claim"
)

// asEdited are stories in which each machine with a rollout finds the other machines of the stories as their claims are now, too. A machine waits for
// those of lower waves, and what it would find in the cluster are their claims before the edit.
func (r Renderer) asEdited(stories []Story) []Story {
	out := slices.Clone(stories)

	for i, s := range stories {
		if !hasRollout(s.Claim.Object) {
			continue
		}

		for n, other := range stories {
			if n != i && other.Claim.Object.GetKind() == s.Claim.Object.GetKind() && hasRollout(other.Claim.Object) {
				out[i].Observed = r.withComposite(out[i].Observed, other.Claim)
			}
		}
	}

	return out
}

// withComposite are objects with the composite of a claim among them: the one that there is, with the spec of the claim, or a new one.
func (r Renderer) withComposite(objects []unstructured.Unstructured, c Claim) []unstructured.Unstructured {
	d, err := r.Configuration.definitionOf(c.Object.GroupVersionKind())
	if err != nil {
		return objects // The claim's own plan says so.
	}

	composite := compositeOf(c.Object, d)

	complete, err := withDefaults(composite.Object, composite.GetAPIVersion(), d)
	if err != nil {
		return objects
	}

	composite.Object = complete
	s := stage{composite: composite}

	i := slices.IndexFunc(objects, func(o unstructured.Unstructured) bool { return o.GetKind() == composite.GetKind() && s.isItself(o) })
	if i < 0 {
		return append(slices.Clone(objects), composite)
	}

	known := *objects[i].DeepCopy()

	// Its status says what it is about with a hash: a claim that nobody edited stays as it is, to the letter.
	if was, err := withDefaults(known.Object, known.GetAPIVersion(), d); err == nil && claim.Intent(was) == claim.Intent(composite.Object) {
		return objects
	}

	known.Object["spec"] = composite.Object["spec"]

	objects = slices.Clone(objects)
	objects[i] = known

	return objects
}
