package replacement

import (
	"fmt"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
	"github.com/homelab-io/function-proxmox-machine/internal/status"
)

// Words are what a decision is told with.
type Words struct {
	// Old and New are the VMIDs; New is 0 while nobody knows it.
	Old, New int64
	Fate     Fate
	// Destroyed are the volumes that go with the old container, each with its size.
	Destroyed []string
	// Waiting names what the new container waits for.
	Waiting []string
	// Lacks says why there is no address of the site's pool for the new one, in a sentence; empty where there is, or where it needs none.
	Lacks string
	// Fault is why no container can be made from the claim and its catalogue; empty where SpecValid says so.
	Fault string
	// InUse says what has the VMID of the new one, in a sentence.
	InUse string
	// Wave is what the container waits for in its group, in a sentence.
	Wave string
	// Error names the managed resource of the new container of which the provider reports an error; empty for none.
	Error string
}

// Condition on a replacement that is asked for.
func (d Decision) Condition(w Words) (reason, text string) {
	switch {
	case d.Begun():
		return status.ReasonReplacing, d.progress(w)
	case d.Hindrance == HinderedByApproval:
		return status.ReasonWaitingForApproval, "spec.lifecycle.replace requests a new container. The replacement waits for approval: condition " + status.TypeApproved +
			" says how to approve it. " + w.fate()
	case d.Hindrance == HinderedByWave:
		return status.ReasonWaitingForWave, "spec.lifecycle.replace requests a new container. " + w.Wave +
			" To begin in spite of that, remove spec.rollout. " + w.fate()
	}

	return status.ReasonReplacementBlocked, "spec.lifecycle.replace requests a new container, but the replacement is blocked, and nothing happens. " + w.hindered(d.Hindrance)
}

// progress says how far a replacement has come, and how to go back.
func (d Decision) progress(w Words) string {
	out := fmt.Sprintf("spec.lifecycle.replace is '%s': a new container replaces container %d. ", d.Trigger, w.Old)
	back := fmt.Sprintf(" To go back, remove the value of spec.lifecycle.replace, or restore the previous one: container %d starts again, and the new one, if there is one, is destroyed.", w.Old)

	switch d.Stage {
	case lifecycle.StageRetiring:
		return out + "The new one runs. " + w.fate()
	case lifecycle.StageMaking:
		if w.Error != "" {
			return out + fmt.Sprintf("Container %d is stopped, and stays as it is: the new one does not run yet, because the provider reports an error of %s. Condition %s says what to do.",
				w.Old, w.Error, status.TypeProviderHealthy) + back
		}

		return out + fmt.Sprintf("Container %d is stopped, and the new one is made. ", w.Old) + w.fate() + back
	case lifecycle.StageStopping:
		return out + fmt.Sprintf("The provider stops container %d, and the new one is made then. ", w.Old) + w.fate() + back
	case lifecycle.StagePreparing, lifecycle.StageBlocked, lifecycle.StageDraining, lifecycle.StageJoining:
	}

	out += "What the new one needs is prepared"
	if len(w.Waiting) > 0 {
		out += " (" + strings.Join(w.Waiting, ", ") + ")"
	}

	return out + fmt.Sprintf(", and container %d does not change meanwhile. It is stopped then, before the new one is made. ", w.Old) + w.lacks() + w.fate() +
		" To cancel, remove the value of spec.lifecycle.replace, or restore the previous one."
}

// lacks says what keeps the new one from being prepared, before a sentence.
func (w Words) lacks() string {
	if w.Lacks == "" {
		return ""
	}

	return w.Lacks + " "
}

// fate of the old container, in a sentence.
func (w Words) fate() string {
	return fmt.Sprintf("When the new one runs, container %d %s.", w.Old, w.Clause())
}

// Clause is what becomes of the old container when the new one runs, behind its name.
func (w Words) Clause() string {
	if w.Fate == Left {
		return "stays in Proxmox, stopped"
	}

	out := "is destroyed with its root file system and all of its disks"
	if len(w.Destroyed) > 0 {
		out += " (" + message.Text(strings.Join(w.Destroyed, "; ")) + ")"
	}

	return out
}

// hindered says what speaks against a replacement, and what to do.
func (w Words) hindered(h Hindrance) string {
	switch h {
	case HinderedByAdoption:
		return "Somebody else made the container, and its claim does not say all that it has, such as devices and mount points of folders. Create another container from another claim, " +
			"with another VMID, move the data, and delete this claim."
	case HinderedBySilence:
		return "The provider cannot read the container just now. Condition " + status.TypeProviderHealthy + " says why."
	case HinderedByFaults:
		if w.Fault != "" {
			return "No container can be created from the claim and its catalogue: " + w.Fault + "."
		}

		return "The catalogue lacks an entry that the claim names. Condition " + status.TypeSpecValid + " says which."
	case HinderedBySite:
		return "The claim names another site, and a container stays in its Proxmox cluster. Restore spec.proxmox.site."
	case HinderedByPower:
		return "With spec.power: Stopped nobody would see the new container run, and the old one goes only then. Set spec.power to Running."
	case HinderedByClaim:
		return fmt.Sprintf("spec.deletionProtection keeps container %d from being destroyed. Set it to false, in a commit of its own; or, to keep the old container in Proxmox, stopped, "+
			"set spec.deletionPolicy to Orphan.", w.Old)
	case HinderedByProxmox:
		return fmt.Sprintf("Proxmox's own option protects container %d from being destroyed. Set spec.proxmox.protection to false, in a commit of its own; or, to keep the old container in "+
			"Proxmox, stopped, set spec.deletionPolicy to Orphan.", w.Old)
	case HinderedBySameVMID:
		return fmt.Sprintf("The old and the new container exist at the same time, and spec.proxmox.vmId is the old container's VMID, %d: choose another VMID, or remove the field if the site has a "+
			"range of VMIDs. To get a container with this VMID, delete the claim and apply it again, which destroys the old one first.", w.Old)
	case HinderedByNoRange:
		return "The claim names no VMID for the new container, and the site has no range of them. Set spec.proxmox.vmId."
	case HinderedByVMIDInUse:
		return w.InUse + " Choose another one in spec.proxmox.vmId."
	case HinderedByApproval, HinderedByWave, HinderedByNothing:
	}

	return ""
}

// Kept says why a container that was replaced is still there, and what to do; empty where it is not kept.
func (p Permission) Kept(vmID int64) string {
	switch p {
	case KeptByClaim:
		return fmt.Sprintf("Container %d was replaced, and spec.deletionProtection keeps it from being destroyed: it stays, stopped, until you set that to false.", vmID)
	case KeptByProxmox:
		return fmt.Sprintf("Container %d was replaced, and Proxmox's own option keeps it from being destroyed: it stays, stopped, until you switch the option off there.", vmID)
	case Permitted:
	}

	return ""
}
