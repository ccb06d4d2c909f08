package compose

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/internal/claim"
	"github.com/homelab-io/function-proxmox-machine/internal/container"
	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/status"
)

// pickVMID of a container, by its composed resource name: the claim's, else that of the container that exists or is being created, else the one that the
// search through the site's range has come to. It is that of m from then on.
func (c containerCall) pickVMID(m *machine.Container, name string) (lifecycle.VMID, error) {
	if container.VMIDOf(m) != 0 {
		return lifecycle.VMID{VMID: container.VMIDOf(m)}, nil
	}

	o, observed := c.call.facts.Observed.Containers[name]

	switch s := container.StateOf(o, observed); s {
	case container.StateAbsent:
		before := vmIDBefore(c.call.previous.VMID, len(c.call.facts.Observed.Containers))

		picked, fault := lifecycle.PickVMID(&m.Machine, c.search(m, lifecycle.VMID{}).Roles, c.call.facts.Observed.VMs, before)
		if fault != nil {
			return picked, outOfVMIDs(fault)
		}

		m.Placement.VMID = picked.VMID

		return picked, nil
	case container.StateForeign:
		m.Placement.VMID = proxmox.VMIDOfContainer(o)

		return lifecycle.VMID{VMID: m.Placement.VMID, Range: m.Placement.VMIDRange}, nil
	case container.StateCreating, container.StateFailed, container.StateTakenOver, container.StateLiving:
		m.Placement.VMID = proxmox.VMIDOfContainer(o)
	}

	return lifecycle.VMID{VMID: m.Placement.VMID}, nil
}

// decide what the call does. Where the VMID of a range turned out to be in use, the next one is looked at, which the call after this one compares with
// other claims.
func (c containerCall) decide(r container.Request) (container.Plan, error) {
	c.asks(&r)

	plan := c.decided(r)
	if r.VMID.Range == nil || plan.Check == nil || !plan.Check.Outcome.PassedOver() {
		return plan, nil
	}

	next, fault := lifecycle.NextVMID(c.search(r.Container, r.VMID), r.VMID.VMID)
	if fault != nil {
		return plan, outOfVMIDs(fault)
	}

	if next.UsedUp {
		return plan, nil
	}

	r.VMID, r.Container.Placement.VMID = next, next.VMID
	c.asks(&r)

	return c.decided(r), nil
}

// decided is the plan of a request, as its author may be told it.
func (c containerCall) decided(r container.Request) container.Plan {
	plan := container.Decide(r)
	if l := plan.Check; l != nil && plan.Adoption == nil {
		withhold(c.call, l.Outcome, &l.Withheld, &l.Name, &l.Node)
	}

	return plan
}

// asks says what the search through the site's range knows of the VMID that is looked at.
func (c containerCall) asks(r *container.Request) {
	s := c.search(r.Container, r.VMID)
	r.SearchMark, r.Unclear = lifecycle.SearchMark(s), 0

	if lifecycle.MayBeOwn(s) {
		r.Unclear = r.VMID.VMID
	}
}

// search through the site's range, as that of a Machine: the managed resource that looks for a VM with the VMID is in the place of the VM.
func (c containerCall) search(m *machine.Container, number lifecycle.VMID) lifecycle.Request {
	out := c.call.facts
	out.Machine, out.VMID, out.Intent = &m.Machine, number, claim.Intent(c.call.composite)
	out.Roles = lifecycle.Roles{Active: container.Search(out.Observed.VMs, out.Owner.ProviderConfigRef)}

	return out
}

// outOfVMIDs is the error of a range that has no VMID for the container.
func outOfVMIDs(fault *field.Error) error {
	return &invalidError{status.OfContainer, claim.InOrderOfContainer(field.ErrorList{fault})}
}
