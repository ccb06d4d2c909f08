package cluster

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/k3s"
)

// A SystemUpgrade is what is known of system-upgrade-controller, which upgrades K3s on the nodes of a cluster while their VMs stay. A node is
// upgraded in its turn, like every other change: its Plan names the nodes that have their turn, and nobody else. The controller alone
// would go on to the next node as soon as its Job on the last one has ended, whether or not that node came back.
type SystemUpgrade struct {
	// Version is the release that all nodes are to run.
	Version string
	// Plans are the Plans as they were written last, by the role of their nodes.
	Plans map[Role]UpgradePlan
	// Trouble is why no upgrade can begin before a person has done something, in a sentence; empty where it can.
	Trouble string
	// Pending is who has not written the Plans as they are to be yet; empty where they are written.
	Pending string
	// Drains says whether nodes are drained whose specs do not say it.
	Drains bool
	// Window says that upgrades begin in a window only.
	Window bool
}

// An UpgradePlan is a Plan of system-upgrade-controller.
type UpgradePlan struct {
	Version string
	// Nodes are the nodes that the Plan names, by the names of their Kubernetes Nodes, sorted.
	Nodes []string
	// Applying are the nodes that the controller was upgrading when its Plan was read last.
	Applying []string
	// Drain says that one of the nodes is to be drained before.
	Drain bool
}

// continueUpgrades of nodes whose turn it is.
func continueUpgrades(d *decision) {
	for name, c := range d.now.Children {
		if s := d.steps[name]; s.Action == ActionKeep && d.now.releases.upgrading(c) && !d.now.losses.lost(name) {
			turnToUpgrade(d.now.System, s)
		}
	}
}

// turnToUpgrade gives a node its turn.
func turnToUpgrade(system *SystemUpgrade, s *Step) {
	s.Action, s.Why = ActionUpgrade, "K3s "+system.Version+" by system-upgrade-controller, servers first, one at a time"

	if s.State != StateReplacing && s.State != StateLeaving {
		s.State = StateChanging
	}
}

// startUpgrades of nodes that run another release: servers before agents, each while all others are at rest.
func startUpgrades(d *decision) {
	if d.now.System == nil {
		return
	}

	serversBehind := d.now.releases.serversBehind()

	for _, m := range d.now.Members {
		c, exists := d.now.Children[m.Node]
		if !exists || c.Deleting || !d.now.releases.behind(c) || d.steps[m.Node].Action != ActionKeep {
			continue
		}

		s := d.steps[m.Node]

		switch {
		case d.now.System.Trouble != "":
			s.Why = "waits for system-upgrade-controller"
			d.said.block(d.now.System.Trouble)
		case d.now.System.Pending != "":
			s.Why = "waits for " + d.now.System.Pending + ", which writes the Plans"
			d.said.wait(d.now.System.Pending)
		case d.now.losses.lost(m.Node):
			// Its VM is off for good: the one that replaces it gets the release.
			s.Why = "is lost with its Proxmox node"
		case m.Role == v1alpha1.K3sAgent && len(serversBehind) > 0:
			s.Why = "waits for " + list(serversBehind)
			d.said.wait(serversBehind...)
		case !d.rests(m.Node, restEnded):
			s.Why = "waits until it is at rest"
			d.said.wait(m.Node)
		case !d.may(m.Node, m.Role, restEnded):
			s.Why = "waits for " + list(d.waitsFor(m.Node, m.Role, restEnded))
		default:
			turnToUpgrade(d.now.System, s)
		}
	}
}

// plansOf system-upgrade-controller as they are to be; nil where it upgrades nobody. A Plan that names no node keeps the release that it
// has: the controller deletes the Jobs of another one.
func plansOf(now *situation, steps map[string]*Step) map[Role]UpgradePlan {
	if now.System == nil {
		return nil
	}

	out := map[Role]UpgradePlan{}

	for _, role := range []Role{v1alpha1.K3sServer, v1alpha1.K3sAgent} {
		p := UpgradePlan{Version: now.System.Plans[role].Version}

		for name, s := range steps {
			if s.Action != ActionUpgrade || s.Role != role {
				continue
			}

			p.Nodes = append(p.Nodes, now.Children[name].NodeName)
			p.Drain = p.Drain || drains(now.System, now.Children[name].Spec)
		}

		slices.Sort(p.Nodes)

		// No agent gets a release before the servers have it.
		first := role == v1alpha1.K3sServer || len(now.releases.serversBehind()) == 0

		if len(p.Nodes) > 0 && first || p.Version == "" && !now.releases.anyBehind() {
			p.Version = now.System.Version
		}

		if p.Version == "" {
			p.Version = now.releases.runs()
		}

		out[role] = p
	}

	return out
}

