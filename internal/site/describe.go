package site

import (
	"fmt"
	"slices"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/internal/change"
)

// A Step is what this call does with a part, for a plan that people read.
type Step struct {
	Resource string // As people call it.

	Action   Action
	Changing bool // Whether the provider changes it now.
	Goes     bool // Whether its managed resource goes: with this call, or with the next one, which needs the policies that this one writes.
	Destroys bool // Whether the provider deletes it in Proxmox.

	Words   []string
	Changes []change.Change // With the effects of package change: an interruption that the claim allows happens at once.
	Waiting []change.Change // For the claim's word.
}

// atOnce are the changes that happen now, and those that are refused.
func atOnce(part Part) []change.Change {
	out := slices.Concat(part.Changes, part.Refused)

	for i, c := range out {
		if c.Effect == Interruption {
			out[i].Effect = change.InPlace
		}
	}

	return out
}

// goes says whether the managed resource of a part goes, and nothing is waited for but its policies.
func goes(part Part) bool {
	return part.Action == ActionDrop || part.Action == ActionKeep && part.Removed && !part.Held && part.Problem == ""
}

// isAllowed says whether the claim has the word for the changes that interrupt traffic, which wait for something else then.
func (part Part) isAllowed() bool { return len(part.Interruptions) > 0 && part.Allow == part.Hash }

// Steps are the plan in words.
func (p Plan) Steps() []Step {
	out := make([]Step, 0, len(p.Parts))

	for _, part := range p.Parts {
		s := Step{
			Resource: title(part), Action: part.Action, Changing: part.Writing != WritesNothing, Goes: goes(part), Destroys: goes(part) && part.Deletes,
			Changes: atOnce(part), Waiting: part.Interruptions,
		}

		if text := strings.TrimSuffix(reasonOf(part), "."); text != "" {
			s.Words = append(s.Words, text)
		}

		if len(part.Interruptions) > 0 && part.Problem == "" && !part.isAllowed() {
			s.Words = append(s.Words, fmt.Sprintf("it may interrupt the node or its VMs: %s.allowInterruption: %s allows it", part.Path, part.Hash))
		}

		if s.Goes && !s.Destroys {
			s.Words = append(s.Words, "it stays in Proxmox as it is, and the claim no longer manages it")
		}

		out = append(out, s)
	}

	return out
}
