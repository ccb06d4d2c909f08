package render

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/object"
)

// TestPlanName: two claims never write one Plan, and a Plan that exists keeps its name.
func TestPlanName(t *testing.T) {
	there := &object.ObservedPlan{}
	there.Spec.ForProvider.Manifest.Metadata.Name = "server-1-0123456789"

	cases := map[string]struct {
		reason, node, uid string
		has               *object.ObservedPlan
		want              string // What the name begins with, before 32 digits; all of it where there is a Plan.
	}{
		"New":     {reason: "It has the identity of the claim.", node: "server-1", uid: "a", want: "server-1-"},
		"Another": {reason: "So has that of a Node of the same name.", node: "server-1", uid: "b", want: "server-1-"},
		"Long":    {reason: "It is in the name of a label.", node: strings.Repeat("a", 29) + ".home.arpa", uid: "a", want: strings.Repeat("a", 29) + "-"},
		"Written": {reason: "It is not known to have a name yet.", node: "server-1", uid: "a", has: &object.ObservedPlan{}, want: "server-1-"},
		"Exists":  {reason: "Else it would be deleted, and another one upgrade its Node.", node: "server-1", uid: "a", has: there, want: "server-1-0123456789"},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := planName(tc.has, tc.node, machine.Identity{Kind: "K3sNode", Name: "server-1", UID: tc.uid})
			hash := strings.TrimPrefix(got, tc.want)

			if !strings.HasPrefix(got, tc.want) || len(hash) != 32 && tc.has != there || tc.has == there && hash != "" {
				t.Errorf("%s\nplanName(): want %q, got %q", tc.reason, tc.want, got)
			}

			if wrong := append(validation.IsDNS1123Subdomain(got), validation.IsQualifiedName("plan.upgrade.cattle.io/"+got)...); len(wrong) > 0 {
				t.Errorf("%s\nplanName(): %q: %v", tc.reason, got, wrong)
			}

			if other := planName(nil, tc.node, machine.Identity{Kind: "K3sNode", Name: "server-1", UID: tc.uid + "x"}); got == other {
				t.Errorf("%s\nplanName(): two claims have %q", tc.reason, got)
			}
		})
	}
}
