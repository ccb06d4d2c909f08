package main

import (
	"fmt"
	"time"
)

// machine lists the labels that identify a machine. It leaves out labels of the scrape target, so that two pods of
// kube-state-metrics, as during an update, do not count a machine twice.
const machine = "claim_namespace, machine, customresource_kind"

// claim is the name of a claim in an alert.
const claim = "{{ $labels.customresource_kind }} {{ $labels.claim_namespace }}/{{ $labels.machine }}"

// says selects a condition of machines.
func says(condition, status, reasons string) string {
	if reasons != "" {
		reasons = `,reason` + reasons
	}

	return fmt.Sprintf(`homelab_machine_condition{type=%q,status=%q%s}`, condition, status, reasons)
}

// each aggregates an expression to one series per machine.
func each(expr string) string { return "max by (" + machine + ") (" + expr + ")" }

// eachWith is each with an additional label.
func eachWith(label, expr string) string {
	return "max by (" + machine + ", " + label + ") (" + expr + ")"
}

// machineAlerts are alerts about claims and namespaced composites.
func machineAlerts() []alert {
	out := troubleAlerts()
	out = append(out, watchAlerts()...)
	out = append(out, nodeAlerts()...)

	out = append(out, patienceAlerts()...)
	out = append(out, guardAlerts()...)
	out = append(out, laterAlerts()...)
	out = append(out, editAlerts()...)

	return append(out, convergenceAlerts()...)
}

// pausedForError selects machines with a managed resource that the function paused because of an error.
const pausedForError = `homelab_managed_info{machine!="",paused_by!=""}`

// troubleAlerts are alerts about machines with an error.
func troubleAlerts() []alert {
	return []alert{
		{
			name: "MachineNotReady", wait: 45 * time.Minute, severity: warning,
			// The download of an image may take half an hour, and so may the shutdown of a guest that does not answer.
			expr: each("homelab_machine_info") + " unless on (" + machine + `) homelab_machine_condition{type="Ready",status="True"}` +
				" unless on (" + machine + `) homelab_machine_condition{type="MachineReady",reason=~"WaitingForApproval|AdoptionPlanChanged"}`,
			summary: claim + " has not been ready for 45 minutes.",
			description: "Condition MachineReady names what the machine waits for, ProviderHealthy the error: " +
				"`kubectl -n {{ $labels.claim_namespace }} describe {{ $labels.customresource_kind }}.homelab.io {{ $labels.machine }}`. " +
				"If both are missing, Crossplane did not call the function: check conditions Synced and Ready.",
			link: "conditions.md#machineready",
		},
		{
			name: "MachineSpecRefused", wait: 10 * time.Minute, severity: warning,
			expr:    eachWith("reason", says("SpecValid", "False", "")),
			summary: "The function refuses the edit of " + claim + " ({{ $labels.reason }}).",
			description: "The machine does not change, and your edit has no effect, although GitOps tools report the claim as applied and Ready stays True. Condition " +
				"SpecValid lists every fault with its path. ValidationFailed: correct the claim. InsufficientCapacity: make room on a node of Proxmox. ConfigurationError: correct the catalogue or the Composition's Input.",
			link: "conditions.md#specvalid",
		},
		{
			name: "MachineWedged", wait: 5 * time.Minute, severity: critical,
			expr:    "max by (claim_namespace, machine, paused_by) (" + pausedForError + ")",
			summary: "Machine {{ $labels.claim_namespace }}/{{ $labels.machine }} is paused because of error {{ $labels.paused_by }}, until you edit its claim.",
			description: "Only an edit of the claim can fix this error, so the function stopped the retries. Condition ProviderHealthy explains the error and what to do. Any edit " +
				"of the claim, or a new value in spec.lifecycle.retry, starts the retries again.",
			link: "conditions.md#paused-errors",
		},
		{
			name: "MachineFailed", wait: 10 * time.Minute, severity: critical,
			expr:    each(`homelab_machine_phase{phase="Failed"} == 1`) + " unless on (claim_namespace, machine) " + pausedForError,
			summary: claim + " has failed with an error that does not pass by itself.",
			description: "Conditions ProviderHealthy and VMIDInUse explain the error and what to do. The provider retries when you have fixed the cause. " +
				"If another VM has the VMID, set another VMID in the claim.",
			link: "conditions.md#providerhealthy",
		},
		{
			name: "MachineProviderError", wait: 30 * time.Minute, severity: warning,
			expr: each(says("ProviderHealthy", "False", `!="Paused"`)) +
				" unless on (claim_namespace, machine) " + pausedForError +
				" unless on (" + machine + `) (homelab_machine_phase{phase="Failed"} == 1)`,
			summary: "The provider has reported an error of " + claim + " for half an hour.",
			description: "The VM does not change. Condition ProviderHealthy explains the error and what to do. The provider retries after errors that may " +
				"pass.",
			link: "conditions.md#providerhealthy",
		},
	}
}

