package status

import (
	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
)

// placement is the node that the function chose, and why. It is decided once: the same node keeps its first reason, and a VM that is on
// another node was not placed by the function.
func (s *reporter) placement() *v1alpha1.PlacementStatus {
	before := s.before.Placement
	node := s.machine.Placement.Node

	if before != nil && before.Node == node {
		return before
	}

	if c := s.machine.Placement.Choice; c != nil {
		return &v1alpha1.PlacementStatus{Node: node, Reason: c.Reason}
	}

	return nil
}
