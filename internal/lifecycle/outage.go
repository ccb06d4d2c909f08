package lifecycle

import (
	"slices"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/change"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/succession"
)

// An absence is what was decided about the outages of a VM that lives.
type absence struct {
	outage  PlannedOutage
	turn    Turn
	drain   Drain
	upgrade Upgrade
}

// plannedOutage decides about the outages that a claim asks of a VM that lives, and about the drain of its Node before one. An agent, and a
// machine without K3s, may be away whenever its claim says so, and so may a candidate, since nobody counts on it yet.
func plannedOutage(s *Situation, g change.Guarded, pending []change.Change) absence {
	if s.Provisional() {
		return absence{outage: PlannedOutage{Forced: ReadTriggers(s.vm, proxmox.ForceTriggersAnnotation)}}
	}

	wanted, turn := waver{s}.facts().Take(wantedOutages(s, g, pending))
	hosted, hosts := hostedOutage(s, wanted)
	drain := drainer{s}.drain(s.Roles.Described(), !hosts && slices.ContainsFunc(wanted, Outage.stops))

	over := len(wanted) == 0 && back(s, announcementOf(s.vm)) && s.vm.Status.AtProvider.Started

	if drain.begins() && drainTrigger(s.Machine) != drain.Memory.Trigger {
		wanted = append(wanted, OutageDrain)
		hosted, hosts = hostedOutage(s, wanted)
	}

	upgrade := newUpgrader(s, drain).decide(len(wanted) > 0 && !hosts)
	if upgrade.stage == upgradeAsks {
		wanted = append(wanted, OutageUpgrade)
	}

	var out PlannedOutage

	forced := s.server() && len(wanted) > 0 && succession.Asks(s.Machine.Lifecycle.Force, ReadTriggers(s.vm, proxmox.ForceTriggersAnnotation))

	switch {
	case upgrade.stage == upgradeHolds && !forced:
		out = upgradingOutage(s, wanted)
	case hosts:
		out, drain, upgrade = upgradedMeanwhile(s, hosted, drain, upgrade)
		out = reconnectedMeanwhile(s, out)
	case s.server():
		out, drain = serverOutage(s, wanted, drain, upgrade)
	default:
		out, drain = agentOutage(s, wanted, drain, upgrade)
		out.Forced = usedForce(s, out)
	}

	upgrade, out = settleUpgrade(upgrade, out)

	if over {
		drain = drainer{s}.uncordon(drain)
	}

	return absence{out, turn, drain, upgrade}
}

// waitsForDrain says whether outages other than the drain itself wait for it.
func waitsForDrain(drain Drain, wanted []Outage) bool {
	return drain.Holds && slices.ContainsFunc(wanted, func(o Outage) bool { return o != OutageDrain })
}

// upgradingOutage waits until the upgrade of K3s in the VM has ended.
func upgradingOutage(s *Situation, wanted []Outage) PlannedOutage {
	out := PlannedOutage{Wanted: wanted, Announcement: announcementOf(s.vm), Forced: ReadTriggers(s.vm, proxmox.ForceTriggersAnnotation)}

	switch {
	case len(wanted) > 0:
		out.Decision = refuse(Blocker{Reason: BlockedByUpgrade})
	case s.server() && s.Roles.Trigger == "":
		// What a trigger could force has begun.
		out.Forced = succession.With(out.Forced, s.Machine.Lifecycle.Force)
	}

	return out
}

// agentOutage waits for nobody but the drain of the VM's Node. Only an upgrade of K3s waits for others.
func agentOutage(s *Situation, wanted []Outage, drain Drain, upgrade Upgrade) (PlannedOutage, Drain) {
	if upgrade.stage == upgradeAsks {
		has := announcementOf(s.vm)
		out := PlannedOutage{Wanted: wanted, Decision: newUpgrader(s, drain).permit(has)}
		out.Announcement = announced(wanted[0], out.Decision, "")

		return out, drain
	}

	if drain.begins() && powerKnown(s.vm) {
		drain = drainer{s}.beginDrain(drain)
	}

	if !waitsForDrain(drain, wanted) {
		return PlannedOutage{}, drain
	}

	return PlannedOutage{Wanted: wanted, Drains: true}, drain
}

