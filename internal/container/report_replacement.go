package container

import (
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/change"
	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/status"
)

// replacement is the condition on changes that the container cannot follow, and on the new one that can.
func (t reporter) replacement() status.Condition {
	c := status.Condition{
		Type: status.TypeReplacementRequired, Status: metav1.ConditionFalse, Reason: status.ReasonNotRequired, Message: "The container can follow its claim.",
	}

	switch r := t.plan.Replacement; {
	case r.Begun():
		c.Status, c.Reason, c.Message = metav1.ConditionTrue, status.ReasonReplacing, t.progress(*r)
	case r != nil && r.Hindrance == HinderedByApproval:
		c.Status, c.Reason = metav1.ConditionTrue, status.ReasonWaitingForApproval
		c.Message = "spec.lifecycle.replace requests a new container. The replacement waits for approval: condition " + status.TypeApproved + " says how to approve it. " + t.fate()
	case r != nil:
		c.Status, c.Reason = metav1.ConditionTrue, status.ReasonReplacementBlocked
		c.Message = "spec.lifecycle.replace requests a new container, but the replacement is blocked, and nothing happens. " + t.hindered(r.Hindrance)
	case len(t.plan.Refused) > 0:
		c.Status, c.Reason = metav1.ConditionTrue, status.ReasonImmutableFieldChanged
		c.Message = "The container cannot make these changes, and keeps its values: " + strings.Join(status.Lines(t.plan.Refused), "; ") + ". " + t.wayOut()
	}

	return c
}

// wayOut says how to end the disagreement.
func (t reporter) wayOut() string {
	const other = "create another container from another claim, with another VMID, move the data, and delete this claim."
	if t.plan.Adopted {
		return "Take them back in the claim. Or " + other
	}

	return "Take them back in the claim. Or set spec.lifecycle.replace to a new value: a new container replaces this one, which before that " + t.plan.fate() + ". Or " + other
}

// progress says how far a replacement has come, and what becomes of the old container.
func (t reporter) progress(r Replacement) string {
	out := fmt.Sprintf("spec.lifecycle.replace is '%s': a new container replaces the one that there is. ", r.Trigger)
	cancel := " To cancel before that, remove the value of spec.lifecycle.replace, or restore the previous one: the container then stays."

	switch r.Stage {
	case lifecycle.StageMaking:
		return out + "The old one is gone, and the new one is created next."
	case lifecycle.StageRetiring:
		return out + t.fate() + " That has begun."
	case lifecycle.StageStopping:
		return out + "The provider stops the old one. " + t.fate() + cancel
	case lifecycle.StagePreparing, lifecycle.StageBlocked, lifecycle.StageDraining, lifecycle.StageJoining:
	}

	out += "What the new one needs is prepared"
	if len(t.plan.Waiting) > 0 {
		out += " (" + strings.Join(t.plan.Waiting, ", ") + ")"
	}

	return out + ", and the old one does not change meanwhile. " + t.fate() + cancel
}

// fate is what becomes of the container before the new one is created, in a sentence.
func (t reporter) fate() string {
	out := "Before the new one is created, " + t.old() + " " + t.plan.fate()
	if all := t.plan.Destroyed(); len(all) > 0 {
		out += ": " + message.Text(strings.Join(all, "; "))
	}

	return out + "."
}

// fate of the container that another one is to replace, as what follows its name.
func (p Plan) fate() string {
	if bool(p.Deletion()) {
		return "is destroyed with its root file system and all of its disks"
	}

	return "is stopped, and stays in Proxmox"
}

// old is the container that another one is to replace.
func (t reporter) old() string { return fmt.Sprintf("container %d", proxmox.VMIDOfContainer(t.o)) }

