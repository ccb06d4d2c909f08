package render

import (
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// firewalls are the VMs' own firewalls that are to be.
func (w writer) firewalls() proxmox.Firewalls {
	plan, has := w.plan.Firewall, w.Observed.Firewalls
	options, rules := proxmox.FirewallOptionsOf(w.Roles.Described()), proxmox.FirewallRulesOf(w.Roles.Described())
	out := proxmox.Firewalls{Options: map[string]proxmox.FirewallOptions{}, Rules: map[string]proxmox.FirewallRules{}}

	for name := range plan.Kept {
		if o, there := has.Options[name]; there {
			out.Options[name] = observed(w, proxmox.FirewalledVM(name), asWritten(o))
		}

		if o, there := has.Rules[name]; there {
			out.Rules[name] = observed(w, proxmox.FirewalledVM(name), asWritten(o))
		}
	}

	if plan.Options != nil {
		r := proxmox.NewFirewallOptions(w.Flavour, w.firewallConfig(), w.metadata(), *plan.Options)
		out.Options[options] = sameAs(r, has.Options[options])
	}

	if plan.Rules != nil {
		r := proxmox.NewFirewallRules(w.Flavour, w.firewallConfig(), w.metadata(), *plan.Rules)
		out.Rules[rules] = sameAs(r, has.Rules[rules])
	}

	if plan.MayDeleteRules {
		r := asWritten(has.Rules[rules])
		r.Spec.ManagementPolicies = proxmox.Policies(proxmox.DeletionDestroys)
		out.Rules[rules] = r
	}

	return out
}

// firewallConfig is the provider configuration of a firewall: its VM's.
func (w writer) firewallConfig() proxmox.ProviderConfigRef { return w.VM().Spec.ProviderConfigRef }

// sameAs keeps the API version and the provider configuration that a managed resource has: with others it would be another one.
func sameAs[P, S any](r proxmox.Resource[P], o proxmox.Observed[P, S]) proxmox.Resource[P] {
	if o.APIVersion != "" {
		r.APIVersion, r.Spec.ProviderConfigRef = o.APIVersion, o.Spec.ProviderConfigRef
	}

	return r
}
