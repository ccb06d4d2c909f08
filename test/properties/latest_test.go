package properties

import (
	"strings"

	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// search draws further search domains for both specs: last and from a sequence of its own, so that the rest of a pair stays what it was.
func (p *pair) search(d draw) {
	for _, spec := range []*map[string]any{&p.first, &p.second} {
		network := world.Object((*spec)["network"])
		domains := some(d, "home.arpa", "lab.example", "x.home.arpa", "1.example")

		if !d.chance(33) || len(network) == 0 {
			continue
		}

		// Another domain than the first one.
		out := []any{}

		for _, name := range domains {
			if name != network["domain"] {
				out = append(out, name)
			}
		}

		if !searchesSeveral(*spec) {
			// A single one in all, also where the site has another domain later.
			if network["domain"] != nil || world.Object((*spec)["proxmox"])["site"] != "lab" {
				continue
			}

			out = out[:min(1, len(out))]
		}

		*spec = with(*spec, []string{"network", "searchDomains"}, out)
	}
}

// searchesSeveral says whether a guest can have several search domains: Proxmox would complete its host name with all of them.
func searchesSeveral(spec map[string]any) bool {
	bootstrap := world.Object(spec["bootstrap"])
	hostname, _ := spec["hostname"].(string)
	rendered := spec["nix"] != nil || spec["k3s"] != nil || bootstrap["userData"] != nil || world.Object(bootstrap["snippets"])["userData"] != nil

	return rendered || strings.Contains(hostname, ".")
}

// runCrossplane on the machine's VM, before or after the edit or both: last and from a sequence of its own, as search. Most of these ask for a restart of a
// VM that runs, and some force it; or they would have, were the value not older than the restart.
func (p *pair) runCrossplane(d draw) {
	before, after, asks, known := d.chance(60), d.chance(80), d.chance(80), d.chance(30)
	force := pick(d, "", "1", "1", "2", "2")
	cores, reboot := d.chance(60), d.chance(60)

	// Such a machine is never replaced.
	if !d.chance(33) || world.Object(p.second["lifecycle"])["replace"] != nil {
		return
	}

	if asks {
		p.both("power", nil)
		p.both("lifecycle", map[string]any{"rebootPolicy": "WhenNeeded"})

		if cores {
			p.second = with(p.second, []string{"size", "cores"}, 3)
		}

		if reboot {
			p.second = with(p.second, []string{"lifecycle", "reboot"}, "a")
		}

		if force != "" {
			p.second = with(p.second, []string{"lifecycle", "force"}, force)
		}

		if force != "" && known {
			p.first = with(p.first, []string{"lifecycle", "force"}, force)
		}
	}

	for spec, runs := range map[*map[string]any]bool{&p.first: before, &p.second: after} {
		if runs && (*spec)["power"] != "Stopped" {
			*spec = with(*spec, []string{"runsCrossplane"}, true)
		}
	}
}
