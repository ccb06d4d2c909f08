package main

import "strings"

// What kube-state-metrics reads: the part of its CustomResourceStateMetrics that is used here.
type (
	stateMetrics struct {
		Kind string           `json:"kind"`
		Spec stateMetricsSpec `json:"spec"`
	}

	stateMetricsSpec struct {
		Resources []stateResource `json:"resources"`
	}

	stateResource struct {
		GroupVersionKind stateKind           `json:"groupVersionKind"`
		MetricNamePrefix string              `json:"metricNamePrefix"`
		LabelsFromPath   map[string][]string `json:"labelsFromPath"`
		Metrics          []stateMetric       `json:"metrics"`
		// ErrorLogV is from which verbosity on it is logged that an object lacks a field: that is usual here.
		ErrorLogV int `json:"errorLogV"`
	}

	stateKind struct {
		Group   string `json:"group"`
		Version string `json:"version"`
		Kind    string `json:"kind"`
	}

	stateMetric struct {
		Name string    `json:"name"`
		Help string    `json:"help"`
		Each stateEach `json:"each"`
	}

	stateEach struct {
		Type     string     `json:"type"`
		Info     *statePath `json:"info,omitempty"`
		Gauge    *statePath `json:"gauge,omitempty"`
		StateSet *stateSet  `json:"stateSet,omitempty"`
	}

	statePath struct {
		Path           []string            `json:"path,omitempty"`
		ValueFrom      []string            `json:"valueFrom,omitempty"`
		LabelsFromPath map[string][]string `json:"labelsFromPath,omitempty"`
	}

	stateSet struct {
		Path      []string `json:"path"`
		LabelName string   `json:"labelName"`
		List      []string `json:"list"`
	}
)

// phases of a machine.
func phases() []string {
	return []string{"Pending", "Creating", "Adopting", "Starting", "Running", "Stopped", "Replacing", "Failed"}
}

// machineMetrics are what kube-state-metrics tells of machines. One configuration is for both packages: of kinds that a cluster
// does not have nothing is told.
func machineMetrics() stateMetrics {
	out := stateMetrics{Kind: "CustomResourceStateMetrics"}
	add := func(r stateResource) { out.Spec.Resources = append(out.Spec.Resources, r) }

	for _, kind := range []string{"Machine", "K3sNode", "Container", "ProxmoxSite"} {
		add(stateMachine(kind))
	}

	add(stateCluster())

	for _, kind := range []string{"XMachine", "XK3sNode", "XContainer", "XProxmoxSite"} {
		add(stateComposite(kind))
	}

	// The provider's kinds that are rendered, cluster-scoped and namespaced.
	for _, scope := range []string{"proxmoxbpg", "proxmoxbpg.m"} {
		for _, kind := range []string{
			"EnvironmentVM", "EnvironmentContainer", "EnvironmentFile", "EnvironmentDownloadFile", "EnvironmentHaresource",
			"EnvironmentNetworkLinuxBridge", "EnvironmentNetworkLinuxVlan", "EnvironmentPool",
		} {
			add(stateManaged(scope, kind))
		}
	}

	add(stateProvider())

	return out
}

// stateProvider is a package of Crossplane: a provider that does not run carries nothing out, and no machine says so, since nobody polls it any more.
func stateProvider() stateResource {
	return stateResource{
		GroupVersionKind: stateKind{Group: "pkg.crossplane.io", Version: "v1", Kind: "Provider"},
		MetricNamePrefix: "homelab_provider", ErrorLogV: quiet,
		LabelsFromPath: map[string][]string{"provider": {"metadata", "name"}, "package": {"spec", "package"}},
		Metrics: []stateMetric{
			conditionMetric("Conditions of a provider's package: always 1, with status and reason as labels."),
			timeMetric("creation"),
		},
	}
}

// stateMachine is a claim, or a namespaced composite.
func stateMachine(kind string) stateResource {
	return stateResource{
		GroupVersionKind: stateKind{Group: "homelab.io", Version: "v1alpha1", Kind: kind},
		MetricNamePrefix: "homelab_machine", ErrorLogV: quiet,
		LabelsFromPath: map[string][]string{"machine": {"metadata", "name"}, "claim_namespace": {"metadata", "namespace"}},
		Metrics: []stateMetric{
			infoMetric("info", "What a machine is, from its status; paused is true where somebody paused the claim.", map[string][]string{
				"class": {"status", "class"}, "image": {"status", "image"}, "node": {"status", "node"}, "vm_id": {"status", "vmId"},
				"power": {"status", "power"}, "address": {"status", "primaryAddress"}, "paused": pausedAnnotation(),
				"k3s_version": {"status", "kubernetes", "version"},
			}),
			infoMetric("spec_info", "What a claim asks for; empty where it leaves that to the catalogue.", map[string][]string{
				"class": {"spec", "class"}, "image": {"spec", "image"}, "node": {"spec", "proxmox", "node"},
				"vm_id": {"spec", "proxmox", "vmId"}, "power": {"spec", "power"}, "deletion_policy": {"spec", "deletionPolicy"},
			}),
			{Name: "phase", Help: "Phase of a machine: 1 for the current phase, 0 for the others.", Each: stateEach{
				Type: "StateSet", StateSet: &stateSet{Path: []string{"status", "phase"}, LabelName: "phase", List: phases()},
			}},
			conditionMetric("Conditions of a machine: always 1, with status and reason as labels."),
			timeMetric("creation"), timeMetric("deletion"),
		},
	}
}

