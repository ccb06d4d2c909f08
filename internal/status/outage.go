package status

import (
	"slices"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// holds says whether one of some outages was asked for, and has to wait for the other servers of a K3s cluster.
func holds(plan *lifecycle.Plan, outages ...lifecycle.Outage) bool {
	return plan.Outage.Waits() && slices.ContainsFunc(outages, plan.Outage.Is)
}

// waitsForQuorum says what a planned outage of a K3s server waits for.
func waitsForQuorum(plan *lifecycle.Plan) string {
	d := plan.Outage.Decision
	if d.Permission == lifecycle.PermissionAwaited {
		return "It is announced to the other servers of its K3s cluster, and begins when none of them is away."
	}

	return blocked(d.Blocker) + toForce
}

// waitedForQuorum says whether a K3s server waited for its cluster before.
func waitedForQuorum(before v1alpha1.Status) bool {
	return previousReason(before, TypeMachineReady) == ReasonWaitingForQuorum || previousReason(before, TypeRebootPending) == ReasonWaitingForQuorum
}

// switchedOff says whether the provider stops a VM by switching it off.
func switchedOff(p *proxmox.VMParameters) bool {
	return lifecycle.StopOf(*p) == lifecycle.StopSwitchedOff
}
