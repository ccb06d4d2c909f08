package container

import (
	"slices"

	"github.com/homelab-io/function-proxmox-machine/internal/change"
	"github.com/homelab-io/function-proxmox-machine/internal/container/replacement"
	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
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

// firewallOf a container, as the plan is so far.
func firewallOf(p Plan, o proxmox.ObservedContainer) lifecycle.FirewallPlan {
	g := lifecycle.FirewalledGuest{
		Name: p.Guest, Node: o.Spec.ForProvider.NodeName, ContainerID: proxmox.VMIDOfContainer(o), Stage: lifecycle.GuestFollows,
		Wanted: p.Container.Firewall, Observed: p.Observed.Firewalls, Adopted: p.Adopted,
	}

	if slices.ContainsFunc(slices.Concat(p.Pending, p.Refused), change.OfAddress) {
		g.Presence = lifecycle.PresenceUnread
	}

	switch {
	case p.State != StateLiving:
		g.Stage = lifecycle.GuestAwaited
	case p.Action == ActionKeep, p.Approval.Waits(), p.Replacement.Begun(),
		p.Container.Firewall != nil && p.Container.Keeps(machine.PartSite, machine.PartFirewall):
		g.Stage = lifecycle.GuestStands
	}

	rest := firewallGoes
	if p.Action == ActionKeep || p.Action == ActionDisown {
		rest = firewallStays
	}

	out := decideFirewall(g, rest)

	switch a := p.Adoption; {
	case a == nil:
	case a.Firewall != nil && p.Action == ActionCheck:
		a.Firewall.Look(&out, true)
	case a.Firewall != nil || a.Outcome == lifecycle.OutcomeChecking:
		g.Look(&out, false)
	}

	// That of a container which is none of the claim's any more stays as long as its managed resource.
	for name, d := range p.Departures {
		if d != replacement.Goes {
			lifecycle.FirewalledGuest{Name: name, Observed: p.Observed.Firewalls}.Keep(&out)
		}
	}

	return out
}
