package rehearse

import (
	"fmt"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/internal/preview"
)

// besideOf are the waits for a person who decides about what a deleted claim leaves in Proxmox and another claim of the edit has, too: both run, and one of the
// two is nobody's. What a claim leaves whose place nobody takes is as its deletionPolicy wants it.
func besideOf(p *play, letGo []string) []Wait {
	var gone, born []preview.Named

	labels := map[string]string{}

	for _, a := range p.actors {
		n := preview.Named{Name: a.Name, Composite: a.Is.Is}

		switch {
		case a.machine == nil:
			continue
		case a.Fate == Deleted:
			gone = append(gone, n)
		case a.Was == nil && a.Is.Was == nil:
			born = append(born, n)
		}

		labels[n.Name] = p.labelOf(a.machine)
	}

	var out []Wait

	for _, r := range preview.Renames(gone, born) {
		var stay []string

		for _, guest := range letGo {
			if label := labels[r.From]; strings.Contains(guest, "("+label+")") || strings.Contains(guest, "("+label+"/") {
				stay = append(stay, guest)
			}
		}

		if len(stay) > 0 {
			out = append(out, Wait{
				Machine: labels[r.To], Condition: ConditionDeletion, Reason: "RunsBeside",
				Message: fmt.Sprintf("It has %s of %s, whose claim is gone. These stay in Proxmox beside it, and nobody has them: %s.", r.Shares, r.From, strings.Join(stay, ", ")),
				Todo:    `do not commit this edit where you want what there is under another name: docs/day-two.md, "Another name". Else remove in Proxmox what stays.`,
			})
		}
	}

	return out
}

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