// completed says that a rollout is complete, and what keeps the next one from its beginning.
func completed(now *situation) string {
	out := "All nodes are as the claim describes them."

	if now.System != nil && now.System.Trouble != "" {
		out += " " + sentence(now.System.Trouble)
	}

	if kept := keepReleases(now); len(kept) > 0 {
		out += " version is for new nodes, since upgrade is None: another release of K3s is on " + list(kept) + "."

		if serversRun(now.World) == "" {
			out += " Upgrade the servers before a new agent is made: no agent may be newer than its servers."
		}
	}

	return out + keepsBack(now) + keepsAhead(now)
}

// laterRelease begins what is said of nodes that are to have a later release than the claim has.
const laterRelease = "The next VM of "

// OfLaterReleases is what the message of a cluster's rollout says of nodes whose next VMs have a later release than the claim, since that runs; empty where it
// says nothing of any.
func OfLaterReleases(message string) string {
	if i := strings.Index(message, laterRelease); i >= 0 {
		return message[i:]
	}

	return ""
}

// keepsAhead says which nodes are to have a later release than the claim has, since that runs; empty where none.
func keepsAhead(now *situation) (out string) {
	nodes, earlier := map[string][]string{}, ""

	for _, m := range now.Members {
		if m.Earlier != "" {
			earlier = m.Earlier
			nodes[versionOf(m.Spec)] = append(nodes[versionOf(m.Spec)], m.Node)
		}
	}

	for _, release := range slices.Sorted(maps.Keys(nodes)) {
		out += fmt.Sprintf(" "+laterRelease+"%s comes with K3s %s, and not with %s, which is older than what runs: write %s as the version.",
			list(nodes[release]), release, earlier, release)
	}

	return out
}

// keepsBack says which agents have an earlier release than the claim has, since their servers do; empty where none.
func keepsBack(now *situation) string {
	var agents []string

	later := ""

	for _, m := range now.Members {
		if m.Later != "" {
			agents, later = append(agents, m.Node), m.Later
		}
	}

	if len(agents) == 0 {
		return ""
	}

	return fmt.Sprintf(" %s: no K3s %s before %s, since no agent may be newer than its servers.", list(agents), later, list(now.releases.serversBefore(later)))
}

// keepReleases are the nodes that nobody upgrades to the release of the claim, sorted: those that run another one, as far as that is known, and those that
// were created with another one where it is not.
func keepReleases(now *situation) (nodes []string) {
	if now.Upgrade == v1alpha1.UpgradeReplace || now.Upgrade == v1alpha1.UpgradeSystem {
		return nil
	}

	for _, m := range now.Members {
		if c, exists := now.Children[m.Node]; exists && c.VersionChanged && (!c.VersionSeen || c.Version != versionOf(m.Spec)) {
			nodes = append(nodes, m.Node)
		}
	}

	slices.Sort(nodes)

	return nodes
}

// upgradeProgress says how far system-upgrade-controller has come, and for whom it waits.
func upgradeProgress(now *situation, p Plan) string {
	run, all := 0, 0

	for _, c := range now.Children {
		if c.Joined && !c.Deleting {
			all++

			if c.VersionSeen && !now.releases.behind(c) {
				run++
			}
		}
	}

	var waits []string

	for _, s := range p.Steps {
		if s.Action == ActionUpgrade {
			waits = append(waits, s.Node+trouble(now.Children[s.Node]))
		}
	}

	out := fmt.Sprintf("K3s %s is being rolled out by system-upgrade-controller: %d of %d nodes run it; waits for %s", now.System.Version, run, all, list(waits))
	if now.System.Window {
		out += ", and for rollout.window"
	}

	if out = sentence(out); etcdUnknown(now.releases) {
		out += " " + k3s.EtcdUnknown
	}

	return out
}

// drains says whether a node is drained before an outage.
func drains(system *SystemUpgrade, spec map[string]any) bool {
	asks, said := group(spec, "k3s")["drain"].(bool)

	return asks || !said && system.Drains
}
