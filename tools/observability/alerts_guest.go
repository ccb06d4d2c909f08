package main

import "time"

// guestUnits are the units inside of guests that report their runs. A unit's name in metrics is the prefix of all of them.
const (
	nixUnit = "nix_gitops"
	k3sUnit = "k3s_bootstrap"
)

// onGuest aggregates an expression to one series per guest, as which node-exporter's instance counts.
func onGuest(expr string) string { return "max by (instance) (" + expr + ")" }

// ended selects guests by how the last run of a unit ended.
func ended(unit, outcomes string) string { return unit + `_outcome{outcome` + outcomes + `}` }

// journal is where to look for details of the NixOS unit.
const journal = "`journalctl -u nix-gitops-apply` on the machine has the details. "

// guestAlerts are alerts about what runs inside of guests.
func guestAlerts() []alert {
	const link = "observability.md#inside-the-guest"

	return append(nixAlerts(link), []alert{
		{
			name: "NixOSHeld", wait: 3 * 24 * time.Hour, severity: info,
			expr:        onGuest(nixUnit + "_held == 1"),
			summary:     "NixOS machine {{ $labels.instance }} has been held for three days.",
			description: "Somebody created /etc/nix-gitops/hold. Commits have no effect on the machine until somebody removes the file.",
			link:        link,
		},
		{
			name: "NixOSRebootPending", wait: 3 * 24 * time.Hour, severity: info,
			expr:    onGuest(nixUnit + "_reboot_pending == 1"),
			summary: "NixOS machine {{ $labels.instance }} has waited for a reboot for three days.",
			description: "Its boot entry has another kernel than the one that runs, or, with the setting reboot: always, another system. Reboot it at a time of your choice, or set " +
				"services.nix-gitops.reboot in its flake.",
			link: link,
		},
		{
			name: "K3sBootstrapFails", wait: 15 * time.Minute, severity: warning,
			expr:    onGuest(ended(k3sUnit, `!="success"`)),
			summary: "K3s node {{ $labels.instance }} has not joined its cluster.",
			description: "Its bootstrap fails, and systemd retries it every minute. `k3s-bootstrap status` on the node shows the error. Most causes are outside of the node, and " +
				"the next attempt after their end succeeds.",
			link: "bootstrap.md#where-to-look-when-it-fails",
		},
	}...)
}

// nixAlerts are alerts about NixOS machines that do not get what is in Git.
func nixAlerts(link string) []alert {
	return []alert{
		{
			name: "NixOSRollbackFailed", wait: 5 * time.Minute, severity: critical,
			expr:    onGuest(ended(nixUnit, `="rollback-failed"`)),
			summary: "NixOS machine {{ $labels.instance }} could not return to its previous system.",
			description: "A new revision failed, and so did the return. The machine may run or boot the new system. " + journal +
				"Choose an older generation in the boot menu, or push a revision that works.",
			link: link,
		},
		{
			name: "NixOSRevisionFailed", wait: 15 * time.Minute, severity: warning,
			expr:    onGuest(ended(nixUnit, `=~"build-failed|rolled-back|given-up|unhealthy"`)),
			summary: "The revision in Git fails on NixOS machine {{ $labels.instance }}.",
			description: "The revision does not build, does not activate, or fails the health check. Except with outcome unhealthy, the machine runs the " +
				"previous system. " + journal + "Push a revision that works, or revert the commit.",
			link: link,
		},
		{
			name: "NixOSParametersRefused", wait: 15 * time.Minute, severity: warning,
			expr:    onGuest(ended(nixUnit, `="refused"`)),
			summary: "NixOS machine {{ $labels.instance }} does not accept its parameters.",
			description: "/etc/nix-flake-target, the schedule or another parameter is invalid, so commits do not reach the machine, and systemd does not retry. " +
				journal + "Correct the file, or set the parameter in the flake, and start the unit.",
			link: link,
		},
		{
			name: "NixOSNotConverging", wait: 2 * time.Hour, severity: warning,
			expr:    onGuest(ended(nixUnit, `=~"unreachable|failed"`)),
			summary: "NixOS machine {{ $labels.instance }} has not converged for two hours.",
			description: "The machine runs the system that it has. Outcome unreachable: the Git server does not answer, or flake.lock is missing or " +
				"outdated. Outcome failed: for instance the disk is full. `journalctl -u nix-gitops-apply` on the machine has the details.",
			link: link,
		},
		{
			name: "NixOSRunOverdue", wait: 15 * time.Minute, severity: warning,
			// A run begins up to a quarter of an hour after its time, and may take two hours.
			expr:    onGuest("time() - "+nixUnit+"_next_run_timestamp_seconds") + " > 3 * 3600",
			summary: "NixOS machine {{ $labels.instance }} did not check Git at the time of its schedule.",
			description: "No run has ended since: the timer is disabled, a run hangs, or the machine cannot write its report, for instance because its disk is " +
				"read-only. Check `systemctl list-timers nix-gitops-apply` and `systemctl status nix-gitops-apply`.",
			link: link,
		},
	}
}
