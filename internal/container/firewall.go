package container

import (
	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
)

// A firewallRest is what becomes of a container's firewall where it does not follow its claim.
type firewallRest string

// What becomes of it.
const (
	// firewallGoes: its managed resources go with the container's. Proxmox deletes a firewall with its container, and that of a container which is
	// somebody else's is left alone.
	firewallGoes firewallRest = "Goes"
	// firewallStays: they stay as they were last written.
	firewallStays firewallRest = "Stays"
)

// decideFirewall decides about the container's own firewall.
func decideFirewall(g lifecycle.FirewalledGuest, rest firewallRest) lifecycle.FirewallPlan {
	out := g.Decide()

	// What is left of a firewall goes with the managed resource of its container.
	if out.Stage == lifecycle.FirewallAwaitsVM && g.Wanted == nil {
		out.Stage = lifecycle.FirewallNone
	}

	if rest == firewallStays || out.Stage == lifecycle.FirewallStands {
		g.Keep(&out)
	}

	return out
}
