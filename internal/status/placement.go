package status

import (
	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
)

// placement is the node that the function chose, and why. It is decided once: the same node keeps its first reason, and a VM that is on
// another node was not placed by the function.
func (s *reporter) placement() *v1alpha1.PlacementStatus {
	return Placement(s.machine.Placement, s.before.Placement)
}

// Placement is the node that the function chose for a VM or a container, and why, where the status said something before; nil where it chose none.
func Placement(p machine.Placement, before *v1alpha1.PlacementStatus) *v1alpha1.PlacementStatus {
	if before != nil && before.Node == p.Node {
		return before
	}

	if p.Choice != nil {
		return &v1alpha1.PlacementStatus{Node: p.Node, Reason: p.Choice.Reason}
	}

	return nil
}
