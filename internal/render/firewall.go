package render

import (
	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// A FirewallWriter writes the managed resources of the own firewall of a VM or a container.
type FirewallWriter struct {
	// Guest is the composed resource name of the VM or container.
	Guest   string
	Flavour proxmox.Flavour
	// Config is the provider configuration of the guest.
	Config proxmox.ProviderConfigRef
	// Metadata of a managed resource. It makes new maps at every call.
	Metadata func() proxmox.Metadata
}

// Write what a plan decides. has are the managed resources as they were observed.
func (w FirewallWriter) Write(plan lifecycle.FirewallPlan, has proxmox.ObservedFirewalls) proxmox.Firewalls {
	options, rules := proxmox.FirewallOptionsOf(w.Guest), proxmox.FirewallRulesOf(w.Guest)
	out := proxmox.Firewalls{Options: map[string]proxmox.FirewallOptions{}, Rules: map[string]proxmox.FirewallRules{}}

	for name := range plan.Kept {
		if o, there := has.Options[name]; there {
			out.Options[name] = asWritten(o)
		}

		if o, there := has.Rules[name]; there {
			out.Rules[name] = asWritten(o)
		}
	}

	if plan.Options != nil {
		r := proxmox.NewFirewallOptions(w.Flavour, w.Config, w.Metadata(), *plan.Options)
		out.Options[options] = sameAs(r, has.Options[options])
	}

	if plan.Rules != nil {
		r := proxmox.NewFirewallRules(w.Flavour, w.Config, w.Metadata(), *plan.Rules)
		nameFound(&r, plan.Found)
		out.Rules[rules] = sameAs(r, has.Rules[rules])
	}

	if plan.MayDeleteRules {
		r := asWritten(has.Rules[rules])
		r.Spec.ManagementPolicies = proxmox.Policies(proxmox.DeletionDestroys)
		out.Rules[rules] = r
	}

	return out
}

// nameFound writes what the provider may do with rules that were in Proxmox before it created any, and under which name it finds them.
func nameFound(r *proxmox.FirewallRules, rules lifecycle.FoundRules) {
	switch {
	case rules.ID != "":
		annotate(&r.Metadata, proxmox.ExternalNameAnnotation, rules.ID)
		annotate(&r.Metadata, proxmox.FoundRulesAnnotation, rules.ID)
	case rules.ImportName != "":
		annotate(&r.Metadata, proxmox.ExternalNameAnnotation, rules.ImportName)
		r.Spec.ManagementPolicies = proxmox.ObserveOnly()
	}
}

// firewalls are the VMs' own firewalls that are to be.
func (w writer) firewalls() proxmox.Firewalls {
	// Most machines have none: to bind the writer for them would copy it in each call.
	// Most machines have none: to bind a copy of the request for them would make garbage in each call.
	if p := w.plan.Firewall; p.Options == nil && p.Rules == nil && !p.MayDeleteRules && len(p.Kept) == 0 {
		return proxmox.Firewalls{Options: map[string]proxmox.FirewallOptions{}, Rules: map[string]proxmox.FirewallRules{}}
	}

	request := *w.r
	described := FirewallWriter{Guest: w.r.Roles.Described(), Flavour: w.r.Flavour, Config: w.firewallConfig(), Metadata: request.metadata}
	out := described.Write(w.plan.Firewall, w.r.Observed.Firewalls)

	// The firewall of a VM that is given up is given up with it.
	for name := range w.plan.Firewall.Kept {
		if r, there := out.Options[name]; there {
			out.Options[name] = observed(w.plan.Steps[proxmox.FirewalledVM(name)], r)
		}

		if r, there := out.Rules[name]; there {
			out.Rules[name] = observed(w.plan.Steps[proxmox.FirewalledVM(name)], r)
		}
	}

	return out
}

// firewallConfig is the provider configuration of a firewall: its VM's.
func (w writer) firewallConfig() proxmox.ProviderConfigRef { return w.r.VM().Spec.ProviderConfigRef }

// sameAs keeps the API version and the provider configuration that a managed resource has: with others it would be another one.
func sameAs[P, S any](r proxmox.Resource[P], o proxmox.Observed[P, S]) proxmox.Resource[P] {
	if o.APIVersion != "" {
		r.APIVersion, r.Spec.ProviderConfigRef = o.APIVersion, o.Spec.ProviderConfigRef
	}

	return r
}
