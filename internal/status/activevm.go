package status

import (
	"cmp"
	"strconv"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/bootstrap"
	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// An activeVM is the VM that is the machine: what the provider reports of it, and what is rendered for it.
type activeVM struct {
	machine *machine.Machine
	plan    *lifecycle.Plan
	lack    *bootstrap.Lack // The Secret that the bootstrap data waits for; nil where there is none.

	name     string                        // Of the composed resource.
	seen     proxmox.ObservedVM            // As the provider reports it.
	observed bool                          // Whether the VM's managed resource is there.
	made     bool                          // Whether there is a VM, or may be one in the making. One that is only looked at is another's.
	numbered bool                          // Whether the VM's number was in the composite's status before.
	wanted   *proxmox.VMParameters         // As it is rendered; zero where it is not.
	notes    map[string]string             // The annotations of the VM as it is rendered.
	all      map[string]proxmox.ObservedVM // Of the machine, by name of the composed resource: this one, a candidate, retired ones.
}

func newActiveVM(in *Input) *activeVM {
	v := &activeVM{
		machine: in.Machine, plan: in.Plan, lack: in.Bootstrap.Lack, name: cmp.Or(in.Plan.Roles.Active, lifecycle.FirstVM),
		numbered: in.Previous.VMID != nil, all: in.State.VMs,
	}

	wanted := in.Desired.VMs[v.name]
	v.wanted, v.notes = &wanted.Spec.ForProvider, wanted.Metadata.Annotations
	v.seen, v.observed = in.State.VMs[v.name]
	v.made = lifecycle.Lives(in.State.VMs, v.name) && !proxmox.TakenOver(v.seen)

	return v
}

// another says whether the VM that the provider reports is somebody else's.
func (v *activeVM) another() bool { return v.seen.ObserveOnly() || proxmox.TakenOver(v.seen) }

// exists says whether the provider has seen the VM, even if its last look failed.
func (v *activeVM) exists() bool {
	return v.observed && !v.another() && !v.seen.Condition(proxmox.ConditionReady).IsFalse() && (v.seen.Status.AtProvider.ID != "" || v.seen.Found())
}

// unread says whether the provider's last look at the VM that exists failed: what it reported before is of no known age.
func (v *activeVM) unread() bool {
	return v.exists() && v.seen.Condition(proxmox.ConditionSynced).IsFalse()
}

// guestUnread is why nothing is known of what a guest reports, where its VM is unread.
const guestUnread = "The provider's last look at the VM or its last write failed, so nothing is known of what the guest reports. Condition " + TypeProviderHealthy +
	" says why."

// id is the VM's number once there is a VM: it makes some fields of the claim immutable.
func (v *activeVM) id() *int64 {
	at := v.seen.Status.AtProvider

	if !v.observed || v.another() {
		return nil
	}

	if id, err := strconv.ParseInt(at.ID, 10, 64); err == nil {
		return &id
	}

	if !v.exists() || at.ID == "" && !v.numbered {
		return nil
	}

	asked := v.plan.VMID.VMID
	if replacing(v.plan) != nil { // That is the number of the VM that is to be.
		asked = 0
	}

	for _, id := range []int64{at.VMID, proxmox.VMIDOf(v.seen), asked} {
		if id != 0 {
			return &id
		}
	}

	return nil
}

// numberOf is the number of the VM that a composed resource is, or belongs to; 0 where none is known.
func (v *activeVM) numberOf(resource string) int64 {
	if vm, ok := v.all[resource]; ok && resource != v.name {
		return proxmox.VMIDOf(vm)
	}

	if id := v.id(); id != nil {
		return *id
	}

	return v.plan.VMID.VMID
}

// nodeOf is the node of the VM that a composed resource is, or belongs to; empty where none is known.
func (v *activeVM) nodeOf(resource string) string {
	vm, ok := v.all[resource]
	if !ok || resource == v.name {
		return v.node()
	}

	if node := vm.Status.AtProvider.NodeName; node != "" && !vm.ObserveOnly() {
		return node
	}

	return vm.Spec.ForProvider.NodeName
}

// title is the VM in messages.
func (v *activeVM) title() string { return v.shortTitle() + " on node " + v.plannedNode() }

// shortTitle is the VM in messages, without its node.
func (v *activeVM) shortTitle() string {
	if id := v.id(); id != nil {
		return "VM " + strconv.FormatInt(*id, 10)
	}

	return "The VM"
}

// plannedNode is the node that the VM is on, or is to be on.
func (v *activeVM) plannedNode() string {
	if node := v.node(); node != "" {
		return node
	}

	return v.machine.Placement.Node
}

// phaseBefore is the phase of a machine whose VM is still to be made. A number that is another's, where no other one is
// tried, is as bad as an error that does not pass.
func (v *activeVM) phaseBefore() v1alpha1.Phase {
	l := v.plan.Check

	switch {
	case l != nil && l.Outcome.InUse() && l.Next == 0:
		return v1alpha1.PhaseFailed
	case v.lack != nil, len(v.plan.Waiting) > 0, v.plan.Shares != nil, v.plan.ServerBehind != nil,
		l != nil && l.Outcome != lifecycle.OutcomeFree && l.Outcome != lifecycle.OutcomeConfirming:
		return v1alpha1.PhasePending
	}

	return v1alpha1.PhaseCreating
}

// node is the node that the VM is on, as Proxmox says, or, while the VM is made, where it is made.
func (v *activeVM) node() string {
	switch {
	case !v.made && v.plan.Check != nil && v.plan.Check.Outcome.InUse():
		return ""
	case !v.made && v.plan.Adoption == nil && v.phaseBefore() == v1alpha1.PhaseCreating:
		return v.machine.Placement.Node
	case !v.made:
		return ""
	}

	if node := v.seen.Status.AtProvider.NodeName; node != "" {
		return node
	}

	return v.seen.Spec.ForProvider.NodeName
}

// stoppedForReplacement says whether the VM is stopped for the VM that replaces it.
func (v *activeVM) stoppedForReplacement() bool {
	r := replacing(v.plan)
	return r != nil && r.Stopped && r.New != v.name
}

// wantsRunning says whether the VM is rendered to run. It differs from the claim's power where that is Unmanaged, and while
// the VM restarts.
func (v *activeVM) wantsRunning() bool { return v.wanted.Started }

// rests says whether the VM is off, as its claim wants it or leaves it, and nobody is about to start it.
func (v *activeVM) rests() bool {
	return v.made && !v.seen.Status.AtProvider.Started && !v.wantsRunning() && !v.plan.Restarting && replacing(v.plan) == nil
}

// startsFirst says whether the VM was created stopped, and the provider starts it now.
func (v *activeVM) startsFirst() bool {
	return v.plan.Steps[v.name].Power.Phase == lifecycle.PowerFirstStart
}

// hasGuestAgent says whether the rendered VM expects its guest agent to answer.
func (v *activeVM) hasGuestAgent() bool { return lifecycle.HasGuestAgent(*v.wanted) }
