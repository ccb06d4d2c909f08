package main

import (
	"fmt"
	"time"
)

// machine is what tells one machine from another. The target's own labels are left out: two pods of kube-state-metrics, as
// while it is updated, are one machine still.
const machine = "claim_namespace, machine, customresource_kind"

// claim is how an alert names it.
const claim = "{{ $labels.customresource_kind }} {{ $labels.claim_namespace }}/{{ $labels.machine }}"

// says is a condition of machines.
func says(condition, status, reasons string) string {
	if reasons != "" {
		reasons = `,reason` + reasons
	}

	return fmt.Sprintf(`homelab_machine_condition{type=%q,status=%q%s}`, condition, status, reasons)
}

// each machine once.
func each(expr string) string { return "max by (" + machine + ") (" + expr + ")" }

// eachWith one more label.
func eachWith(label, expr string) string {
	return "max by (" + machine + ", " + label + ") (" + expr + ")"
}

// machineAlerts are about claims, and namespaced composites alike.
func machineAlerts() []alert {
	out := troubleAlerts()
	out = append(out, watchAlerts()...)

	return append(out, patienceAlerts()...)
}

// pausedForError are machines with a managed resource that our breaker paused.
const pausedForError = `homelab_managed_info{machine!="",paused_by!=""}`

// troubleAlerts are about machines that need somebody.
func troubleAlerts() []alert {
	return []alert{
		{
			name: "MachineNotReady", wait: 45 * time.Minute, severity: warning,
			// The download of an image, and the shutdown of a guest that does not answer, may take half an hour each.
			expr: each("homelab_machine_info") + " unless on (" + machine + `) homelab_machine_condition{type="Ready",status="True"}` +
				" unless on (" + machine + `) homelab_machine_condition{type="MachineReady",reason=~"WaitingForApproval|AdoptionPlanChanged"}`,
			summary: claim + " is not ready for 45 minutes.",
			description: "Condition MachineReady says what it waits for, ProviderHealthy what is wrong: " +
				"`kubectl -n {{ $labels.claim_namespace }} describe {{ $labels.customresource_kind }} {{ $labels.machine }}`. " +
				"Without either, the function was not called: see conditions Synced and Ready.",
			link: "conditions.md#machineready",
		},
		{
			name: "MachineSpecRefused", wait: 10 * time.Minute, severity: warning,
			expr:    eachWith("reason", says("SpecValid", "False", "")),
			summary: claim + " was edited, and the edit is refused ({{ $labels.reason }}).",
			description: "The machine stays as it is. GitOps tools call the claim applied, and a claim that was ready keeps Ready. Condition SpecValid names " +
				"every fault with its path. ValidationFailed: correct the claim. ConfigurationError: correct the catalogue or the Composition's Input.",
			link: "conditions.md#specvalid",
		},
		{
			name: "MachineWedged", wait: 5 * time.Minute, severity: critical,
			expr:    "max by (claim_namespace, machine, paused_by) (" + pausedForError + ")",
			summary: "Machine {{ $labels.claim_namespace }}/{{ $labels.machine }} is paused for error {{ $labels.paused_by }}, and stays so until its claim changes.",
			description: "Trying again is of no use. Condition ProviderHealthy says what the error means and what to do; after any change " +
				"of the claim, or a new word in spec.lifecycle.retry, it is tried again.",
			link: "conditions.md#paused-errors",
		},
		{
			name: "MachineFailed", wait: 10 * time.Minute, severity: critical,
			expr:    each(`homelab_machine_phase{phase="Failed"} == 1`) + " unless on (claim_namespace, machine) " + pausedForError,
			summary: claim + " has failed, with an error that does not pass by itself.",
			description: "Conditions ProviderHealthy and VMIDInUse say what is wrong and what to do. It is tried again by itself once that is put right, " +
				"or, where its VM number is another's, once the claim names another number.",
			link: "conditions.md#providerhealthy",
		},
		{
			name: "MachineProviderError", wait: 30 * time.Minute, severity: warning,
			expr: each(says("ProviderHealthy", "False", `!="Paused"`)) +
				" unless on (claim_namespace, machine) " + pausedForError +
				" unless on (" + machine + `) (homelab_machine_phase{phase="Failed"} == 1)`,
			summary: "The provider reports an error of " + claim + " for half an hour.",
			description: "The machine runs on as it is. Condition ProviderHealthy says what the error means and what to do. An error that may " +
				"pass is tried again by itself.",
			link: "conditions.md#providerhealthy",
		},
	}
}

