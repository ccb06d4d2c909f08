package lifecycle

import (
	"slices"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/change"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// onTrial says whether the described VM is a candidate that has not proven itself.
func (p *Plan) onTrial() bool { return p.Replacing() && !p.Promoted }

// An outagePlanner decides about the outages of a VM that lives.
type outagePlanner struct{ drainer }

// plannedOutage decides about the outages that a claim asks of a VM that lives, and about the drain of its Node before one. An agent, and a
// machine without K3s, may be away whenever its claim says so, and so may a candidate, since nobody counts on it yet.
func (p outagePlanner) plannedOutage(g change.Guarded) PlannedOutage {
	if p.onTrial() {
		return PlannedOutage{Forced: ReadTriggers(p.vm, proxmox.ForceTriggersAnnotation)}
	}

	wanted := waver{p.Plan}.take(p.wantedOutages(g))
	hosted, hosts := p.hosted(wanted)
	p.Drain = p.drain(p.Roles.Described(), !hosts && slices.ContainsFunc(wanted, Outage.stops))

	over := len(wanted) == 0 && p.back(announcementOf(p.vm)) && p.vm.Status.AtProvider.Started

	if p.Drain.begins() && p.drainTrigger() != p.Drain.Memory.Trigger {
		wanted = append(wanted, OutageDrain)
		hosted, hosts = p.hosted(wanted)
	}

	upgrade := upgrader{p.Plan}
	if p.Upgrade = upgrade.decide(len(wanted) > 0 && !hosts); p.Upgrade.asks && !hosts {
		wanted = append(wanted, OutageUpgrade)
	}

	var out PlannedOutage

	forced := p.server() && len(wanted) > 0 && asks(p.Machine.Lifecycle.Force, ReadTriggers(p.vm, proxmox.ForceTriggersAnnotation))

	switch {
	case p.Upgrade.holds && !forced:
		out = p.upgradingOutage(wanted)
	case hosts:
		out = p.upgradedMeanwhile(hosted)
	case p.server():
		out = p.serverOutage(wanted)
	default:
		out = p.agentOutage(wanted)
		out.Forced = p.usedForce(out)
	}

	upgrade.settle(&out)

	if over {
		p.uncordon(&p.Drain)
	}

	return out
}

// waitsForDrain says whether outages other than the drain itself wait for it.
func (p outagePlanner) waitsForDrain(wanted []Outage) bool {
	return p.Drain.Holds && slices.ContainsFunc(wanted, func(o Outage) bool { return o != OutageDrain })
}

// upgradingOutage waits until the upgrade of K3s in the VM has ended.
func (p outagePlanner) upgradingOutage(wanted []Outage) PlannedOutage {
	out := PlannedOutage{Wanted: wanted, Announcement: announcementOf(p.vm), Forced: ReadTriggers(p.vm, proxmox.ForceTriggersAnnotation)}

	switch {
	case len(wanted) > 0:
		out.Decision = refuse(Blocker{Reason: BlockedByUpgrade})
	case p.server() && p.Roles.Trigger == "":
		// What a trigger could force has begun.
		out.Forced = with(out.Forced, p.Machine.Lifecycle.Force)
	}

	return out
}

// agentOutage waits for nobody but the drain of the VM's Node. Only an upgrade of K3s waits for others.
func (p outagePlanner) agentOutage(wanted []Outage) PlannedOutage {
	if p.Upgrade.asks {
		has := announcementOf(p.vm)
		out := PlannedOutage{Wanted: wanted, Decision: upgrader{p.Plan}.permit(has)}
		out.Announcement = announced(wanted[0], out.Decision, "")

		return out
	}

	if p.Drain.begins() && powerKnown(p.vm) {
		p.beginDrain(&p.Drain)
	}

	if !p.waitsForDrain(wanted) {
		return PlannedOutage{}
	}

	return PlannedOutage{Wanted: wanted, Drains: true}
}

// serverOutage asks the other servers of the VM's cluster. A drain is part of the outage: it begins with their permission, and what is announced
// stays announced until it has ended. A drain that cannot begin is not announced, so that it holds no other server.
func (p outagePlanner) serverOutage(wanted []Outage) PlannedOutage {
	has := announcementOf(p.vm)
	out := PlannedOutage{Wanted: wanted, Forced: ReadTriggers(p.vm, proxmox.ForceTriggersAnnotation)}
	drains := p.waitsForDrain(wanted)

	switch force := p.Machine.Lifecycle.Force; {
	case !powerKnown(p.vm):
		// Nothing is begun, and nothing that was announced is taken back.
		out.Announcement = has
		if len(out.Wanted) > 0 {
			out.Decision.Permission = PermissionAwaited
		}

		return out
	case has.Begun && !p.back(has):
		out.Announcement = has
		out.Decision.Permission = PermissionAnnounced

		return out
	case len(out.Wanted) == 0:
		// There is nothing that a trigger could force. Nor could it force the replacement of a VM on which Crossplane runs.
		if p.Roles.Trigger == "" || hostingOf(&p.Situation) == hostsCrossplane {
			out.Forced = with(out.Forced, force)
		}

		return out
	case asks(force, out.Forced):
		out.Decision.Permission = PermissionAnnounced
	case drains && !p.Drain.begins():
		out.Drains = true
		if p.Drain.Memory.State == DrainRunning {
			out.Announcement = has
		}

		return out
	case p.Cluster().Name == "" && p.Cluster().Joins:
		out.Decision = refuse(Blocker{Reason: BlockedByNoCluster})
	case p.Cluster().Name == "":
		// The only server, as far as anybody can tell.
		out.Decision.Permission = PermissionGranted
	case !p.Servers.Known:
		out.AsksServers = true
		out.Decision.Permission = PermissionAwaited
	case p.Upgrade.asks:
		out.Decision = upgrader{p.Plan}.permit(has)
	case p.leaves(wanted):
		out.Decision = p.Cluster().permitToLeave(p.vm, has.Outage != OutageNone && !has.Begun)
	default:
		out.Decision = p.Cluster().permit(p.vm, has.Outage != OutageNone && !has.Begun)
	}

	if p.drainBegins(out, drains) {
		p.beginDrain(&p.Drain)
		out.Drains, out.Announcement = drains, has

		return out
	}

	out.Announcement = announced(out.Wanted[0], out.Decision, p.bootID(out.Wanted[0]))

	return out
}

// leaves says whether nothing is wanted but the drain before the machine is removed from its K3sCluster.
func (p outagePlanner) leaves(wanted []Outage) bool {
	return slices.Equal(wanted, []Outage{OutageDrain}) && p.drainTrigger() == DrainForRemoval
}

// drainBegins says whether the drain of a server's Node begins with this call. What is forced does not wait for it.
func (p outagePlanner) drainBegins(out PlannedOutage, waits bool) bool {
	if waits && asks(p.Machine.Lifecycle.Force, out.Forced) {
		return false
	}

	return p.Drain.begins() && (out.Decision.Permission == PermissionGranted || out.Decision.Permission == PermissionAnnounced)
}

// forcedAtBirth is the value of spec.lifecycle.force that a VM is created with: there is nothing yet that it could force.
func (p *Plan) forcedAtBirth() []string {
	return with(nil, p.Machine.Lifecycle.Force)
}

// wantedOutages are those that the claim asks for and that were not written yet, the most lasting one first. A VM that is
// stopped is away already.
func (p outagePlanner) wantedOutages(g change.Guarded) []Outage {
	has, at, l := p.vm.Spec.ForProvider, p.vm.Status.AtProvider, p.Machine.Lifecycle
	stopped := powerKnown(p.vm) && !at.Started

	if stopped {
		return nil
	}

	var out []Outage

	switch {
	case p.Machine.Power == v1alpha1.PowerStopped && has.Started:
		out = append(out, OutageStop)
	case p.Machine.Power == v1alpha1.PowerStopped:
	case asks(l.Reboot, ReadTriggers(p.vm, proxmox.RebootTriggersAnnotation)) && !restartedByHand(&p.Situation):
		out = append(out, OutageReboot)
	case l.RebootPolicy == v1alpha1.RebootWhenNeeded && len(p.Pending) > 0:
		out = append(out, OutagePowerCycle)
	}

	if g.VM.Migrate && !(has.Migrate && has.NodeName == g.VM.NodeName) {
		out = append(out, OutageMigration)
	}

	return out
}
