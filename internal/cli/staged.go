package cli

import (
	"github.com/homelab-io/function-proxmox-machine/internal/preview"
	"github.com/homelab-io/function-proxmox-machine/internal/rehearse"
)

// staged are the stories of claims as a rehearsal takes them.
func staged(configuration preview.Configuration, stories []preview.Story) ([]rehearse.Machine, error) {
	var out []rehearse.Machine

	r := preview.Renderer{Configuration: configuration}

	for _, story := range stories {
		scene, err := r.Scene(story)
		if err != nil {
			return nil, err
		}

		out = append(out, rehearse.Machine{Name: configuration.NameOf(story.Claim), Is: scene})
	}

	return out, nil
}
