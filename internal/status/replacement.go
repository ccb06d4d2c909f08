package status

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/change"
	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/node"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// A replacementReport is about what the claim asks for and the VM cannot become, and about the new VM that can.
type replacementReport struct {
	machine *machine.Machine
	plan    *lifecycle.Plan
	state   proxmox.State
	vm      *activeVM
	errors  *providerErrors
}

// condition is the condition on what the claim asks for and the VM cannot become, and on the new VM that can.
func (p *replacementReport) condition() Condition {
	c := Condition{Type: TypeReplacementRequired, Status: Truth(true)}

	switch r := p.plan.Replacement; {
	case r != nil && r.Stage != lifecycle.StageBlocked:
		c.Reason, c.Message = ReasonReplacing, p.progress(*r)
	case r != nil && r.Blocker.Reason == lifecycle.BlockedByWave:
		c.Reason = ReasonWaitingForWave
		c.Message = strings.TrimSpace("spec.lifecycle.replace requests a new VM. " + blocked(r.Blocker) + forcible(r.Blocker) + " " + p.heldBack())
	case r != nil && r.Blocker.Reason == lifecycle.BlockedByApproval:
		c.Reason, c.Message = ReasonWaitingForApproval, strings.TrimSpace("spec.lifecycle.replace requests a new VM. "+blocked(r.Blocker)+" "+p.heldBack())
	case r != nil:
		c.Reason = ReasonReplacementBlocked
		c.Message = strings.TrimSpace("spec.lifecycle.replace requests a new VM, but the replacement is blocked. " + blocked(r.Blocker) +
			forcible(r.Blocker) + " " + p.heldBack())
	case len(p.plan.Held) > 0:
		c.Reason, c.Message = ReasonImmutableFieldChanged, p.heldBack()+" "+p.wayOut()
	default:
		c.Status, c.Reason, c.Message = Truth(false), ReasonNotRequired, "No replacement needed."+p.toConfirm()
	}

	return c
}

// forcible is the way around a blocker, where there is one.
func forcible(b lifecycle.Blocker) string {
	if b.Reason == lifecycle.BlockedBySameVMID || b.Reason == lifecycle.BlockedByOnlyServer || b.Reason == lifecycle.BlockedByCrossplane {
		return ""
	}

	if b.Reason == lifecycle.BlockedByWave {
		return " To begin in spite of that, remove spec.rollout."
	}

	return toForce
}

// toConfirm says how to confirm that a K3s server that replaced another one has joined; empty where nothing is to be confirmed.
func (p *replacementReport) toConfirm() string {
	trigger := p.plan.Steps[p.vm.name].Join.Awaited
	if trigger == "" {
		return ""
	}

	if p.plan.Node.Name != "" {
		return " This K3s server has not joined its cluster yet, as far as the function sees: when Node " + p.plan.Node.Name + " is known to be the new VM, is " +
			"Ready and votes in etcd, the server counts for the cluster's quorum, and the next server can be replaced. To confirm it yourself, set " +
			"spec.lifecycle.joined to " + quote(trigger) + "."
	}

	return " The function does not know whether this K3s server has joined its cluster; until you confirm that, it does not count for the " +
		"cluster's quorum, and no other server is replaced. When `kubectl get nodes` shows " + p.machine.Hostname + " Ready, set " +
		"spec.lifecycle.joined to " + quote(trigger) + "."
}

// heldBack names the changes that the VM cannot follow; empty where there are none.
func (p *replacementReport) heldBack() string {
	held := p.plan.Held
	if len(held) == 0 {
		return ""
	}

	out := make([]string, 0, len(held))
	for _, h := range held {
		whose := "claim"
		if h.Field == p.machine.Placement.Reconnected {
			whose = "site"
		}

		out = append(out, fmt.Sprintf("%s (the VM has %s, the %s has %s)", h.Field, quote(h.Has), whose, quote(h.Wanted)))
	}

	said := "The VM cannot make these changes and keeps its own values: " + strings.Join(out, ", ") + "."
	if disks := change.KeptDisks(held); disks != "" {
		said += " " + disks
	}

	return said
}

