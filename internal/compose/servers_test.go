package compose

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/claim"
	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
)

func TestKinOf(t *testing.T) {
	cat := catalog.Catalog{Clusters: map[string]catalog.Cluster{}}

	for name, namespaces := range map[string][]string{"home": {"team-*"}, "silent": nil, "faulty": {"Team"}} {
		c := catalog.Cluster{}
		c.Namespaces = namespaces
		cat.Clusters[name] = c
	}

	cases := map[string]struct {
		reason string
		k3s    *v1alpha1.K3s
		want   lifecycle.Kin
	}{
		"Machine": {reason: "It serves no cluster.", want: lifecycle.Kin{Namespace: "infra"}},
		"Named":   {reason: "The catalogue has the names.", k3s: &v1alpha1.K3s{Cluster: "home"}, want: lifecycle.Kin{Namespace: "infra", Named: []string{"team-*"}}},
		"Silent":  {reason: "The catalogue does not say.", k3s: &v1alpha1.K3s{Cluster: "silent"}, want: lifecycle.Kin{Namespace: "infra"}},
		"Faulty":  {reason: "An entry with faults says nothing.", k3s: &v1alpha1.K3s{Cluster: "faulty"}, want: lifecycle.Kin{Namespace: "infra"}},
		"Unknown": {reason: "There is no entry.", k3s: &v1alpha1.K3s{Cluster: "work"}, want: lifecycle.Kin{Namespace: "infra"}},
		"ClusterName": {
			reason: "A cluster of its namespace is not the catalogue's of the same name.", k3s: &v1alpha1.K3s{ClusterName: "home"}, want: lifecycle.Kin{Namespace: "infra"},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			c := claim.Claim{Identity: machine.Identity{Namespace: "infra"}}
			if tc.k3s != nil {
				c.K3sNode = &v1alpha1.K3sNodeSpec{K3s: *tc.k3s}
			}

			if diff := cmp.Diff(tc.want, kinOf(cat, c)); diff != "" {
				t.Errorf("%s\nkinOf(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