// serverOutage asks the other servers of the VM's cluster. A drain is part of the outage: it begins with their permission, and what is announced
// stays announced until it has ended. A drain that cannot begin is not announced, so that it holds no other server.
func serverOutage(s *Situation, wanted []Outage, drain Drain, upgrade Upgrade) (PlannedOutage, Drain) {
	has := announcementOf(s.vm)
	out := PlannedOutage{Wanted: wanted, Forced: ReadTriggers(s.vm, proxmox.ForceTriggersAnnotation)}
	drains := waitsForDrain(drain, wanted)

	switch force := s.Machine.Lifecycle.Force; {
	case !powerKnown(s.vm):
		// Nothing is begun, and nothing that was announced is taken back.
		out.Announcement = has
		if len(out.Wanted) > 0 {
			out.Decision.Permission = PermissionAwaited
		}

		return out, drain
	case has.Begun && !back(s, has):
		return begun(s, stillAway(s, has), out), drain
	case len(out.Wanted) == 0:
		// There is nothing that a trigger could force. Nor could it force the replacement of a VM on which Crossplane runs.
		if s.Roles.Trigger == "" || hostingOf(s) == hostsCrossplane {
			out.Forced = succession.With(out.Forced, force)
		}

		out.Announcement = starting(s)

		return out, drain
	case succession.Asks(force, out.Forced):
		out.Decision.Permission = PermissionAnnounced
	case drains && !drain.begins():
		out.Drains = true
		if drain.Memory.State == DrainRunning {
			out.Announcement = has
		}

		return out, drain
	case s.clusterName() == "" && s.Cluster().Joins:
		out.Decision = refuse(Blocker{Reason: BlockedByNoCluster})
	case s.clusterName() == "":
		// The only server, as far as anybody can tell.
		out.Decision.Permission = PermissionGranted
	case !s.Servers.Known:
		out.AsksServers = true
		out.Decision.Permission = PermissionAwaited
	case upgrade.stage == upgradeAsks:
		out.Decision = newUpgrader(s, drain).permit(has)
	case leaves(s.Machine, wanted):
		out.Decision = s.Cluster().permitToLeave(s.vm, has.Outage != OutageNone && !has.Begun)
	default:
		out.Decision = s.Cluster().permit(s.vm, has.Outage != OutageNone && !has.Begun)
	}

	if drainBegins(s.Machine, out, drain, drains) {
		drain = drainer{s}.beginDrain(drain)
		out.Drains, out.Announcement = drains, has

		return out, drain
	}

	out.Announcement = announced(out.Wanted[0], out.Decision, bootID(s, out.Wanted[0]))

	return out, drain
}

// starting is what a server announces that was found off and is to run: the provider starts it before K3s and its etcd are back, and where it was off for a
// moment only, its Node is Ready and votes as before. One whose Node does not serve is away as everybody can see.
func starting(s *Situation) Announcement {
	if s.Machine.Power != v1alpha1.PowerRunning || !powerKnown(s.vm) || s.vm.Status.AtProvider.Started {
		return Announcement{}
	}

	boot := bootID(s, OutageStart)
	if boot == "" {
		return Announcement{}
	}

	return Announcement{Outage: OutageStart, Begun: true, BootID: boot}
}

// upgradedMeanwhile is an outage that waits for a person, while system-upgrade-controller upgrades K3s in the VM: that stops no pod, and would wait for ever
// else.
func upgradedMeanwhile(s *Situation, waits PlannedOutage, drain Drain, upgrade Upgrade) (PlannedOutage, Drain, Upgrade) {
	if upgrade.stage != upgradeAsks {
		return waits, drain, upgrade
	}

	out, drain := serverOutage(s, []Outage{OutageUpgrade}, drain, upgrade)
	upgrade, out = settleUpgrade(upgrade, out)

	waits.Announcement, waits.AsksServers = out.Announcement, waits.AsksServers || out.AsksServers

	return waits, drain, upgrade
}

