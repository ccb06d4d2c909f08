package main

// nodeRows are about the Kubernetes Nodes behind VMs, and about NixOS machines.
func nodeRows() []row {
	count := func(expr string) string { return "count(" + each(expr) + ") or vector(0)" }
	reasons := func(condition, reasons string) string {
		return `homelab_machine_condition{` + chosen + `,type="` + condition + `",reason=~"` + reasons + `"}`
	}

	return []row{
		{title: "Nodes of clusters", panels: []panel{
			stat("Joined", "K3s nodes that are in their cluster: their Kubernetes Node is read, or the guest reports that it joined.", -1, count(chosenCondition("NodeJoined", "True"))),
			stat("Not joined", "K3s nodes that are not in their cluster yet or any more, or whose name another machine has.", 1, count(chosenCondition("NodeJoined", "False"))),
			stat("Nodes not Ready", "Kubernetes Nodes whose kubelet is not Ready or silent.", 1, count(reasons("NodeReady", "KubeletNotReady|KubeletSilent"))),
			stat("Servers without a vote", "K3s servers whose etcd member does not vote.", 1, count(chosenCondition("EtcdMember", "False"))),
			stat("Other release", "K3s nodes that run another release of K3s than their claim names.", -1, count(chosenCondition("VersionCurrent", "False"))),
			stat("Not converged", "NixOS machines that report another outcome than success.", 1, count(chosenCondition("Converged", "False"))),
			table("Nodes", "What is known of each K3s node and NixOS machine: the reasons of the conditions of these names in docs/conditions.md.", 10, [][2]string{
				{"claim_namespace", "Namespace"},
				{"machine", "Machine"},
				{"customresource_kind", "Kind"},
				{"joined", "Joined"},
				{"ready", "Ready"},
				{"vote", "etcd"},
				{"k3s_version", "K3s"},
				{"release", "Release"},
				{"converged", "Converged"},
			}, reasonAs("joined", "NodeJoined"), reasonAs("ready", "NodeReady"), reasonAs("vote", "EtcdMember"), reasonAs("release", "VersionCurrent"),
				reasonAs("converged", "Converged"),
				query("", eachWith("k3s_version", `homelab_machine_info{`+chosen+`,k3s_version!=""}`))),
		}},
	}
}

// reasonAs is the reason of a condition of the machines that the dashboard's user chose, as a label of its own: a column of a table.
func reasonAs(label, condition string) target {
	return query("", `label_replace(`+eachWith("reason", `homelab_machine_condition{`+chosen+`,type="`+condition+`"}`)+
		`, "`+label+`", "$1", "reason", "(.*)")`)
}
