package main

import "fmt"

// guestUnits are the units inside of guests that report their runs. A unit's name in metrics is the prefix of all of them.
const (
	nixUnit = "nix_gitops"
	k3sUnit = "k3s_bootstrap"
)

// onGuest aggregates an expression to one series per guest, as which node-exporter's instance counts.
func onGuest(expr string) string { return "max by (instance) (" + expr + ")" }

// ended selects guests by how the last run of a unit ended.
func ended(unit, outcomes string) string { return unit + `_outcome{outcome` + outcomes + `}` }

// guestRows are about what runs inside of guests. The dashboard's choice of machines does not reach them: node-exporter does not
// know the names of claims.
func guestRows() []row {
	count := func(expr string) string { return "count(" + onGuest(expr) + ") or vector(0)" }

	return []row{
		{title: "Inside the guests", panels: []panel{
			stat("NixOS machines", "NixOS machines whose node exporter shows the report of their last run.", -1, count(nixUnit+"_outcome")),
			stat("Do not converge", "NixOS machines on which the last run failed.", 1, count(ended(nixUnit, `!~"success|held"`))),
			stat("Held", "NixOS machines with a hold file.", -1, count(nixUnit+"_held == 1")),
			stat("Wait for a reboot", "NixOS machines whose boot entry has another kernel, or with the setting always another system, than the one that runs.", -1, count(nixUnit+"_reboot_pending == 1")),
			stat("K3s nodes not in their cluster", "K3s nodes whose last bootstrap run failed.", 1, count(ended(k3sUnit, `!="success"`))),
			graph("Time since the last success", "Since the last successful run of each NixOS machine.", "s", gridWidth,
				query("{{instance}}", onGuest("time() - "+nixUnit+"_last_success_timestamp_seconds"))),
			table("Last runs", "How the last run of each guest ended; docs/observability.md explains the outcomes.", 8, [][2]string{
				{"instance", "Guest"},
				{"unit", "Unit"},
				{"outcome", "Outcome"},
				{"revision", "Commit, or release of K3s"},
			}, query("", lastRuns(nixUnit, "nix-gitops-apply")+" or "+lastRuns(k3sUnit, "k3s-bootstrap"))),
		}},
	}
}

// lastRuns of a unit: its outcomes, with the revision where there is one.
func lastRuns(unit, service string) string {
	outcome := fmt.Sprintf("max by (instance, outcome) (%s_outcome)", unit)
	revision := fmt.Sprintf("max by (instance, revision) (%s_info)", unit)

	return fmt.Sprintf(`label_replace(%s * on (instance) group_left (revision) %s or on (instance) %s, "unit", %q, "", "")`,
		outcome, revision, outcome, service)
}
