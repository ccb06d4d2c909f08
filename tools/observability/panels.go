package main

// Selections by the dashboard's variables.
const (
	chosen   = `claim_namespace=~"$namespace",machine=~"$machine"`
	rateOver = `[$__rate_interval]`
)

// Selectors of the function: job comes from its PodMonitor, and function_name is Crossplane's name of the function, with the
// owner's name as a prefix if a Configuration installed it.
const (
	ofFunction = `job="function-proxmox-machine"`
	ofCalls    = `function_name=~"(.+-)?function-proxmox-machine"`
)

// machine lists the labels that identify a machine. It leaves out labels of the scrape target, so that two pods of
// kube-state-metrics, as during an update, do not count a machine twice.
const machine = "claim_namespace, machine, customresource_kind"

// each aggregates an expression to one series per machine.
func each(expr string) string { return "max by (" + machine + ") (" + expr + ")" }

// eachWith is each with an additional label.
func eachWith(label, expr string) string {
	return "max by (" + machine + ", " + label + ") (" + expr + ")"
}

// query of a panel.
func query(legend, expr string) target {
	return target{Expr: expr, LegendFormat: legend, Datasource: prometheus(), Range: true}
}

// one figure; above limit it is red, unless limit is negative.
func stat(title, description string, limit float64, expr string) panel {
	t := query("", expr)
	t.Instant, t.Range = true, false

	steps := []step{{Color: "blue"}}
	if limit >= 0 {
		steps = []step{{Color: "green"}, {Color: "red", Value: new(limit)}}
	}

	return finish(panel{
		Type: "stat", Title: title, Description: description, GridPos: gridPos{H: 4, W: 4},
		FieldConfig: &fieldConfig{Defaults: fieldDefaults{
			Unit: "short", NoValue: "0", Color: &color{Mode: "thresholds"}, Thresholds: &thresholds{Mode: "absolute", Steps: steps},
		}, Overrides: []any{}},
		Options: map[string]any{"reduceOptions": map[string]any{"calcs": []string{"lastNotNull"}}, "colorMode": "background", "graphMode": "none"},
	}, t)
}

// graph over time.
func graph(title, description, unit string, width int, queries ...target) panel {
	return finish(panel{
		Type: "timeseries", Title: title, Description: description, GridPos: gridPos{H: 8, W: width},
		FieldConfig: &fieldConfig{Defaults: fieldDefaults{Unit: unit, Min: new(0.0), Color: &color{Mode: "palette-classic"}}, Overrides: []any{}},
		Options:     map[string]any{"legend": map[string]any{"displayMode": "list", "placement": "bottom"}, "tooltip": map[string]any{"mode": "multi"}},
	}, queries...)
}

// table of labels, in an order, under names.
func table(title, description string, height int, columns [][2]string, queries ...target) panel {
	shown, order, names := []string{}, map[string]any{}, map[string]any{}

	for i, c := range columns {
		shown = append(shown, c[0])
		order[c[0]], names[c[0]] = i, c[1]
	}

	for i := range queries {
		queries[i].Instant, queries[i].Range, queries[i].Format = true, false, "table"
	}

	transformations := []transformation{{ID: "filterFieldsByName", Options: map[string]any{"include": map[string]any{"names": shown}}}}
	if len(queries) > 1 {
		// Rows of several queries become one where the columns that they share are the same.
		transformations = append(transformations, transformation{ID: "merge", Options: map[string]any{}})
	}

	return finish(panel{
		Type: "table", Title: title, Description: description, GridPos: gridPos{H: height, W: gridWidth},
		FieldConfig:     &fieldConfig{Defaults: fieldDefaults{Unit: "none"}, Overrides: []any{}},
		Options:         map[string]any{"cellHeight": "sm", "showHeader": true},
		Transformations: append(transformations, transformation{ID: "organize", Options: map[string]any{"indexByName": order, "renameByName": names}}),
	}, queries...)
}

// finish a panel with its queries.
func finish(p panel, queries ...target) panel {
	source := prometheus()
	p.Datasource = &source

	for i, q := range queries {
		q.RefID = string(rune('A' + i))
		p.Targets = append(p.Targets, q)
	}

	return p
}

// chosenCondition is a condition of the machines that the dashboard's user chose.
func chosenCondition(condition, status string) string {
	return `homelab_machine_condition{` + chosen + `,type="` + condition + `",status="` + status + `"}`
}

