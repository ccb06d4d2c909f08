package main

import (
	"time"

	"github.com/prometheus/common/model"
)

// repository that alerts link to.
const repository = "https://github.com/homelab-io/function-proxmox-machine/blob/main/docs/"

// Severities of alerts.
const (
	critical = "critical" // Somebody has to act, and nothing goes on until then.
	warning  = "warning"  // Something is not as it should be, and may pass.
	info     = "info"     // Something waits for a person, in no hurry.
)

// An alert is a rule of ours.
type alert struct {
	name     string
	expr     string
	wait     time.Duration // How long it has to be so.
	severity string
	summary  string
	// description says what is wrong and what to do.
	description string
	// link is a page of docs/, and the place in it.
	link string
}

// A ruleFile is what Prometheus loads.
type ruleFile struct {
	Groups []ruleGroup `json:"groups"`
}

type ruleGroup struct {
	Name  string `json:"name"`
	Rules []rule `json:"rules"`
}

type rule struct {
	Alert       string            `json:"alert"`
	Expr        string            `json:"expr"`
	For         model.Duration    `json:"for"`
	Labels      map[string]string `json:"labels"`
	Annotations map[string]string `json:"annotations"`
}

// rules are all alerts.
func rules() ruleFile {
	return ruleFile{Groups: []ruleGroup{
		group("proxmox-machines", machineAlerts()),
		group("proxmox-machine-clusters", clusterAlerts()),
		group("proxmox-machine-guests", guestAlerts()),
		group("proxmox-machine-function", functionAlerts()),
		group("proxmox-machine-providers", providerAlerts()),
	}}
}

func group(name string, alerts []alert) ruleGroup {
	g := ruleGroup{Name: name}

	for _, a := range alerts {
		g.Rules = append(g.Rules, rule{
			Alert:  a.name,
			Expr:   a.expr,
			For:    model.Duration(a.wait),
			Labels: map[string]string{"severity": a.severity},
			Annotations: map[string]string{
				"summary":     a.summary,
				"description": a.description,
				"runbook_url": repository + a.link,
			},
		})
	}

	return g
}
