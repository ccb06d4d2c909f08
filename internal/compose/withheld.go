package compose

import (
	"slices"

	"github.com/homelab-io/function-proxmox-machine/apis/catalogue/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/container"
	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
)

// mayAdopt says whether the author of a claim may take over what somebody made in Proxmox, and so may know what it is.
func mayAdopt(c *call) bool {
	tenant, ok := c.tenancy.ReaderOf(c.claim.Identity.Namespace)

	return !ok || slices.Contains(tenant.Allow, v1alpha1.AllowAdopt)
}

// withhold from a claim that may not adopt it what has its VMID: name and node.
func withhold(c *call, plan *lifecycle.Plan) {
	l := plan.Check
	if l == nil || mayAdopt(c) {
		return
	}

	l.Withheld = true
	if l.Outcome == lifecycle.OutcomeTaken {
		l.Name, l.Node = "", ""
	}
}

// withholdOfContainer is [withhold] for the claim of a container.
func withholdOfContainer(c *call, plan *container.Plan) {
	l := plan.Check
	if l == nil || plan.Adoption != nil || mayAdopt(c) {
		return
	}

	l.Withheld = true
	if l.Outcome == lifecycle.OutcomeTaken {
		l.Name, l.Node = "", ""
	}
}
