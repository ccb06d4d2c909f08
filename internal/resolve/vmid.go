package resolve

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/internal/machine"
)

// vmID resolves the claim's VMID and the site's range. Package lifecycle picks the VMID, because it depends on the existing VMs.
func (r placement) vmID() {
	p := &r.out.Placement

	if id := r.spec.Proxmox.VMID; id != nil {
		p.VMID = *id
		r.notTemplate(r.at.Child("proxmox", "vmId"), *id)
	} else if a := r.spec.Adopt; a != nil && r.existing.Adopting {
		r.notTemplate(r.at.Child("adopt", "vmId"), a.VMID)
	}

	if ids := r.site.VMIDs; ids != nil {
		p.VMIDRange = &machine.Range{From: ids.From, To: ids.To}
		p.VMIDRangePath = r.site.Path().Child("vmIds").String()
	}
}

// notTemplate refuses the VMID of the template that the machine is cloned from.
func (r placement) notTemplate(at *field.Path, id int64) {
	if t := r.out.Boot.Template; t != nil && t.VMID == id {
		r.add(field.Invalid(at, id, "is the VMID of the template from which the machine is cloned"))
	}
}
