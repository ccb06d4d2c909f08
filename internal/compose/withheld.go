package compose

import (
	"slices"

	"github.com/homelab-io/function-proxmox-machine/apis/catalogue/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
)

// mayAdopt says whether the author of a claim may take over what somebody made in Proxmox, and so may know what it is.
func mayAdopt(c *call) bool {
	tenant, ok := c.tenancy.ReaderOf(c.claim.Identity.Namespace)

	return !ok || slices.Contains(tenant.Allow, v1alpha1.AllowAdopt)
}

// withhold from a claim that may not adopt it what has its VMID. told are name and node.
func withhold(c *call, outcome lifecycle.Outcome, withheld *bool, told ...*string) {
	if mayAdopt(c) {
		return
	}

	*withheld = true

	if outcome == lifecycle.OutcomeTaken {
		for _, text := range told {
			*text = ""
		}
	}
}
