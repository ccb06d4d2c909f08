package rehearse

import "github.com/homelab-io/function-proxmox-machine/internal/world"

// written is what all composed resources are told to be, by what they are of and their names: an edit that says the same in other words, or in an
// order that is none, changes nothing of it.
func written(p *play) map[string]any {
	out := map[string]any{}

	for _, m := range p.cluster.Machines {
		for name, o := range m.Observed {
			out[p.labelOf(m)+" "+name] = world.Copy(o["spec"])
		}
	}

	return out
}
