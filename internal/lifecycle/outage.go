package lifecycle

import (
	"slices"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/change"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// An outagePlanner decides about the outages of a VM that lives.
type outagePlanner struct {
	s       *Situation
	drain   Drain
	upgrade Upgrade
}

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

	wanted, turn := waver{s}.take(wantedOutages(s, g, pending))
	hosted, hosts := hostedOutage(s, wanted)
	p := &outagePlanner{s: s, drain: drainer{s}.drain(s.Roles.Described(), !hosts && slices.ContainsFunc(wanted, Outage.stops))}

	over := len(wanted) == 0 && back(s, announcementOf(s.vm)) && s.vm.Status.AtProvider.Started

	if p.drain.begins() && drainTrigger(s.Machine) != p.drain.Memory.Trigger {
		wanted = append(wanted, OutageDrain)
		hosted, hosts = hostedOutage(s, wanted)
	}

	p.upgrade = upgrader{s, p.drain}.decide(len(wanted) > 0 && !hosts)
	if p.upgrade.asks && !hosts {
		wanted = append(wanted, OutageUpgrade)
	}

	var out PlannedOutage

	forced := s.server() && len(wanted) > 0 && asks(s.Machine.Lifecycle.Force, ReadTriggers(s.vm, proxmox.ForceTriggersAnnotation))

	switch {
	case p.upgrade.holds && !forced:
		out = p.upgradingOutage(wanted)
	case hosts:
		out = p.upgradedMeanwhile(hosted)
	case s.server():
		out = p.serverOutage(wanted)
	default:
		out = p.agentOutage(wanted)
		out.Forced = usedForce(s, out)
	}

	p.upgrade, out = settleUpgrade(p.upgrade, out)

	if over {
		drainer{s}.uncordon(&p.drain)
	}

	return absence{out, turn, p.drain, p.upgrade}
}

// waitsForDrain says whether outages other than the drain itself wait for it.
func (p *outagePlanner) waitsForDrain(wanted []Outage) bool {
	return p.drain.Holds && slices.ContainsFunc(wanted, func(o Outage) bool { return o != OutageDrain })
}

// upgradingOutage waits until the upgrade of K3s in the VM has ended.
func (p *outagePlanner) upgradingOutage(wanted []Outage) PlannedOutage {
	out := PlannedOutage{Wanted: wanted, Announcement: announcementOf(p.s.vm), Forced: ReadTriggers(p.s.vm, proxmox.ForceTriggersAnnotation)}

	switch {
	case len(wanted) > 0:
		out.Decision = refuse(Blocker{Reason: BlockedByUpgrade})
	case p.s.server() && p.s.Roles.Trigger == "":
		// What a trigger could force has begun.
		out.Forced = with(out.Forced, p.s.Machine.Lifecycle.Force)
	}

	return out
}

// agentOutage waits for nobody but the drain of the VM's Node. Only an upgrade of K3s waits for others.
func (p *outagePlanner) agentOutage(wanted []Outage) PlannedOutage {
	if p.upgrade.asks {
		has := announcementOf(p.s.vm)
		out := PlannedOutage{Wanted: wanted, Decision: upgrader{p.s, p.drain}.permit(has)}
		out.Announcement = announced(wanted[0], out.Decision, "")

		return out
	}

	if p.drain.begins() && powerKnown(p.s.vm) {
		drainer{p.s}.beginDrain(&p.drain)
	}

	if !p.waitsForDrain(wanted) {
		return PlannedOutage{}
	}

	return PlannedOutage{Wanted: wanted, Drains: true}
}

