package container

import (
	"cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// A VMIDCheck is what is known of the VMID of a container that does not exist yet. VMs and containers share VMIDs, and the provider reads each kind by
// itself: so it looks for both.
type VMIDCheck struct {
	VMID    int64
	Outcome lifecycle.Outcome
	// Kind of what has the VMID, in words; empty where nothing has.
	Kind string
	Name string // Of what has the VMID; as namespace/name where it is another claim's.
	Node string
}

// Words for what has a VMID.
const (
	kindVM        = "VM"
	kindContainer = "container"
)

// checkNames are the composed resource names of the checks: for a container, and for a VM. Another VMID, and another node, is another check.
func (p *Plan) checkNames() (container, vm string) {
	ref := p.Owner.ProviderConfigRef
	hash := p.Container.Identity.Hash("vmid", p.Container.Placement.Node, vmID(p.Described), ref.Kind, ref.Name)

	return "vmid-" + hash + "-container", "vmid-" + hash + "-vm"
}

// check says what is known of the VMID.
func (p *Plan) check() VMIDCheck {
	out := VMIDCheck{VMID: VMIDOf(p.Container), Outcome: lifecycle.OutcomeChecking}

	if name := p.claimedBy(); name != "" {
		out.Outcome, out.Name = lifecycle.OutcomeClaimed, name
		return out
	}

	ctName, vmName := p.checkNames()
	ct, vm := p.Observed.Containers[ctName], p.Observed.VMs[vmName]

	switch {
	case p.State == StateForeign, p.State == StateTakenOver:
		at := p.Observed.Containers[Name].Status.AtProvider
		out.Outcome, out.Kind, out.Name, out.Node = lifecycle.OutcomeTaken, kindContainer, at.Parameters.Hostname(), at.NodeName
	case present(ct):
		at := ct.Status.AtProvider
		out.Outcome, out.Kind, out.Node = lifecycle.OutcomeTaken, kindContainer, at.NodeName

		if at.Parameters != nil {
			out.Name = at.Parameters.Hostname()
		}
	case p.Container.Adopt != nil && ct.Absent():
		out.Outcome = lifecycle.OutcomeFree
	case p.Container.Adopt != nil:
	case proxmox.Present(vm):
		out.Outcome, out.Kind, out.Name, out.Node = lifecycle.OutcomeTaken, kindVM, vm.Status.AtProvider.Name, vm.Status.AtProvider.NodeName
	case proxmox.Silent(vm):
		out.Outcome, out.Kind = lifecycle.OutcomeTaken, kindVM
	case ct.Absent() && vm.Absent():
		out.Outcome = lifecycle.OutcomeFree
	}

	return out
}

// present says whether the provider has read a container that it may only observe.
func present(o proxmox.ObservedContainer) bool {
	return o.ObserveOnly() && o.Is(proxmox.ConditionSynced) && o.Fresh(proxmox.ConditionSynced) && o.Is(proxmox.ConditionReady) && o.Status.AtProvider.ID != ""
}

// claimedBy names another claim that has the VMID, or that was first to ask for it; empty where there is none.
func (p *Plan) claimedBy() string {
	ct, vm := p.checkNames()
	mine := []proxmox.ObservedMetadata{p.Observed.Containers[ct].Metadata}

	if p.Container.Adopt == nil {
		mine = append(mine, p.Observed.VMs[vm].Metadata)
	}

	return cmp.Or(p.Owner.ClaimedBy(VMIDOf(p.Container), p.Others, mine...))
}