// wayOut says how to end the disagreement.
func (p *replacementReport) wayOut() string {
	connection, connected := p.connection()
	if connected && len(p.plan.Held) == 1 {
		return connection.WayOut()
	}

	if change.OnlyKeptDisks(p.plan.Held) {
		return "To undo a change, list the disk in the claim again, with its name. Do not replace the VM to be rid of a disk, because a new one has empty disks. " +
			"Only if no data of the VM is needed any more, " + newMachine(p.machine) + "."
	}

	nowhere := NoNode(p.machine.Placement.NoNode, p.plan.Held)
	if nowhere != "" && len(p.plan.Held) == 1 {
		return nowhere
	}

	out := "To undo a change, write the VM's value into the claim, or into the catalogue if that changed. To make it, " + newMachine(p.machine) + "."

	switch {
	case nowhere != "":
		out += " " + nowhere
	case held(p.plan, nodeField):
		out += p.vm.fill(" To change the node, set spec.proxmox.migrate to true, or move the VM in Proxmox: `qm migrate <vmId> <target> --online`.",
			Finding{})
	}

	if connected {
		out += " " + connection.WayOut()
	}

	return out
}

// NoNode is the way out for a guest whose claim names a node that there is not, among changes that it cannot make: neither a move nor a new guest would get
// there. Empty where that is none of them.
func NoNode(no string, refused []change.Change) string {
	if no == "" || !slices.ContainsFunc(refused, func(c change.Change) bool { return c.Field == nodeField }) {
		return ""
	}

	if !strings.HasSuffix(no, "?") {
		no += "."
	}

	return nodeField + ": " + no + " Correct the node: nothing can be moved there, nor made there."
}

// connection of the site that the VM does not follow; false where there is none.
func (p *replacementReport) connection() (Connection, bool) {
	at := p.machine.Placement.Reconnected
	if at == "" || !held(p.plan, at) {
		return Connection{}, false
	}

	has := p.state.VMs[p.vm.name].Spec.ProviderConfigRef

	return Connection{Guest: "VM", Has: has.Name, Shared: p.plan.Owner.Proxmoxes.Shared(has, p.plan.Owner.ProviderConfigRef)}, true
}

// progress says how far a replacement has come, and what becomes of the old VM.
func (p *replacementReport) progress(r lifecycle.Replacement) string {
	out := fmt.Sprintf("spec.lifecycle.replace is %s: a new VM (%s) is replacing %s. ", quote(r.Trigger), r.New, p.oldVM(r))

	switch r.Stage {
	case lifecycle.StagePreparing:
		out += "The provider first prepares its snippets, its image and its VMID"
		if waiting := p.plan.Waiting; len(waiting) > 0 {
			out += " (" + strings.Join(waiting, ", ") + ")"
		}

		out += "; meanwhile the old VM does not change." + lostHint(p.state.VMs[r.Old], p.machine.Lifecycle.Lost)

		if a := p.plan.PoolAddress; a.Lacks() {
			_, message := lacksAddress(*a, p.machine.Identity.Namespace)
			out += " " + message
		}
	case lifecycle.StageDraining:
		out += "The old VM runs until its Node is drained: condition " + TypeNodeDrained + " has the details."
	case lifecycle.StageStopping:
		out += p.stopping(r)
	case lifecycle.StageMaking:
		out += "The new VM is not ready yet; meanwhile the old VM " + p.meanwhile(r)

		out += p.toJoin(r)
	case lifecycle.StageJoining:
		out += "The new VM runs, and the old VM is stopped. " + p.joining(r)
	case lifecycle.StageRetiring:
		return out + "The new VM is ready; the provider " + p.stops(r.Old) + ", which then " + fate(p.machine) + "." + p.toConfirm()
	case lifecycle.StageBlocked:
	}

	end := fate(p.machine)
	if p.plan.Lost(r.Old) {
		end = "is left as it is"
	}

	return out + p.stuck(r) + " When " + Success(p.plan) + ", the old VM " + end + ". To cancel before that, remove the value of " +
		"spec.lifecycle.replace, or restore the previous value: the provider then removes the new VM, and the old VM stays." + p.noReturn()
}

// Success is what has to come true before a new VM is the machine, as a clause for "when".
func Success(plan *lifecycle.Plan) string {
	switch {
	case plan.Node.Name == "" || plan.Machine.K3s.ReadyWhen == v1alpha1.ReadyWhenVM:
		return "the new VM is ready"
	case plan.EmbeddedEtcd():
		return "the new VM is ready, its Node is Ready and its etcd member votes"
	}

	return "the new VM and its Node are ready"
}

// noReturn says what a K3s server cannot do any more once its Node is deleted.
func (p *replacementReport) noReturn() string {
	if p.plan.Node.Name == "" || !p.plan.EmbeddedEtcd() {
		return ""
	}

	return " Do not cancel once Node " + p.plan.Node.Name + " of the old VM is deleted: its etcd member is removed then, and the old VM cannot join any more."
}

