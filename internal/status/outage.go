package status

import (
	"slices"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// holds says whether one of some outages was asked for, and has to wait for other machines: those of its group, or the other servers of a K3s
// cluster.
func holds(plan *lifecycle.Plan, outages ...lifecycle.Outage) bool {
	return plan.Turn.Holds(outages...) || plan.Outage.Waits() && slices.ContainsFunc(outages, plan.Outage.Is)
}

// waitsFor is the reason, and what a planned outage waits for: other waves of the machine's group; or, of a K3s node, the drain of its Node, or its cluster.
func waitsFor(plan *lifecycle.Plan) (reason, text string) {
	if len(plan.Turn.Held) > 0 {
		return ReasonWaitingForWave, waitsForWave(plan.Turn.Decision.Blocker)
	}

	if plan.Outage.Drains {
		return ReasonWaitingForDrain, "Its Node is drained first: condition " + TypeNodeDrained + " has the details."
	}

	return outageReason(plan), waitsForQuorum(plan)
}

// reconnectionWaits is as [waitsFor], of interfaces: what waits for a person because Crossplane runs on the VM keeps none of them.
func reconnectionWaits(plan *lifecycle.Plan) (reason, text string) {
	if plan.Outage.Decision.Blocker.Reason == lifecycle.BlockedByCrossplane {
		return ReasonWaitingForQuorum, "It begins when none of the other servers of its K3s cluster is away."
	}

	return waitsFor(plan)
}

// outageReason is the reason for which a planned outage of a VM may not begin, its turn and its drain apart.
func outageReason(plan *lifecycle.Plan) string {
	if plan.Outage.Decision.Blocker.Reason == lifecycle.BlockedByCrossplane {
		return ReasonRunsCrossplane
	}

	return ReasonWaitingForQuorum
}

// waitsForQuorum says what a planned outage waits for: of a K3s server the others, and of a VM that runs Crossplane a person.
func waitsForQuorum(plan *lifecycle.Plan) string {
	d, away := plan.Outage.Decision, plan.Outage.Announcement

	switch {
	case d.Permission != lifecycle.PermissionAwaited:
	case away.Begun && away.Outage == lifecycle.OutageMigration:
		return "It begins when the VM has moved, and the other servers of its K3s cluster allow it."
	case away.Begun:
		return "It begins when the VM's Node has reported since its interface was plugged in elsewhere, and the other servers of its K3s cluster allow it."
	default:
		return "It is announced to the other servers of its K3s cluster, and begins when none of them is away."
	}

	if d.Blocker.Reason == lifecycle.BlockedByUpgrade {
		return blocked(d.Blocker)
	}

	return blocked(d.Blocker) + toForce
}

// waitedForQuorum says whether a K3s server waited for its cluster before.
func waitedForQuorum(before *v1alpha1.Status) bool {
	for _, typ := range []string{TypeMachineReady, TypeRebootPending, TypeNodeDrained} {
		if r := previousReason(before, typ); r == ReasonWaitingForQuorum || r == ReasonRunsCrossplane {
			return true
		}
	}

	return false
}

// switchedOff says whether the provider stops a VM by switching it off.
func switchedOff(p *proxmox.VMParameters) bool {
	return lifecycle.StopOf(*p) == lifecycle.StopSwitchedOff
}
