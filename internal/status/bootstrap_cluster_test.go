package status

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/bootstrap"
)

// TestChangedInCluster: each advice once, for all that have it, and not too many.
func TestChangedInCluster(t *testing.T) {
	of := func(field, key string) bootstrap.Difference {
		return bootstrap.Difference{Kind: bootstrap.DifferenceCluster, Field: field, Advice: settledBy(key)}
	}

	pods, services := of("spec.k3s.config.cluster-cidr", "cluster-cidr"), of("spec.k3s.config.service-cidr", "service-cidr")
	registry, label, proxy := of("spec.k3s.config.embedded-registry", "embedded-registry"), of("spec.k3s.labels", "node-label"), of("spec.k3s.config.disable-kube-proxy", "disable-kube-proxy")

	both := "For spec.k3s.config.cluster-cidr, spec.k3s.config.service-cidr, do not replace the VM: " + settledBy("cluster-cidr") + "."
	shared := "For spec.k3s.config.embedded-registry, do not replace the VM: " + settledBy("embedded-registry") + "."

	cases := map[string]struct {
		reason string
		all    []bootstrap.Difference
		want   string
	}{
		"None":  {reason: "Nothing of the cluster differs."},
		"Same":  {reason: "Both have one advice.", all: []bootstrap.Difference{pods, services}, want: both},
		"Two":   {reason: "Both are said.", all: []bootstrap.Difference{pods, registry, services}, want: both + " " + shared},
		"Three": {reason: "A message has an end.", all: []bootstrap.Difference{pods, registry, services, label}, want: both + " " + shared + " 1 more setting of the cluster differs."},
		"Four":  {reason: "The number is said.", all: []bootstrap.Difference{pods, services, registry, label, proxy}, want: both + " " + shared + " 2 more settings of the cluster differ."},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, changedInCluster(tc.all)); diff != "" {
				t.Errorf("%s\nchangedInCluster(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
