package main

import (
	"slices"
	"time"
)

// inPhase selects machines in one of some phases.
func inPhase(phases string) string {
	return ` on (` + machine + `) (homelab_machine_phase{phase=~"` + phases + `"} == 1)`
}

// exceptStopped leaves out machines whose claim asks for a stopped VM.
func exceptStopped(expr string) string {
	return expr + ` unless on (` + machine + `) homelab_machine_info{power="Stopped"}`
}

// exceptAway leaves out machines whose VM is away because somebody asked for it: it is stopped, it is replaced, or it is in a power cycle.
// Nobody reports for such a VM, so its Node is not Ready, and its etcd member is as it was last.
func exceptAway(expr string) string {
	return exceptStopped(expr) + " unless" + inPhase("Stopped|Replacing") +
		` unless on (` + machine + `) homelab_machine_condition{type="RebootPending",reason="Rebooting"}`
}

// nodeAlerts are alerts about the Kubernetes Nodes behind VMs that are well for Proxmox.
func nodeAlerts() []alert {
	return slices.Concat(joinAlerts(), memberAlerts(), drainAlerts())
}

// drainAlerts are alerts about planned outages that wait, and about nodes that get no pods.
func drainAlerts() []alert {
	return []alert{
		{
			name: "MachineDrainBlocked", wait: 30 * time.Minute, severity: warning,
			expr:    each(says("NodeDrained", "False", `=~"DrainBlocked|UncordonFailed"`)),
			summary: "The Kubernetes Node of " + claim + " could not be drained, or uncordoned, for 30 minutes.",
			description: "A restart, stop or replacement of the VM waits for its drain, or the node stays cordoned and gets no pods. Condition NodeDrained has the cause: " +
				"provider-kubernetes, its rights or its configuration are missing, or the Node is not proven to be this VM.",
			link: "node.md#draining-a-node",
		},
	}
}

// joinAlerts are alerts about VMs that are no node of their cluster.
func joinAlerts() []alert {
	return []alert{
		{
			name: "MachineNodeNotJoined", wait: 20 * time.Minute, severity: warning,
			// Without an address there is no network to join through, and images and VMIDs take their time: alert MachineNotReady is about that.
			expr:    exceptStopped(each(says("NodeJoined", "False", `=~"NotYet|Failed"`)) + " and" + inPhase("Running|Replacing")),
			summary: claim + " has not joined its K3s cluster for 20 minutes.",
			description: "The VM runs, or the new VM that replaces it. Condition NodeJoined says what is known, and `k3s-bootstrap status` on the VM shows the error. The " +
				"bootstrap repeats its attempts by itself.",
			link: "bootstrap.md#where-to-look-when-it-fails",
		},
		{
			name: "MachineNodeOfAnotherMachine", wait: 15 * time.Minute, severity: warning,
			expr:    each(says("NodeJoined", "False", `="OtherMachine"`)),
			summary: "The Kubernetes Node with the name of " + claim + " is another machine's.",
			description: "K3s refuses the VM as long as this Node exists. The Node is left from an earlier machine or a replaced VM, or another machine has the name: condition " +
				"NodeJoined says which, and has the command that removes the Node.",
			link: "node.md#is-that-node-this-vm",
		},
		{
			name: "MachineNodeGone", wait: 15 * time.Minute, severity: warning,
			expr:    exceptAway(each(says("NodeJoined", "False", `="NodeGone"`))),
			summary: "Somebody deleted the Kubernetes Node of " + claim + ".",
			description: "The VM runs, and the cluster gives it no work. An agent registers its Node again when K3s restarts: `systemctl restart k3s-agent` on the VM. K3s has removed a " +
				"server's etcd member with its Node: set spec.lifecycle.replace to a new value.",
			link: "conditions.md#nodejoined",
		},
		{
			name: "MachineNodeUnread", wait: time.Hour, severity: warning,
			expr:    each(says("NodeJoined", "Unknown", `="NodeUnread"`)),
			summary: "Nobody has been able to read the Kubernetes Node of " + claim + " for an hour.",
			description: "provider-kubernetes shows no Node, so no other alert about this node can fire, and no server is replaced. Condition NodeJoined has the cause: the " +
				"provider, its rights or its configuration are missing, or the cluster does not answer.",
			link: "conditions.md#nodejoined",
		},
		{
			name: "MachineNodeNotReady", wait: 15 * time.Minute, severity: warning,
			expr:    exceptAway(each(`homelab_machine_condition{type="NodeReady",reason=~"KubeletNotReady|KubeletSilent"}`)),
			summary: "The Kubernetes Node of " + claim + " has not been Ready for 15 minutes.",
			description: "Ready of the claim stays True, unless it has readyWhen Ready. Condition NodeReady has the reason. KubeletNotReady: `kubectl describe node` shows " +
				"the cause. KubeletSilent: the VM is cut off from its cluster or switched off, or K3s does not run in it.",
			link: "conditions.md#nodeready",
		},
	}
}

// memberAlerts are alerts about the votes in etcd, and about releases of K3s.
func memberAlerts() []alert {
	return []alert{
		{
			name: "MachineEtcdMemberLost", wait: 15 * time.Minute, severity: warning,
			expr:    exceptAway(each(says("EtcdMember", "False", `="NotAMember"`))),
			summary: "K3s server " + claim + " has no healthy etcd member.",
			description: "The cluster has one vote less, so the next server that fails can stop it. `journalctl -u k3s` on the VM has the cause. Servers that are to restart or to be " +
				"replaced wait until this server votes again.",
			link: "conditions.md#etcdmember",
		},
		{
			name: "MachineEtcdMemberLearns", wait: time.Hour, severity: warning,
			expr:    exceptAway(each(says("EtcdMember", "False", `="Learner"`))),
			summary: "The etcd member of K3s server " + claim + " has not voted for an hour.",
			description: "The member copies the cluster's data, which takes minutes. It does not catch up if its disk or network is too slow, or if the cluster has no quorum: " +
				"`journalctl -u k3s` on the VM has the cause.",
			link: "conditions.md#etcdmember",
		},
		{
			name: "MachineK3sVersionDiffers", wait: 24 * time.Hour, severity: info,
			expr:    each(says("VersionCurrent", "False", `=~"OtherVersion|WaitingForTurn|UpgradeBlocked|UpgradeRefused"`)),
			summary: claim + " has run another release of K3s than its claim names for a day.",
			description: "OtherVersion: nobody upgrades K3s on existing nodes. Upgrade the node in its cluster, or write the release that it runs into the claim or its cluster's entry in the " +
				"catalogue. The other reasons: system-upgrade-controller is to upgrade the node, and cannot; condition VersionCurrent says what to do, or for whom it waits. Until then a new VM of this claim gets another release than the old VM had.",
			link: "conditions.md#versioncurrent",
		},
		{
			name: "MachineUpgradeStuck", wait: time.Hour, severity: warning,
			expr:    each(says("VersionCurrent", "False", `="Upgrading"`)),
			summary: "system-upgrade-controller has upgraded K3s on " + claim + " for an hour, and the node is not back.",
			description: "The node may be cordoned, and no other node of its cluster is upgraded, and no other server restarted or replaced, before it is back. " +
				"`kubectl -n system-upgrade get plans,jobs` in the K3s cluster and the log of the Job have the cause.",
			link: "clusters.md#upgrading-single-k3snodes-in-place",
		},
	}
}
