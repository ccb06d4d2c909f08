package status

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/object"
)

// upgrades are the moments of a node whose K3s system-upgrade-controller upgrades.
func upgrades() map[string]scenario {
	const (
		runs, wanted = "v1.33.6+k3s1", "v1.33.7+k3s3"
		from         = "The node runs K3s v1.33.6+k3s1, and is to run "
		turn         = from + "v1.33.7+k3s3: system-upgrade-controller upgrades it in place"
		cannot       = from + "v1.33.7+k3s3, and cannot be upgraded in place. "
	)

	of := func(reason string, u lifecycle.Upgrade, why, message string, events ...Event) scenario {
		u.Runs = runs
		if u.Release == "" {
			u.Release = wanted
		}

		for i := range events {
			events[i].Reason, events[i].Message = why, message
		}

		return scenario{
			reason: reason,
			in: func(t *testing.T) Input {
				t.Helper()

				in := had(observedServer(t, asIs))
				in.Machine.K3s.NodesConfig, in.Machine.K3s.SystemUpgrade = "home", &machine.SystemUpgrade{}
				in.Previous = after(Machine(in))
				in.Plan.Upgrade = u

				return in
			},
			want: Output{
				Status: made(kubernetes), Ready: readiness(true, true, true), Events: events,
				Conditions: nodeConditions(Condition{"VersionCurrent", metav1.ConditionFalse, why, message}),
			},
		}
	}
	waiting := func(waits ...lifecycle.UpgradeWait) lifecycle.Upgrade {
		return lifecycle.Upgrade{State: lifecycle.UpgradeWaiting, Waits: waits}
	}
	blocked := func(b lifecycle.UpgradeBlock) lifecycle.Upgrade {
		return lifecycle.Upgrade{State: lifecycle.UpgradeBlocked, Block: b, Cluster: "lab", Blocker: lifecycle.Blocker{
			Reason: lifecycle.BlockedByQuorum, Cluster: "home", Servers: 2, Ready: 1, Needed: 2,
		}}
	}
	refused := func(r lifecycle.UpgradeRefusal, release string) lifecycle.Upgrade {
		return lifecycle.Upgrade{State: lifecycle.UpgradeRefused, Refusal: r, Release: release}
	}
	etcd := refused(lifecycle.RefusedEtcd, "v1.34.2+k3s1")
	etcd.Stop = "v1.33.7+k3s3"

	unknown := waiting(lifecycle.UpgradeWait{Reason: lifecycle.WaitPlan})
	unknown.EtcdUnknown = true

	unwritten := blocked(lifecycle.UpgradeBlockedByPlan)
	unwritten.Sight = object.SightForbidden

	warning := Event{Warning: true}

	return map[string]scenario{
		"UpgradeAfterOthers": of("Servers come first, by name.",
			waiting(lifecycle.UpgradeWait{Reason: lifecycle.WaitBehind, Machine: "server-1", Release: runs}, lifecycle.UpgradeWait{Reason: lifecycle.WaitOutage, Machine: "server-1", Outage: lifecycle.OutageUpgrade}),
			ReasonWaitingForTurn, turn+", after server-1 (runs v1.33.6+k3s1), when server-1 is back, which is being upgraded."),
		"UpgradeWhenOthersAreWell": of("A node that is not well holds all others.", waiting(
			lifecycle.UpgradeWait{Reason: lifecycle.WaitAway, Machine: "agent-1", Missing: lifecycle.MissingNotReady},
			lifecycle.UpgradeWait{Reason: lifecycle.WaitAway, Machine: "server-3", Missing: lifecycle.MissingVote},
		), ReasonWaitingForTurn, turn+", when agent-1 is ready again (its Node is not Ready), server-3 is ready again (its etcd member does not vote)."),
		"UpgradeAnnounced": of("Two must not begin at the same time.", waiting(lifecycle.UpgradeWait{Reason: lifecycle.WaitAnnounced}), ReasonWaitingForTurn,
			turn+", when no other node of the cluster is upgraded: it is announced to them."),
		"UpgradePlanUnwritten": of("The Plan comes first.", waiting(lifecycle.UpgradeWait{Reason: lifecycle.WaitPlan}), ReasonWaitingForTurn,
			turn+", when provider-kubernetes has written its Plan."),
		"UpgradeOfACordonedNode": of("The controller would uncordon it.", waiting(lifecycle.UpgradeWait{Reason: lifecycle.WaitCordoned}), ReasonWaitingForTurn,
			turn+", when somebody runs `kubectl uncordon dns01`: the Node is cordoned, and the controller would uncordon it."),
		"UpgradeAfterAnOutage": of("One thing at a time.", waiting(lifecycle.UpgradeWait{Reason: lifecycle.WaitOwnOutage}), ReasonWaitingForTurn,
			turn+", when no drain, restart or other planned outage of its own is left."),
		"UpgradeOfASickNode": of("A node that is not well is not upgraded.", waiting(lifecycle.UpgradeWait{Reason: lifecycle.WaitOwnNode}), ReasonWaitingForTurn,
			turn+", when its own VM runs, and its Node is Ready and votes if it is a server's."),
		"Upgrading": of("The controller is at work.", lifecycle.Upgrade{State: lifecycle.UpgradeRunning}, ReasonUpgrading,
			"System-upgrade-controller upgrades K3s in place, from v1.33.6+k3s1 to v1.33.7+k3s3. It ends when the Node runs that release, is Ready and not cordoned, and "+
				"votes if it is a server's.", Event{}),
		"UpgradingUnseen": of("The only API server restarts.", lifecycle.Upgrade{State: lifecycle.UpgradeRunning, Sight: object.SightUnreachable}, ReasonUpgrading,
			"System-upgrade-controller upgrades K3s in place, from v1.33.6+k3s1 to v1.33.7+k3s3. It ends when the Node runs that release, is Ready and not cordoned, and "+
				"votes if it is a server's. Now the Node or the Plan cannot be read, as while the API server restarts.", Event{}),
		"UpgradeWithoutRights": of("Somebody has to give them.", unwritten, ReasonUpgradeBlocked,
			cannot+"Provider-kubernetes may not write Plans into namespace system-upgrade: apply install/observe/provider-kubernetes-plans.yaml in the cluster.", warning),
		"UpgradeWithoutKind": of("Somebody has to install it.", blocked(lifecycle.UpgradeBlockedByNoKind), ReasonUpgradeBlocked,
			cannot+"Provider-kubernetes is not installed, or its kind Object is not active: it writes the Plans of system-upgrade-controller.", warning),
		"UpgradeWithoutProof": of("No other Node is touched.", blocked(lifecycle.UpgradeBlockedByNoProof), ReasonUpgradeBlocked,
			cannot+"Neither the system UUID of the Node nor its label proves that the Node is this machine's VM: upgrade it by hand. A replacement of the VM brings the proof.", warning),
		"UpgradeOptedOut": of("A person's label counts.", blocked(lifecycle.UpgradeBlockedByLabel), ReasonUpgradeBlocked,
			cannot+"Its Node has the label k3s-upgrade, by which somebody keeps it from upgrades: `kubectl label node dns01 k3s-upgrade-`.", warning),
		"UpgradeBesideACluster": of("A K3sCluster takes turns of its own.", blocked(lifecycle.UpgradeBlockedByCluster), ReasonUpgradeBlocked,
			cannot+"K3sCluster lab has nodes of the same Kubernetes cluster, and changes them in turns of its own, which do not wait for other K3sNodes. Let the K3sCluster "+
				"adopt this node, or upgrade the node by hand.", warning),
		"UpgradeOfOneOfTwo": of("Two servers have no quorum without one.", blocked(lifecycle.UpgradeBlockedByQuorum), ReasonUpgradeBlocked,
			cannot+"K3s cluster home has 2 servers, this one included. Other servers that are ready: 1; needed for etcd's quorum: 2. First add or repair servers. "+
				"To begin in spite of that, set spec.lifecycle.force to a new value.", warning),
		"UpgradeToAnOlderRelease": of("K3s is not downgraded.", refused(lifecycle.RefusedOlder, "v1.32.9+k3s1"), ReasonUpgradeRefused,
			from+"v1.32.9+k3s1. K3s cannot be downgraded in place: correct version in the cluster's entry of the catalogue, or spec.k3s.version.", warning),
		"UpgradeThatSkips": of("Kubernetes does not support it.", refused(lifecycle.RefusedSkip, "v1.35.1+k3s1"), ReasonUpgradeRefused,
			from+"v1.35.1+k3s1. That skips a minor release, which Kubernetes does not support: upgrade to a release of v1.34 first: one after the other, v1.33.7+k3s3, v1.34.9+k3s1, "+
				"v1.35.1+k3s1.", warning),
		"UpgradeThatBringsMembersBack": of("The cluster would stop.", etcd, ReasonUpgradeRefused,
			from+"v1.34.2+k3s1. Etcd 3.6 would count removed members again, because this server's etcd is older than 3.5.26: upgrade to v1.33.7+k3s3 first.", warning),
		"UpgradeToAnUnknownEtcd": of("A person has to look.", unknown, ReasonWaitingForTurn,
			turn+", when provider-kubernetes has written its Plan. The function does not know the etcd of one of the two releases: servers with an etcd before 3.5.26 must "+
				"not get etcd 3.6; see docs/clusters.md, Upgrades and etcd."),
		"UpgradeToNoRelease": of("Nobody can tell which is later.", refused(lifecycle.RefusedUnreadable, "v2.0.0+k3s1"), ReasonUpgradeRefused,
			from+"v2.0.0+k3s1. One of the two is no release of K3s that can be compared, such as v1.33.6+k3s1: correct version in the cluster's entry of the catalogue, or "+
				"spec.k3s.version.", warning),
	}
}
