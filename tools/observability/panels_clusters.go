package main

// chosenClusters are those of the namespaces that the dashboard's user chose.
const chosenClusters = `claim_namespace=~"$namespace"`

// cluster lists the labels that identify a K3sCluster.
const cluster = "claim_namespace, cluster, customresource_kind"

// eachCluster aggregates an expression to one series per cluster.
func eachCluster(expr string) string { return "max by (" + cluster + ") (" + expr + ")" }

// clusterRows are about K3sClusters, and about the memory of VMs, on which the choice of Proxmox nodes depends.
func clusterRows() []row {
	count := func(expr string) string { return "count(" + expr + ") or vector(0)" }
	of := func(metric, selectors string) string { return metric + "{" + chosenClusters + selectors + "}" }
	with := func(labels, expr string) string { return "max by (" + cluster + ", " + labels + ") (" + expr + ")" }

	return []row{
		{title: "Clusters", panels: []panel{
			stat("Clusters", "Claims of kind K3sCluster, in any state.", -1, count(eachCluster(of("homelab_cluster_info", "")))),
			stat("Under way", "Clusters whose rollout is not complete.", -1, count(eachCluster(of("homelab_cluster_rollout", `,state!="Complete"`)+" == 1"))),
			stat("Blocked", "Clusters whose rollout waits for somebody's decision.", 1,
				count(eachCluster(of("homelab_cluster_rollout", `,state="Blocked"`)+" == 1"))),
			stat("Edits refused", "Clusters whose claim the function refuses. All nodes stay as they are.", 1,
				count(eachCluster(of("homelab_cluster_condition", `,type="SpecValid",status="False"`)))),
			stat("Servers not ready", "Servers that do not serve their cluster, with those that are not created yet.", 1,
				count(with("cluster_node", of("homelab_cluster_node_ready", `,role="server"`)+" == 0"))),
			stat("Agents not ready", "Agents that do not serve their cluster, with those that are not created yet.", 1,
				count(with("cluster_node", of("homelab_cluster_node_ready", `,role="agent"`)+" == 0"))),
			table("Rollouts", "The state of each cluster, whose turn it is, and how many nodes are as the claim describes them. docs/clusters.md explains turns.", 8,
				[][2]string{
					{"claim_namespace", "Namespace"},
					{"cluster", "Cluster"},
					{"state", "Rollout"},
					{"done", "Done"},
					{"turn", "Turn"},
					{"turn_action", "Action"},
					{"servers_ready", "Servers"},
					{"agents_ready", "Agents"},
					{"k3s_version", "K3s of new nodes"},
					{"rollout_paused", "Paused"},
				},
				query("", with("done, turn, turn_action, servers_ready, agents_ready, k3s_version, rollout_paused", of("homelab_cluster_info", ""))+
					" * on ("+cluster+") group_left (state) "+with("state", of("homelab_cluster_rollout", "")+" == 1"))),
			graph("Time that a rollout stands still", "Since the rollout last changed its state, its turn or what it waits for; 0 when it is complete.", "s", 8,
				query("{{claim_namespace}}/{{cluster}}", "(time() - "+eachCluster(of("homelab_cluster_rollout_changed_timestamp_seconds", ""))+
					") * on ("+cluster+") "+eachCluster(of("homelab_cluster_rollout", `,state!="Complete"`)))),
			graph("Nodes ready", "Nodes that serve their cluster, by role.", "short", 8,
				query("{{claim_namespace}}/{{cluster}}: {{role}}", "sum by ("+cluster+", role) ("+with("role, cluster_node", of("homelab_cluster_node_ready", ""))+")"),
				query("{{claim_namespace}}/{{cluster}}: servers asked for", eachCluster(of("homelab_cluster_servers", ""))),
				query("{{claim_namespace}}/{{cluster}}: agents asked for", "sum by ("+cluster+") ("+with("pool", of("homelab_cluster_agents", ""))+")")),
			graph("Memory of VMs by Proxmox node", "Memory of all VMs that managed resources describe, running or not. `kubectl machine capacity` compares it with the "+
				"catalogue.", "mbytes", 8,
				query("{{node}}", `sum by (node) (max by (node, managed, customresource_kind) (homelab_managed_memory_mebibytes))`)),
			table("Nodes of K3sClusters", "What the status of each cluster says of its nodes.", 10, [][2]string{
				{"claim_namespace", "Namespace"},
				{"cluster", "Cluster"},
				{"cluster_node", "Node"},
				{"state", "State"},
				{"machine", "Machine"},
				{"node", "Proxmox node"},
				{"vm_id", "VM"},
				{"address", "Address"},
				{"k3s_version", "K3s"},
			}, query("", with("cluster_node, state, machine, node, vm_id, address, k3s_version", of("homelab_cluster_node_info", "")))),
		}},
	}
}
