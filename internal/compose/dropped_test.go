package compose

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestDroppedOf: an edit that takes something out of a claim is told once, to who made it.
func TestDroppedOf(t *testing.T) {
	of := func(kind, owner string) map[string]any {
		return map[string]any{
			"apiVersion": "homelab.io/v1alpha1", "kind": kind,
			"metadata": map[string]any{"ownerReferences": []any{map[string]any{"apiVersion": "homelab.io/v1alpha1", "kind": owner, "controller": true}}},
		}
	}

	cases := map[string]struct {
		reason    string
		composite map[string]any
		want      []string
	}{
		"Machine": {"It is its own.", of("XMachine", "Kustomization"), []string{
			"spec.network.mac: the claim says it no longer. The VM keeps BC:24:11:00:00:01, and one that replaces it gets another one, which a reservation on a DHCP server does not know.",
		}},
		"Node": {"Its cluster says so, in spec.nodes.", of("XK3sNode", "XK3sCluster"), nil},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			c := &call{composite: tc.composite, written: map[string]any{"network": map[string]any{"dhcp": true}}}
			c.previous.AppliedSpec = map[string]any{"network": map[string]any{"dhcp": true, "mac": "BC:24:11:00:00:01"}}

			if diff := cmp.Diff(tc.want, droppedOf(c)); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
