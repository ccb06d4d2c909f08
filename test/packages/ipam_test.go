package packages

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/homelab-io/function-proxmox-machine/internal/ipam"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/test/crds"
)

// TestClusterAPIAcceptsClaims that the function writes, and notices a wrong one. The definitions are those of Cluster API v1.9.6.
func TestClusterAPIAcceptsClaims(t *testing.T) {
	set, err := crds.Load(filepath.Join(root, "test/crds/testdata/cluster-api-v1.9.6"))
	if err != nil {
		t.Fatal(err)
	}

	cases := map[string]struct {
		reason string
		pool   ipam.Pool
	}{
		"Namespaced": {reason: "The pool of a namespace.", pool: ipam.Pool{APIGroup: ipam.Group, Kind: "InClusterIPPool", Name: "lab"}},
		"Global":     {reason: "The pool of all namespaces.", pool: ipam.Pool{APIGroup: ipam.Group, Kind: "GlobalInClusterIPPool", Name: "all"}},
		"OtherGroup": {reason: "Another provider's pool.", pool: ipam.Pool{APIGroup: "ipam.example.org", Kind: "Prefix", Name: "lab"}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			m, err := ipam.NewClaim(tc.pool, "infra", proxmox.Metadata{Labels: map[string]string{"homelab.io/machine": "web"}}).Manifest()
			if err != nil {
				t.Fatal(err)
			}

			if errs := set.Check(m.AsMap()); len(errs) > 0 {
				t.Errorf("%s\n%v", tc.reason, errs.ToAggregate())
			}

			wrong := m.AsMap()
			unstructured.RemoveNestedField(wrong, "spec", "poolRef", "name")

			if errs := set.Check(wrong); len(errs) == 0 {
				t.Error("a claim on a pool without a name is accepted: the check checks nothing")
			}
		})
	}
}

// TestRightsOnClaims: what the documentation has people apply gives Crossplane all that it needs of both kinds, and nothing else.
func TestRightsOnClaims(t *testing.T) {
	role := documents(t, filepath.Join(root, "install/ipam/ipam.yaml"))[0]
	rules, _, _ := unstructured.NestedSlice(role, "rules")
	labels, _, _ := unstructured.NestedStringMap(role, "metadata", "labels")

	want := []any{
		map[string]any{
			"apiGroups": []any{ipam.Group}, "resources": []any{"ipaddressclaims"},
			"verbs": []any{"get", "list", "watch", "create", "update", "patch", "delete"},
		},
		map[string]any{"apiGroups": []any{ipam.Group}, "resources": []any{"ipaddresses"}, "verbs": []any{"get", "list", "watch"}},
	}
	if diff := cmp.Diff(want, rules); diff != "" {
		t.Errorf("rules: -want, +got:\n%s", diff)
	}

	if labels["rbac.crossplane.io/aggregate-to-crossplane"] != "true" {
		t.Errorf("Crossplane does not get the rights: %v", labels)
	}
}
