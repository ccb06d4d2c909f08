package lifecycle

import (
	"slices"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// An HAStage is how far Proxmox's HA manager manages the VM of a machine.
type HAStage string

// The stages.
const (
	// HANone: the claim does not ask for it.
	HANone HAStage = ""
	// HAPending: the VM does not exist, has not run yet, or is not in HA yet.
	HAPending HAStage = "Pending"
	// HABlocked: the VM has something that keeps it from starting on another node.
	HABlocked HAStage = "Blocked"
	// HASuspended: the HA manager ignores the VM, or is asked to, while the provider stops it or starts it again.
	HASuspended HAStage = "Suspended"
	// HAManaged: the HA manager keeps the VM running, or stopped.
	HAManaged HAStage = "Managed"
)

// OnItsWay says whether the provider has still to write something of it. The HA manager ignores a VM while that restarts, which has its own end.
func (s HAStage) OnItsWay() bool { return s == HAPending }

// Availability is what Proxmox's HA manager does for a machine.
type Availability struct {
	Stage HAStage
	// Lacks is what keeps the VM from starting on another node, in words: Blocked only.
	Lacks []string
	// Holds says that the provider is to stop the VM, and waits until the HA manager ignores the VM.
	Holds bool
	// Steps are the HA resources that are to be, by the composed resource name of their VM. One that is not among them is deleted.
	Steps map[string]HAStep
}

// An HAStep is what becomes of the HA resource of one VM.
type HAStep struct {
	// Keep says that it stays as it was written, but for State and MayDelete.
	Keep bool
	// State that the HA manager is asked for.
	State proxmox.HAState
	// MayDelete says whether deleting the managed resource takes the VM out of HA.
	MayDelete proxmox.Deletion
}

// haLetsStop says whether the provider can stop a VM without the HA manager starting it again: a call of the API that stops a VM is no more than a
// request to the HA manager, while that manages the VM, and the HA manager starts a VM that stops in another way.
func (r Request) haLetsStop(vm string) bool {
	o, there := r.Observed.HAResources[proxmox.HAResourceOf(vm)]

	return !there || proxmox.LetsStop(o)
}

// haReleases says whether a VM that retires is out of the HA manager's hands: it is ignored, and deleting the managed resource deletes the entry, so
// that the HA manager cannot start the VM beside the one that has replaced it.
func (r Request) haReleases(vm string) bool {
	o, there := r.Observed.HAResources[proxmox.HAResourceOf(vm)]

	return !there || proxmox.LetsStop(o) && proxmox.MayDelete(o.Spec.ManagementPolicies)
}

// await keeps a VM running until the HA manager ignores it.
func (p availabilityPlanner) await(power *Power) {
	runs := powerKnown(p.vm) && p.vm.Status.AtProvider.Started && p.vm.Spec.ForProvider.Started

	if !power.Started && runs && !p.haLetsStop(p.Roles.Described()) {
		power.Started, power.StoppedFor, power.RebootingFor = true, "", ""
		p.Availability.Holds = true
	}
}

// An availabilityPlanner decides what Proxmox's HA manager does for the VMs of a machine.
type availabilityPlanner struct{ *Plan }

// decide what becomes of the HA resources of all VMs.
func (p availabilityPlanner) decide() {
	a := &p.Availability
	a.Steps = map[string]HAStep{}

	for resource, o := range p.Observed.HAResources {
		vm := proxmox.VMOfHAResource(resource)
		if step, stays := p.haOf(vm, o); stays {
			a.Steps[vm] = step
		}
	}

	if p.Machine.HA == nil {
		return
	}

	a.Stage = HAPending

	name := p.Roles.Active
	if p.Promoted {
		name = p.Roles.Described()
	}

	if step := p.Steps[name]; step.Action == ActionFollow && p.Promoted {
		if a.Lacks = p.boundToNode(step.Parameters); len(a.Lacks) > 0 {
			a.Stage = HABlocked
		} else if _, there := a.Steps[name]; !there && p.mayEnterHA(step) {
			a.Steps[name] = HAStep{State: p.haState(step), MayDelete: p.MayDelete()}
		}
	}

	o, there := p.Observed.HAResources[proxmox.HAResourceOf(name)]
	if !there || !o.Is(proxmox.ConditionReady) {
		return
	}

	switch step := a.Steps[name]; {
	case step.State == proxmox.HAIgnored, o.Status.AtProvider.State == proxmox.HAIgnored:
		a.Stage = HASuspended
	case a.Stage != HABlocked:
		a.Stage = HAManaged
	}
}

// haOf is what becomes of an HA resource that exists. One that stays behind its VM, or beside a VM that has replaced its own, could start that VM
// again.
func (p availabilityPlanner) haOf(vm string, o proxmox.ObservedHAResource) (HAStep, bool) {
	as := HAStep{Keep: true, State: o.Spec.ForProvider.State, MayDelete: proxmox.Deletion(proxmox.MayDelete(o.Spec.ManagementPolicies))}

	switch step := p.Steps[vm]; step.Action {
	case ActionDisown:
		return as, true
	case ActionKeep, ActionCheck, ActionReserve, ActionCreate, ActionAdopt:
		// One that may only observe is about another's VM, and deletes nothing when it goes.
		return as, !proxmox.OnlyObserves(o.Spec.ManagementPolicies)
	case ActionReplaced:
		if step.Stop || p.Availability.Holds {
			as.State = proxmox.HAIgnored
		}

		return as, true
	case ActionRetire:
		as.State, as.MayDelete = proxmox.HAIgnored, proxmox.DeletionDestroys

		return as, !p.haReleases(vm)
	case ActionFollow:
		return p.haFollows(step, as)
	case ActionWait, ActionRelease:
	}

	return as, false
}

// haFollows is what becomes of the HA resource of a VM that follows its claim. To take the VM out of HA neither stops nor starts it (ha-manager.adoc).
func (p availabilityPlanner) haFollows(step Step, as HAStep) (HAStep, bool) {
	if !p.Promoted {
		return as, true
	}

	if p.Machine.HA == nil && !step.Stands {
		stays := as.MayDelete == proxmox.DeletionOrphans
		as.MayDelete = proxmox.DeletionDestroys

		return as, stays
	}

	as.Keep, as.MayDelete = step.Stands, p.MayDelete()
	if powerKnown(p.vm) {
		as.State = p.haState(step)
	}

	return as, true
}

// haState is what the HA manager is to do with a VM that follows its claim. While the provider stops the VM, and until it has started it again, the
// HA manager ignores the VM.
func (p availabilityPlanner) haState(step Step) proxmox.HAState {
	runs := powerKnown(p.vm) && p.vm.Status.AtProvider.Started

	switch power := step.Power; {
	case p.Availability.Holds, power.Restarting, power.StoppedFor != "", !power.Started && runs:
		return proxmox.HAIgnored
	case power.Started:
		return proxmox.HAStarted
	default:
		return proxmox.HAStopped
	}
}

// mayEnterHA says whether a VM that follows its claim can enter HA now: it is ours and was seen, and nothing is under way.
func (p availabilityPlanner) mayEnterHA(step Step) bool {
	return !step.Stands && powerKnown(p.vm) && !step.Power.FirstStart && p.haState(step) != proxmox.HAIgnored &&
		proxmox.CreationOf(p.vm) != proxmox.CreationOurs
}

// boundToNode is what keeps a VM from starting on another node, in words. A VM keeps datastores that its claim does not name any more.
func (p availabilityPlanner) boundToNode(has proxmox.VMParameters) []string {
	shared := p.Machine.HA.Shared

	var out []string

	bound := func(datastore, words string) {
		if datastore != "" && !slices.Contains(shared, datastore) {
			out = append(out, words+" on datastore "+datastore)
		}
	}

	for _, d := range has.Disk {
		bound(d.DatastoreID, "disk "+d.Interface)

		if d.FileID != "" {
			out = append(out, "disk "+d.Interface+" from an image of content type iso")
		}
	}

	for _, d := range has.EFIDisk {
		bound(d.DatastoreID, "its EFI disk")
	}

	for _, d := range has.TPMState {
		bound(d.DatastoreID, "its TPM state")
	}

	for _, i := range has.Initialization {
		bound(i.DatastoreID, "its cloud-init drive")

		for _, id := range []string{i.UserDataFileID, i.VendorDataFileID, i.MetaDataFileID} {
			datastore, _, _ := strings.Cut(id, ":")
			bound(datastore, "snippet "+id)
		}
	}

	for _, d := range has.CDROM {
		if datastore, _, ok := strings.Cut(d.FileID, ":"); ok {
			bound(datastore, "the medium in its CD drive")
		}
	}

	if len(has.HostPCI)+len(has.USB) > 0 {
		out = append(out, "devices of its node")
	}

	return out
}

// HAUses are the VMs that are deleted after their HA resource, by composed resource name, with the resource. Deleted first, a VM would be stopped
// through the HA manager.
func HAUses(p Plan) map[string]proxmox.ObservedHAResource {
	out := map[string]proxmox.ObservedHAResource{}

	for vm := range p.Availability.Steps {
		o, there := p.Observed.HAResources[proxmox.HAResourceOf(vm)]
		_, observed := p.Observed.VMs[vm]

		if there && observed && p.Steps[vm].Action != ActionRelease {
			out[vm] = o
		}
	}

	return out
}
