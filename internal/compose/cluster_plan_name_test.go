package compose

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/object"
)

// TestPlanName: two claims never write one Plan, and a Plan that exists keeps its name.
func TestPlanName(t *testing.T) {
	named := func(name string) map[string]object.ObservedPlan {
		o := object.ObservedPlan{}
		o.Spec.ForProvider.Manifest.Metadata.Name = name

		return map[string]object.ObservedPlan{"upgrade-plan-servers": o}
	}

	cases := map[string]struct {
		reason string
		id     machine.Identity
		plans  map[string]object.ObservedPlan
		want   string
	}{
		"New":     {reason: "It has the identity of the claim.", id: machine.Identity{Kind: "K3sCluster", Name: "home", UID: "a"}, want: "home-servers-"},
		"Another": {reason: "Of the same name, in another namespace.", id: machine.Identity{Kind: "K3sCluster", Name: "home", UID: "b"}, want: "home-servers-"},
		"Long":    {reason: "It is in the name of a label.", id: machine.Identity{Kind: "K3sCluster", Name: strings.Repeat("a", 21) + "-bcd", UID: "a"}, want: strings.Repeat("a", 21) + "-servers-"},
		"Exists":  {reason: "Else the Plan would be deleted, and nodes upgraded by two.", id: machine.Identity{Kind: "K3sCluster", Name: "home", UID: "a"}, plans: named("home-servers"), want: "home-servers"},
	}

	seen := map[string]string{}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			c := planWriter{clusterCall{call: &call{}, id: tc.id, upgrade: systemUpgrade{plans: tc.plans}}}
			got := c.planName(v1alpha1.K3sServer)

			if other := seen[got]; other != "" || len(got) > 63 {
				t.Errorf("%s\nplanName(): %s is too long, or that of %q", tc.reason, got, other)
			}

			seen[got] = name

			if hash, ok := strings.CutPrefix(got, tc.want); ok && len(hash) == 32 {
				got = tc.want
			}

			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nplanName(): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
