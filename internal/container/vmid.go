package container

import (
	"cmp"
	"maps"
	"slices"
	"strconv"

	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
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
	// Withheld says that the claim may not adopt what has the VMID, and is not told what it is.
	Withheld bool
	// Unanswered are the nodes of which nobody knows yet whether a container there has the VMID.
	Unanswered []string
}

// Words for what has a VMID.
const (
	kindVM        = "VM"
	kindContainer = "container"
	kindUnread    = "VM or container that the provider cannot read"
)

// looks are the checks of a VMID: of a container on each node, and of a VM.
type looks struct {
	identity machine.Identity
	vmID     string
	ref      proxmox.ProviderConfigRef
	// nodes on which a container with the VMID is looked for, the claim's first.
	nodes []string
}

// looks of a plan. The container that is to be adopted is on the claim's node.
func (p *Plan) looks() looks {
	out := looks{identity: p.Container.Identity, vmID: vmID(p.Described), ref: p.Owner.ProviderConfigRef, nodes: []string{p.Container.Placement.Node}}
	if p.Container.Adopt != nil {
		return out
	}

	for _, n := range p.Nodes {
		if !slices.Contains(out.nodes, n) {
			out.nodes = append(out.nodes, n)
		}
	}

	return out
}

// name is the composed resource name of the check of a kind on a node. Another VMID, and another node, is another check.
func (l looks) name(node, kind string) string {
	return "vmid-" + l.identity.Hash("vmid", node, l.vmID, l.ref.Kind, l.ref.Name) + "-" + kind
}

// answers of the provider: the container that was found, nil for none, and the nodes that have not answered.
func (l looks) answers(observed map[string]proxmox.ObservedContainer) (found *proxmox.ObservedContainer, unanswered []string) {
	for _, node := range l.nodes {
		ct := observed[l.name(node, kindContainer)]

		switch {
		case present(ct) && found == nil:
			found = &ct
		case !present(ct) && !ct.Absent():
			unanswered = append(unanswered, node)
		}
	}

	return found, unanswered
}

// checkNames are the composed resource names of the checks: for a container on the claim's node, and for a VM. The provider finds a VM on every node of a
// Proxmox cluster, so its check stays when a container that does not exist yet gets another node: since when the container waits is told by the age of
// that managed resource alone, and a younger one would be behind those that came later.
func (p *Plan) checkNames() (container, vm string) {
	l := p.looks()
	container, vm = l.name(l.nodes[0], kindContainer), l.name(l.nodes[0], "vm")

	if first := firstOf(p.Observed.VMs, l.asks); first != "" {
		vm = first
	}

	return container, vm
}

// Check is the composed resource name of the managed resource that looks for a VM with the VMID of a container, and tells others what the container reserves.
func Check(r Request) string {
	_, vm := (&Plan{Request: r, Described: Describe(r.Container, r.Guest)}).checkNames()

	return vm
}

// Search is the composed resource name of the managed resource that looks for a VM in a search through the site's range of VMIDs, whichever VMID it has
// come to; empty where no search is under way.
func Search(vms map[string]proxmox.ObservedVM, ref proxmox.ProviderConfigRef) string {
	return firstOf(vms, func(o proxmox.ObservedVM) bool { return searches(o, ref) })
}

// searches says whether a managed resource is one of a search through a range.
func searches(vm proxmox.ObservedVM, ref proxmox.ProviderConfigRef) bool {
	return vm.ObserveOnly() && vm.Spec.ProviderConfigRef == ref && vm.Metadata.Annotations[proxmox.SearchedFromAnnotation] != ""
}

// firstOf the managed resources of which something is true is the name of the one that was created first; empty where there is none.
func firstOf(vms map[string]proxmox.ObservedVM, is func(proxmox.ObservedVM) bool) (first string) {
	for _, name := range slices.Sorted(maps.Keys(vms)) {
		if o := vms[name]; is(o) && (first == "" || o.Before(vms[first])) {
			first = name
		}
	}

	return first
}

// asks says whether a managed resource looks for a VM with the VMID, on whichever node, or did so for another VMID of the range.
func (l looks) asks(vm proxmox.ObservedVM) bool {
	return vm.ObserveOnly() && vm.Spec.ProviderConfigRef == l.ref && l.isAbout(vm) || searches(vm, l.ref)
}

// isAbout says whether what a managed resource reports is about the VMID.
func (l looks) isAbout(vm proxmox.ObservedVM) bool {
	id := vm.Spec.ForProvider.VMID

	return id != nil && strconv.FormatInt(*id, 10) == l.vmID
}

