package container

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/container/replacement"
	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// TestTakenOver: from the first call that sees another container with the VMID, the provider only observes it, and its managed resource goes when
// that is so.
func TestTakenOver(t *testing.T) {
	m := aContainer(nil)
	o := living(m, func(o *proxmox.ObservedContainer) {
		o.Status.AtProvider.Parameters.Description = "somebody's"
		o.Status.AtProvider.Parameters.Initialization = []proxmox.ContainerInit{{Hostname: "paperless"}}
	})

	at := func(o proxmox.ObservedContainer) (Plan, Rendering) {
		p := Decide(request(m, map[string]proxmox.ObservedContainer{replacement.First: o}))

		return p, Render(p)
	}

	p, r := at(o)
	if diff := cmp.Diff(&VMIDCheck{VMID: 150, Outcome: lifecycle.OutcomeTaken, Kind: kindContainer, Name: "paperless", Node: "pve"}, p.Check); diff != "" {
		t.Errorf("check: -want, +got:\n%s", diff)
	}

	if rendered(r) == nil || !proxmox.OnlyObserves(rendered(r).Spec.ManagementPolicies) || rendered(r).Metadata.ExternalName() != "pve/150" {
		t.Fatalf("the provider may do more than observe: %+v", rendered(r))
	}

	o.Spec.ManagementPolicies, o.Metadata.Annotations = rendered(r).Spec.ManagementPolicies, rendered(r).Metadata.Annotations

	if p, r = at(o); p.Action != ActionCheck || rendered(r) != nil || len(r.Checks.Containers) != 1 {
		t.Errorf("want the managed resource to go and the VMID to be checked, got %s: %+v", p.Action, r)
	}
}
