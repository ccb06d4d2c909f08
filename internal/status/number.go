package status

import (
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// vmIDInUse is the condition on the number of a VM that is still to be made or taken over.
func (s reporter) vmIDInUse() Condition {
	look, adoption := s.in.Plan.Check, s.in.Plan.Adoption

	switch {
	case adoption != nil:
		return s.adoptedNumber(*adoption)
	case look != nil:
		return s.newNumber(*look)
	case s.in.Plan.Adopted:
		return number(false, ReasonNumberAdopted, "The claim adopted the VM with this VMID.")
	}

	if id := s.numberOf(s.name); id != 0 {
		return number(false, ReasonNumberFree, numberFree(id))
	}

	return number(false, ReasonNumberFree, "The claim requests no VMID; Proxmox chooses the next free one.")
}

func number(inUse bool, reason, message string) Condition {
	return Condition{Type: TypeVMIDInUse, Status: status(inUse), Reason: reason, Message: message}
}

// newNumber is the condition on the number of a new VM.
func (s reporter) newNumber(l lifecycle.VMIDCheck) Condition {
	outcome := l.Outcome
	if waits := len(s.in.Plan.Waiting) > 0 && s.in.Bootstrap.Lacks == ""; waits && outcome == lifecycle.OutcomeFree {
		outcome = lifecycle.OutcomeChecking // The provider goes on looking, and its last answer before the VM is made counts.
	}

	switch outcome {
	case lifecycle.OutcomeChecking:
		return Condition{Type: TypeVMIDInUse, Status: metav1.ConditionUnknown, Reason: ReasonLooking, Message: lookingAt(l.VMID)}
	case lifecycle.OutcomeFree:
		return number(false, ReasonNumberFree, numberFree(l.VMID))
	case lifecycle.OutcomeClaimed, lifecycle.OutcomeTaken, lifecycle.OutcomeSilent:
	}

	reason := ReasonNumberTaken
	if l.Outcome == lifecycle.OutcomeClaimed {
		reason = ReasonNumberClaimed
	}

	return number(true, reason, s.whoHas(l)+" The provider creates no VM with this VMID, and does not change the "+
		"existing VM. "+s.otherNumber(l))
}

// otherNumber says what becomes of a machine whose number is another's.
func (s reporter) otherNumber(l lifecycle.VMIDCheck) string {
	switch {
	case l.Next != 0:
		return fmt.Sprintf("The provider checks VMID %d next.", l.Next)
	case s.in.Plan.VMID.Range != nil && !s.in.Plan.VMID.UsedUp:
		return "The provider then checks the next VMID of the site's range."
	case s.ofRange():
		return s.fill("All VMIDs of the site's range are in use: widen the range in the catalogue (sites.<site>.vmIds), or remove unused VMs. The "+
			"function tries a wider range at once; after a removal, set spec.lifecycle.retry to a new value.", finding{})
	}

	out := "Choose another VMID in spec.proxmox.vmId (`pvesh get /cluster/nextid` shows a free one), or remove the field."
	if l.Outcome != lifecycle.OutcomeClaimed && !s.made {
		out += " To adopt the existing VM instead, move the VMID to spec.adopt.vmId."
	}

	return out
}

// ofRange says whether the number that is looked at is one of a range. Which one it was taken from is forgotten when all of
// its numbers are taken; that it was is not.
func (s reporter) ofRange() bool {
	name := s.name
	if r := s.replacing(); r != nil {
		name = r.New
	}

	return s.in.Plan.VMID.Range != nil || s.in.State.VMs[name].Metadata.Annotations[proxmox.SearchedFromAnnotation] != ""
}

// whoHas names who has a number.
func (s reporter) whoHas(l lifecycle.VMIDCheck) string {
	id, o, name, node := l.VMID, l.Outcome, l.Name, l.Node

	switch {
	case l.Requested:
		return fmt.Sprintf("Machine %s requested VMID %d first.", foreign(strings.TrimPrefix(name, "/"), maxForeignMachine), id)
	case o == lifecycle.OutcomeClaimed:
		return fmt.Sprintf("VMID %d belongs to machine %s.", id, foreign(strings.TrimPrefix(name, "/"), maxForeignMachine))
	case o == lifecycle.OutcomeSilent:
		return fmt.Sprintf("VMID %d is in use by a VM that the provider cannot read, because its guest agent is enabled but does not answer.", id)
	}

	return fmt.Sprintf("VMID %d is in use by %s.", id, foreignVM(id, name, node))
}

func numberFree(id int64) string { return fmt.Sprintf("No other VM is known to have VMID %d.", id) }

func lookingAt(id int64) string {
	return fmt.Sprintf("The provider is checking whether a VM has VMID %d. It creates no VM before the check has finished.", id)
}
