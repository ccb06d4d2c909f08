package rehearse

import (
	"fmt"
	"slices"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/internal/status"
	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// keptRelease is what a node's condition says of a release of K3s in its claim that is for its next VM only: nothing is done to the node, and all is well
// with it, which is not what everybody expects who edits a version.
type keptRelease struct{ machine, message string }

// keptReleases of all nodes but those whose Kubernetes Nodes are read: condition VersionCurrent speaks of these.
func keptReleases(p *play) (out []keptRelease) {
	for _, m := range p.cluster.Machines {
		message, seen := "", false

		for _, c := range world.Conditions(m.Composite) {
			seen = seen || c["type"] == status.TypeVersionCurrent

			if c["reason"] == status.ReasonK3sVersionChanged {
				message = fmt.Sprint(c["message"])
			}
		}

		if message != "" && !seen {
			out = append(out, keptRelease{p.labelOf(m), message})
		}
	}

	return out
}

// since the releases of before: a warning for each sentence, with all whom it is about.
func since(before, now []keptRelease) (warnings []string) {
	of := map[string][]string{}

	var sentences []string

	for _, k := range now {
		if slices.Contains(before, k) {
			continue
		}

		if of[k.message] == nil {
			sentences = append(sentences, k.message)
		}

		of[k.message] = append(of[k.message], k.machine)
	}

	for _, s := range sentences {
		slices.Sort(of[s])
		warnings = append(warnings, strings.Join(of[s], ", ")+": "+s)
	}

	return warnings
}
