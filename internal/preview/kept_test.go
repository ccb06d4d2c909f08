package preview

import (
	"context"
	"maps"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/homelab-io/function-proxmox-machine/internal/claim"
)

// noting notes whose turns are taken.
type noting struct {
	InProcess

	taken map[string]bool // By the name of the composite.
}

func (n noting) Turn(ctx context.Context, in Input) (Turn, error) {
	if kindOf(in.Composite) == claim.KindK3sNode {
		n.taken[in.Composite.GetName()] = true
	}

	return n.InProcess.Turn(ctx, in)
}

// TestKept renders a cluster again and again: only nodes that are given something else are rendered anew.
func TestKept(t *testing.T) {
	c, err := Load(FlavourNamespaced)
	if err != nil {
		t.Fatal(err)
	}

	claims, err := c.ReadClaims([]string{filepath.Join(repository, "example", "cluster", "home.yaml")}, nil)
	if err != nil {
		t.Fatal(err)
	}

	story, err := Files{}.Story(t.Context(), claims[0])
	if err != nil {
		t.Fatal(err)
	}

	address := func(node int, ip string) func() {
		return func() {
			nodes, _ := story.Claim.Object.Object["spec"].(map[string]any)["nodes"].([]any)
			nodes[node].(map[string]any)["ip"] = ip
		}
	}

	all := []string{"home-server-0", "home-server-1", "home-server-2", "home-worker-0", "home-worker-1"}
	kept := &Kept{}

	for _, tc := range []struct {
		reason string
		edit   func()
		want   []string
	}{
		{"Nothing is kept at first.", func() {}, all},
		{"Each node is given the same.", func() {}, nil},
		{"The last server has another address, and the nodes after it find that.", address(2, "192.168.4.219"), all[2:]},
		{"That is taken back: what the edit did not need is forgotten.", address(2, "192.168.4.213"), all[2:]},
		{"The first server has another address.", address(0, "192.168.4.218"), all},
		{"A cluster that is asked may answer something else each time.", func() {
			story.Fetch = func(context.Context, Query) ([]unstructured.Unstructured, error) { return nil, nil }
		}, all},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			tc.edit()
			kept.Next()

			engine := noting{taken: map[string]bool{}}
			r := Renderer{Configuration: c, Engine: engine, Explain: true, Kept: kept}

			if err := r.Render(t.Context(), story).Err; err != nil {
				t.Fatal(err)
			}

			if diff := cmp.Diff(tc.want, slices.Sorted(maps.Keys(engine.taken)), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("%s: -want, +rendered anew:\n%s", tc.reason, diff)
			}
		})
	}
}
