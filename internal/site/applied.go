package site

import (
	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/status"
)

// applied is the spec as far as Proxmox has it. While something of it is not ready, or the provider has something to write or to delete, it stays what it
// was: a GitOps tool that compares it with the spec knows then that a commit has not arrived. What waits for a word of the claim has not arrived, as with a
// machine whose edit waits for approval; the rest of the claim does. What somebody changed in Proxmox holds no commit up.
func (t reporter) applied(ready map[string]bool, spec map[string]any, before v1alpha1.AppliedSpec) v1alpha1.AppliedSpec {
	for _, isReady := range ready {
		if !isReady {
			return before
		}
	}

	var late []string

	for _, part := range t.plan.Parts {
		switch {
		case part.Held:
			late = append(late, listOf(part.SitePart))
		case part.Removed && part.Problem == "":
			// Its managed resource is about to go, or going.
			return before
		case part.Removed:
			late = append(late, listOf(part.SitePart))
		case part.Action != ActionFollow || part.Writing != WritesNothing:
			return before
		}

		for _, c := range part.Interruptions {
			late = append(late, c.Field)
		}
	}

	// Unlike a change that is refused, one that waits can arrive: without a memory, the spec has not.
	if before == nil && len(late) > 0 {
		return nil
	}

	late = append(late, status.KeptFields(t.plan.Site.Kept)...)

	for _, part := range t.plan.Parts {
		for _, c := range part.Refused {
			late = append(late, c.Field)
		}
	}

	return status.AppliedSpec(spec, before, late)
}

// listOf is the field of the spec that had a part.
func listOf(p machine.SitePart) string {
	if p.Kind == machine.SitePool {
		return "spec.pools"
	}

	return "spec.nodes"
}
