package installation

import (
	"fmt"
	"slices"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/why"
)

// machines that wait for something, each with the command that tells the rest.
func (c Cluster) machines() []Finding {
	lines := why.Lines(c.Objects)
	if c.Namespace != "" {
		lines = slices.DeleteFunc(lines, func(l why.Line) bool { return l.Namespace != c.Namespace })
	}

	var out []Finding

	for _, l := range lines {
		what := l.Kind + " " + l.Namespace + "/" + l.Name

		if l.Phase == why.PhasePaused {
			on := strings.ToLower(l.Kind) + ".homelab.io/" + l.Name
			if l.Namespace != "" && !strings.HasPrefix(l.Kind, "X") {
				on += " -n " + l.Namespace
			}

			paused := what + " is paused: Crossplane does nothing for it"
			out = append(out, Finding{checkMachines, Warning, paused, "kubectl annotate " + on + " " + proxmox.PausedAnnotation + "-"})

			continue
		}

		if len(l.Waits) == 0 {
			continue
		}

		first := l.Waits[0]
		state := Warning

		if l.Phase == "Failed" || slices.Contains([]string{"SpecValid", "ProviderHealthy", "Synced", "VMIDInUse"}, first.Condition) {
			state = Fault
		}

		command := "kubectl machine why " + strings.ToLower(l.Kind) + "/" + l.Name
		if l.Namespace != "" && !strings.HasPrefix(l.Kind, "X") {
			command += " -n " + l.Namespace
		}

		fix := command
		if first.Todo != "" {
			fix = strings.TrimSuffix(first.Todo, ".") + " (" + command + ")"
		}

		out = append(out, Finding{checkMachines, state, fmt.Sprintf("%s: %s is %s (%s)", what, first.Condition, first.Status, first.Reason), fix})
	}

	if len(out) == 0 {
		return []Finding{{checkMachines, OK, fmt.Sprintf("none of %d waits for anything", len(lines)), ""}}
	}

	return out
}
