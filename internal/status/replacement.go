package status

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// replacing is the replacement that is under way; nil where there is none, or none could be begun.
func (s reporter) replacing() *lifecycle.Replacement {
	r := s.in.Plan.Replacement
	if r == nil || r.Stage == lifecycle.StageBlocked {
		return nil
	}

	return r
}

// stoppedForReplacement says whether the VM makes way for the one that is to take its place.
func (s reporter) stoppedForReplacement() bool {
	r := s.replacing()
	return r != nil && r.Stopped && r.New != s.name
}

// replacementRequired is the condition on what the claim asks for and the VM cannot become, and on the new VM that can.
func (s reporter) replacementRequired() Condition {
	c := Condition{Type: TypeReplacementRequired, Status: status(true)}

	switch r := s.in.Plan.Replacement; {
	case r != nil && r.Stage != lifecycle.StageBlocked:
		c.Reason, c.Message = ReasonReplacing, s.replacement(*r)
	case r != nil:
		c.Reason = ReasonReplacementBlocked
		c.Message = strings.TrimSpace("spec.lifecycle.replace requests a new VM, but the replacement is blocked. " + blocked(r.Blocker) +
			forcible(r.Blocker) + " " + s.heldBack())
	case len(s.in.Plan.Held) > 0:
		c.Reason, c.Message = ReasonImmutableFieldChanged, s.heldBack()+" "+s.wayOut()
	default:
		c.Status, c.Reason, c.Message = status(false), ReasonNotRequired, "No replacement needed."+s.toConfirm()
	}

	return c
}

// forcible is the way around a blocker, where there is one.
func forcible(b lifecycle.Blocker) string {
	if b.Reason == lifecycle.BlockedBySameVMID || b.Reason == lifecycle.BlockedByOnlyServer {
		return ""
	}

	return toForce
}

// toConfirm says how to confirm that a K3s server that replaced another one has joined; empty where nothing is to be confirmed.
func (s reporter) toConfirm() string {
	trigger := s.in.Plan.Steps[s.name].Join.Awaited
	if trigger == "" {
		return ""
	}

	return " The function does not know whether this K3s server has joined its cluster; until you confirm that, it does not count for the " +
		"cluster's quorum, and no other server is replaced. When `kubectl get nodes` shows " + s.in.Machine.Hostname + " Ready, set " +
		"spec.lifecycle.joined to " + quote(trigger) + "."
}

// heldBack names the changes that the VM cannot follow; empty where there are none.
func (s reporter) heldBack() string {
	held := s.in.Plan.Held
	if len(held) == 0 {
		return ""
	}

	out := make([]string, 0, len(held))
	for _, h := range held {
		out = append(out, fmt.Sprintf("%s (the VM has %s, the claim has %s)", h.Field, quote(h.Has), quote(h.Wanted)))
	}

	return "The VM cannot make these changes and keeps its old values: " + strings.Join(out, ", ") + "."
}

// wayOut says how to end the disagreement.
func (s reporter) wayOut() string {
	out := "To undo a change, restore the old value in the claim, or in the catalogue if that changed. To make it, " + s.newMachine() + "."

	if s.held(nodeField) {
		out += s.fill(" To change the node, set spec.proxmox.migrate to true, or move the VM in Proxmox: `qm migrate <vmId> <target> --online`.",
			finding{})
	}

	return out
}

// newMachine says how to get a new VM.
func (s reporter) newMachine() string {
	return "set spec.lifecycle.replace to a new value: a new VM replaces this VM, which then " + s.fate() +
		" (change or remove a fixed spec.proxmox.vmId in the same commit). Or apply a new claim under another name, move your data, and delete this claim"
}

// fate is what becomes of a VM whose place another one takes.
func (s reporter) fate() string {
	if s.in.Machine.DeletionPolicy == v1alpha1.DeletionOrphan {
		return "stays in Proxmox, stopped"
	}

	return "is destroyed with all its disks, data disks included"
}

