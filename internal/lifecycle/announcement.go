package lifecycle

import (
	"slices"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// An Outage is what a claim asks for and a running VM cannot do without being away for a while.
type Outage string

// The planned outages.
const (
	OutageNone Outage = ""
	// OutageReplacement: spec.lifecycle.replace.
	OutageReplacement Outage = "Replacement"
	// OutageStop: spec.power becomes Stopped.
	OutageStop Outage = "Stop"
	// OutageReboot: spec.lifecycle.reboot.
	OutageReboot Outage = "Reboot"
	// OutageStart: the VM was found off, and is to run. Nobody asks for it: it is told to the other servers, for whom it is away until it is back.
	OutageStart Outage = "Start"
	// OutagePowerCycle: a change waits for a power cycle, and spec.lifecycle.rebootPolicy is WhenNeeded.
	OutagePowerCycle Outage = "PowerCycle"
	// OutageMigration: the VM moves to another node.
	OutageMigration Outage = "Migration"
	// OutageReconnection: an interface is connected to another bridge or VLAN, or plugged anew. The VM runs on.
	OutageReconnection Outage = "Reconnection"
	// OutageDrain: spec.lifecycle.drain. The VM runs on.
	OutageDrain Outage = "Drain"
	// OutageUpgrade: system-upgrade-controller upgrades K3s. The VM runs on.
	OutageUpgrade Outage = "Upgrade"
)

// stops says whether the provider stops the VM for an outage.
func (o Outage) stops() bool { return o == OutageStop || o == OutageReboot || o == OutagePowerCycle }

// leavesRunning says whether the VM runs on through an outage that has begun, though nobody may reach it.
func (o Outage) leavesRunning() bool { return o == OutageReconnection || o == OutageMigration }

// An Announcement is a planned outage of a K3s server as its VM tells the other servers.
type Announcement struct {
	Outage Outage
	// Begun says that the outage has begun, and that the VM is not back yet.
	Begun bool
	// BootID that the VM's Node had when a restart began; empty where nobody reads it. K3s and its etcd take longer than the VM, and until
	// somebody finds out that they are away, the Node is Ready and votes as before: its new boot ID says that they are back. Of a reconnection, which
	// starts nothing, it is the Node's last heartbeat in its place.
	BootID string
	// Reports are heartbeats of the VM's Node, each another one, that were read since the provider has the VM running again while the Node has that boot ID
	// still; empty before that. The first may be older than the outage. The next one after the second says that the kubelet runs, in whatever boot: a VM that
	// was resumed from a hibernation has the one before, and one that was back before anybody had asked has had that from the beginning.
	Reports [2]string
}

const (
	announcedWord = "announced"
	begunWord     = "begun"
)

// String is the value of [proxmox.OutageAnnotation]; empty for none.
func (a Announcement) String() string {
	switch {
	case a.Outage == OutageNone:
		return ""
	case a.Begun:
		return strings.TrimSpace(strings.Join([]string{string(a.Outage), begunWord, a.BootID, a.Reports[0], a.Reports[1]}, " "))
	}

	return string(a.Outage) + " " + announcedWord
}

// announcementOf a VM. A VM that was stopped for something is away, whatever it announces, and so is one that a candidate
// replaces; releases before this annotation wrote no more than that.
func announcementOf(vm proxmox.ObservedVM) Announcement {
	annotations := vm.Metadata.Annotations
	kind, state, _ := strings.Cut(annotations[proxmox.OutageAnnotation], " ")
	state, seen, _ := strings.Cut(state, " ")
	boot, reports, _ := strings.Cut(seen, " ")
	out := Announcement{Outage: Outage(kind), Begun: state == begunWord, BootID: boot}
	out.Reports[0], out.Reports[1], _ = strings.Cut(reports, " ")

	if annotations[proxmox.ReplacingAnnotation] != "" {
		out.Outage = OutageReplacement
	}

	switch {
	case annotations[proxmox.StoppedForAnnotation] == StoppedForReplacement, annotations[proxmox.CandidateAnnotation] != "" && !vm.ObserveOnly():
		return Announcement{Outage: OutageReplacement, Begun: true}
	case annotations[proxmox.StoppedForAnnotation] != "" && out.Outage == OutageNone:
		return Announcement{Outage: OutageReboot, Begun: true}
	case annotations[proxmox.StoppedForAnnotation] != "":
		out.Begun = true
	}

	return out
}

// isBack says whether a VM is as it should be after an outage, as far as its provider says.
func isBack(vm proxmox.ObservedVM) bool {
	switch {
	case !vm.Resting(), vm.Metadata.Annotations[proxmox.StoppedForAnnotation] != "":
		return false
	case !vm.Spec.ForProvider.Started:
		return !vm.Status.AtProvider.Started
	}

	return answers(vm)
}

// announced is the announcement of an outage that a decision asks for. bootID is what a restart is to change.
func announced(of Outage, d Decision, bootID string) Announcement {
	switch d.Permission {
	case PermissionAwaited:
		return Announcement{Outage: of}
	case PermissionAnnounced:
		return Announcement{Outage: of, Begun: true, BootID: bootID}
	case PermissionGranted, PermissionRefused:
	}

	return Announcement{}
}

// A PlannedOutage is what a living VM is to be away for, and whether it may be now. Only K3s servers have to ask.
type PlannedOutage struct {
	// Wanted are the outages that the claim asks for and that have not begun, the most lasting one first; they are one outage.
	Wanted []Outage
	// Decision about them; zero where none is wanted.
	Decision Decision
	// Announcement for the other servers to see.
	Announcement Announcement
	// Forced are the values of spec.lifecycle.force that were used.
	Forced []string
	// Drains says that the outage waits until the VM's Node is drained.
	Drains bool
	// AsksServers says that the other servers are not known and have to be. Nothing may be done before.
	AsksServers bool
}

// Waits says whether the outage may not begin with this call.
func (o PlannedOutage) Waits() bool {
	return o.Drains || o.Decision.Permission == PermissionAwaited || o.Decision.Permission == PermissionRefused
}

// Is says whether an outage of a kind is wanted.
func (o PlannedOutage) Is(kind Outage) bool {
	return slices.Contains(o.Wanted, kind)
}
