package cli

import (
	"github.com/homelab-io/function-proxmox-machine/internal/preview"
	"github.com/homelab-io/function-proxmox-machine/internal/rehearse"
)

// staged are the stories of claims as a rehearsal takes them, all with one fate.
func staged(configuration preview.Configuration, stories []preview.Story, fate rehearse.Fate) ([]rehearse.Machine, error) {
	var out []rehearse.Machine

	r := preview.Renderer{Configuration: configuration}

	for _, story := range stories {
		scene, err := r.Scene(story)
		if err != nil {
			return nil, err
		}

		out = append(out, rehearse.Machine{Name: configuration.NameOf(story.Claim), Is: scene, Fate: fate})
	}

	return out, nil
}

// A deletion is which claims an edit deletes.
type deletion string

// The deletions.
const (
	deletesNothing deletion = ""
	deletesNamed   deletion = "named"   // The claims of -f.
	deletesUnnamed deletion = "unnamed" // What there is in the namespaces of the claims of -f, and is not among them.
)

// deletion that the flags ask for.
func (f *planFlags) deletion() deletion {
	switch {
	case f.delete:
		return deletesNamed
	case f.prune:
		return deletesUnnamed
	default:
		return deletesNothing
	}
}

// ofNamed is the fate of the claims of -f.
func (d deletion) ofNamed() rehearse.Fate {
	if d == deletesNamed {
		return rehearse.Deleted
	}

	return rehearse.Edited
}

// ofUnnamed is the fate of what there is beside them.
func (d deletion) ofUnnamed() rehearse.Fate {
	if d == deletesUnnamed {
		return rehearse.Deleted
	}

	return rehearse.Edited
}

// edits that are planned or rehearsed.
type edits struct {
	configuration preview.Configuration
	named         []preview.Story // The claims of -f, or all machines with another catalogue.
	unnamed       []preview.Story // What there is in their namespaces, and is not among them. Nothing of it is played where nothing is deleted.
	deletes       deletion
}

// machines of a rehearsal of the edits. Of a deletion all that is in the namespaces counts: who votes beside what goes is among it.
func (e edits) machines() ([]rehearse.Machine, error) {
	out, err := staged(e.configuration, e.named, e.deletes.ofNamed())
	if err != nil || e.deletes == deletesNothing {
		return out, err
	}

	unnamed, err := staged(e.configuration, e.unnamed, e.deletes.ofUnnamed())

	return append(out, unnamed...), err
}