// serverOutage asks the other servers of the VM's cluster. A drain is part of the outage: it begins with their permission, and what is announced
// stays announced until it has ended. A drain that cannot begin is not announced, so that it holds no other server.
func (p *outagePlanner) serverOutage(wanted []Outage) PlannedOutage {
	has := announcementOf(p.s.vm)
	out := PlannedOutage{Wanted: wanted, Forced: ReadTriggers(p.s.vm, proxmox.ForceTriggersAnnotation)}
	drains := p.waitsForDrain(wanted)

	switch force := p.s.Machine.Lifecycle.Force; {
	case !powerKnown(p.s.vm):
		// Nothing is begun, and nothing that was announced is taken back.
		out.Announcement = has
		if len(out.Wanted) > 0 {
			out.Decision.Permission = PermissionAwaited
		}

		return out
	case has.Begun && !back(p.s, has):
		out.Announcement = has
		out.Decision.Permission = PermissionAnnounced

		return out
	case len(out.Wanted) == 0:
		// There is nothing that a trigger could force. Nor could it force the replacement of a VM on which Crossplane runs.
		if p.s.Roles.Trigger == "" || hostingOf(p.s) == hostsCrossplane {
			out.Forced = with(out.Forced, force)
		}

		return out
	case asks(force, out.Forced):
		out.Decision.Permission = PermissionAnnounced
	case drains && !p.drain.begins():
		out.Drains = true
		if p.drain.Memory.State == DrainRunning {
			out.Announcement = has
		}

		return out
	case p.s.Cluster().Name == "" && p.s.Cluster().Joins:
		out.Decision = refuse(Blocker{Reason: BlockedByNoCluster})
	case p.s.Cluster().Name == "":
		// The only server, as far as anybody can tell.
		out.Decision.Permission = PermissionGranted
	case !p.s.Servers.Known:
		out.AsksServers = true
		out.Decision.Permission = PermissionAwaited
	case p.upgrade.asks:
		out.Decision = upgrader{p.s, p.drain}.permit(has)
	case p.leaves(wanted):
		out.Decision = p.s.Cluster().permitToLeave(p.s.vm, has.Outage != OutageNone && !has.Begun)
	default:
		out.Decision = p.s.Cluster().permit(p.s.vm, has.Outage != OutageNone && !has.Begun)
	}

	if p.drainBegins(out, drains) {
		drainer{p.s}.beginDrain(&p.drain)
		out.Drains, out.Announcement = drains, has

		return out
	}

	out.Announcement = announced(out.Wanted[0], out.Decision, bootID(p.s, out.Wanted[0]))

	return out
}

// upgradedMeanwhile is an outage that waits for a person, while system-upgrade-controller upgrades K3s in the VM: that stops no pod, and would wait for ever
// else.
func (p *outagePlanner) upgradedMeanwhile(waits PlannedOutage) PlannedOutage {
	if !p.upgrade.asks {
		return waits
	}

	out := p.serverOutage([]Outage{OutageUpgrade})
	p.upgrade, out = settleUpgrade(p.upgrade, out)

	waits.Announcement, waits.AsksServers = out.Announcement, waits.AsksServers || out.AsksServers

	return waits
}

// leaves says whether nothing is wanted but the drain before the machine is removed from its K3sCluster.
func (p *outagePlanner) leaves(wanted []Outage) bool {
	return slices.Equal(wanted, []Outage{OutageDrain}) && drainTrigger(p.s.Machine) == DrainForRemoval
}

// drainBegins says whether the drain of a server's Node begins with this call. What is forced does not wait for it.
func (p *outagePlanner) drainBegins(out PlannedOutage, waits bool) bool {
	if waits && asks(p.s.Machine.Lifecycle.Force, out.Forced) {
		return false
	}

	return p.drain.begins() && (out.Decision.Permission == PermissionGranted || out.Decision.Permission == PermissionAnnounced)
}

// forcedAtBirth is the value of spec.lifecycle.force that a VM is created with: there is nothing yet that it could force.
func forcedAtBirth(m *machine.Machine) []string {
	return with(nil, m.Lifecycle.Force)
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
	case s.Machine.Power == v1alpha1.PowerStopped && has.Started:
		out = append(out, OutageStop)
	case s.Machine.Power == v1alpha1.PowerStopped:
	case asks(l.Reboot, ReadTriggers(s.vm, proxmox.RebootTriggersAnnotation)) && !restartedByHand(s):
		out = append(out, OutageReboot)
	case l.RebootPolicy == v1alpha1.RebootWhenNeeded && len(pending) > 0:
		out = append(out, OutagePowerCycle)
	}

	if g.VM.Migrate && !(has.Migrate && has.NodeName == g.VM.NodeName) {
		out = append(out, OutageMigration)
	}

	return out
}