// hindered says what speaks against a replacement, and what to do.
func (t reporter) hindered(h Hindrance) string {
	own := proxmox.VMIDOfContainer(t.o)

	switch h {
	case HinderedByAdoption:
		return "Somebody else made the container, and its claim does not say all that it has, such as devices and mount points of folders. Create another container from another claim, " +
			"with another VMID, move the data, and delete this claim."
	case HinderedBySilence:
		return "The provider cannot read the container just now. Condition " + status.TypeProviderHealthy + " says why."
	case HinderedByFaults:
		if len(t.plan.Faults) > 0 {
			return "No container can be created from the claim and its catalogue: " + t.plan.Faults[0].Error() + "."
		}

		return "The catalogue lacks an entry that the claim names. Condition " + status.TypeSpecValid + " says which."
	case HinderedBySite:
		return "The claim names another site, and a container stays in its Proxmox cluster. Restore spec.proxmox.site."
	case HinderedByClaim:
		return fmt.Sprintf("spec.deletionProtection keeps container %d from being destroyed. Set it to false, in a commit of its own; or, to keep the old container in Proxmox, stopped, "+
			"set spec.deletionPolicy to Orphan.", own)
	case HinderedByProxmox:
		return fmt.Sprintf("Proxmox's own option protects container %d from being destroyed. Set spec.proxmox.protection to false, in a commit of its own; or, to keep the old container in "+
			"Proxmox, stopped, set spec.deletionPolicy to Orphan.", own)
	case HinderedBySameVMID:
		return fmt.Sprintf("With spec.deletionPolicy: Orphan the old container stays in Proxmox and keeps VMID %d, and two containers cannot have one VMID. Change spec.proxmox.vmId, or remove it "+
			"if the site has a range of VMIDs; or set spec.deletionPolicy to Delete.", own)
	case HinderedByNoRange:
		return "The claim names no VMID for the new container, and the site has no range of them. Set spec.proxmox.vmId."
	case HinderedByVMIDInUse:
		return fmt.Sprintf("VMID %d of the claim is in use. Choose another one in spec.proxmox.vmId.", VMIDOf(t.plan.Container))
	case HinderedByApproval, HinderedByNothing:
	}

	return ""
}

// acts are what the plan of an edit does to the container as a whole, in clauses.
func (t reporter) acts() []string {
	var out []string

	for _, e := range t.plan.Approval.Effects {
		switch e {
		case lifecycle.EffectReboot:
			out = append(out, "the provider stops "+t.old()+" and starts it again")
		case lifecycle.EffectStop:
			out = append(out, "the provider stops "+t.old())
		case lifecycle.EffectReplace:
			act := "a new container replaces " + t.old() + ", which before that " + t.plan.fate()
			if all := t.plan.Destroyed(); len(all) > 0 {
				act += " (" + message.Text(strings.Join(all, "; ")) + ")"
			}

			out = append(out, act)
		case lifecycle.EffectClose:
			out = append(out, "the firewall of "+t.old()+" drops what reaches the guest now: "+strings.Join(t.plan.Approval.Closes, ", "))
		case lifecycle.EffectRefuse:
			out = append(out, t.old()+" cannot make some of the changes, and keeps its own values")
		case lifecycle.EffectChange:
			out = append(out, t.old()+" changes while it runs")
		}
	}

	return out
}

// approval has the condition on approval, where the claim asks for approvals, or did.
func (t reporter) approval(before v1alpha1.ContainerStatus) []status.Condition {
	return status.ApprovalConditions(t.plan.Approval, status.ApprovedGuest{
		Kind: kindContainer, Title: "C" + strings.TrimPrefix(t.old(), "c"), Summary: strings.Join(t.acts(), "; "), Approve: t.plan.Container.Lifecycle.Approve, Before: before.Conditions,
	})
}

// planned is the plan of an edit, while it waits for approval or is carried out; nil where there is none.
func (t reporter) planned() *v1alpha1.PlanStatus {
	a := t.plan.Approval
	if a.Hash == "" {
		return nil
	}

	words := map[change.Effect]string{change.InPlace: "at once", change.Reboot: "at a restart", change.Refused: "refused"}
	if a.Has(lifecycle.EffectReplace) {
		words = map[change.Effect]string{change.InPlace: "in the new container", change.Reboot: "in the new container", change.Refused: "in the new container"}
	}

	out := t.acts()
	for _, c := range a.Changes {
		out = append(out, message.Text(c.String())+" ("+words[c.Effect]+")")
	}

	return &v1alpha1.PlanStatus{Hash: a.Hash, Effects: a.Effects, Changes: out}
}

// replacing is the new container in the status; nil where none is to replace another one.
func (t reporter) replacing() *v1alpha1.ReplacementStatus {
	r := t.plan.Replacement
	if !r.Begun() {
		return nil
	}

	out := &v1alpha1.ReplacementStatus{Token: r.Trigger, Node: t.plan.Container.Placement.Node}
	if id := VMIDOf(t.plan.Container); id != 0 && (r.Stage == lifecycle.StageMaking || bool(t.plan.Deletion()) || id != proxmox.VMIDOfContainer(t.o)) {
		out.VMID = &id
	}

	return out
}

// left are the containers that were replaced and stayed in Proxmox.
func (t reporter) left() []string {
	var out []string

	for _, l := range t.plan.legacy().left {
		if node, id, ok := strings.Cut(l, "/"); ok {
			out = append(out, "container "+id+" on node "+node)
		}
	}

	return out
}
