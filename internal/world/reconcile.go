package world

import fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

// Reconcile lets function and Crossplane work once for a node, with the conditions that Crossplane writes itself: whether it could, and whether all is ready.
func (m *Machine) Reconcile(rsp *fnv1.RunFunctionResponse) {
	m.cluster.T.Helper()

	if msg := Fatal(rsp); msg != "" {
		m.fatal(rsp)
		SetConditions(m.Composite, Condition("Synced", "False", "ReconcileError", msg, nil))

		return
	}

	m.Apply(rsp)

	synced := Condition("Synced", "True", "ReconcileSuccess", "", nil)
	if m.nodes != nil && len(m.nodes.refused) > 0 {
		synced = nil
	}

	for _, c := range []map[string]any{synced, readyOf(rsp)} {
		if c != nil {
			SetConditions(m.Composite, c)
		}
	}
}

// fatal writes the conditions of a fatal answer, which are all that Crossplane takes over of it, and says of each other one of the function's that nobody knows
// (internal/controller/apiextensions/composite/reconciler.go, v2.4.0: reasonFatalError).
func (m *Machine) fatal(rsp *fnv1.RunFunctionResponse) {
	for _, c := range Conditions(m.Composite) {
		if c["type"] != "Ready" && c["type"] != "Synced" {
			c["status"], c["reason"], c["message"] = "Unknown", "FatalError", "A fatal error occurred before the status of this condition could be determined."
		}
	}

	SetConditions(m.Composite, conditionsOf(rsp)...)
}

// readyOf a composite: what the function says, or all of its composed resources.
func readyOf(rsp *fnv1.RunFunctionResponse) map[string]any {
	ready := rsp.GetDesired().GetComposite().GetReady()

	if ready == fnv1.Ready_READY_UNSPECIFIED {
		ready = fnv1.Ready_READY_TRUE

		for _, r := range rsp.GetDesired().GetResources() {
			if r.GetReady() != fnv1.Ready_READY_TRUE {
				ready = fnv1.Ready_READY_FALSE
			}
		}
	}

	if ready == fnv1.Ready_READY_TRUE {
		return Condition("Ready", "True", "Available", "", nil)
	}

	return Condition("Ready", "False", "Creating", "", nil)
}
