package status

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
)

// TestPlacement: the choice of a node is told once, and for as long as the machine is on that node.
func TestPlacement(t *testing.T) {
	choice := &machine.Choice{Reason: "pve2 has most memory left."}

	cases := map[string]struct {
		reason string
		before *v1alpha1.PlacementStatus
		node   string
		choice *machine.Choice
		want   *v1alpha1.PlacementStatus
	}{
		"Chosen": {reason: "A choice is told.", node: "pve2", choice: choice, want: &v1alpha1.PlacementStatus{Node: "pve2", Reason: choice.Reason}},
		"Again": {
			reason: "The same choice keeps its first reason, whatever the nodes have left now.", node: "pve2", choice: choice,
			before: &v1alpha1.PlacementStatus{Node: "pve2", Reason: "first"}, want: &v1alpha1.PlacementStatus{Node: "pve2", Reason: "first"},
		},
		"MovedOn": {
			reason: "Another choice is another one.", node: "pve2", choice: choice,
			before: &v1alpha1.PlacementStatus{Node: "pve1", Reason: "first"}, want: &v1alpha1.PlacementStatus{Node: "pve2", Reason: choice.Reason},
		},
		"Exists": {
			reason: "A VM was placed, although nothing is chosen any more.", node: "pve2",
			before: &v1alpha1.PlacementStatus{Node: "pve2", Reason: "first"}, want: &v1alpha1.PlacementStatus{Node: "pve2", Reason: "first"},
		},
		"Moved":  {reason: "Somebody moved the VM.", node: "pve2", before: &v1alpha1.PlacementStatus{Node: "pve1", Reason: "first"}},
		"Pinned": {reason: "The claim names the node.", node: "pve2"},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			in := dns01()
			in.Previous.Placement, in.Machine.Placement.Node, in.Machine.Placement.Choice = tc.before, tc.node, tc.choice

			if diff := cmp.Diff(tc.want, Machine(in).Status.Placement); diff != "" {
				t.Errorf("%s\nstatus.placement: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
