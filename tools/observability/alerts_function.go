package main

import "time"

// Selectors of the function: job comes from its PodMonitor, and function_name is Crossplane's name of the function, with the
// owner's name as a prefix if a Configuration installed it.
const (
	ofFunction = `job="function-proxmox-machine"`
	ofCalls    = `function_name=~"(.+-)?function-proxmox-machine"`
)

// functionAlerts are alerts about the function itself.
func functionAlerts() []alert {
	return []alert{
		{
			name: "FunctionDown", wait: 5 * time.Minute, severity: critical,
			expr:    `absent(up{` + ofFunction + `} == 1)`,
			summary: "function-proxmox-machine does not run, or Prometheus does not scrape it.",
			description: "Machines stay as they are, and edits of claims have no effect. " +
				"Check the pod: `kubectl -n crossplane-system get pods -l pkg.crossplane.io/function`, its log, and " +
				"`kubectl get functions.pkg.crossplane.io`. If the pod runs, check its PodMonitor.",
			link: "observability.md#functiondown",
		},
		{
			name: "FunctionCallsFail", wait: 10 * time.Minute, severity: critical,
			expr: `sum by (function_name, grpc_code) (rate(function_run_function_response_total{` + ofCalls +
				`,grpc_code!="OK"}[5m])) > 0`,
			summary: "Crossplane cannot call {{ $labels.function_name }}: {{ $labels.grpc_code }}.",
			description: "Machines stay as they are, and edits of claims have no effect while calls fail. Unavailable: the pod does not answer, check " +
				"its log and NetworkPolicies. DeadlineExceeded: the pod has too little processor time. ResourceExhausted: a message is larger than " +
				"the function's flag --max-recv-message-size.",
			link: "observability.md#functioncallsfail",
		},
		{
			name: "FunctionAnswersErrors", wait: 10 * time.Minute, severity: warning,
			expr: `sum by (grpc_code) (rate(grpc_server_handled_total{` + ofFunction +
				`,grpc_service=~"apiextensions.fn.proto.v1.*",grpc_code!="OK"}[5m])) > 0`,
			summary: "function-proxmox-machine answers calls with {{ $labels.grpc_code }}.",
			description: "The function never answers so for a fault in a claim or a catalogue: read the log of the function's pod. Canceled: Crossplane " +
				"stopped waiting. Any other code is a bug of the function: please report it.",
			link: "observability.md#functionanswerserrors",
		},
		{
			name: "FunctionRefuses", wait: time.Hour, severity: info,
			expr: `sum by (function_name) (rate(function_run_function_response_total{` + ofCalls +
				`,result_severity="Fatal"}[15m])) > 0`,
			summary: "{{ $labels.function_name }} refuses a claim or its catalogue at every call.",
			description: "The machines of these claims stay as they are. Condition SpecValid of such a claim is False and names the faults " +
				"(alert MachineSpecRefused names the claims).",
			link: "conditions.md#specvalid",
		},
		{
			name: "FunctionSlow", wait: 15 * time.Minute, severity: warning,
			expr: `histogram_quantile(0.99, sum by (function_name, le) (rate(function_run_function_seconds_bucket{` + ofCalls +
				`}[10m]))) > 1`,
			summary: "One in a hundred calls of {{ $labels.function_name }} takes {{ $value | humanizeDuration }}; one millisecond is normal.",
			description: "The function waits for processor time only: check whether its Kubernetes node is overloaded or its CPU limit is too low. A limit of " +
				"less than a tenth of a core makes every call slow.",
			link: "observability.md#functionslow",
		},
		{
			name: "MachineMetricsMissing", wait: 30 * time.Minute, severity: warning,
			expr:    `(sum(rate(function_run_function_request_total{` + ofCalls + `}[30m])) > 0) unless on () count(homelab_machine_info)`,
			summary: "Crossplane calls the function for machines, but kube-state-metrics exports no metrics of machines: no alert about a machine can fire.",
			description: "Check that kube-state-metrics has observability/kube-state-metrics/config.yaml, that its role may list machines, and that " +
				"Prometheus scrapes it.",
			link: "observability.md#machinemetricsmissing",
		},
	}
}
