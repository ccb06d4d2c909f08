package status

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/change"
	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
)

// An adoptionReport is about a VM that somebody else made, and that is to be taken over.
type adoptionReport struct {
	*lifecycle.Adoption

	machine *machine.Machine
}

// isAdopted says whether the VM is one that somebody else made, or is to become one.
func isAdopted(plan *lifecycle.Plan) bool { return plan.Adopted || plan.Adoption != nil }

// whyNot says what a VM that is to be taken over waits for.
func (a *adoptionReport) whyNot() (reason, message string) {
	vm := foreignVM(a.VMID, a.Name, a.Node)

	switch a.Outcome {
	case lifecycle.OutcomeChecking, lifecycle.OutcomeConfirming:
		return ReasonLookingAtVMID, lookingAt(a.VMID)
	case lifecycle.OutcomeFree:
		return ReasonAdoptionTargetMissing, a.noTarget()
	case lifecycle.OutcomeSilent:
		return ReasonAdoptionTargetSilent, fmt.Sprintf("The provider cannot read VM %[1]d, because its guest agent is enabled in Proxmox but does not answer. "+
			"Start it in the guest (`qm agent %[1]d ping` on the node shows whether it answers), or disable the option: `qm set %[1]d --agent 0`. "+
			"The provider then reads the VM again automatically.", a.VMID)
	case lifecycle.OutcomeUnreadable:
		return ReasonAdoptionTargetSilent, fmt.Sprintf("The provider cannot read what has VMID %d. Condition %s says why.", a.VMID, TypeProviderHealthy)
	case lifecycle.OutcomeClaimed, lifecycle.OutcomeRequested, lifecycle.OutcomeLeftBehind, lifecycle.OutcomeUnclear:
		return ReasonVMIDInUse, WhoHas(a.VMIDCheck) + " Condition " + TypeVMIDInUse + " says what to do."
	case lifecycle.OutcomeTaken, lifecycle.OutcomeOwn, lifecycle.OutcomeContainer:
	}

	firewall := FirewallBefore(a.machine, fmt.Sprintf("VM %d", a.VMID), fmt.Sprintf("/nodes/%s/qemu/%d", plain(a.Node, maxForeignName), a.VMID))

	switch {
	case a.Unsupported != "":
		return ReasonAdoptionTargetUnfit, vm + " cannot be adopted. " + strings.ReplaceAll(a.Unsupported, "<vmId>", strconv.FormatInt(a.VMID, 10))
	case a.ReadsRules():
		return ReasonLookingAtVMID, fmt.Sprintf("The provider is reading the rules in the firewall of VM %d.", a.VMID)
	case a.Consent == lifecycle.ConsentGiven:
		return ReasonAdopting, "The provider is adopting " + vm + "."
	case a.Consent == lifecycle.ConsentOtherPlan:
		return ReasonAdoptionPlanChanged, fmt.Sprintf("spec.adopt.approve does not name the current plan, for instance because %s or the claim changed. "+
			"Read status.adoption again, which lists the changes: %s. To approve them, set spec.adopt.approve to \"%s\".", vm, effects(a.Changes), a.Plan) + firewall
	}

	return ReasonWaitingForApproval, fmt.Sprintf("%s can be adopted. status.adoption lists the changes: %s. To approve them, set spec.adopt.approve to \"%s\".",
		vm, effects(a.Changes), a.Plan) + firewall
}

// noTarget says that there is no VM to take over.
func (a *adoptionReport) noTarget() string {
	where := "in this machine's Proxmox cluster"
	if site := a.machine.Placement.Site; site != "" {
		where = "in site " + site
	}

	return fmt.Sprintf("There is no VM %d %s, and the provider does not create one, because spec.adopt adopts existing VMs only. Correct "+
		"spec.adopt.vmId or spec.proxmox.site (`qm list` on the nodes "+
		"shows the VMs; a container is not a VM), and check that the provider's token may read the VM (VM.Audit).", a.VMID, where)
}

// number is the condition on the number of a VM that is to be taken over.
func (a *adoptionReport) number() Condition {
	switch a.Outcome {
	case lifecycle.OutcomeChecking, lifecycle.OutcomeConfirming:
		return Condition{Type: TypeVMIDInUse, Status: metav1.ConditionUnknown, Reason: ReasonLooking, Message: lookingAt(a.VMID)}
	case lifecycle.OutcomeFree:
		return number(false, ReasonNumberFree, fmt.Sprintf("No VM has VMID %d.", a.VMID))
	case lifecycle.OutcomeLeftBehind:
		return number(true, ReasonNumberMadeBefore, WhoHas(a.VMIDCheck)+" "+leftBehind(a.VMIDCheck, true))
	case lifecycle.OutcomeClaimed, lifecycle.OutcomeRequested:
		return number(true, ReasonNumberClaimed, WhoHas(a.VMIDCheck)+" "+OnlyOneClaim("VM", a.Name))
	case lifecycle.OutcomeTaken, lifecycle.OutcomeOwn, lifecycle.OutcomeSilent, lifecycle.OutcomeUnreadable, lifecycle.OutcomeUnclear,
		lifecycle.OutcomeContainer:
	}

	return number(false, ReasonNumberAdopted, fmt.Sprintf("VM %d is the VM that the claim adopts.", a.VMID))
}

// OnlyOneClaim says what to do about a VM or a container, by a word for it, that is to be adopted and that another claim has. A claim of another namespace
// is not the reader's to change.
func OnlyOneClaim(guest, name string) string {
	out := "Only one claim can have a " + guest
	if name == lifecycle.AnotherClaim {
		return out + ": choose another VMID in spec.adopt.vmId, or ask who runs the site."
	}

	return out + ". To move the " + guest + " to this claim, set deletionPolicy: Orphan in the other claim, and delete that claim; the provider then reads the " +
		guest + " again automatically."
}

// status is what taking over the VM would do; nil where there is none.
func (a *adoptionReport) status() *v1alpha1.AdoptionStatus {
	if a.Adoption == nil {
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

// lines are the changes of one effect, in one line each.
func lines(all []change.Change, e change.Effect) []string {
	return Lines(slices.DeleteFunc(slices.Clone(all), func(c change.Change) bool { return c.Effect != e }))
}

// Lines are changes in one line each.
func Lines(all []change.Change) []string {
	var out []string
	for _, c := range all {
		out = append(out, message.Text(c.String()))
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