// watchAlerts are about what Crossplane does with machines, or does not.
func watchAlerts() []alert {
	open := `{type="Responsive",status="False"}`
	const deleted = "max by (claim_namespace, machine) (homelab_managed_deletion_timestamp_seconds{machine!=\"\"}" +
		" or homelab_machine_deletion_timestamp_seconds) > 0"

	return []alert{
		{
			name: "MachineWatchCircuitOpen", wait: 10 * time.Minute, severity: warning,
			expr:    each("homelab_composite_condition" + open + " or homelab_machine_condition" + open),
			summary: "Crossplane looks away from " + claim + " for most of the time: too many events of it.",
			description: "The machine runs on, and edits take minutes to have an effect. Something changes the machine's resources again and again: " +
				"message of condition Responsive on the composite names it. See whether two tools write the same object.",
			link: "observability.md#machinewatchcircuitopen",
		},
		{
			name: "MachineDeletionStuck", wait: time.Hour, severity: warning,
			expr:    deleted,
			summary: "Machine {{ $labels.claim_namespace }}/{{ $labels.machine }} is being deleted for more than an hour.",
			description: "Its managed resources are still there: `kubectl get managed -l homelab.io/machine={{ $labels.machine }},homelab.io/namespace={{ $labels.claim_namespace }}`. One that is paused cannot be " +
				"deleted until the pause is taken off, and a VM that is protected in Proxmox not before `qm set <vmId> --protection 0`. " +
				"Never take a finalizer off to be done: the VM would be left behind.",
			link: "conditions.md#paused-errors",
		},
	}
}

// patienceAlerts are about machines that wait for a person, who is in no hurry.
func patienceAlerts() []alert {
	const day = 24 * time.Hour

	return []alert{
		{
			name: "MachinePausedByHand", wait: day, severity: info,
			expr: each(`homelab_machine_info{paused="true"}`) + " or max by (claim_namespace, machine) " +
				`(homelab_managed_info{machine!="",paused="true",paused_by=""})`,
			summary:     "Somebody paused machine {{ $labels.claim_namespace }}/{{ $labels.machine }} a day ago.",
			description: "Nothing that its claim says has an effect. Take annotation crossplane.io/paused off the claim, or off the managed resource, when it is time.",
			link:        "conditions.md#providerhealthy",
		},
		{
			name: "MachineReplacementRequired", wait: day, severity: info,
			expr:    eachWith("reason", says("ReplacementRequired", "True", `=~"ImmutableFieldChanged|ReplacementBlocked"`)),
			summary: claim + " asks for what its VM cannot change ({{ $labels.reason }}).",
			description: "The VM keeps what it has. Put the old value back, or ask for a new VM with a new word in spec.lifecycle.replace; " +
				"condition ReplacementRequired names the fields, or what speaks against it.",
			link: "conditions.md#replacementrequired",
		},
		{
			name: "MachineReplacementStuck", wait: 2 * time.Hour, severity: warning,
			expr:        each(says("ReplacementRequired", "True", `="Replacing"`)),
			summary:     claim + " is being replaced for two hours.",
			description: "Condition ReplacementRequired says how far it has come. The old VM stays until the new one is ready; taking the word back keeps it.",
			link:        "conditions.md#replacementrequired",
		},
		{
			name: "MachineRebootPending", wait: 3 * day, severity: info,
			expr:        each(says("RebootPending", "True", `="ChangesPending"`)),
			summary:     "Changes of " + claim + " wait for a restart for three days.",
			description: "status.pendingReboot lists them. Set spec.lifecycle.reboot to a new word when it suits you, or spec.lifecycle.rebootPolicy to WhenNeeded.",
			link:        "conditions.md#rebootpending",
		},
		{
			name: "MachineBootstrapChanged", wait: 3 * day, severity: info,
			expr:    each(says("BootstrapCurrent", "False", "")),
			summary: claim + " describes other bootstrap data than its VM was made with.",
			description: "The VM keeps what it has. Take the edit back, change the running system the usual way, or ask for a new VM with a new " +
				"word in spec.lifecycle.replace.",
			link: "conditions.md#bootstrapcurrent",
		},
		{
			name: "MachineWaitsForApproval", wait: day, severity: info,
			expr:        each(says("MachineReady", "False", `=~"WaitingForApproval|AdoptionPlanChanged"`)),
			summary:     claim + " waits for somebody to approve the adoption of its VM.",
			description: "Read status.adoption of the claim, and write its plan to spec.adopt.approve. Until then the VM is left alone.",
			link:        "conditions.md#machineready",
		},
	}
}
