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
		return ReasonAdoptionTargetSilent, fmt.Sprintf("VM %[1]d cannot be read: its guest agent is switched on in Proxmox and does not answer. "+
			"Start it in the guest (`qm agent %[1]d ping` on the node shows whether it answers), or switch the option off: `qm set %[1]d --agent 0`. "+
			"The VM is looked at again by itself.", a.VMID)
	case lifecycle.OutcomeClaimed:
		return ReasonVMIDInUse, s.whoHas(a.VMID, a.Outcome, a.Name, a.Node) + " Condition " + TypeVMIDInUse + " says what to do."
	case lifecycle.OutcomeTaken:
	}

	switch {
	case a.Unsupported != "":
		return ReasonAdoptionTargetUnfit, vm + " cannot be taken over. " + a.Unsupported
	case a.Approved:
		return ReasonAdopting, vm + " is taken over."
	case a.Stale:
		return ReasonAdoptionPlanChanged, fmt.Sprintf("spec.adopt.approve names another plan than what taking over %s would do now: the VM or the claim changed. "+
			"Read status.adoption again, which lists what would change now: %s. To have that, set spec.adopt.approve to \"%s\".", vm, effects(a.Changes), a.Plan)
	}

	return ReasonWaitingForApproval, fmt.Sprintf("%s is there. status.adoption lists what taking it over would change: %s. To have that, set spec.adopt.approve to \"%s\".",
		vm, effects(a.Changes), a.Plan)
}

// noTarget says that there is no VM to take over.
func (s reporter) noTarget(id int64) string {
	where := "at the Proxmox of this machine"
	if site := s.in.Machine.Placement.Site; site != "" {
		where = "on site " + site
	}

	return fmt.Sprintf("There is no VM %d %s, and none is made: spec.adopt takes over what is there. Correct spec.adopt.vmId or spec.proxmox.site (`qm list` on the nodes "+
		"shows the VMs; a container is none), and see that the provider's token may read the VM (VM.Audit).", id, where)
}

// adoptedNumber is the condition on the number of a VM that is to be taken over.
func (s reporter) adoptedNumber(a lifecycle.Adoption) Condition {
	switch a.Outcome {
	case lifecycle.OutcomeChecking:
		return Condition{Type: TypeVMIDInUse, Status: metav1.ConditionUnknown, Reason: ReasonLooking, Message: lookingAt(a.VMID)}
	case lifecycle.OutcomeFree:
		return number(false, ReasonNumberFree, fmt.Sprintf("No VM has number %d.", a.VMID))
	case lifecycle.OutcomeClaimed:
		return number(true, ReasonNumberClaimed, s.whoHas(a.VMID, a.Outcome, a.Name, a.Node)+" A VM belongs to one claim. To move it here, give that claim "+
			"deletionPolicy: Orphan and delete it; the VM is looked at again by itself.")
	case lifecycle.OutcomeTaken, lifecycle.OutcomeSilent:
	}

	return number(false, ReasonNumberAdopted, fmt.Sprintf("VM %d is the one that the claim takes over.", a.VMID))
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
		{change.InPlace, "at once"}, {change.Reboot, "at the VM's next stop and start"}, {change.Refused, "refused (the VM keeps what it has)"},
	} {
		if n := len(lines(all, e.effect)); n > 0 {
			out = append(out, fmt.Sprintf("%d %s", n, e.words))
		}
	}

	return strings.Join(out, ", ")
}
