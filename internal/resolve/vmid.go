package resolve

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
)

// vmID is the claim's number, else that of the VM to take over, else the VM's own, else one of the site's range, else 0:
// Proxmox takes the next free one. The range comes back beside a number that a person did not choose.
func (r *resolver) vmID() (int64, *machine.Range) {
	if id := r.spec.Proxmox.VMID; id != nil {
		r.notTemplate(r.at.Child("proxmox", "vmId"), *id)
		return *id, nil
	}

	if r.sticky.Adopting {
		if a := r.spec.Adopt; a != nil {
			r.notTemplate(r.at.Child("adopt", "vmId"), a.VMID)
			return a.VMID, nil
		}

		return r.sticky.VMID, nil
	}

	// Two VMs must never get one number, whoever says that the new one has the old one's.
	own := r.sticky.VMID != 0 && r.sticky.VMID != r.sticky.FormerVMID

	switch {
	case own && !r.sticky.VMIDTaken:
		return r.sticky.VMID, rangeOf(r.site.VMIDs)
	case r.site.VMIDs == nil:
		return 0, nil
	default:
		return r.fromRange(*r.site.VMIDs)
	}
}

// notTemplate refuses the number of the template that the machine is cloned from.
func (r *resolver) notTemplate(at *field.Path, id int64) {
	if t := r.out.Boot.Template; t != nil && t.VMID == id {
		r.add(field.Invalid(at, id, "is the number of the template that the machine is cloned from"))
	}
}

// fromRange takes the number that the machine always begins with, and the one behind its own where that turned out to be
// taken. Behind the last number comes the first.
func (r *resolver) fromRange(ids catalog.Range) (int64, *machine.Range) {
	size := ids.To - ids.From + 1
	begin := int64(r.number("vmid", uint64(size))) //nolint:gosec // The range is valid, and so below 10^9.

	if id := r.sticky.VMID; r.sticky.VMIDTaken && ids.From <= id && id <= ids.To {
		begin = id - ids.From + 1
	}

	// At most two numbers are passed over, so that the third one fits.
	for n := range min(size, 3) {
		if id := ids.From + (begin+n)%size; !r.reserved(id) {
			return id, rangeOf(&ids)
		}
	}

	r.add(field.Invalid(r.site.Path().Child("vmIds"), field.OmitValueType{},
		"has no number for this machine: the template that it is cloned from, or the VM that it replaces, has it. Make the range larger, or say proxmox.vmId"))

	return 0, nil
}

// rangeOf is a site's range; nil where it has none.
func rangeOf(ids *catalog.Range) *machine.Range {
	if ids == nil {
		return nil
	}

	return &machine.Range{From: ids.From, To: ids.To}
}

// reserved says whether a number belongs to a VM that the machine is made from or makes way for.
func (r *resolver) reserved(id int64) bool {
	t := r.out.Boot.Template

	return id == r.sticky.FormerVMID || t != nil && t.VMID == id
}
