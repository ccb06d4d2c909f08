package status

import (
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// A numberReport is about the number of a VM that is still to be made or taken over.
type numberReport struct {
	plan     *lifecycle.Plan
	state    proxmox.State
	vm       *activeVM
	adoption *adoptionReport
}

// condition is the condition on the number of a VM that is still to be made or taken over.
func (n *numberReport) condition() Condition {
	look := n.plan.Check

	switch {
	case n.adoption.Adoption != nil:
		return n.adoption.number()
	case look != nil:
		return n.newNumber(*look)
	case n.plan.Adopted:
		return number(false, ReasonNumberAdopted, "The claim adopted the VM with this VMID.")
	}

	if id := n.vm.numberOf(n.vm.name); id != 0 {
		return number(false, ReasonNumberFree, numberFree(id))
	}

	return number(false, ReasonNumberFree, "The claim requests no VMID; Proxmox chooses the next free one.")
}

func number(inUse bool, reason, message string) Condition {
	return Condition{Type: TypeVMIDInUse, Status: Truth(inUse), Reason: reason, Message: message}
}

// newNumber is the condition on the number of a new VM.
func (n *numberReport) newNumber(l lifecycle.VMIDCheck) Condition {
	outcome := l.Outcome
	if waits := len(n.plan.Waiting) > 0 && n.vm.lack == nil; waits && outcome == lifecycle.OutcomeFree {
		outcome = lifecycle.OutcomeChecking // The provider goes on looking, and its last answer before the VM is made counts.
	}

	switch outcome {
	case lifecycle.OutcomeChecking:
		return Condition{Type: TypeVMIDInUse, Status: metav1.ConditionUnknown, Reason: ReasonLooking, Message: lookingAt(l.VMID)}
	case lifecycle.OutcomeFree, lifecycle.OutcomeConfirming:
		return number(false, ReasonNumberFree, numberFree(l.VMID))
	case lifecycle.OutcomeOwn:
		return number(true, ReasonNumberMadeBefore, WhoHas(l)+" "+MadeForClaim("VM", "qm", l.VMID, l.Node, l.Withheld))
	case lifecycle.OutcomeUnclear:
		return number(true, ReasonNumberTaken, WhoHas(l)+" "+MayBeOwn("VM", "machine's"))
	case lifecycle.OutcomeLeftBehind:
		return number(true, ReasonNumberMadeBefore, WhoHas(l)+" "+leftBehind(l, n.plan.Machine.Adopt != nil))
	case lifecycle.OutcomeClaimed, lifecycle.OutcomeRequested, lifecycle.OutcomeTaken, lifecycle.OutcomeSilent, lifecycle.OutcomeUnreadable,
		lifecycle.OutcomeContainer:
	}

	reason, existing := ReasonNumberTaken, "the existing VM"

	switch {
	case l.Outcome.Claimed():
		reason, existing = ReasonNumberClaimed, "what has it"
	case l.Outcome == lifecycle.OutcomeContainer:
		existing = "it"
	}

	return number(true, reason, WhoHas(l)+" The provider creates no VM with this VMID, and does not change "+existing+". "+n.otherNumber(l)+n.leftover(l))
}

// MadeForClaim says what to do with a VM or a container, by a word for it and Proxmox's command, that was made for a claim and that is not the claim's. A
// claim that may not adopt is not told to. Its cluster was built again, the claim came back after deletionPolicy Orphan, or another Crossplane has the same
// claim.
func MadeForClaim(guest, command string, vmID int64, node string, withheld bool) string {
	keep := fmt.Sprintf("name it in spec.adopt.vmId: %d", vmID)
	if withheld {
		keep = "ask who administers the catalogue: your tenant may not adopt"
	}

	return fmt.Sprintf("It was made for a claim of this kind, namespace and name, as its notes say, and another %[1]s beside it would take its name and address: the provider creates none, and does "+
		"not change it. To keep it, %[5]s. If another Crossplane manages it, give this claim another name. If nothing on it is needed, `%[3]s destroy %[2]d` on %[4]s "+
		"removes it, with its disks.", guest, vmID, command, onNode(node), keep)
}

// MayBeOwn says what to do with what has the VMID that a claim's VM or container had before, or begins with in every cluster, while it cannot be read.
func MayBeOwn(guest, whose string) string {
	return fmt.Sprintf("It may be this %[2]s own %[1]s, which somebody took out of this cluster, so the provider creates no other one beside it. It looks again at each poll: what was made for "+
		"this claim can then be adopted, and what is somebody's is passed over. To wait no longer, name a free VMID in spec.proxmox.vmId (`pvesh get /cluster/nextid` shows one).", guest, whose)
}

// leftBehind says what to do with a VM that was made for the claim, and whose managed resource the claim's deletion or a restore of the cluster left behind.
func leftBehind(l lifecycle.VMIDCheck, adopts bool) string {
	out := "Another VM beside it would take its name and address: the provider creates none. "
	if !adopts {
		out += fmt.Sprintf("To keep the VM, set spec.adopt.vmId: %d. Then ", l.VMID)
	} else {
		out += "To adopt the VM, "
	}

	return out + fmt.Sprintf("take that managed resource's rights away, `kubectl patch %[1]s --type merge -p '{\"spec\":{\"managementPolicies\":[\"Observe\"]}}'`, and delete it, `kubectl delete %[1]s`: without the "+
		"first command, the second one can destroy the VM with its disks. status.adoption then has the plan.", l.Name)
}

// onNode is the node of a VM or a container that the machine does not have; it may be unknown.
func onNode(node string) string {
	if node == "" {
		return "its node"
	}

	return "node " + plain(node, maxForeignName)
}

// leftover says what to do with a VM that has the machine's own name. A creation that failed halfway can have left it; nobody but a person can tell it
// from a VM with data, so nothing removes it.
func (n *numberReport) leftover(l lifecycle.VMIDCheck) string {
	if l.Outcome != lifecycle.OutcomeTaken || l.Name == "" || l.Name != n.plan.Machine.Hostname {
		return ""
	}

	return fmt.Sprintf(" It has the name of this machine: if it is what a failed creation left, and holds nothing that you need, `qm destroy %d` on %s removes it, with its disks.",
		l.VMID, onNode(l.Node))
}

// otherNumber says what becomes of a machine whose number is another's.
func (n *numberReport) otherNumber(l lifecycle.VMIDCheck) string {
	switch {
	case l.Next != 0:
		return fmt.Sprintf("The provider checks VMID %d next.", l.Next)
	case n.plan.VMID.Range != nil && !n.plan.VMID.UsedUp:
		return "The provider then checks the next VMID of the site's range."
	case n.ofRange():
		return n.vm.fill("All VMIDs of the site's range are in use: widen the range in the catalogue (sites.<site>.vmIds), or remove unused VMs. The "+
			"function tries a wider range at once; after a removal, set spec.lifecycle.retry to a new value.", Finding{})
	}

	out := "Choose another VMID in spec.proxmox.vmId (`pvesh get /cluster/nextid` shows a free one), or remove the field."
	if !l.Outcome.Claimed() && !n.vm.made && !l.Withheld {
		out += " To adopt the existing VM instead, move the VMID to spec.adopt.vmId."
	}

	return out
}

// ofRange says whether the number that is looked at is one of a range. Which one it was taken from is forgotten when all of
// its numbers are taken; that it was is not.
func (n *numberReport) ofRange() bool {
	name := n.vm.name
	if r := replacing(n.plan); r != nil {
		name = r.New
	}

	return n.plan.VMID.Range != nil || n.state.VMs[name].Metadata.Annotations[proxmox.SearchedFromAnnotation] != ""
}

// WhoHas names who has a number.
func WhoHas(l lifecycle.VMIDCheck) string {
	id, o, name, node := l.VMID, l.Outcome, l.Name, l.Node

	switch {
	case name == lifecycle.AnotherClaim && o == lifecycle.OutcomeRequested:
		return fmt.Sprintf("Another claim of this Proxmox, in another namespace, requested VMID %d first.", id)
	case name == lifecycle.AnotherClaim && o == lifecycle.OutcomeClaimed:
		return fmt.Sprintf("VMID %d belongs to another claim of this Proxmox, in another namespace.", id)
	case o == lifecycle.OutcomeRequested:
		return fmt.Sprintf("Claim %s requested VMID %d first.", foreign(strings.TrimPrefix(name, "/"), maxForeignMachine), id)
	case o == lifecycle.OutcomeLeftBehind:
		return fmt.Sprintf("VM %d on %s was made for this claim, and %s manages it, which no claim has any more: its claim was deleted with --cascade=orphan, or the cluster was restored from a backup.",
			id, onNode(node), name)
	case o == lifecycle.OutcomeClaimed:
		return fmt.Sprintf("VMID %d belongs to claim %s.", id, foreign(strings.TrimPrefix(name, "/"), maxForeignMachine))
	case o == lifecycle.OutcomeSilent:
		return fmt.Sprintf("VMID %d is in use by a VM that the provider cannot read, because its guest agent is enabled but does not answer.", id)
	case o == lifecycle.OutcomeUnclear:
		return fmt.Sprintf("VMID %d is in use by a VM or a container that the provider cannot read at present: its guest agent does not answer yet, or its Proxmox node is off.", id)
	case o == lifecycle.OutcomeContainer:
		return fmt.Sprintf("VMID %d is in use by a container, or by something else that is no VM: Proxmox refused to create the VM.", id)
	case o == lifecycle.OutcomeUnreadable:
		return fmt.Sprintf("VMID %d is in use by a VM or a container that the provider cannot read.", id)
	}

	return fmt.Sprintf("VMID %d is in use by %s.", id, foreignVM(id, name, node))
}

func numberFree(id int64) string { return fmt.Sprintf("No other VM is known to have VMID %d.", id) }

func lookingAt(id int64) string {
	return fmt.Sprintf("The provider is checking whether a VM has VMID %d. It creates no VM before the check has finished.", id)
}
