package site

import (
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/status"
)

// errorsOf are the errors that the provider reports. What a look finds is no error, and neither is what the function mends by itself.
func errorsOf(p Plan) []status.Finding {
	return status.Findings(p.Observed.SiteParts, "", func(o proxmox.ObservedSitePart) bool {
		return proxmox.LacksInterface(o) || o.ObserveOnly() && o.FoundNone() || proxmox.IsTainted(o)
	})
}

// provider is the condition on what the provider reports.
func (t reporter) provider() status.Condition {
	return status.ProviderHealthy(t.errors, t.plan.Site.Identity, func(f status.Finding) map[string]string {
		return map[string]string{"<site>": t.plan.Site.Name, "<node>": f.Node}
	})
}
