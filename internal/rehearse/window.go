package rehearse

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// windows are warnings about clusters whose nodes were upgraded in place, and which say when that may begin: nobody here has a clock, and it is played as if it
// were then.
func windows(p *play, upgraded []string) []string {
	var out []string

	for _, a := range p.actors {
		if a.machine == nil || a.nodes == nil {
			continue
		}

		window := world.Object(world.Object(a.machine.Spec()["rollout"])["window"])
		isOfCluster := func(name string) bool { return slices.Contains(upgraded, a.nodes.Named(name).NodeName()) }

		if len(window) > 0 && slices.ContainsFunc(a.nodes.Names(), isOfCluster) {
			out = append(out, fmt.Sprintf("%s: upgrades begin only in rollout.window (%s), and all else of the cluster waits for them. "+
				"The times above are as if that were open until all is done", a.label, spanOf(window)))
		}
	}

	return out
}

// spanOf a window, in words.
func spanOf(window map[string]any) string {
	var days []string
	for _, day := range world.List(window["days"]) {
		days = append(days, fmt.Sprint(day))
	}

	zone, _ := window["timeZone"].(string)

	return fmt.Sprintf("%s, %v to %v %s", cmp.Or(strings.Join(days, ", "), "every day"), window["startTime"], window["endTime"], cmp.Or(zone, "UTC"))
}
