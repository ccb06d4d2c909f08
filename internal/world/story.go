package world

import (
	"fmt"
	"strings"
)

// State of the rollout, and what it says.
func (w *ClusterWorld) State() (state, message string) {
	return Reason(w.Last, "RolledOut"), Message(w.Last, "RolledOut")
}

// Story is what the nodes say that are not well, for a test that fails.
func (w *ClusterWorld) Story() string {
	var out []string

	for _, name := range w.Machine.nodes.Names() {
		for _, c := range Conditions(w.Machine.nodes.machines[name].Composite) {
			if c["status"] != "True" || c["type"] == "ReplacementRequired" || c["type"] == "RebootPending" {
				out = append(out, fmt.Sprintf("%s: %v %v: %v", name, c["type"], c["reason"], c["message"]))
			}
		}
	}

	return strings.Join(out, "\n")
}