// check says what is known of the VMID.
func (p *Plan) check() VMIDCheck {
	out := VMIDCheck{VMID: VMIDOf(p.Container), Outcome: lifecycle.OutcomeChecking}

	if p.Beside != 0 && p.Beside == out.VMID {
		out.Outcome, out.Kind = lifecycle.OutcomeTaken, kindContainer
		return out
	}

	if name := p.claimedBy(); name != "" {
		out.Outcome, out.Name = lifecycle.OutcomeClaimed, name
		return out
	}

	_, vmName := p.checkNames()
	vm := p.Observed.VMs[vmName]

	// What was found of the VMID before this one says nothing of it.
	if vm.Metadata.Annotations[proxmox.SearchedFromAnnotation] != "" && !p.looks().isAbout(vm) {
		vm = proxmox.ObservedVM{}
	}

	ct, unanswered := p.looks().answers(p.Observed.Containers)

	if name := markedBy(p, out.VMID, ct, vm); name != "" {
		out.Outcome, out.Name = lifecycle.OutcomeClaimed, name
		return out
	}

	switch {
	case p.State == StateForeign && proxmox.VMIDOfContainer(p.Observed.Containers[p.Guest]) == out.VMID, p.State == StateTakenOver:
		at := p.Observed.Containers[p.Guest].Status.AtProvider
		out.Outcome, out.Kind, out.Name, out.Node = lifecycle.OutcomeTaken, kindContainer, at.Parameters.Hostname(), at.NodeName
	case ct != nil:
		at := ct.Status.AtProvider
		out.Outcome, out.Kind, out.Node = lifecycle.OutcomeTaken, kindContainer, at.NodeName

		if at.Parameters != nil {
			out.Name = at.Parameters.Hostname()

			if p.Container.Adopt == nil && p.Beside == 0 && p.Container.Identity.Made(at.Parameters.Description) {
				out.Outcome = lifecycle.OutcomeOwn
			}
		}
	case p.Container.Adopt != nil && len(unanswered) == 0:
		out.Outcome = lifecycle.OutcomeFree
	case p.Container.Adopt != nil:
		out.Unanswered = unanswered
	case proxmox.Present(vm) && vm.Status.AtProvider.ID == strconv.FormatInt(out.VMID, 10):
		out.Outcome, out.Kind, out.Name, out.Node = lifecycle.OutcomeTaken, kindVM, vm.Status.AtProvider.Name, vm.Status.AtProvider.NodeName
	case proxmox.Silent(vm):
		out.Outcome, out.Kind = lifecycle.OutcomeTaken, kindVM
	case proxmox.Unreadable(vm):
		out.Outcome, out.Kind = unread(p, out.VMID), kindUnread
	case len(unanswered) == 0 && vm.Absent():
		out.Outcome = lifecycle.OutcomeFree
	default:
		out.Unanswered = unanswered
	}

	return out
}

// markedBy names another claim to which the container or the VM that was found belongs, as its notes say.
func markedBy(p *Plan, id int64, ct *proxmox.ObservedContainer, vm proxmox.ObservedVM) string {
	notes := ""

	switch {
	case ct != nil && ct.Status.AtProvider.Parameters != nil:
		notes = ct.Status.AtProvider.Parameters.Description
	case proxmox.Present(vm) && vm.Status.AtProvider.ID == strconv.FormatInt(id, 10):
		notes = vm.Status.AtProvider.Description
	}

	return p.Owner.MarkedBy(p.Container.Identity, id, notes, p.Others)
}

// unread is what is known of a VMID that something has which the provider cannot read.
func unread(p *Plan, id int64) lifecycle.Outcome {
	if p.Unclear == id && p.Beside == 0 {
		return lifecycle.OutcomeUnclear
	}

	return lifecycle.OutcomeTaken
}

// present says whether the provider has read a container that it may only observe.
func present(o proxmox.ObservedContainer) bool {
	return o.ObserveOnly() && o.Is(proxmox.ConditionSynced) && o.Fresh(proxmox.ConditionSynced) && o.Is(proxmox.ConditionReady) && o.Status.AtProvider.ID != ""
}

// claimedBy names another claim that has the VMID, or that was first to ask for it; empty where there is none.
func (p *Plan) claimedBy() string {
	_, vm := p.checkNames()

	var mine []proxmox.ObservedMetadata

	l := p.looks()
	for _, node := range l.nodes {
		mine = append(mine, p.Observed.Containers[l.name(node, kindContainer)].Metadata)
	}

	if p.Container.Adopt == nil {
		mine = append(mine, p.Observed.VMs[vm].Metadata)
	}

	return cmp.Or(p.Owner.ClaimedBy(VMIDOf(p.Container), p.Others, mine...))
}
