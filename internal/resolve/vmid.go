package resolve

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
)

// vmIDs notes the claim's VMID and the site's range. Package lifecycle picks the VMID, because it depends on the existing VMs.
func vmIDs(g *given, n *notes, t *machine.Template, site catalog.Site, p *machine.Placement) {
	if id := g.spec.Proxmox.VMID; id != nil {
		p.VMID = *id
		notTemplate(n, t, g.at.Child("proxmox", "vmId"), *id)
	} else if a := g.spec.Adopt; a != nil && g.existing.Adopting {
		notTemplate(n, t, g.at.Child("adopt", "vmId"), a.VMID)
	}

	if ids := site.VMIDs; ids != nil {
		p.VMIDRange = &machine.Range{From: ids.From, To: ids.To}
		p.VMIDRangePath = site.Path().Child("vmIds").String()
	}
}

// vmIDOfContainer refuses a new container without a VMID at a site without a range: for containers, Proxmox chooses none.
func vmIDOfContainer(g *given, n *notes, l located, p machine.Placement) {
	if p.VMID != 0 || p.VMIDRange != nil || l.unknown || g.spec.Adopt != nil || !g.isNew() {
		return
	}

	text := "must be the VMID of the container, from 100 to 999999999"
	if p.Site != "" {
		text += "; or set " + l.site.Path().Child("vmIds").String() + " to a range such as {from: 4000, to: 4099}, of which the function takes one"
	}

	n.add(field.Required(g.at.Child("proxmox", "vmId"), text))
}

// notTemplate refuses the VMID of the template that the machine is cloned from.
func notTemplate(n *notes, t *machine.Template, at *field.Path, id int64) {
	if t != nil && t.VMID == id {
		n.add(field.Invalid(at, id, "is the VMID of the template from which the machine is cloned"))
	}
}
