package status

import (
	"cmp"
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/homelab-io/function-proxmox-machine/internal/k3s"
	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
	"github.com/homelab-io/function-proxmox-machine/internal/object"
)

// upgrade is the condition on the node's release of K3s, while system-upgrade-controller is to upgrade it, or does.
func (r *nodeReport) upgrade() Condition {
	u := r.plan.Upgrade
	c := Condition{Type: TypeVersionCurrent, Status: metav1.ConditionFalse}
	runs, wanted := cmp.Or(message.Excerpt(u.Runs), "an unknown release"), message.Excerpt(u.Release)
	from := "The node runs K3s " + runs + ", and is to run " + wanted

	switch u.State {
	case lifecycle.UpgradeWaiting:
		c.Reason, c.Message = ReasonWaitingForTurn, from+": system-upgrade-controller upgrades it in place"+r.turn()
		if u.EtcdUnknown {
			c.Message += " " + k3s.EtcdUnknown
		}
	case lifecycle.UpgradeRunning:
		c.Reason, c.Message = ReasonUpgrading, "System-upgrade-controller upgrades K3s in place, from "+runs+" to "+wanted+
			". It ends when the Node runs that release, is Ready and not cordoned, and votes if it is a server's."+r.upgradeUnread()
	case lifecycle.UpgradeBlocked:
		c.Reason, c.Message = ReasonUpgradeBlocked, from+", and cannot be upgraded in place. "+r.upgradeBlocked()
	case lifecycle.UpgradeRefused:
		c.Reason, c.Message = ReasonUpgradeRefused, from+". "+refusal(u)
	case lifecycle.UpgradeNone:
	}

	return c
}

// turn says after whom, or when, the upgrade begins.
func (r *nodeReport) turn() string {
	var after, until []string

	for _, w := range r.plan.Upgrade.Waits {
		switch w.Reason {
		case lifecycle.WaitBehind:
			after = append(after, w.Machine+" (runs "+message.Excerpt(w.Release)+")")
		case lifecycle.WaitAway:
			until = append(until, w.Machine+" is ready again ("+missingWords(lifecycle.MissingServer{Reason: w.Missing})+")")
		case lifecycle.WaitOutage:
			until = append(until, w.Machine+" is back, which "+away(w.Outage))
		case lifecycle.WaitOwnOutage:
			until = append(until, "no drain, restart or other planned outage of its own is left")
		case lifecycle.WaitOwnNode:
			until = append(until, "its own VM runs, and its Node is Ready and votes if it is a server's")
		case lifecycle.WaitCordoned:
			until = append(until, "somebody runs `kubectl uncordon "+r.plan.Node.Name+"`: the Node is cordoned, and the controller would uncordon it")
		case lifecycle.WaitPlan:
			until = append(until, "provider-kubernetes has written its Plan")
		case lifecycle.WaitAnnounced:
			until = append(until, "no other node of the cluster is upgraded: it is announced to them")
		}
	}

	out := ""
	if len(after) > 0 {
		out += ", after " + some(after)
	}

	if len(until) > 0 {
		out += ", when " + some(until)
	}

	if out == "" {
		out = " when its turn comes"
	}

	out += "."
	if r.machine.K3s.Observe == machine.ObserveObject {
		out += " What is known of Nodes is at most as old as provider-kubernetes' --poll, 10 minutes if that is not set."
	}

	return out
}

// maxWaits is the number of nodes that a message names.
const maxWaits = 5

// some of many words.
func some(all []string) string {
	out := strings.Join(all[:min(len(all), maxWaits)], ", ")
	if more := len(all) - maxWaits; more > 0 {
		out += fmt.Sprintf(" and %d more", more)
	}

	return out
}

// upgradeUnread says why nobody knows how the upgrade is; empty where it is known.
func (r *nodeReport) upgradeUnread() string {
	if r.ours() != nil && r.plan.Upgrade.Sight != object.SightUnreachable {
		return ""
	}

	return " Now the Node or the Plan cannot be read, as while the API server restarts."
}

// upgradeBlocked says what a person has to do before the node can be upgraded.
func (r *nodeReport) upgradeBlocked() string {
	u, config := r.plan.Upgrade, r.machine.K3s.NodesConfig

	switch u.Block {
	case lifecycle.UpgradeBlockedByNoKind:
		return "Provider-kubernetes is not installed, or its kind Object is not active: it writes the Plans of system-upgrade-controller."
	case lifecycle.UpgradeBlockedByNoProof:
		return "Neither the system UUID of the Node nor its label proves that the Node is this machine's VM: upgrade it by hand. A replacement of the VM brings the proof."
	case lifecycle.UpgradeBlockedByLabel:
		return "Its Node has the label " + object.OptOutLabel + ", by which somebody keeps it from upgrades: `kubectl label node " + r.plan.Node.Name + " " + object.OptOutLabel + "-`."
	case lifecycle.UpgradeBlockedByCluster:
		return "K3sCluster " + u.Cluster + " has nodes of the same Kubernetes cluster, and changes them in turns of its own, which do not wait for other K3sNodes. Let the " +
			"K3sCluster adopt this node, or upgrade the node by hand."
	case lifecycle.UpgradeBlockedByQuorum:
		return blocked(u.Blocker) + toForce
	case lifecycle.UpgradeBlockedByPlan:
		why := object.PlanTrouble(u.Sight, r.machine.K3s.SystemUpgrade.Namespace, config)
		return strings.ToUpper(why[:1]) + why[1:] + "."
	case lifecycle.UpgradeUnblocked:
	}

	return ""
}

// byHand says why nobody can upgrade the node on its VM to the release that its claim names, and what to do, as the rest of a sentence on the two; empty where
// somebody can.
func (r *nodeReport) byHand(runs, wanted string) string {
	u := lifecycle.Upgrade{Runs: runs, Release: wanted}
	u.Refusal, u.Stop = lifecycle.RefusalOf(&r.plan.Situation, runs, wanted)

	switch u.Refusal {
	case lifecycle.RefusedOlder:
		return ", which is older. K3s cannot be downgraded in place: name " + runs + " or a later release in the claim, or in the catalogue if the release is from there."
	case lifecycle.RefusedSkip, lifecycle.RefusedEtcd:
		return ". " + refusal(u) + " Do so on the nodes, all servers before the agents, and name the release that they get next in the claim, or in the catalogue if the " +
			"release is from there."
	case lifecycle.RefusedUnreadable, lifecycle.UpgradeAllowed:
	}

	return ""
}

// refusal says why the node is not upgraded to the release, and what to do.
func refusal(u lifecycle.Upgrade) string {
	const where = "correct version in the cluster's entry of the catalogue, or spec.k3s.version"

	switch u.Refusal {
	case lifecycle.RefusedOlder:
		return "K3s cannot be downgraded in place: " + where + "."
	case lifecycle.RefusedSkip:
		return "That skips a minor release, which Kubernetes does not support: " + k3s.InSteps(u.Runs, u.Release) + "."
	case lifecycle.RefusedEtcd:
		return "Etcd 3.6 would count removed members again, because this server's etcd is older than " + k3s.RepairsMembers + ": upgrade to " + u.Stop + " first."
	case lifecycle.RefusedUnreadable:
		return "One of the two is no release of K3s that can be compared, such as v1.33.6+k3s1: " + where + "."
	case lifecycle.UpgradeAllowed:
	}

	return ""
}
