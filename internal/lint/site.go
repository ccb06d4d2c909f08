package lint

import (
	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/claim"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/resolve"
	"github.com/homelab-io/function-proxmox-machine/internal/validate"
)

// checkSite has every judge of the claim of a ProxmoxSite judge it.
func (l *linter) checkSite(o object, c claim.Claim, cat catalog.Catalog, from *catalogue, provider proxmox.Flavour) {
	if faults := validate.SitesWith(provider); len(faults) > 0 {
		l.refused(o, from, faults)
		return
	}

	spec := *c.ProxmoxSite
	_, faults := resolve.ProxmoxSite(c.Identity, spec, c.Faults, cat, resolve.Existing{})

	l.refused(o, from, faults)
	l.judged(o, faults)

	if from != nil {
		like := v1alpha1.MachineFields{Proxmox: v1alpha1.Placement{Site: spec.Proxmox.Site}}
		from.uses(claim.Claim{Machine: &v1alpha1.MachineSpec{MachineFields: like}})
	}

	if len(faults) == 0 {
		uselessOfSite(l, o, spec, cat)
		unfilledTexts(l, o)
	}
}
