package container

import (
	"cmp"
	"slices"

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
	// Unanswered are the nodes of which nobody knows yet whether a container there has the VMID.
	Unanswered []string
}

// Words for what has a VMID.
const (
	kindVM        = "VM"
	kindContainer = "container"
)

// nodes are those on which a container with the VMID is looked for, the claim's first. The one that is to be adopted is on the claim's.
func (p *Plan) nodes() []string {
	out := []string{p.Container.Placement.Node}
	if p.Container.Adopt != nil {
		return out
	}

	for _, n := range p.Nodes {
		if !slices.Contains(out, n) {
			out = append(out, n)
		}
	}

	return out
}

// checkNames are the composed resource names of the checks on the claim's node: for a container, and for a VM. Another VMID, and another node, is
// another check. The provider finds a VM on every node of a Proxmox cluster.
func (p *Plan) checkNames() (container, vm string) {
	node := p.Container.Placement.Node

	return p.checkName(node, kindContainer), p.checkName(node, "vm")
}

// checkName is the composed resource name of the check of a kind on a node.
func (p *Plan) checkName(node, kind string) string {
	ref := p.Owner.ProviderConfigRef

	return "vmid-" + p.Container.Identity.Hash("vmid", node, vmID(p.Described), ref.Kind, ref.Name) + "-" + kind
}

// look for a container on all nodes: the one that was found, nil for none, and the nodes that have not answered.
func (p *Plan) look() (found *proxmox.ObservedContainer, unanswered []string) {
	for _, node := range p.nodes() {
		ct := p.Observed.Containers[p.checkName(node, kindContainer)]

		switch {
		case present(ct) && found == nil:
			found = &ct
		case !present(ct) && !ct.Absent():
			unanswered = append(unanswered, node)
		}
	}

	return found, unanswered
}

// check says what is known of the VMID.
func (p *Plan) check() VMIDCheck {
	out := VMIDCheck{VMID: VMIDOf(p.Container), Outcome: lifecycle.OutcomeChecking}

	if name := p.claimedBy(); name != "" {
		out.Outcome, out.Name = lifecycle.OutcomeClaimed, name
		return out
	}

	_, vmName := p.checkNames()
	vm := p.Observed.VMs[vmName]

	ct, unanswered := p.look()

	switch {
	case p.State == StateForeign, p.State == StateTakenOver:
		at := p.Observed.Containers[Name].Status.AtProvider
		out.Outcome, out.Kind, out.Name, out.Node = lifecycle.OutcomeTaken, kindContainer, at.Parameters.Hostname(), at.NodeName
	case ct != nil:
		at := ct.Status.AtProvider
		out.Outcome, out.Kind, out.Node = lifecycle.OutcomeTaken, kindContainer, at.NodeName

		if at.Parameters != nil {
			out.Name = at.Parameters.Hostname()
		}
	case p.Container.Adopt != nil && len(unanswered) == 0:
		out.Outcome = lifecycle.OutcomeFree
	case p.Container.Adopt != nil:
		out.Unanswered = unanswered
	case proxmox.Present(vm):
		out.Outcome, out.Kind, out.Name, out.Node = lifecycle.OutcomeTaken, kindVM, vm.Status.AtProvider.Name, vm.Status.AtProvider.NodeName
	case proxmox.Silent(vm):
		out.Outcome, out.Kind = lifecycle.OutcomeTaken, kindVM
	case len(unanswered) == 0 && vm.Absent():
		out.Outcome = lifecycle.OutcomeFree
	default:
		out.Unanswered = unanswered
	}

	return out
}

// present says whether the provider has read a container that it may only observe.
func present(o proxmox.ObservedContainer) bool {
	return o.ObserveOnly() && o.Is(proxmox.ConditionSynced) && o.Fresh(proxmox.ConditionSynced) && o.Is(proxmox.ConditionReady) && o.Status.AtProvider.ID != ""
}

// claimedBy names another claim that has the VMID, or that was first to ask for it; empty where there is none.
func (p *Plan) claimedBy() string {
	_, vm := p.checkNames()

	var mine []proxmox.ObservedMetadata
	for _, node := range p.nodes() {
		mine = append(mine, p.Observed.Containers[p.checkName(node, kindContainer)].Metadata)
	}

	if p.Container.Adopt == nil {
		mine = append(mine, p.Observed.VMs[vm].Metadata)
	}

	return cmp.Or(p.Owner.ClaimedBy(VMIDOf(p.Container), p.Others, mine...))
}