// reconnectedMeanwhile is an outage that waits for a person, while interfaces are plugged in elsewhere: that waits for the other servers alone.
func reconnectedMeanwhile(s *Situation, waits PlannedOutage) PlannedOutage {
	announces := waits.Announcement.Outage
	if !waits.Is(OutageReconnection) || announces != OutageNone && announces != OutageReconnection {
		return waits
	}

	out, _ := serverOutage(s, []Outage{OutageReconnection}, Drain{}, Upgrade{})
	waits.Announcement, waits.AsksServers = out.Announcement, waits.AsksServers || out.AsksServers

	if !out.Waits() {
		waits.Wanted = besides(waits.Wanted, OutageReconnection)
	}

	return waits
}

// begun is an outage that is not over: what is wanted beside it takes nothing more away. A server that nobody reaches yet, since its interface
// was plugged in elsewhere, or that moves, runs and may vote: more of the same, which may bring it back, waits for nothing, and any other outage until it is
// back, since its drain and the others' permission come first.
func begun(s *Situation, away Announcement, out PlannedOutage) PlannedOutage {
	out.Announcement = away
	if !away.Outage.leavesRunning() || succession.Asks(s.Machine.Lifecycle.Force, out.Forced) {
		out.Decision.Permission = PermissionAnnounced
		return out
	}

	if out.Wanted = besides(out.Wanted, away.Outage); len(out.Wanted) > 0 {
		out.Decision.Permission = PermissionAwaited
	}

	return out
}

// besides are all outages but one.
func besides(all []Outage, but Outage) []Outage {
	return slices.DeleteFunc(slices.Clone(all), func(o Outage) bool { return o == but })
}

// leaves says whether nothing is wanted but the drain before the machine is removed from its K3sCluster.
func leaves(m *machine.Machine, wanted []Outage) bool {
	return slices.Equal(wanted, []Outage{OutageDrain}) && drainTrigger(m) == DrainForRemoval
}

// drainBegins says whether the drain of a server's Node begins with this call. What is forced does not wait for it.
func drainBegins(m *machine.Machine, out PlannedOutage, drain Drain, waits bool) bool {
	if waits && succession.Asks(m.Lifecycle.Force, out.Forced) {
		return false
	}

	return drain.begins() && (out.Decision.Permission == PermissionGranted || out.Decision.Permission == PermissionAnnounced)
}

// forcedAtBirth is the value of spec.lifecycle.force that a VM is created with: there is nothing yet that it could force.
func forcedAtBirth(m *machine.Machine) []string {
	return succession.With(nil, m.Lifecycle.Force)
}

// wantedOutages are those that the claim asks for and that were not written yet, the most lasting one first. A VM that is
// stopped is away already.
func wantedOutages(s *Situation, g change.Guarded, pending []change.Change) []Outage {
	has, at, l := s.vm.Spec.ForProvider, s.vm.Status.AtProvider, s.Machine.Lifecycle
	stopped := powerKnown(s.vm) && !at.Started

	if stopped {
		return nil
	}

	var out []Outage

	switch {
	case s.Machine.Power == v1alpha1.PowerStopped && (has.Started || takesBack(s)):
		out = append(out, OutageStop)
	case s.Machine.Power == v1alpha1.PowerStopped:
	case asksForReboot(s, pending):
		out = append(out, OutageReboot)
	case l.RebootPolicy == v1alpha1.RebootWhenNeeded && len(pending) > 0:
		out = append(out, OutagePowerCycle)
	}

	if g.VM.Migrate && !(has.Migrate && has.NodeName == g.VM.NodeName) {
		out = append(out, OutageMigration)
	}

	if s.server() && change.Replugs(g.VM, s.vm.Spec.ForProvider) {
		out = append(out, OutageReconnection)
	}

	return out
}