// machineRows are about claims.
func machineRows() []row {
	count := func(expr string) string { return "count(" + each(expr) + ") or vector(0)" }
	pausedBy := `homelab_managed_info{` + chosen + `,machine!="",paused_by!=""}`
	conditions := [][2]string{
		{"claim_namespace", "Namespace"},
		{"machine", "Machine"},
		{"customresource_kind", "Kind"},
		{"type", "Condition"},
		{"status", "Status"},
		{"reason", "Reason"},
	}
	bad := `homelab_machine_condition{` + chosen + `,type=~"Synced|Ready|SpecValid|MachineReady|BootstrapCurrent|ProviderHealthy|Responsive",status!="True"}` +
		` or homelab_machine_condition{` + chosen + `,type=~"ReplacementRequired|RebootPending|VMIDInUse",status!="False"}`

	return []row{
		{title: "Machines", panels: []panel{
			stat("Machines", "Claims of machines, in any state.", -1, count(`homelab_machine_info{`+chosen+`}`)),
			stat("Not ready", "Machines that are not Ready.", 1,
				count(`homelab_machine_info{`+chosen+`} unless on (`+machine+`) `+chosenCondition("Ready", "True"))),
			stat("Edits refused", "Machines whose claim the function refuses. They stay as they are, although a GitOps tool reports the claim as applied.", 1,
				count(chosenCondition("SpecValid", "False"))),
			stat("Paused for errors", "Machines with a managed resource that the function paused because of an error. Only an edit of the claim helps.", 1,
				"count(max by (claim_namespace, machine) ("+pausedBy+")) or vector(0)"),
			stat("Provider errors", "Machines for which the provider reports an error.", 1, count(chosenCondition("ProviderHealthy", "False"))),
			stat("Wait for a power cycle", "Machines with changes that take effect at the next power cycle of the VM.", -1,
				count(chosenCondition("RebootPending", "True"))),
			graph("Machines by phase", "Number of machines in each phase.", "short", gridWidth,
				query("{{phase}}", `sum by (phase) (max by (`+machine+`, phase) (homelab_machine_phase{`+chosen+`})) > 0`)),
			table("Problems", "Conditions that report a problem. docs/conditions.md says what to do.", 8, conditions,
				query("", eachWith("type, status, reason", bad))),
			table("All machines", "The observed values from their status, not the requested values.", 10, [][2]string{
				{"claim_namespace", "Namespace"},
				{"machine", "Machine"},
				{"customresource_kind", "Kind"},
				{"vm_id", "VM"},
				{"node", "Node"},
				{"address", "Address"},
				{"class", "Class"},
				{"image", "Image"},
				{"power", "Power"},
				{"phase", "Phase"},
			}, query("", eachWith("vm_id, node, address, class, image, power", `homelab_machine_info{`+chosen+`}`)+
				` * on (`+machine+`) group_left (phase) max by (`+machine+`, phase) (homelab_machine_phase{`+chosen+`} == 1)`)),
		}},
	}
}

// functionRows are about the program, and about Crossplane as far as it calls it.
func functionRows() []row {
	quantile := func(q string) string {
		return `histogram_quantile(` + q + `, sum by (le) (rate(function_run_function_seconds_bucket{` + ofCalls + `}` + rateOver + `)))`
	}

	return []row{
		{title: "Function", panels: []panel{
			graph("Calls", "Calls per second, by the worst result in the answer. Fatal: the function refused a claim or its catalogue.", "ops", 8,
				query("{{result_severity}}", `sum by (result_severity) (rate(function_run_function_response_total{`+ofCalls+`}`+rateOver+`))`)),
			graph("Calls that fail", "Calls per second without an answer, as counted by Crossplane and by the function.", "ops", 8,
				query("Crossplane: {{grpc_code}}",
					`sum by (grpc_code) (rate(function_run_function_response_total{`+ofCalls+`,grpc_code!="OK"}`+rateOver+`))`),
				query("function: {{grpc_code}}", `sum by (grpc_code) (rate(grpc_server_handled_total{`+ofFunction+
					`,grpc_service=~"apiextensions.fn.proto.v1.*",grpc_code!="OK"}`+rateOver+`)) > 0`)),
			graph("Time of a call", "As measured by Crossplane.", "s", 8, query("half are faster", quantile("0.5")), query("99 of 100 are faster", quantile("0.99"))),
			graph("Processor time", "Cores that the function uses.", "short", 8,
				query("{{pod}}", `sum by (pod) (rate(process_cpu_seconds_total{`+ofFunction+`}`+rateOver+`))`)),
			graph("Memory", "Resident memory of the function.", "bytes", 8,
				query("{{pod}}", `sum by (pod) (process_resident_memory_bytes{`+ofFunction+`})`)),
			graph("Events of composites", "Events of composites per second, by the decision of Crossplane's circuit breaker.", "ops", 8,
				query("{{result}}", `sum by (result) (rate(circuit_breaker_events_total{controller=~"composite/x?(machines|k3snodes|k3sclusters).homelab.io"}`+rateOver+`))`)),
		}},
	}
}
