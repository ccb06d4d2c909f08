package lifecycle

import (
	"cmp"
	"slices"

	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// unknownBoot is the value of [proxmox.AwaitsRestartAnnotation] where nobody reads the VM's Node.
const unknownBoot = "unknown"

// hosting says whether Crossplane would be down with the VM, so that nobody could start it again.
type hosting int

const (
	// hostsNothing: Crossplane runs elsewhere, or goes on without the VM.
	hostsNothing hosting = iota
	// hostsPerhaps: the other servers of the cluster that Crossplane runs in are not known yet.
	hostsPerhaps
	// hostsCrossplane: the claim says so, or the VM is the only server of the cluster that Crossplane runs in.
	hostsCrossplane
)

// hostingOf is that of the described VM. Where others serve the cluster too, its quorum decides, and who counts for it.
func hostingOf(s *Situation) hosting {
	switch {
	case s.Machine.RunsCrossplane:
		return hostsCrossplane
	case !s.server() || s.Machine.K3s.Observe != machine.ObserveHere:
		return hostsNothing
	case !s.Servers.Known:
		return hostsPerhaps
	}

	if servers, _ := s.Cluster().members(); servers == 0 {
		return hostsCrossplane
	}

	return hostsNothing
}

// endsCrossplane says whether Crossplane, if the VM hosts it, is down during an outage: a move is a live migration, and K3s' upgrade leaves pods
// running. A drain evicts Crossplane, and there may be no other node for it.
func (o Outage) endsCrossplane() bool { return o.stops() || o == OutageDrain }

// hostedOutage decides about outages of a VM on which Crossplane runs; decided is false where that is none of them, or somebody forces them.
func hostedOutage(s *Situation, wanted []Outage) (out PlannedOutage, decided bool) {
	if !powerKnown(s.vm) || !slices.ContainsFunc(wanted, Outage.endsCrossplane) {
		return PlannedOutage{}, false
	}

	out = PlannedOutage{Wanted: wanted, Forced: ReadTriggers(s.vm, proxmox.ForceTriggersAnnotation)}
	if asks(s.Machine.Lifecycle.Force, out.Forced) {
		return PlannedOutage{}, false
	}

	// What has begun ends, or the VM would stay stopped.
	if has := announcementOf(s.vm); has.Begun && !back(s, has) {
		return PlannedOutage{}, false
	}

	switch hostingOf(s) {
	case hostsCrossplane:
		out.Decision = refuse(Blocker{Reason: BlockedByCrossplane, Outage: wanted[0], VMID: proxmox.VMIDOf(s.vm)})
	case hostsPerhaps:
		out.AsksServers = true
		out.Decision.Permission = PermissionAwaited
	case hostsNothing:
		return PlannedOutage{}, false
	}

	return out, true
}

// usedForce are the values of spec.lifecycle.force that are used up where only Crossplane on the VM makes it wait. A machine on which Crossplane does not
// run waits for nothing that a value could begin, and remembers the value all the same: it would stop the VM as soon as the claim has runsCrossplane.
func usedForce(s *Situation, out PlannedOutage) []string {
	forced := ReadTriggers(s.vm, proxmox.ForceTriggersAnnotation)
	if s.Machine.RunsCrossplane && out.Waits() {
		return forced
	}

	return with(forced, s.Machine.Lifecycle.Force)
}

// nodeBoot is the boot ID of the described VM's Node; empty where nobody reads it.
func nodeBoot(s *Situation) string {
	if vm := s.Roles.Described(); vm == "" || s.provenNode() != vm {
		return ""
	}

	return s.Node.Node.Status.NodeInfo.BootID
}

// restartedByHand says whether somebody restarted the VM since the function began to wait for that. The provider has to have written what waits.
func restartedByHand(s *Situation) bool {
	before, now := s.vm.Metadata.Annotations[proxmox.AwaitsRestartAnnotation], nodeBoot(s)

	return before != "" && before != unknownBoot && now != "" && now != before && s.vm.Resting()
}

// awaitsRestart is what the VM notes while it waits for a person to restart it: the boot that is to end.
func awaitsRestart(s *Situation, waits Decision) string {
	if waits.Blocker.Reason != BlockedByCrossplane {
		return ""
	}

	if has := s.vm.Metadata.Annotations[proxmox.AwaitsRestartAnnotation]; has != "" && has != unknownBoot && !restartedByHand(s) {
		return has
	}

	return cmp.Or(nodeBoot(s), unknownBoot)
}
