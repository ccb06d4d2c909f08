package status

import (
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/change"
	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
)

// isAdopted says whether the VM is one that somebody else made, or is to become one.
func (s reporter) isAdopted() bool { return s.in.Plan.Adopted || s.in.Plan.Adoption != nil }

// whyNotAdopted says what a VM that is to be taken over waits for.
func (s reporter) whyNotAdopted(a lifecycle.Adoption) (reason, message string) {
	vm := foreignVM(a.VMID, a.Name, a.Node)

	switch a.Outcome {
	case lifecycle.OutcomeChecking:
		return ReasonLookingAtVMID, lookingAt(a.VMID)
	case lifecycle.OutcomeFree:
		return ReasonAdoptionTargetMissing, s.noTarget(a.VMID)
	case lifecycle.OutcomeSilent:
		return ReasonAdoptionTargetSilent, fmt.Sprintf("The provider cannot read VM %[1]d, because its guest agent is enabled in Proxmox but does not answer. "+
			"Start it in the guest (`qm agent %[1]d ping` on the node shows whether it answers), or disable the option: `qm set %[1]d --agent 0`. "+
			"The provider then reads the VM again automatically.", a.VMID)
	case lifecycle.OutcomeClaimed:
		return ReasonVMIDInUse, s.whoHas(a.VMIDCheck) + " Condition " + TypeVMIDInUse + " says what to do."
	case lifecycle.OutcomeTaken:
	}

	switch {
	case a.Unsupported != "":
		return ReasonAdoptionTargetUnfit, vm + " cannot be adopted. " + a.Unsupported
	case a.Approved:
		return ReasonAdopting, "The provider is adopting " + vm + "."
	case a.Stale:
		return ReasonAdoptionPlanChanged, fmt.Sprintf("spec.adopt.approve does not name the current plan, for instance because %s or the claim changed. "+
			"Read status.adoption again, which lists the changes: %s. To approve them, set spec.adopt.approve to \"%s\".", vm, effects(a.Changes), a.Plan)
	}

	return ReasonWaitingForApproval, fmt.Sprintf("%s can be adopted. status.adoption lists the changes: %s. To approve them, set spec.adopt.approve to \"%s\".",
		vm, effects(a.Changes), a.Plan)
}

// noTarget says that there is no VM to take over.
func (s reporter) noTarget(id int64) string {
	where := "in this machine's Proxmox cluster"
	if site := s.in.Machine.Placement.Site; site != "" {
		where = "in site " + site
	}

	return fmt.Sprintf("There is no VM %d %s, and the provider does not create one, because spec.adopt adopts existing VMs only. Correct "+
		"spec.adopt.vmId or spec.proxmox.site (`qm list` on the nodes "+
		"shows the VMs; a container is not a VM), and check that the provider's token may read the VM (VM.Audit).", id, where)
}

// adoptedNumber is the condition on the number of a VM that is to be taken over.
func (s reporter) adoptedNumber(a lifecycle.Adoption) Condition {
	switch a.Outcome {
	case lifecycle.OutcomeChecking:
		return Condition{Type: TypeVMIDInUse, Status: metav1.ConditionUnknown, Reason: ReasonLooking, Message: lookingAt(a.VMID)}
	case lifecycle.OutcomeFree:
		return number(false, ReasonNumberFree, fmt.Sprintf("No VM has VMID %d.", a.VMID))
	case lifecycle.OutcomeClaimed:
		return number(true, ReasonNumberClaimed, s.whoHas(a.VMIDCheck)+" Only one claim can have a VM. To move the VM to this "+
			"claim, set deletionPolicy: Orphan in the other claim, and delete that claim; the provider then reads the VM again automatically.")
	case lifecycle.OutcomeTaken, lifecycle.OutcomeSilent:
	}

	return number(false, ReasonNumberAdopted, fmt.Sprintf("VM %d is the VM that the claim adopts.", a.VMID))
}

// adoptionStatus is what taking over a VM would do.
func (s reporter) adoptionStatus() *v1alpha1.AdoptionStatus {
	a := s.in.Plan.Adoption
	if a == nil {
		return nil
	}

	out := &v1alpha1.AdoptionStatus{VMID: a.VMID}
	if a.Outcome != lifecycle.OutcomeTaken {
		return out
	}

	out.Name, out.Node, out.Plan = plain(a.Name, maxForeignName), plain(a.Node, maxForeignName), a.Plan
	out.Changes, out.Reboots, out.Refused = lines(a.Changes, change.InPlace), lines(a.Changes, change.Reboot), lines(a.Changes, change.Refused)

	return out
}

// lines are the changes of one effect.
func lines(all []change.Change, e change.Effect) []string {
	var out []string

	for _, c := range all {
		if c.Effect == e {
			out = append(out, c.String())
		}
	}

	return out
}

// effects counts changes by what they do.
func effects(all []change.Change) string {
	if len(all) == 0 {
		return "nothing"
	}

	var out []string

	for _, e := range []struct {
		effect change.Effect
		words  string
	}{
		{change.InPlace, "at once"}, {change.Reboot, "at the VM's next power cycle"}, {change.Refused, "refused (the VM keeps its value)"},
	} {
		if n := len(lines(all, e.effect)); n > 0 {
			out = append(out, fmt.Sprintf("%d %s", n, e.words))
		}
	}

	return strings.Join(out, ", ")
}