// stateComposite is what stands behind a claim, and holds what a claim does not show: whether Crossplane listens to it.
func stateComposite(kind string) stateResource {
	return stateResource{
		GroupVersionKind: stateKind{Group: "homelab.io", Version: "v1alpha1", Kind: kind},
		MetricNamePrefix: "homelab_composite", ErrorLogV: quiet,
		LabelsFromPath: map[string][]string{
			"composite": {"metadata", "name"},
			"machine":   {"spec", "claimRef", "name"}, "claim_namespace": {"spec", "claimRef", "namespace"},
		},
		Metrics: []stateMetric{
			conditionMetric("Conditions of a composite: always 1, with status and reason as labels."),
			// Of kinds that have one and the same metric alone, kube-state-metrics tells of the first kind only.
			timeMetric("creation"),
		},
	}
}

// stateManaged is a kind of the provider. Those that are not of a machine have no label machine.
func stateManaged(scope, kind string) stateResource {
	out := stateResource{
		GroupVersionKind: stateKind{Group: "virtual" + strings.ToLower(kind) + "." + scope + ".crossplane.io", Version: "v1alpha1", Kind: kind},
		MetricNamePrefix: "homelab_managed", ErrorLogV: quiet,
		LabelsFromPath: map[string][]string{
			"managed": {"metadata", "name"},
			"machine": {"metadata", "labels", "homelab.io/machine"}, "claim_namespace": {"metadata", "labels", "homelab.io/namespace"},
		},
		Metrics: []stateMetric{
			infoMetric("info", "A managed resource of a machine; paused_by names the error for which it is paused.", map[string][]string{
				"external_name": {"metadata", "annotations", "crossplane.io/external-name"},
				"paused":        pausedAnnotation(), "paused_by": {"metadata", "annotations", "homelab.io/paused-by"},
			}),
			conditionMetric("Conditions of a managed resource: always 1, with status and reason as labels."),
			timeMetric("deletion"), // A claim and its composite are gone at once: what takes long is this.
		},
	}

	if kind == "EnvironmentVM" || kind == "EnvironmentContainer" {
		out.Metrics = append(out.Metrics, gaugeMetric("memory_mebibytes", "Memory of a VM or a container in MiB, running or not, by the Proxmox node in its spec.",
			[]string{"spec", "forProvider", "memory", "0", "dedicated"}, nil, nil))
		out.LabelsFromPath["node"] = []string{"spec", "forProvider", "nodeName"}
	}

	return out
}

// quiet is a verbosity at which nobody runs kube-state-metrics.
const quiet = 8

func pausedAnnotation() []string { return []string{"metadata", "annotations", "crossplane.io/paused"} }

func infoMetric(name, help string, labels map[string][]string) stateMetric {
	return stateMetric{Name: name, Help: help, Each: stateEach{Type: "Info", Info: &statePath{LabelsFromPath: labels}}}
}

func conditionMetric(help string) stateMetric {
	return stateMetric{Name: "condition", Help: help, Each: stateEach{Type: "Info", Info: &statePath{
		Path:           []string{"status", "conditions"},
		LabelsFromPath: map[string][]string{"type": {"type"}, "status": {"status"}, "reason": {"reason"}},
	}}}
}

func gaugeMetric(name, help string, path, value []string, labels map[string][]string) stateMetric {
	return stateMetric{Name: name, Help: help, Each: stateEach{Type: "Gauge", Gauge: &statePath{Path: path, ValueFrom: value, LabelsFromPath: labels}}}
}

func timeMetric(event string) stateMetric {
	return stateMetric{
		Name: event + "_timestamp_seconds", Help: "Unix time of the " + event + ".",
		Each: stateEach{Type: "Gauge", Gauge: &statePath{Path: []string{"metadata", event + "Timestamp"}}},
	}
}
