package rehearse

import "github.com/homelab-io/function-proxmox-machine/internal/preview"

// renames are warnings about machines that an edit makes with something of one that it deletes.
func renames(p *play) []string {
	var gone, left, born []preview.Named

	labels := map[string]string{}

	for _, a := range p.actors {
		n := preview.Named{Name: a.Name, Composite: a.Is.Is}

		switch {
		case a.Fate == Deleted:
			gone = append(gone, n)
		case a.Fate == Left:
			left = append(left, n)
		case a.Was == nil && a.Is.Was == nil:
			born = append(born, n)
			labels[n.Name] = p.labelOf(a.machine)
		}
	}

	var out []string
	for _, r := range preview.Renames(gone, born) {
		out = append(out, labels[r.To]+": "+r.String())
	}

	for _, m := range preview.Moves(left, born) {
		out = append(out, labels[m.To]+": "+m.String())
	}

	return out
}
