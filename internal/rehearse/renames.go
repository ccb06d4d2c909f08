package rehearse

import (
	"fmt"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/internal/preview"
)

// comings and goings of an edit: claims that it deletes, that it leaves as they are, and that it brings; and what people call those that have a machine, by
// their names.
type comings struct {
	gone, left, born []preview.Named
	labels           map[string]string
}

func comingsOf(p *play) comings {
	out := comings{labels: map[string]string{}}

	for _, a := range p.actors {
		n := preview.Named{Name: a.Name, Composite: a.Is.Is}

		if a.machine != nil {
			out.labels[n.Name] = p.labelOf(a.machine)
		}

		switch {
		case a.Fate == Deleted:
			out.gone = append(out.gone, n)
		case a.Fate == Left:
			out.left = append(out.left, n)
		case a.Was == nil && a.Is.Was == nil:
			out.born = append(out.born, n)
		}
	}

	return out
}

// besideOf are the waits for a person who decides about what a deleted claim leaves in Proxmox and another claim of the edit has, too: both run, and one of the
// two is nobody's. What a claim leaves whose place nobody takes is as its deletionPolicy wants it.
func besideOf(p *play, letGo []string) []Wait {
	var out []Wait

	of := comingsOf(p)

	for _, r := range preview.Renames(of.gone, of.born) {
		var stay []string

		for _, guest := range letGo {
			if label, there := of.labels[r.From]; there && (strings.Contains(guest, "("+label+")") || strings.Contains(guest, "("+label+"/")) {
				stay = append(stay, guest)
			}
		}

		if len(stay) > 0 {
			out = append(out, Wait{
				Machine: of.labels[r.To], Condition: ConditionDeletion, Reason: "RunsBeside",
				Message: fmt.Sprintf("It has %s of %s, whose claim is gone. These stay in Proxmox beside it, and nobody has them: %s.", r.Shares, r.From, strings.Join(stay, ", ")),
				Todo:    `do not commit this edit where you want what there is under another name: docs/day-two.md, "Another name". Else remove in Proxmox what stays.`,
			})
		}
	}

	return out
}

// renames are warnings about machines that an edit makes with something of one that it deletes.
func renames(p *play) []string {
	var out []string

	of := comingsOf(p)

	for _, r := range preview.Renames(of.gone, of.born) {
		out = append(out, of.labels[r.To]+": "+r.String())
	}

	for _, m := range preview.Moves(of.left, of.born) {
		out = append(out, of.labels[m.To]+": "+m.String())
	}

	return out
}
