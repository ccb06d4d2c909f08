package container

import (
	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/change"
)

// Dropped are warnings of an edit that takes something out of a claim which its container keeps all the same. was is the spec that had arrived, and is that
// of now.
func Dropped(p Plan, was v1alpha1.AppliedSpec, is map[string]any) []string {
	if p.Action != ActionFollow {
		return nil
	}

	var out []string
	if !p.Adopted { // No other container replaces one that was adopted.
		out = change.Pinned("container", was, is)
	}

	c := p.comparison(p.Observed.Containers[p.Guest])
	settled := c.settled()

	for _, r := range rows {
		has, wanted := r.words(c.has), r.words(settled)
		if r.unsaid == nil || !r.unsaid(c) || has == wanted || has == "" {
			continue
		}

		// What is pinned is said above.
		if d, has := r.dropped(has, wanted, p.Adopted); r.field != macField || p.Adopted {
			if _, dropped := d.From(was, is); dropped {
				out = append(out, d.Keeps("container", has))
			}
		}
	}

	return out
}

// dropped is what is said of the row's field, and of the value that the container has.
func (r row) dropped(has, wanted string, adopted bool) (d change.Dropped, value string) {
	d = change.Dropped{Field: r.field, Next: "begins without it"}
	value = has

	if wanted != "" {
		d.Next = "begins with " + wanted
	}

	switch r.field {
	case notesField:
		d.Field = "spec.notes"
	case keysField:
		value, d.Next = "those that it was created with", "begins with those of the catalogue"
	}

	if adopted {
		d.Next = ""
	}

	return d, value
}