// joining says what the new VM of a K3s node still lacks.
func (p *replacementReport) joining(r lifecycle.Replacement) string {
	name, owner := p.plan.Node.Name, p.plan.NodeOwner()

	switch {
	case owner.Ownership == lifecycle.OwnershipNone:
		return "It joins its cluster next: there is no Node " + name + " yet."
	case owner.VM == r.New && p.plan.Node.Node.Health() != node.HealthReady:
		return "It has joined its cluster, and its Node " + name + " is not Ready yet."
	case owner.VM == r.New:
		return "It has joined its cluster, and its etcd member does not vote yet."
	case owner.VM == r.Old:
		return "Node " + name + " is still the old VM's: run `kubectl delete node " + name + "`. The new VM cannot join before."
	}

	return "Node " + name + " is not known to be one of the two: condition " + TypeNodeJoined + " has the details."
}

// stops says how the provider stops a VM that is replaced.
func (p *replacementReport) stops(name string) string {
	written := p.state.VMs[name].Spec.ForProvider
	if switchedOff(&written) {
		return "switches the old VM off (it has no guest agent)"
	}

	return "shuts the old VM down"
}

// meanwhile says what the old VM does while the new one is made.
func (p *replacementReport) meanwhile(r lifecycle.Replacement) string {
	at := p.state.VMs[r.Old].Status.AtProvider

	switch {
	case p.plan.Lost(r.Old):
		return "is lost with node " + p.machine.Lifecycle.Lost + ", as spec.lifecycle.lost says."
	case r.Stopped:
		return "is stopped, because the two VMs cannot run side by side."
	case at.ID != "" && !at.Started:
		return "stays stopped."
	}

	return "keeps running."
}

// stopping says what happens to the old VM, and to its Node, before there is a new VM.
func (p *replacementReport) stopping(r lifecycle.Replacement) string {
	old := p.state.VMs[r.Old]
	if p.plan.Lost(r.Old) {
		return "The old VM is lost with node " + p.machine.Lifecycle.Lost + ". Its Node " + p.plan.Node.Name + " goes next, and the new VM is created when the Node is gone."
	}

	if p.plan.DeletesNodes() && p.vm.observed && old.Found() && !old.Status.AtProvider.Started {
		return "The old VM is stopped. Its Node " + p.plan.Node.Name + " goes next, and the new VM is created when the Node is gone."
	}

	return "The provider first " + p.stops(r.Old) + ", because the two VMs cannot run side by side." + lostHint(old, p.machine.Lifecycle.Lost)
}

// toJoin is the one thing that a person has to do while a K3s node is replaced: the new VM has the old one's node name. Where Nodes are read, only
// if the Node is known to be the old VM.
func (p *replacementReport) toJoin(r lifecycle.Replacement) string {
	if p.machine.K3s == nil || p.plan.Node.Name != "" && p.plan.NodeOwner().VM != r.Old {
		return ""
	}

	return " Now run `kubectl delete node " + cmp.Or(p.plan.Node.Name, p.machine.Hostname) + "`: the new VM cannot join before."
}

// stuck says what keeps a replacement from going on.
func (p *replacementReport) stuck(r lifecycle.Replacement) string {
	if l := p.plan.Check; l != nil && l.Outcome.InUse() {
		return " Condition " + TypeVMIDInUse + " says why the new VM cannot be created."
	}

	if b := p.plan.ServerBehind; b != nil {
		return " " + serversBehind("The new VM", *b)
	}

	if s := p.plan.Shares; s != nil {
		return " " + AddressInUse("The new VM", *s)
	}

	if slices.ContainsFunc(append([]string{r.New}, p.plan.Waiting...), p.errors.has) {
		return " Condition " + TypeProviderHealthy + " explains its error."
	}

	return ""
}

// oldVM is the VM whose place is taken, in messages.
func (p *replacementReport) oldVM(r lifecycle.Replacement) string {
	if r.Old == p.vm.name {
		return p.vm.title()
	}

	id := proxmox.VMIDOf(p.state.VMs[r.Old])
	if id == 0 {
		return "the previous VM"
	}

	return "VM " + strconv.FormatInt(id, 10) + " on node " + p.vm.nodeOf(r.Old)
}

// status is the VM that is to take the machine's place.
func (p *replacementReport) status() *v1alpha1.ReplacementStatus {
	r := replacing(p.plan)
	if r == nil {
		return nil
	}

	out := &v1alpha1.ReplacementStatus{Token: r.Trigger, Node: p.machine.Placement.Node}

	vm, ok := p.state.VMs[r.New]
	if !ok {
		return out
	}

	out.Node = p.vm.nodeOf(r.New)

	if id, err := strconv.ParseInt(vm.Status.AtProvider.ID, 10, 64); err == nil && !vm.ObserveOnly() {
		out.VMID = &id
	}

	return out
}
