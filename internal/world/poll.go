package world

import "fmt"

// A look is when the provider worked on a managed resource last, and what it said then.
type look struct {
	written string // Spec and metadata: a change of either has the provider look at once.
	turns   int    // Since then.
}

// rests says whether the provider leaves a managed resource alone in this turn, since nothing has called it and its poll is not due.
func rests(r reconciliation) bool {
	p := r.provider
	if p.Every < 2 {
		return false
	}

	last, known := p.looked[r.owner()]
	if !known || last.written != writtenOf(r.object) || !wellAsWritten(r.object) {
		return false
	}

	last.turns++
	p.looked[r.owner()] = last

	return last.turns < p.Every
}

// looked notes that the provider has worked on a managed resource.
func looked(r reconciliation) {
	if r.provider.Every < 2 {
		return
	}

	if r.provider.looked == nil {
		r.provider.looked = map[string]look{}
	}

	r.provider.looked[r.owner()] = look{written: writtenOf(r.object)}
}

// writtenOf a managed resource is all by which the provider sees that it was changed.
func writtenOf(o map[string]any) string {
	meta := Object(o["metadata"])

	return fmt.Sprint(o["spec"], meta["annotations"], meta["labels"])
}

// wellAsWritten says whether the provider said that all is well: an error is tried again at once.
func wellAsWritten(o map[string]any) bool {
	for _, c := range Conditions(o) {
		if c["status"] != "True" {
			return false
		}
	}

	return len(Conditions(o)) > 0
}
