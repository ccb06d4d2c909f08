package lifecycle

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/internal/diagnose"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// A VMID is the number that the described VM is to have.
type VMID struct {
	// VMID is 0 where Proxmox takes the next free one.
	VMID int64
	// Range of the site, where no person chose the VMID; else nil.
	Range *machine.Range
	// Tried is the VMID of the range that turned out to be in use, where VMID is the next one; else 0.
	Tried int64
	// Before is the VMID that the machine's VM had, where its managed resource is gone and no person chose another one; else 0.
	Before int64
	// UsedUp says that every VMID of the range was checked, and turned out to be in use.
	UsedUp bool
}

// PickVMID for the described VM: the claim's, else that of the VM to adopt, else the VM's own, else one of the site's range,
// else 0. The error is that of a range which is too small. before is the VMID that the status of a machine without a VM still names, and 0 otherwise: somebody
// removed the managed resource, and the VM may be there.
func PickVMID(m *machine.Machine, r Roles, vms map[string]proxmox.ObservedVM, before int64) (VMID, *field.Error) {
	own := ownVMID(vms, r.Described())

	switch {
	case m.Placement.VMID != 0:
		return VMID{VMID: m.Placement.VMID, Before: before}, nil
	case Adopts(m.Adopt, r, vms):
		if m.Adopt != nil {
			own = m.Adopt.VMID
		}

		return VMID{VMID: own}, nil
	case own != 0 && own != activeVMID(r, vms):
		return VMID{VMID: own, Range: m.Placement.VMIDRange}, nil
	case m.Placement.VMIDRange == nil:
		return VMID{Before: before}, nil
	}

	if !m.Placement.VMIDRange.Has(before) {
		return fromRange(m, firstVMID(m.Identity, *m.Placement.VMIDRange), activeVMID(r, vms))
	}

	out, err := fromRange(m, before, activeVMID(r, vms))
	out.Before = before

	return out, err
}

// firstVMID is the VMID of its range that a machine always begins with, also in another cluster: a VM that was made for its claim before is found there.
func firstVMID(i machine.Identity, ids machine.Range) int64 {
	return ids.From + int64(i.Nameless().Number("vmid", uint64(ids.Size()))) //nolint:gosec // The range is valid, and so below 10^9.
}

// Advance to the next VMID of the range where the check of the one before found it in use. A VMID that a person chose never
// changes, and neither does the last one of a range that is used up: it is checked until somebody makes room.
func Advance(r Request) (VMID, *field.Error) {
	name := r.Roles.Described()
	q := vmidQuestionOf(&r, r.Observed.VMs[name], "")

	if r.VMID.Range != nil && diagnose.VMIDOfContainer(q.vm) {
		q.state = StateOf(r.Observed.VMs, name)
		if id := q.refused(); id != 0 && id == r.VMID.VMID {
			return q.behind(r, id, id)
		}
	}

	checked := CheckedVMID(q.vm)
	if c := q.look(checked); checked == 0 || !c.Outcome.PassedOver() || q.searchID() == "" {
		return r.VMID, nil
	}

	return q.behind(r, checked, ownVMID(r.Observed.VMs, name))
}

// NextVMID of the range behind one that was checked for a container, and turned out to be in use. The described VM of the request is the managed
// resource that looks for a VM with the container's VMID.
func NextVMID(r Request, checked int64) (VMID, *field.Error) {
	return vmidQuestionOf(&r, r.Observed.VMs[r.Roles.Described()], "").behind(r, checked, checked)
}

// MayBeOwn says whether something that has the VMID of a container and cannot be read now may be the container itself, whose managed resources are gone. The
// described VM of the request is as for [NextVMID].
func MayBeOwn(r Request) bool {
	q := vmidQuestionOf(&r, r.Observed.VMs[r.Roles.Described()], "")

	return q.mayBeOwn(r.VMID.VMID) && !proxmox.Denied(q.vm)
}

// SearchMark is what the managed resource that looks for a container's VMID remembers of the search through a range: [proxmox.SearchedFromAnnotation].
// Empty where the VMID is none of a range.
func SearchMark(r Request) string {
	return vmidQuestionOf(&r, r.Observed.VMs[r.Roles.Described()], "").mark(r.VMID.VMID)
}

// behind own is the next VMID of the range, where checked is in use.
func (q vmidQuestion) behind(r Request, checked, own int64) (VMID, *field.Error) {
	first := q.searchedFrom()
	if first == 0 {
		first = checked
	}

	begin := firstVMID(r.Machine.Identity, *r.VMID.Range)
	if r.VMID.Range.Has(own) {
		begin = own + 1
	}

	next, err := fromRange(r.Machine, begin, activeVMID(r.Roles, r.Observed.VMs))
	if err != nil {
		return VMID{}, err
	}

	// Back at the first VMID, all are in use.
	if next.VMID == first {
		out := r.VMID
		out.UsedUp = true

		return out, nil
	}

	next.Tried = checked

	return next, nil
}

// fromRange is the first VMID of a machine's range from begin on that belongs to no VM which the machine is made from or
// replaces. Behind the last VMID comes the first.
func fromRange(m *machine.Machine, begin, active int64) (VMID, *field.Error) {
	ids := *m.Placement.VMIDRange
	t := m.Boot.Template

	// At most two VMIDs are passed over, so that the third one fits.
	for n := range min(ids.Size(), 3) {
		id := ids.From + (begin-ids.From+n)%ids.Size()
		if id != active && (t == nil || t.VMID != id) {
			return VMID{VMID: id, Range: m.Placement.VMIDRange}, nil
		}
	}

	return VMID{}, field.Invalid(field.NewPath(m.Placement.VMIDRangePath), field.OmitValueType{},
		"has no number for this machine: the template that it is cloned from, or the VM that it replaces, has it. Make the range larger, or say proxmox.vmId")
}

// ownVMID is the VMID that a VM has already, or that is checked for it in a search through a range; 0 where there is none.
func ownVMID(vms map[string]proxmox.ObservedVM, name string) int64 {
	vm := vms[name]

	switch StateOf(vms, name) {
	case StateAbsent:
		return 0
	case StateChecking:
		// Nothing is decided yet but which VMID of a range is checked, or turned out to be somebody else's after its check.
		if id := vm.Spec.ForProvider.VMID; id != nil && (vm.Foreign || vm.Metadata.Annotations[proxmox.SearchedFromAnnotation] != "") {
			return *id
		}

		return 0
	case StateFailed, StateCreating, StateLiving:
	}

	return proxmox.VMIDOf(vm)
}

// activeVMID is the VMID of the VM that a candidate replaces; 0 where there is no candidate. Two VMs must never get one
// VMID, whoever says that the new one has the old one's.
func activeVMID(r Roles, vms map[string]proxmox.ObservedVM) int64 {
	if r.Candidate == "" {
		return 0
	}

	return proxmox.VMIDOf(vms[r.Active])
}
