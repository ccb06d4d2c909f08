package container

import (
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
	"github.com/homelab-io/function-proxmox-machine/internal/status"
)

// vmID is the condition on the VMID.
func (t reporter) vmID() status.Condition {
	c := status.Condition{
		Type: status.TypeVMIDInUse, Status: metav1.ConditionFalse, Reason: status.ReasonNumberFree,
		Message: fmt.Sprintf("Nothing else is known to have VMID %d.", VMIDOf(t.plan.Container)),
	}

	switch {
	case t.plan.Check == nil && t.plan.Adopted:
		c.Reason, c.Message = status.ReasonNumberAdopted, "The claim adopted the container with this VMID."
	case t.plan.Check == nil:
	case t.plan.Check.Outcome == lifecycle.OutcomeClaimed:
		c.Status, c.Reason = metav1.ConditionTrue, status.ReasonNumberClaimed
		c.Message = t.whoHas() + " Only one claim can have a VMID: choose another one in spec.proxmox.vmId (`pvesh get /cluster/nextid` shows a free one)."

		switch {
		case t.plan.Adoption != nil:
			c.Message = t.whoHas() + " " + status.OnlyOneClaim("container", t.plan.Check.Name)
		case t.plan.VMID.Range != nil:
			c.Message = t.whoHas() + " " + rangeUsedUp
		}
	case t.plan.Adoption != nil && t.plan.Check.Outcome == lifecycle.OutcomeTaken:
		c.Reason, c.Message = status.ReasonNumberAdopted, t.title()+" is the container that the claim adopts."
	case t.plan.Check.Outcome == lifecycle.OutcomeOwn:
		c.Status, c.Reason = metav1.ConditionTrue, status.ReasonNumberMadeBefore
		c.Message = t.whoHas() + " " + status.MadeForClaim(kindContainer, "pct", t.plan.Check.VMID, t.plan.Check.Node, t.plan.Check.Withheld)
	case t.plan.Check.Outcome == lifecycle.OutcomeUnclear:
		c.Status, c.Reason = metav1.ConditionTrue, status.ReasonNumberTaken
		c.Message = t.whoHas() + " " + status.MayBeOwn(kindContainer, "container's")
	case t.plan.Check.Outcome == lifecycle.OutcomeTaken:
		c.Status, c.Reason = metav1.ConditionTrue, status.ReasonNumberTaken
		c.Message = t.whoHas() + " The provider creates no container with this VMID, and does not change what has it. Choose another VMID in spec.proxmox.vmId " +
			"(`pvesh get /cluster/nextid` shows a free one)."

		switch {
		case t.plan.VMID.Range != nil:
			c.Message = t.whoHas() + " " + rangeUsedUp
		case t.plan.Check.Kind == kindContainer && !t.plan.Check.Withheld:
			c.Message += " To adopt the existing container instead, move the VMID to spec.adopt.vmId."
		}
	case t.plan.Check.Outcome != lifecycle.OutcomeFree:
		c.Status, c.Reason, c.Message = metav1.ConditionUnknown, status.ReasonLooking, t.lookingAt()
	}

	return c
}

// rangeUsedUp is what is said of the last VMID of a range of which the function goes on otherwise.
const rangeUsedUp = "All VMIDs of the site's range are in use: widen the range in the catalogue (sites.<site>.vmIds), or name a VMID in spec.proxmox.vmId. " +
	"The function tries a wider range at once."

// lookingAt says that the check of the VMID goes on, and which nodes have not answered.
func (t reporter) lookingAt() string {
	out := fmt.Sprintf("The provider is checking whether a VM or a container has VMID %d. It creates nothing before the check has finished.", VMIDOf(t.plan.Container))

	if c := t.plan.Check; c != nil && len(t.plan.looks().nodes) > 1 && len(c.Unanswered) > 0 {
		out += fmt.Sprintf(" It has not read yet whether a container has the VMID on: %s. If one of these nodes does not come back, remove it from the catalogue's nodes of the site.",
			strings.Join(c.Unanswered, ", "))
	}

	return out
}

// whoHas names what has the VMID.
func (t reporter) whoHas() string {
	c := t.plan.Check

	if c.Outcome == lifecycle.OutcomeClaimed && c.Name == lifecycle.AnotherClaim {
		return fmt.Sprintf("VMID %d belongs to another claim of this Proxmox, in another namespace, or it was first to ask for it.", c.VMID)
	}

	if c.Outcome == lifecycle.OutcomeClaimed {
		return fmt.Sprintf("VMID %d belongs to another claim, %s, or it was first to ask for it.", c.VMID, quoted(strings.TrimPrefix(c.Name, "/")))
	}

	out := fmt.Sprintf("VMID %d is in use by a %s", c.VMID, c.Kind)
	if c.Name != "" {
		out += ", " + quoted(c.Name)
	}

	if c.Node != "" {
		out += ", on node " + c.Node
	}

	return out + "."
}

// quoted is a name that somebody else gave.
func quoted(name string) string { return "'" + message.Excerpt(name) + "'" }

// adopting is how far the adoption is.
func (t reporter) adopting() (reason, text string) {
	a := t.plan.Adoption
	firewall := status.FirewallBefore(&t.plan.Container.Machine, fmt.Sprintf("container %d", a.VMID),
		fmt.Sprintf("/nodes/%s/lxc/%d", t.plan.Container.Placement.Node, a.VMID))

	switch {
	case a.Outcome == lifecycle.OutcomeClaimed:
		return status.ReasonVMIDInUse, t.whoHas() + " Condition " + status.TypeVMIDInUse + " says what to do."
	case a.Outcome == lifecycle.OutcomeFree:
		return status.ReasonAdoptionTargetMissing, fmt.Sprintf("There is no container %d on node %s, and the provider does not create one, because spec.adopt adopts existing "+
			"containers only. Correct spec.adopt.vmId or spec.proxmox.node (`pct list` on the node shows its containers; a VM is not a container), and check that "+
			"the provider's token may read the container (VM.Audit).", a.VMID, t.plan.Container.Placement.Node)
	case a.Outcome != lifecycle.OutcomeTaken:
		if b := t.blocked(); b != "" {
			return status.ReasonProviderError, b
		}

		return status.ReasonLookingAtVMID, fmt.Sprintf("The provider is reading container %d.", a.VMID)
	case a.Unsupported != "":
		return status.ReasonAdoptionTargetUnfit, t.title() + " cannot be adopted. " + a.Unsupported
	case a.ReadsRules():
		if b := t.blocked(); b != "" {
			return status.ReasonProviderError, b
		}

		return status.ReasonLookingAtVMID, fmt.Sprintf("The provider is reading the rules in the firewall of container %d.", a.VMID)
	case a.Consent == lifecycle.ConsentGiven:
		return status.ReasonAdopting, "The provider is adopting " + strings.ToLower(t.title()) + "."
	case a.Consent == lifecycle.ConsentOtherPlan:
		return status.ReasonAdoptionPlanChanged, fmt.Sprintf("spec.adopt.approve does not name the current plan, for instance because the container or the claim changed. "+
			"Read status.adoption again, which lists the changes. To approve them, set spec.adopt.approve to \"%s\".", a.Plan) + firewall
	}

	return status.ReasonWaitingForApproval, fmt.Sprintf("%s can be adopted. status.adoption lists the changes. To approve them, set spec.adopt.approve to \"%s\".",
		t.title(), a.Plan) + firewall
}
