package site

import (
	"fmt"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/internal/change"
)

// A Step is what this call does with a part, for a plan that people read.
type Step struct {
	Resource                string // As people call it.
	Looks, Creates, Removes bool
	Words                   []string
	Changes                 []change.Change
}

// Steps are the plan in words.
func (p Plan) Steps() []Step {
	out := make([]Step, 0, len(p.Parts))

	for _, part := range p.Parts {
		s := Step{
			Resource: title(part), Looks: part.Action == ActionLook, Creates: part.Action == ActionCreate, Removes: part.Action == ActionDrop,
			Changes: append(append(append([]change.Change{}, part.Changes...), part.Interruptions...), part.Refused...),
		}

		if text := strings.TrimSuffix(reasonOf(part), "."); text != "" {
			s.Words = append(s.Words, text)
		}

		if len(part.Interruptions) > 0 {
			s.Words = append(s.Words, fmt.Sprintf("allowInterruption: %s allows it", part.Hash))
		}

		if part.Action == ActionDrop && !part.Deletes {
			s.Words = append(s.Words, "stays in Proxmox as it is")
		}

		out = append(out, s)
	}

	return out
}
