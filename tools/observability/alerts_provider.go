package main

import "time"

// notHealthy selects a provider's package by the end of its name, whatever registry and version it is from.
func notHealthy(name string) string {
	return `max by (provider) (homelab_provider_condition{type="Healthy",status!="True",package=~"(.+/)?` + name + `([:@].*)?"})`
}

// ofProvider is the sum of a rate of the provider's container, by pod, as the kubelet's cAdvisor counts it.
func ofProvider(metric, window string) string {
	const container = `{namespace="crossplane-system",pod=~"(.+-)?provider-proxmox-bpg-.+",container="package-runtime"}`

	return "sum by (namespace, pod) (rate(" + metric + container + "[" + window + "]))"
}

// providerLoadAlerts are alerts about what the provider takes, and about what waits for it: docs/performance.md has what is usual.
func providerLoadAlerts() []alert {
	const link = "observability.md#provider-load"

	return []alert{
		{
			name: "ProviderThrottled", wait: 30 * time.Minute, severity: warning,
			expr:    ofProvider("container_cpu_cfs_throttled_periods_total", "10m") + " / " + ofProvider("container_cpu_cfs_periods_total", "10m") + " > 0.5",
			summary: "Provider pod {{ $labels.pod }} has been at its CPU limit for half an hour.",
			description: "Machines are made, changed and looked at later; nothing else happens to them. If nothing is being made, an error that lasts is tried again and again: " +
				"`kubectl machine get -A` shows whose. Else raise the limit, or look less often (--poll).",
			link: link,
		},
		{
			name: "ProviderBusy", wait: time.Hour, severity: warning,
			expr:    ofProvider("container_cpu_usage_seconds_total", "30m") + " > 0.5",
			summary: "Provider pod {{ $labels.pod }} has used more than half a processor for an hour.",
			description: "500 machines at rest take a quarter of a processor with the values that are shipped for them. An error that lasts is tried again and again, or --poll and " +
				"--max-reconcile-rate are the provider's defaults: `kubectl machine check` says so.",
			link: link,
		},
		{
			name: "ProviderBehind", wait: 30 * time.Minute, severity: warning,
			expr:    `sum by (namespace, pod) (avg_over_time(workqueue_depth{job="provider-proxmox-bpg"}[30m])) > 20`,
			summary: "More than 20 resources have waited for provider pod {{ $labels.pod }} for an hour.",
			description: "What machines say is older than a poll, and edits wait for their turn. A VM whose guest agent does not answer takes a worker for three minutes at each look: " +
				"`kubectl machine get -A` shows those. Else raise --max-reconcile-rate together with the memory limit, or look less often (--poll).",
			link: link,
		},
	}
}

// providerAlerts are alerts about the providers that carry out what the function renders. The conditions of machines stay as they were when a provider stops.
func providerAlerts() []alert {
	return append(providerLoadAlerts(), []alert{
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
	}...)
}
