package status

import (
	"slices"

	"github.com/homelab-io/function-proxmox-machine/internal/change"
	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
)

// replacing is the replacement that is under way; nil where there is none, or none could be begun.
func replacing(plan *lifecycle.Plan) *lifecycle.Replacement {
	r := plan.Replacement
	if r == nil || r.Stage == lifecycle.StageBlocked {
		return nil
	}

	return r
}

// held says whether the VM cannot follow a field of the claim.
func held(plan *lifecycle.Plan, field string) bool {
	return slices.ContainsFunc(plan.Held, func(h change.Change) bool { return h.Field == field })
}
