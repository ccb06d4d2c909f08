package world

import (
	"slices"
	"strings"
)

// SetWell sets all conditions as the provider does when it is done.
func SetWell(o map[string]any, generation any) {
	SetConditions(o,
		Condition("Ready", "True", "Available", "", generation), Condition("Synced", "True", "ReconcileSuccess", "", generation),
		Condition("LastAsyncOperation", "True", "Success", "", nil), Condition("AsyncOperation", "True", "Finished", "", nil))
}

// SetConditions replaces conditions of the same types.
func SetConditions(o map[string]any, all ...map[string]any) {
	status := Object(o["status"])
	out := []any{}

	for _, c := range all {
		dateReady(o, c)
		out = append(out, c)
	}

	for _, before := range List(status["conditions"]) {
		if !slices.ContainsFunc(all, func(c map[string]any) bool { return c["type"] == Object(before)["type"] }) {
			out = append(out, before)
		}
	}

	status["conditions"] = out
	o["status"] = status
}

// dateReady dates condition Ready: it changes after a creation began, also where this provider creates a VM in one turn.
func dateReady(o, condition map[string]any) {
	if began := Annotation(o, createPending); began != "" && condition["type"] == "Ready" {
		condition["lastTransitionTime"] = began
	}
}

// Condition of a managed resource. Without a generation nobody says what it is about.
func Condition(typ, status, reason, message string, generation any) map[string]any {
	c := map[string]any{"type": typ, "status": status, "reason": reason, "lastTransitionTime": "2026-01-01T00:00:00Z"}
	if message != "" {
		c["message"] = message
	}

	if generation != nil {
		c["observedGeneration"] = generation
	}

	return c
}

// Conditions of a managed resource, to be read and changed.
func Conditions(o map[string]any) []map[string]any {
	var out []map[string]any
	for _, c := range List(Object(o["status"])["conditions"]) {
		out = append(out, Object(c))
	}

	return out
}

// Report sets what the provider says of a VM: Ready, Synced and LastAsyncOperation, with the message of a failure.
func Report(o map[string]any, ready, synced, last, message string) {
	for _, c := range Conditions(o) {
		dateReady(o, c)

		switch c["type"] {
		case "Ready":
			c["status"], c["reason"] = ready, map[string]string{"True": "Available", "False": "Creating"}[ready]
		case "Synced":
			c["status"], c["reason"], c["message"] = synced, map[string]string{"True": "ReconcileSuccess", "False": "ReconcileError"}[synced], message
		case "LastAsyncOperation":
			c["status"], c["reason"], c["message"] = last, map[string]string{"True": "Success", "False": "ApplyFailure"}[last], message
		}
	}
}

// fail is what a failed try leaves behind. What was never there is not ready then.
func fail(o map[string]any, message string, generation any) {
	if Object(Object(o["status"])["atProvider"])["id"] == nil && Policies(o) != onlyObserves {
		failToCreate(o, message, generation)
		return
	}

	SetConditions(o, Condition("Synced", "False", "ReconcileError", message, generation))
}

// failToCreate is what a failed creation leaves behind.
func failToCreate(o map[string]any, message string, generation any) {
	SetConditions(o, Condition("Synced", "False", "ReconcileError", message, generation),
		Condition("Ready", "False", "Creating", "", generation),
		Condition("LastAsyncOperation", "False", "ApplyFailure", strings.TrimPrefix(message, "create failed: "), nil),
		Condition("AsyncOperation", "True", "Finished", "", nil))
}

// found is a file that the provider made or found.
func found(o map[string]any, id string, forProvider map[string]any, generation any) {
	at := Object(Copy(forProvider))
	at["id"] = id
	setExternalName(o, id)
	o["status"] = map[string]any{"atProvider": at}
	SetWell(o, generation)
}
