package rehearse

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/homelab-io/function-proxmox-machine/internal/preview"
)

// unplayed are those of some observed objects that are none of the machines which are played, and nothing that these composed: a machine that is played is in
// the world as it becomes, and the one that was observed would stand beside it for ever as it was.
func unplayed(machines []Machine, observed []unstructured.Unstructured) []unstructured.Unstructured {
	played := map[string]bool{}

	for _, m := range machines {
		if m.Is.Was != nil {
			played[preview.Path(m.Is.Was.GetKind(), m.Is.Was.GetNamespace(), m.Is.Was.GetName())] = true
		}

		// Those of the nodes of a cluster are among these, and not among what another claim is told of.
		for _, o := range m.Is.Composed {
			played[preview.Path(o.GetKind(), o.GetNamespace(), o.GetName())] = true
		}
	}

	isPlayed := func(o *unstructured.Unstructured) bool {
		owner := metav1.GetControllerOf(o)

		return played[preview.Path(o.GetKind(), o.GetNamespace(), o.GetName())] || owner != nil && played[preview.Path(owner.Kind, o.GetNamespace(), owner.Name)]
	}

	// What a node of a cluster composed is the cluster's, in whatever order the objects are.
	for known := -1; known < len(played); {
		known = len(played)

		for i := range observed {
			if o := &observed[i]; isPlayed(o) {
				played[preview.Path(o.GetKind(), o.GetNamespace(), o.GetName())] = true
			}
		}
	}

	var out []unstructured.Unstructured

	for i := range observed {
		if !isPlayed(&observed[i]) {
			out = append(out, observed[i])
		}
	}

	return out
}
