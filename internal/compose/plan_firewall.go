package compose

import (
	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// addFirewallSteps adds what becomes of the VMs' own firewalls. What an edit changes, and what it closes, is said of the described VM: that is
// where people look for what happens to a machine.
func addFirewallSteps(to map[string]step, desired proxmox.Firewalls, plan *lifecycle.Plan) {
	addSteps(to, desired.Options, plan.Observed.Firewalls.Options)
	addSteps(to, desired.Rules, plan.Observed.Firewalls.Rules)

	name := plan.Roles.Described()

	s, ok := to[name]
	if !ok {
		return
	}

	if len(plan.Firewall.Changes) > 0 && s.action == actionKeep {
		s.action = actionChange
	}

	s.changes = append(s.changes, plan.Firewall.Changes...)

	for _, c := range plan.Firewall.Closes {
		s.words = append(s.words, "no longer reached: "+c)
	}

	if plan.Firewall.Filtering() && len(plan.Firewall.Changes) > 0 {
		s.words = append(s.words, "the firewall has an effect only if the firewall of the datacenter is on, too (Datacenter, Firewall, Options)")
	}

	to[name] = s
}