// watchAlerts are alerts about Crossplane's work on machines.
func watchAlerts() []alert {
	open := `{type="Responsive",status="False"}`
	const deleted = "max by (claim_namespace, machine) (homelab_managed_deletion_timestamp_seconds{machine!=\"\"}" +
		" or homelab_machine_deletion_timestamp_seconds) > 0"

	return []alert{
		{
			name: "MachineWatchCircuitOpen", wait: 10 * time.Minute, severity: warning,
			expr:    each("homelab_composite_condition" + open + " or homelab_machine_condition" + open),
			summary: "Crossplane reconciles " + claim + " every few minutes only, because it has too many events.",
			description: "The VM keeps running, but edits take minutes to have an effect. Something changes the machine's resources again and again: " +
				"condition Responsive of the composite names the object. Check whether two tools write the same object.",
			link: "observability.md#machinewatchcircuitopen",
		},
		{
			name: "MachineDeletionStuck", wait: time.Hour, severity: warning,
			expr:    deleted,
			summary: "Machine {{ $labels.claim_namespace }}/{{ $labels.machine }} has been in deletion for more than an hour.",
			description: "Its managed resources still exist: `kubectl get managed -l homelab.io/machine={{ $labels.machine }},homelab.io/namespace={{ $labels.claim_namespace }}`. A paused resource cannot be " +
				"deleted: remove the pause. A VM with Proxmox's protection flag cannot be deleted before `qm set <vmId> --protection 0`. " +
				"Do not remove a finalizer, because then the VM stays in Proxmox.",
			link: "conditions.md#paused-errors",
		},
	}
}

// patienceAlerts are alerts about machines that wait for a decision without urgency.
func patienceAlerts() []alert {
	const day = 24 * time.Hour

	return []alert{
		{
			name: "MachinePausedByHand", wait: day, severity: info,
			expr: each(`homelab_machine_info{paused="true"}`) + " or max by (claim_namespace, machine) " +
				`(homelab_managed_info{machine!="",paused="true",paused_by=""})`,
			summary:     "Somebody paused machine {{ $labels.claim_namespace }}/{{ $labels.machine }} a day ago.",
			description: "Edits of the claim have no effect. To end the pause, remove the annotation crossplane.io/paused from the claim or the managed resource.",
			link:        "conditions.md#providerhealthy",
		},
		{
			name: "MachineReplacementRequired", wait: day, severity: info,
			expr:    eachWith("reason", says("ReplacementRequired", "True", `=~"ImmutableFieldChanged|ReplacementBlocked"`)),
			summary: claim + " contains a change that its VM cannot make ({{ $labels.reason }}).",
			description: "The VM keeps the old value. Restore the old value in the claim, or replace the VM with a new value in spec.lifecycle.replace. " +
				"Condition ReplacementRequired names the fields, or the obstacle to a replacement.",
			link: "conditions.md#replacementrequired",
		},
		{
			name: "MachineReplacementStuck", wait: 2 * time.Hour, severity: warning,
			expr:        each(says("ReplacementRequired", "True", `="Replacing"`)),
			summary:     "The replacement of " + claim + " has not finished for two hours.",
			description: "Condition ReplacementRequired shows the stage. The old VM stays until the new VM is ready. To cancel the replacement, remove the value of spec.lifecycle.replace.",
			link:        "conditions.md#replacementrequired",
		},
		{
			name: "MachineRebootPending", wait: 3 * day, severity: info,
			expr:        each(says("RebootPending", "True", `="ChangesPending"`)),
			summary:     "Changes of " + claim + " have waited for a power cycle for three days.",
			description: "status.pendingReboot lists the changes. At a time of your choice, set spec.lifecycle.reboot to a new value, or set spec.lifecycle.rebootPolicy to WhenNeeded.",
			link:        "conditions.md#rebootpending",
		},
	}
}

