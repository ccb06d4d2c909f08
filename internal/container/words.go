package container

import (
	"strings"

	"github.com/homelab-io/function-proxmox-machine/internal/change"
)

// A Step is what this call does with a composed resource, in words.
type Step struct {
	Resource string
	Action   string
	Words    []string
}

// Words are the plan in words.
func (p Plan) Words() []Step {
	s := Step{Resource: Name, Action: strings.ToLower(string(p.Action))}

	if p.Action == ActionCheck {
		s.Action = "wait"
		s.Words = append(s.Words, "the provider looks whether a VM or a container has the VMID")

		for _, name := range p.Waiting {
			s.Words = append(s.Words, "waits for "+name)
		}
	}

	all := []change.Change{}

	switch {
	case p.Adoption != nil:
		all = p.Adoption.Changes
	case p.Action == ActionFollow:
		all = p.comparison(p.Observed.Containers[Name]).changes()
	}

	for _, c := range all {
		how := "at once"

		switch {
		case c.Effect == change.Refused:
			how = "refused: the container keeps its value"
		case c.Effect == Restart && p.Power.TakesChanges:
			how = "while the container is stopped"
		case c.Effect == Restart:
			how = "waits for a restart that you request"
		}

		s.Words = append(s.Words, c.String()+" ("+how+")")
	}

	if p.Power.Restarting {
		s.Words = append(s.Words, "the provider stops the container and starts it again")
	}

	return []Step{s}
}
