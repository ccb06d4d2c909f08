package gitops

import (
	"path/filepath"
	"slices"
	"testing"
)

// judged are the kinds whose health checks other tests hold to recorded objects. Every other kind has no status that anybody writes.
var judged = []string{"Provider", "Function", "Configuration", "CompositeResourceDefinition", "K3sNode", "K3sCluster"}

// TestEveryLayerBecomesReady: an expression without a kind is asked of every kind of its group, and one that cannot be evaluated is waited for until the layer's
// timeout, for ever again. So what nobody gives a status is current as it is applied.
func TestEveryLayerBecomesReady(t *testing.T) {
	for _, cluster := range clusters {
		t.Run(cluster, func(t *testing.T) {
			asked := 0

			for _, l := range layersOf(t, cluster) {
				spec, _ := l.Object["spec"].(map[string]any)

				folder, ok := spec["path"].(string)
				source, _ := spec["sourceRef"].(map[string]any)

				// What another source has is not in this repository.
				if l.GetKind() != "Kustomization" || !ok || spec["wait"] != true || source["name"] != "flux-system" {
					continue
				}

				for _, o := range build(t, filepath.Join(example, folder)) {
					e := evaluator(t, cluster, l.GetName(), &o)
					if e == nil || slices.Contains(judged, o.GetKind()) {
						continue
					}

					asked++

					if got := evaluated(t, e, &o); got != current {
						t.Errorf("layer %s never becomes ready: Flux says %s of %s %s, which has no status", l.GetName(), got, o.GetKind(), o.GetName())
					}
				}
			}

			if asked == 0 {
				t.Error("no layer has an object without a status: is the provider's runtime configuration gone?")
			}
		})
	}
}