// guardAlerts are alerts about machines that run without what their claims have to protect them.
func guardAlerts() []alert {
	return []alert{
		{
			name: "MachineNotHighlyAvailable", wait: time.Hour, severity: warning,
			expr:    eachWith("reason", says("HighlyAvailable", "False", `=~"HAPending|HASuspended|HABlocked"`)),
			summary: "Proxmox's HA manager does not manage the VM of " + claim + " ({{ $labels.reason }}).",
			description: "If its node fails, the VM is not started on another node. Condition HighlyAvailable has the cause. HAPending and HASuspended: the VM does not run yet, or " +
				"ProviderHealthy has the error. HABlocked: the VM has something that other nodes do not see.",
			link: "conditions.md#highlyavailable",
		},
		{
			name: "MachineFirewallNotApplied", wait: time.Hour, severity: warning,
			// FirewallStands waits for an approval, or for the catalogue: SpecValid and Approved have alerts of their own.
			expr:    eachWith("reason", says("FirewallApplied", "False", `=~"FirewallPending|FirewallDiffers|FirewallHasRules|FirewallLeaving"`)),
			summary: "The firewall of " + claim + " has not been as claimed for an hour ({{ $labels.reason }}).",
			description: "More may reach the guest than its claim accepts, or less. Condition FirewallApplied says what is missing. FirewallPending and FirewallLeaving: ProviderHealthy has the error of the " +
				"provider, or a container waits for its restart (RebootPending). FirewallDiffers: somebody changes options in Proxmox, and the provider cannot set them back. " +
				"FirewallHasRules: Proxmox has rules that the claim does not have.",
			link: "conditions.md#firewallapplied",
		},
		{
			name: "MachineSpreadBroken", wait: time.Hour, severity: warning,
			expr:    each(says("SpreadBroken", "True", "")),
			summary: "The VM or container of " + claim + " is on one Proxmox node with another one that it is kept apart from.",
			description: "An outage of the node stops both. Somebody moved a VM, or Proxmox did: its HA manager, or its balancing. Condition SpreadBroken names the other one, and a node " +
				"to which you can move a VM of them with qm migrate. Nothing moves them by itself.",
			link: "conditions.md#spreadbroken",
		},
	}
}

// laterAlerts are alerts about machines that differ from their claims for days, without harm.
func laterAlerts() []alert {
	const day = 24 * time.Hour

	return []alert{
		{
			name: "MachineBootstrapChanged", wait: 3 * day, severity: info,
			expr:    each(says("BootstrapCurrent", "False", "")),
			summary: claim + " describes other bootstrap data than its VM was created with.",
			description: "The VM keeps its bootstrap data. Revert the edit, change the running system in the usual way, or replace the VM with a new " +
				"value in spec.lifecycle.replace.",
			link: "conditions.md#bootstrapcurrent",
		},
	}
}

// editAlerts are alerts about edits that wait for other machines, or for a person.
func editAlerts() []alert {
	const day = 24 * time.Hour

	return []alert{
		{
			name: "MachineWaitsForWave", wait: day, severity: info,
			expr:        each(says("RolloutFinished", "False", `="WaitingForWave"`)),
			summary:     claim + " has waited for others of its group for a day.",
			description: "Its VM or container is to restart, to move or to be replaced. Condition RolloutFinished names those that it waits for; that condition of theirs has the cause.",
			link:        "day-two.md#waves",
		},
		{
			name: "MachineWaitsForApproval", wait: day, severity: info,
			expr: each(says("MachineReady", "False", `=~"WaitingForApproval|AdoptionPlanChanged"`) + " or " +
				says("Approved", "False", `=~"WaitingForApproval|OtherPlan"`)),
			summary: claim + " has waited for your approval for a day.",
			description: "Until you approve it, nothing of the edit or of the adoption reaches the VM. An edit: read status.plan of the claim, and copy status.plan.hash into " +
				"spec.lifecycle.approve, or undo the edit. An adoption: read status.adoption, and copy status.adoption.plan into spec.adopt.approve.",
			link: "conditions.md#approved",
		},
		{
			name: "SiteInterruptionPending", wait: 3 * day, severity: info,
			expr:    each(says("InterruptionPending", "True", "")),
			summary: "Changes or removals of " + claim + " have waited for a word of the claim for three days.",
			description: "They may cut a node or its VMs off. Condition InterruptionPending lists them, also what somebody changed in Proxmox. Set allowInterruption of the interface to " +
				"the hash that the condition names, name the removal in allowRemoval, or take the change back.",
			link: "conditions.md#interruptionpending",
		},
	}
}

// convergenceAlerts are alerts about what NixOS machines report to the guest agent.
func convergenceAlerts() []alert {
	return []alert{
		{
			name: "MachineNotConverged", wait: 24 * time.Hour, severity: warning,
			expr:    eachWith("reason", says("Converged", "False", `=~"ConvergenceFailed|Held"`)),
			summary: claim + " has not converged to its flake for a day ({{ $labels.reason }}).",
			description: "Commits do not reach the machine. ConvergenceFailed: the journal of nix-gitops-apply in the guest has the reason. Held: /etc/nix-gitops/hold in the " +
				"guest keeps the machine as it is. The report is as old as the provider's last poll.",
			link: "conditions.md#converged",
		},
		{
			name: "MachineRolledBack", wait: 15 * time.Minute, severity: warning,
			expr:        each(says("Converged", "False", `="RolledBack"`)),
			summary:     claim + " rejected a revision of its flake.",
			description: "The machine runs the system that it ran before. Push a corrected revision; status.nix.revision names the rejected one.",
			link:        "conditions.md#converged",
		},
	}
}
