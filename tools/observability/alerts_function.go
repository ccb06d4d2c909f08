package main

import "time"

// Selectors of the function: job is what its PodMonitor says, and function_name what Crossplane calls it, with the owner's
// name before it where a Configuration brought it.
const (
	ofFunction = `job="function-proxmox-machine"`
	ofCalls    = `function_name=~"(.+-)?function-proxmox-machine"`
)

// functionAlerts are about the program.
func functionAlerts() []alert {
	return []alert{
		{
			name: "FunctionDown", wait: 5 * time.Minute, severity: critical,
			expr:    `absent(up{` + ofFunction + `} == 1)`,
			summary: "function-proxmox-machine does not run, or is not scraped.",
			description: "Machines stay as they are, and no claim has any effect. " +
				"Look at the pod: `kubectl -n crossplane-system get pods -l pkg.crossplane.io/function`, its log, and " +
				"`kubectl get functions.pkg.crossplane.io`. If the pod runs, look at its PodMonitor.",
			link: "observability.md#functiondown",
		},
		{
			name: "FunctionCallsFail", wait: 10 * time.Minute, severity: critical,
			expr: `sum by (function_name, grpc_code) (rate(function_run_function_response_total{` + ofCalls +
				`,grpc_code!="OK"}[5m])) > 0`,
			summary: "Crossplane cannot call {{ $labels.function_name }}: {{ $labels.grpc_code }}.",
			description: "Machines stay as they are, and no claim has any effect while calls fail. Unavailable: the pod does not answer, see " +
				"its log and NetworkPolicies. DeadlineExceeded: it is short of processor time. ResourceExhausted: a message is larger than " +
				"the function's flag --max-recv-message-size.",
			link: "observability.md#functioncallsfail",
		},
		{
			name: "FunctionAnswersErrors", wait: 10 * time.Minute, severity: warning,
			expr: `sum by (grpc_code) (rate(grpc_server_handled_total{` + ofFunction +
				`,grpc_service=~"apiextensions.fn.proto.v1.*",grpc_code!="OK"}[5m])) > 0`,
			summary: "function-proxmox-machine answers calls with {{ $labels.grpc_code }}.",
			description: "A fault in a claim or a catalogue is never answered so: look at the log of the function's pod. Canceled: Crossplane " +
				"gave up waiting. Anything else is a fault of the function: please report it.",
			link: "observability.md#functionanswerserrors",
		},
		{
			name: "FunctionRefuses", wait: time.Hour, severity: info,
			expr: `sum by (function_name) (rate(function_run_function_response_total{` + ofCalls +
				`,result_severity="Fatal"}[15m])) > 0`,
			summary: "{{ $labels.function_name }} refuses a claim or its catalogue, again and again.",
			description: "The machines behind it stay as they are. Which, and why, is on the claims: condition SpecValid is False " +
				"(alert MachineSpecRefused names them).",
			link: "conditions.md#specvalid",
		},
		{
			name: "FunctionSlow", wait: 15 * time.Minute, severity: warning,
			expr: `histogram_quantile(0.99, sum by (function_name, le) (rate(function_run_function_seconds_bucket{` + ofCalls +
				`}[10m]))) > 1`,
			summary: "One in a hundred calls of {{ $labels.function_name }} takes {{ $value | humanizeDuration }}; a millisecond is usual.",
			description: "The function waits for nothing but processor time: see whether its node or its CPU limit is exhausted. A limit of " +
				"less than a tenth of a core makes every call slow.",
			link: "observability.md#functionslow",
		},
		{
			name: "MachineMetricsMissing", wait: 30 * time.Minute, severity: warning,
			expr:    `(sum(rate(function_run_function_request_total{` + ofCalls + `}[30m])) > 0) unless on () count(homelab_machine_info)`,
			summary: "Crossplane calls the function for machines, and kube-state-metrics tells of none: no alert about a machine can fire.",
			description: "See that kube-state-metrics has observability/kube-state-metrics/config.yaml, that its role lists machines, and that " +
				"Prometheus scrapes it.",
			link: "observability.md#machinemetricsmissing",
		},
	}
}
