package main

import (
	"fmt"
	"time"
)

// cluster lists the labels that identify a K3sCluster.
const cluster = "claim_namespace, cluster, customresource_kind"

// clusterClaim is the name of a K3sCluster in an alert.
const clusterClaim = "{{ $labels.customresource_kind }} {{ $labels.claim_namespace }}/{{ $labels.cluster }}"

// eachCluster aggregates an expression to one series per cluster.
func eachCluster(expr string) string { return "max by (" + cluster + ") (" + expr + ")" }

// inRollout selects clusters whose rollout is in one of some states.
func inRollout(states string) string {
	return fmt.Sprintf(`max by (%s, state) (homelab_cluster_rollout{state=~%q} == 1)`, cluster, states)
}

// clusterSays selects a condition of clusters.
func clusterSays(condition, status string) string {
	return fmt.Sprintf(`homelab_cluster_condition{type=%q,status=%q}`, condition, status)
}

// clusterAlerts are alerts about K3sClusters.
func clusterAlerts() []alert {
	return append(rolloutAlerts(), clusterNodeAlerts()...)
}

// rolloutAlerts are alerts about rollouts that do not go on.
func rolloutAlerts() []alert {
	const day = 24 * time.Hour

	return []alert{
		{
			name: "ClusterSpecRefused", wait: 10 * time.Minute, severity: warning,
			expr:    "max by (" + cluster + ", reason) (" + clusterSays("SpecValid", "False") + ")",
			summary: "The function refuses the edit of " + clusterClaim + " ({{ $labels.reason }}).",
			description: "No node changes, and your edit has no effect, although GitOps tools report the claim as applied. Condition SpecValid lists every fault with " +
				"its path. Correct the claim, or the catalogue.",
			link: "conditions.md#specvalid",
		},
		{
			name: "ClusterRolloutStuck", wait: 5 * time.Minute, severity: warning,
			// A new VM may wait half an hour for its image, and the shutdown of a guest that does not answer takes as long.
			expr: inRollout("Progressing|Waiting") + " and on (" + cluster + ") (time() - " + eachCluster("homelab_cluster_rollout_changed_timestamp_seconds") +
				" > 7200)",
			summary: "The rollout of " + clusterClaim + " has stood still for two hours ({{ $labels.state }}).",
			description: "No other node is touched meanwhile. Condition RolledOut names the node and its trouble; the conditions of that node say more: `kubectl -n " +
				"{{ $labels.claim_namespace }} describe k3sclusters {{ $labels.cluster }}`.",
			link: "clusters.md#a-rollout-that-stands-still",
		},
		{
			name: "ClusterRolloutBlocked", wait: 15 * time.Minute, severity: warning,
			expr:        inRollout("Blocked"),
			summary:     "The rollout of " + clusterClaim + " is blocked, until somebody decides.",
			description: "Part of your edit has no effect. Condition RolledOut says what is missing, such as deletionPolicy: Delete before a node is removed.",
			link:        "clusters.md#a-rollout-that-stands-still",
		},
		{
			name: "ClusterPaused", wait: 3 * day, severity: info,
			expr:    eachCluster(`homelab_cluster_info{rollout_paused="true"} or homelab_cluster_info{paused="true"}`),
			summary: "Somebody paused " + clusterClaim + " three days ago.",
			description: "Edits of the claim reach no node, and nothing replaces a node that is missing. To end the pause, remove rollout.pause, or the annotation " +
				"crossplane.io/paused, from the claim.",
			link: "clusters.md#pausing",
		},
	}
}

// joinedServers selects servers of clusters that have been ready once.
const joinedServers = `homelab_cluster_node_info{role="server",state!~"Waiting|Creating|Leaving"}`

// clusterNodeAlerts are alerts about nodes of clusters.
func clusterNodeAlerts() []alert {
	ready := "max by (" + cluster + `, cluster_node) (homelab_cluster_node_ready{role="server"})`
	joined := "max by (" + cluster + ", cluster_node) (" + joinedServers + ")"
	agent := "max by (" + cluster + `, cluster_node) (homelab_cluster_node_ready{role="agent"} == 0)`

	return []alert{
		{
			name: "ClusterServersNotReady", wait: 45 * time.Minute, severity: warning,
			expr:    eachCluster(clusterSays("ServersReady", "False")),
			summary: "Servers of " + clusterClaim + " have not been ready for 45 minutes.",
			description: "The next server that fails can stop the cluster, and the rollout waits. Condition ServersReady names the servers, RolledOut their trouble; the " +
				"conditions of these nodes say more.",
			link: "conditions.md#serversready",
		},
		{
			name: "ClusterMajorityNotReady", wait: 10 * time.Minute, severity: critical,
			expr:    "sum by (" + cluster + ") (" + ready + " and on (" + cluster + ", cluster_node) " + joined + ") * 2 <= count by (" + cluster + ") (" + joined + ")",
			summary: "Half of the servers of " + clusterClaim + ", or more, are not ready.",
			description: "etcd has probably lost its quorum, and the API server answers no writes; the pods run on. Condition RolledOut names the servers and their trouble. If the function refuses the " +
				"spec of the servers (SpecValid), their VMs run on. If the servers are lost: restore a snapshot.",
			link: "clusters.md#all-servers-are-lost",
		},
		{
			name: "ClusterSpreadBroken", wait: time.Hour, severity: warning,
			expr:    eachCluster(clusterSays("SpreadBroken", "True")),
			summary: "Servers of " + clusterClaim + " are on one Proxmox node.",
			description: "An outage of the node can take etcd's quorum with it. Somebody moved a VM, or Proxmox did: its HA manager, or its balancing. Condition SpreadBroken names the servers, " +
				"and a node to which you can move one of them with qm migrate. Nothing moves them by itself.",
			link: "conditions.md#spreadbroken",
		},
		{
			name: "ClusterAgentNotReady", wait: 45 * time.Minute, severity: warning,
			expr:    agent + " unless on (" + cluster + `, cluster_node) homelab_cluster_node_info{state=~"Waiting|Leaving"}`,
			summary: "Node {{ $labels.cluster_node }} of " + clusterClaim + " has not been ready for 45 minutes.",
			description: "status.nodes of the claim has the state of the node and the name of its K3sNode, or XK3sNode, whose conditions say what is wrong. The rollout waits " +
				"for the node.",
			link: "clusters.md#a-rollout-that-stands-still",
		},
	}
}
