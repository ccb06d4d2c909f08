package container

import (
	"slices"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/internal/change"
	"github.com/homelab-io/function-proxmox-machine/internal/diagnose"
	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/render"
	"github.com/homelab-io/function-proxmox-machine/internal/status"
)

// nicFirewall is the field of the switch of a container's interface.
const nicFirewall = "spec.network.firewall"

// firewall decides about the container's own firewall. Its managed resources are there only as long as the container's is: Proxmox deletes a firewall
// with its container, and that of a container which is somebody else's is left alone.
func (p *Plan) firewall() lifecycle.FirewallPlan {
	o := p.Observed.Containers[Name]
	g := lifecycle.FirewalledGuest{
		Name: Name, Node: o.Spec.ForProvider.NodeName, ContainerID: proxmox.VMIDOfContainer(o), Stage: p.firewallStage(),
		Wanted: p.Container.Firewall, Observed: p.Observed.Firewalls,
	}
	out := g.Decide()

	// What is left of a firewall goes with the managed resource of its container.
	if out.Stage == lifecycle.FirewallAwaitsVM && g.Wanted == nil {
		out.Stage = lifecycle.FirewallNone
	}

	if p.Action == ActionKeep || p.Action == ActionDisown || out.Stage == lifecycle.FirewallStands {
		g.Keep(&out)
	}

	return out
}

// firewallStage is how far the container has come, for its firewall.
func (p *Plan) firewallStage() lifecycle.GuestStage {
	switch {
	case p.State != StateLiving:
		return lifecycle.GuestAwaited
	case p.Action == ActionKeep, p.Container.Firewall != nil && p.Container.Keeps(machine.PartSite):
		return lifecycle.GuestStands
	}

	return lifecycle.GuestFollows
}

// firewalls are the managed resources of the container's own firewall.
func (p Plan) firewalls(o proxmox.ObservedContainer) proxmox.Firewalls {
	w := render.FirewallWriter{
		Guest: Name, Flavour: p.Flavour, Config: o.Spec.ProviderConfigRef, Metadata: func() proxmox.Metadata { return p.metadata(nil) },
	}
	out := w.Write(p.Firewall, p.Observed.Firewalls)

	finish(p, out.Options, p.Observed.Firewalls.Options)
	finish(p, out.Rules, p.Observed.Firewalls.Rules)

	return out
}

// finish writes into managed resources of one kind what the provider may do with them, and resumes creations in whose middle it was stopped.
func finish[P, S any](p Plan, desired map[string]proxmox.Resource[P], observed map[string]proxmox.Observed[P, S]) {
	for name, r := range desired {
		// Only when the provider may do no more than observe, which the next call sees, can the managed resource go.
		if p.Action == ActionDisown {
			r.Spec.ManagementPolicies = proxmox.ObserveOnly()
		}

		render.Resume(&r.Metadata, observed[name])
		desired[name] = r
	}
}

// firewallErrors are the errors that the provider reports of the container's own firewall.
func firewallErrors(p Plan) []finding {
	return append(errorsIn(p.Observed.Firewalls.Options, proxmox.FirewallOptionsKind), errorsIn(p.Observed.Firewalls.Rules, proxmox.FirewallRulesKind)...)
}

func errorsIn[P, S any](observed map[string]proxmox.Observed[P, S], kind string) []finding {
	var out []finding

	for _, name := range sorted(observed) {
		o := observed[name]
		if r, wrong := diagnose.Of(o, ""); wrong {
			out = append(out, finding{row: ofContainer(r), name: name, kind: kind, apiVersion: o.APIVersion})
		}
	}

	return out
}

// ofContainer is a row about the firewall of a VM with the container in the VM's place.
func ofContainer(r diagnose.Row) diagnose.Row {
	words := strings.NewReplacer("VM <vmId>", "container <vmId>", "(VM, Firewall)", "(CT, Firewall)", "the VM's firewall", "the container's firewall")
	r.Meaning, r.Remedy = words.Replace(r.Meaning), words.Replace(r.Remedy)

	return r
}

// firewall has the condition on the container's own firewall, where the claim has one, or did.
func (t reporter) firewall() []status.Condition {
	g := status.FirewalledGuest{Kind: kindContainer, Title: strings.ToLower(t.title()), Machine: &t.Container.Machine, Stands: status.LostRules}
	if t.Action == ActionKeep {
		g.Stands = "the provider cannot read the container just now"
	}

	if slices.ContainsFunc(t.Pending, func(c change.Change) bool { return c.Field == nicFirewall }) {
		g.Unswitched = nicFirewall + " waits for a restart of the container. To restart it, set spec.lifecycle.reboot to a new value."
	}

	return status.FirewallConditions(t.Plan.Firewall, g)
}
