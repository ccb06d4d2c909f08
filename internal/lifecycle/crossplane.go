package lifecycle

import (
	"slices"
	"strconv"

	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/succession"
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
	if succession.Asks(s.Machine.Lifecycle.Force, out.Forced) {
		return PlannedOutage{}, false
	}

	// What has begun ends, or the VM would stay stopped. An interface that was plugged in elsewhere, or a move, is no reason to stop the VM.
	has := announcementOf(s.vm)
	has.Begun = has.Begun && !back(s, has) && !(has.Outage.stops() && takesBack(s))

	switch {
	case has.Begun && has.Outage.leavesRunning():
		out.Announcement = stillAway(s, has)
	case has.Begun:
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

// takesBack says whether a stop that was written, of a VM that still runs, is asked for anew: the claim says since then that Crossplane runs on it. Where a
// word of force is in the claim, that may have begun the stop.
func takesBack(s *Situation) bool {
	return s.Machine.RunsCrossplane && s.Machine.Lifecycle.Force == "" && powerKnown(s.vm) && s.vm.Status.AtProvider.Started
}

// usedForce are the values of spec.lifecycle.force that are used up where only Crossplane on the VM makes it wait. A machine on which Crossplane does not
// run waits for nothing that a value could begin, and remembers the value all the same: it would stop the VM as soon as the claim has runsCrossplane.
func usedForce(s *Situation, out PlannedOutage) []string {
	forced := ReadTriggers(s.vm, proxmox.ForceTriggersAnnotation)
	if s.Machine.RunsCrossplane && out.Waits() {
		return forced
	}

	return succession.With(forced, s.Machine.Lifecycle.Force)
}

// nodeBoot is the boot ID of the described VM's Node; empty where nobody reads it.
func nodeBoot(s *Situation) string {
	if vm := s.Roles.Described(); vm == "" || s.provenNode() != vm {
		return ""
	}

	return s.Node.Node.Status.NodeInfo.BootID
}

// An AwaitedRestart is what a VM notes while it waits for a person to restart it. Where nobody waits for that, it is empty.
type AwaitedRestart struct {
	// Boot that is to end: the boot ID of the VM's Node, or [unknownBoot].
	Boot string
	// Written is the generation of the VM's spec that the provider had written while that boot ran, decimal; [notWritten] while it has not.
	Written string
}

// notWritten is the value of [proxmox.AwaitsRestartWrittenAnnotation] before the provider has written what waits.
const notWritten = "0"

// awaitedRestart is what a VM has noted.
func awaitedRestart(vm proxmox.ObservedVM) AwaitedRestart {
	a := vm.Metadata.Annotations

	return AwaitedRestart{Boot: a[proxmox.AwaitsRestartAnnotation], Written: a[proxmox.AwaitsRestartWrittenAnnotation]}
}

// knows says whether a boot is noted.
func (a AwaitedRestart) knows() bool { return a.Boot != "" && a.Boot != unknownBoot }

// restartedByHand says whether somebody restarted the VM since the function began to wait for that. The provider has to have written before what waits:
// what it does since is nothing to the boot.
func restartedByHand(s *Situation) bool {
	before, now := awaitedRestart(s.vm), nodeBoot(s)
	if !before.knows() || now == "" || now == before.Boot {
		return false
	}

	if before.Written == "" { // Of an earlier release.
		return s.vm.Resting()
	}

	return before.Written == generationOf(s.vm)
}

func generationOf(vm proxmox.ObservedVM) string { return strconv.FormatInt(vm.Metadata.Generation, 10) }

// awaitsRestart is what the VM notes while it waits for a person to restart it. A boot that began before the provider had written what waits is to end, too.
func awaitsRestart(s *Situation, waits Decision) AwaitedRestart {
	if waits.Blocker.Reason != BlockedByCrossplane {
		return AwaitedRestart{}
	}

	before, now := awaitedRestart(s.vm), nodeBoot(s)

	switch {
	case before.knows() && now == "":
		return before
	case now == "":
		return AwaitedRestart{Boot: unknownBoot}
	case s.vm.Resting():
		return AwaitedRestart{Boot: now, Written: generationOf(s.vm)}
	case now == before.Boot && before.Written == generationOf(s.vm):
		return before
	default:
		return AwaitedRestart{Boot: now, Written: notWritten}
	}
}
