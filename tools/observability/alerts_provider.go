package main

import "time"

// notHealthy selects a provider's package by the end of its name, whatever registry and version it is from.
func notHealthy(name string) string {
	return `max by (provider) (homelab_provider_condition{type="Healthy",status!="True",package=~"(.+/)?` + name + `([:@].*)?"})`
}

// providerAlerts are alerts about the providers that carry out what the function renders. The conditions of machines stay as they were when a provider stops.
func providerAlerts() []alert {
	return []alert{
		{
			name: "ProviderNotHealthy", wait: 15 * time.Minute, severity: critical,
			expr:    notHealthy("provider-proxmox-bpg"),
			summary: "Provider {{ $labels.provider }} has not been healthy for 15 minutes: no machine is created, changed or deleted.",
			description: "VMs run on, and machines show what was last known of them. `kubectl describe providerrevisions.pkg.crossplane.io` has the cause, and " +
				"`kubectl -n crossplane-system get pods -l pkg.crossplane.io/provider={{ $labels.provider }}` shows whether a pod runs, and whether its memory limit ends it.",
			link: "observability.md#providernothealthy",
		},
		{
			name: "NodesProviderNotHealthy", wait: 15 * time.Minute, severity: warning,
			expr:    notHealthy("provider-kubernetes"),
			summary: "Provider {{ $labels.provider }} has not been healthy for 15 minutes: drains and Node deletions wait, and upgrades in place.",
			description: "A restart, a move or a replacement with a drain does not begin, and a machine that is deleted with its Node stays until the provider runs. What is known of Nodes through it is as " +
				"old as its last poll. `kubectl describe providerrevisions.pkg.crossplane.io` has the cause. On Crossplane 2.4.0 and 2.4.1, a serviceAccountTemplate with a name in its " +
				"DeploymentRuntimeConfig is one: apply install/observe/provider-kubernetes.yaml.",
			link: "observability.md#providernothealthy",
		},
	}
}