// replacement says how far a replacement has come, and what becomes of the old VM.
func (s reporter) replacement(r lifecycle.Replacement) string {
	out := fmt.Sprintf("spec.lifecycle.replace is %s: a new VM (%s) is replacing %s. ", quote(r.Trigger), r.New, s.oldVM(r))

	switch r.Stage {
	case lifecycle.StagePreparing:
		out += "The provider first prepares its snippets, its image and its VMID"
		if waiting := s.in.Plan.Waiting; len(waiting) > 0 {
			out += " (" + strings.Join(waiting, ", ") + ")"
		}

		out += "; meanwhile the old VM does not change."
	case lifecycle.StageStopping:
		out += "The provider first " + s.stops(r.Old) + ", because the two VMs cannot run side by side."
	case lifecycle.StageMaking:
		out += "The new VM is not ready yet; meanwhile the old VM keeps running."
		if r.Stopped {
			out = strings.TrimSuffix(out, "keeps running.") + "is stopped, because the two VMs cannot run side by side."
		}

		out += s.toJoin()
	case lifecycle.StageRetiring:
		return out + "The new VM is ready; the provider " + s.stops(r.Old) + ", which then " + s.fate() + "." + s.toConfirm()
	case lifecycle.StageBlocked:
	}

	return out + s.stuck(r) + " When the new VM is ready, the old VM " + s.fate() + ". To cancel before that, remove the value of " +
		"spec.lifecycle.replace, or restore the previous value: the provider then removes the new VM, and the old VM stays."
}

// stops says how the provider stops a VM that is replaced.
func (s reporter) stops(name string) string {
	if lifecycle.StopOf(s.in.Desired.VMs[name].Spec.ForProvider) == lifecycle.StopSwitchedOff {
		return "switches the old VM off, because it has no guest agent"
	}

	return "shuts the old VM down"
}

// toJoin is the one thing that a person has to do while a K3s node is replaced: the new VM has the old one's node name.
func (s reporter) toJoin() string {
	if s.in.Machine.K3s == nil {
		return ""
	}

	return " Now run `kubectl delete node " + s.in.Machine.Hostname + "`: the new VM cannot join before."
}

// stuck says what keeps a replacement from going on.
func (s reporter) stuck(r lifecycle.Replacement) string {
	if l := s.in.Plan.Check; l != nil && l.Outcome.InUse() {
		return " Condition " + TypeVMIDInUse + " says why the new VM cannot be created."
	}

	if slices.ContainsFunc(append([]string{r.New}, s.in.Plan.Waiting...), s.failing) {
		return " Condition " + TypeProviderHealthy + " explains its error."
	}

	return ""
}

// oldVM is the VM whose place is taken, in messages.
func (s reporter) oldVM(r lifecycle.Replacement) string {
	if r.Old == s.name {
		return s.vmName()
	}

	id := proxmox.VMIDOf(s.in.State.VMs[r.Old])
	if id == 0 {
		return "the previous VM"
	}

	return "VM " + strconv.FormatInt(id, 10) + " on node " + s.nodeOf(r.Old)
}

// replacementStatus is the VM that is to take the machine's place.
func (s reporter) replacementStatus() *v1alpha1.ReplacementStatus {
	r := s.replacing()
	if r == nil {
		return nil
	}

	out := &v1alpha1.ReplacementStatus{Token: r.Trigger, Node: s.in.Machine.Placement.Node}

	vm, ok := s.in.State.VMs[r.New]
	if !ok {
		return out
	}

	out.Node = s.nodeOf(r.New)

	if id, err := strconv.ParseInt(vm.Status.AtProvider.ID, 10, 64); err == nil && !vm.ObserveOnly() {
		out.VMID = &id
	}

	return out
}

// quote sets a value off; one that is not there is said in words.
func quote(value string) string {
	if value == "" {
		return "none"
	}

	return "`" + value + "`"
}
