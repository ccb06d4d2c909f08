package packages

import (
	"path/filepath"
	"testing"

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
