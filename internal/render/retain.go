package render

import (
	"maps"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// Retain all observed managed resources as they were last written, for a call that cannot decide yet.
func Retain(s proxmox.State) proxmox.Desired {
	vms := retain(s.VMs)
	for name, vm := range vms {
		vm.Spec.ForProvider = proxmox.AsFound(s.VMs[name])
		vms[name] = vm
	}

	return proxmox.Desired{
		VMs: vms, Files: retain(s.Files), DownloadFiles: retain(s.DownloadFiles), HAResources: retain(s.HAResources),
		Firewalls: RetainFirewalls(s.Firewalls),
	}
}

// RetainFirewalls are all observed firewalls as they were last written.
func RetainFirewalls(has proxmox.ObservedFirewalls) proxmox.Firewalls {
	return proxmox.Firewalls{Options: retain(has.Options), Rules: retain(has.Rules)}
}

func retain[P, S any](observed map[string]proxmox.Observed[P, S]) map[string]proxmox.Resource[P] {
	out := make(map[string]proxmox.Resource[P], len(observed))
	for name, o := range observed {
		out[name] = asWritten(o)
	}

	return out
}

// asWritten is a resource as it was last written.
func asWritten[P, S any](o proxmox.Observed[P, S]) proxmox.Resource[P] {
	r := o.Retained(Ours(o.Metadata.Metadata), proxmox.DeletionOrphans)
	r.Spec.ManagementPolicies = o.Spec.ManagementPolicies

	// The external name of a snippet, and of a firewall whose rules were not found in Proxmox, is the provider's to set.
	rules, _ := any(o).(proxmox.ObservedFirewallRules)
	finds := proxmox.LooksForRules(rules) || o.Metadata.Annotations[proxmox.FoundRulesAnnotation] != ""

	if !finds && (o.Kind == proxmox.FileKind || o.Kind == proxmox.FirewallOptionsKind || o.Kind == proxmox.FirewallRulesKind) {
		delete(r.Metadata.Annotations, proxmox.ExternalNameAnnotation)
	}

	return r
}

// Ours are the labels and annotations that the function writes; the others belong to Crossplane and the provider.
func Ours(m proxmox.Metadata) proxmox.Metadata {
	mine := func(k string) bool {
		return strings.HasPrefix(k, "homelab.io/") || k == proxmox.ExternalNameAnnotation ||
			k == proxmox.PausedAnnotation && (lifecycle.PausedByUs(m) || m.Reserves()) ||
			k == proxmox.CreateFailedAnnotation && lifecycle.CreateRetried(m)
	}
	others := func(k, _ string) bool { return !mine(k) }

	out := proxmox.Metadata{Labels: maps.Clone(m.Labels), Annotations: map[string]string{}}
	maps.Copy(out.Annotations, m.Annotations)
	maps.DeleteFunc(out.Labels, others)
	maps.DeleteFunc(out.Annotations, others)

	return out
}

// observed is a managed resource that belongs to the VM of a step, as it was last written; the provider only observes where another VM has that VM's VMID.
func observed[P any](step lifecycle.Step, r proxmox.Resource[P]) proxmox.Resource[P] {
	if step.Action == lifecycle.ActionDisown {
		r.Spec.ManagementPolicies = proxmox.ObserveOnly()
	}

	return r
}
