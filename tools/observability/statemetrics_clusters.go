package main

// rolloutStates of a cluster.
func rolloutStates() []string {
	return []string{"Complete", "Progressing", "Waiting", "Blocked", "Paused"}
}

// stateCluster is a claim of kind K3sCluster, or a namespaced composite. Its nodes are in its status: where claims are, a node is a composite
// without a claim.
func stateCluster() stateResource {
	nodes := []string{"status", "nodes"}
	node := func(more map[string][]string) map[string][]string {
		more["cluster_node"], more["role"] = []string{"name"}, []string{"role"}
		return more
	}

	nodeInfo := infoMetric("node_info", "A node of a cluster, from the cluster's status.", node(map[string][]string{
		"machine": {"machine"}, "state": {"state"}, "vm_id": {"vmId"}, "node": {"proxmoxNode"}, "address": {"address"}, "k3s_version": {"version"},
	}))
	nodeInfo.Each.Info.Path = nodes

	return stateResource{
		GroupVersionKind: stateKind{Group: "homelab.io", Version: "v1alpha1", Kind: "K3sCluster"},
		MetricNamePrefix: "homelab_cluster", ErrorLogV: quiet,
		LabelsFromPath: map[string][]string{"cluster": {"metadata", "name"}, "claim_namespace": {"metadata", "namespace"}},
		Metrics: []stateMetric{
			infoMetric("info", "What a cluster is; rollout_paused is true where rollout.pause is set, paused where somebody paused the claim.",
				map[string][]string{
					"k3s_version": {"status", "version"}, "servers_ready": {"status", "servers", "ready"}, "agents_ready": {"status", "agents", "ready"},
					"done": {"status", "rollout", "done"}, "turn": {"status", "rollout", "turn", "node"}, "turn_action": {"status", "rollout", "turn", "action"},
					"rollout_paused": {"spec", "rollout", "pause"}, "paused": pausedAnnotation(),
				}),
			gaugeMetric("servers", "Servers that the claim asks for.", []string{"spec", "servers", "count"}, nil, nil),
			gaugeMetric("agents", "Agents that the claim asks for.", []string{"spec", "agents"}, []string{"count"}, map[string][]string{"pool": {"name"}}),
			nodeInfo,
			gaugeMetric("node_ready", "Whether a node serves its cluster.", nodes, []string{"ready"}, node(map[string][]string{})),
			{Name: "rollout", Help: "State of the rollout: 1 for the current state, 0 for the others.", Each: stateEach{
				Type: "StateSet", StateSet: &stateSet{Path: []string{"status", "rollout", "state"}, LabelName: "state", List: rolloutStates()},
			}},
			// Crossplane writes the time of a condition anew when its status, reason or message changes.
			gaugeMetric("rollout_changed_timestamp_seconds", "Unix time at which the rollout last changed its state, its turn or what it waits for.",
				[]string{"status", "conditions", "[type=RolledOut]", "lastTransitionTime"}, nil, nil),
			conditionMetric("Conditions of a cluster: always 1, with status and reason as labels."),
			timeMetric("creation"), timeMetric("deletion"),
		},
	}
}
