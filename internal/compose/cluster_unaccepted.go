package compose

import (
	"strings"

	"github.com/homelab-io/function-proxmox-machine/internal/cluster"
)

// unsynced begins what Crossplane says of composed resources that the API server did not take, in condition Synced of their composite: the names of
// the first three. It goes on with all others, and writes the status
// (FunctionComposer.Compose and Reconciler.Reconcile, Crossplane v1.20 and v2.4).
const unsynced = "Unsynced resources: "

// unaccepted are the nodes whose last spec the API server did not take, as far as the composite's condition names them.
func (c clusterCall) unaccepted(children map[string]cluster.Child) map[string]bool {
	status := statusOf(c.call.req).GetFields()
	out := map[string]bool{}

	for _, v := range status["conditions"].GetListValue().GetValues() {
		condition := v.GetStructValue().GetFields()
		if condition["type"].GetStringValue() != "Synced" || condition["status"].GetStringValue() != "False" {
			continue
		}

		names, ok := strings.CutPrefix(condition["message"].GetStringValue(), unsynced)
		if !ok {
			continue
		}

		for name := range strings.SplitSeq(names, ", ") {
			name = strings.TrimPrefix(name, "and ")
			if _, exists := children[name]; exists {
				out[name] = true
			}
		}
	}

	return out
}
