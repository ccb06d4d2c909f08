package lifecycle

import (
	"slices"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/internal/diagnose"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

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
	Writing HAWriting
	// State that the HA manager is asked for.
	State proxmox.HAState
	// MayDelete says whether deleting the managed resource takes the VM out of HA.
	MayDelete proxmox.Deletion
}

// HAWriting is what of an HA resource is written.
type HAWriting string

// What is written.
const (
	// HAWritten: all of it, as the claim has it.
	HAWritten HAWriting = ""
	// HAStays: what it was written with, but for its state and its policies.
	HAStays HAWriting = "Stays"
	// HALooks: the provider only looks whether the VM is in HA already, since it would take from the entry what is not written.
	HALooks HAWriting = "Looks"
)

// An haHold says whether the provider waits for the HA manager before it stops a VM.
type haHold string

const (
	haFree haHold = ""
	// haHolds: the provider is to stop the VM, and waits until the HA manager ignores the VM.
	haHolds haHold = "Holds"
)

// awaitHA keeps a VM running until the HA manager ignores it, or is known not to have it: somebody can have added a VM to HA whose claim asks for HA now. A
// restart begins once more where the VM's node went away in it: the HA manager is to run the VM again, and a node that returns before the next call would have
// the provider stop what the HA manager keeps running.
func awaitHA(s *Situation, power Power) (Power, haHold) {
	_, inHA := s.Observed.HAResources[proxmox.HAResourceOf(s.Roles.Described())]
	runs := powerKnown(s.vm) && s.vm.Status.AtProvider.Started
	breaksOff := inHA && runs && power.StoppedFor == StoppedForRestart && diagnose.NodeAway(s.vm)
	stops := s.vm.Spec.ForProvider.Started && !knownOfHA(&s.Request).letsStop(s.Roles.Described())

	if power.Started || !breaksOff && (!runs || !stops) {
		return power, haFree
	}

	power.Started, power.StoppedFor, power.RebootingFor = true, "", ""

	return power, haHolds
}

// An availabilityPlanner decides what Proxmox's HA manager does for the VMs of a machine.
type availabilityPlanner struct {
	claimed *machine.HA // What the claim asks for; nil for none.
	// name of the VM that is the machine after this call; proven says that it is the described VM.
	name      string
	proven    bool
	vm        proxmox.ObservedVM // The described VM.
	mayDelete proxmox.Deletion   // Of the described VM.
	resources map[string]proxmox.ObservedHAResource
	vms       map[string]proxmox.ObservedVM
	steps     map[string]Step // Of all VMs.
	looks     map[string]bool // The VMs of which the provider has yet to look whether they are in HA.
	hold      haHold
}

// availabilityPlannerOf a machine, after the steps of its VMs.
func availabilityPlannerOf(s *Situation, steps map[string]Step, hold haHold) availabilityPlanner {
	out := availabilityPlanner{
		claimed: s.Machine.HA, name: s.Roles.Active, proven: !s.Provisional(), vm: s.vm, mayDelete: s.MayDelete(), resources: s.Observed.HAResources,
		vms: s.Observed.VMs, steps: steps, looks: map[string]bool{}, hold: hold,
	}

	ha := knownOfHA(&s.Request)
	for name := range s.Observed.VMs {
		out.looks[name] = ha.unlooked(name)
	}

	if out.proven {
		out.name = s.Roles.Described()
	}

	return out
}

// decide what becomes of the HA resources of all VMs.
func (p availabilityPlanner) decide() Availability {
	a := Availability{Steps: map[string]HAStep{}, Holds: p.hold == haHolds}

	for resource, o := range p.resources {
		vm := proxmox.VMOfHAResource(resource)
		if step, stays := p.haOf(vm, o); stays {
			a.Steps[vm] = step
		}
	}

	for vm, step := range p.steps {
		if p.looks[vm] && (step.Action == ActionRetire || step.Action == ActionReplaced && p.hold == haHolds) {
			a.Steps[vm] = lookForHA(step.MayDelete)
		}
	}

	if p.claimed == nil {
		return a
	}

	a.Stage = HAPending

	if step := p.steps[p.name]; step.Action == ActionFollow && p.proven {
		if a.Lacks = p.boundToNode(step.Parameters); len(a.Lacks) > 0 {
			a.Stage = HABlocked
		}

		if entry, enters := p.enters(step, len(a.Lacks) > 0); enters {
			a.Steps[p.name] = entry
		}
	}

	o, there := p.resources[proxmox.HAResourceOf(p.name)]
	if !there || !o.Is(proxmox.ConditionReady) || proxmox.LooksForHA(o) {
		return a
	}

	switch step := a.Steps[p.name]; {
	case step.State == proxmox.HAIgnored, o.Status.AtProvider.State == proxmox.HAIgnored:
		a.Stage = HASuspended
	case a.Stage != HABlocked:
		a.Stage = HAManaged
	}

	return a
}

// enters says what becomes of a VM that is not in HA by its claim, or of which the provider looks whether somebody added it. The state of such a look is none
// that the HA manager is asked for, and stays, so that its answer is about what is written.
func (p availabilityPlanner) enters(step Step, blocked bool) (HAStep, bool) {
	o, there := p.resources[proxmox.HAResourceOf(p.name)]
	looks := lookForHA(p.mayDelete)

	switch {
	case there && !proxmox.LooksForHA(o):
		return HAStep{}, false
	case step.Stands: // A look changes nothing, and who restarts a VM that stands waits for it.
		return looks, there || p.hold == haHolds && mayLookForHA(p.vm)
	case there && o.Found():
		return HAStep{State: p.haState(step), MayDelete: p.mayDelete}, true
	case p.hold == haHolds:
		return looks, mayLookForHA(p.vm)
	case blocked, there && !proxmox.HAHasNone(o):
		return looks, there
	case !p.mayEnterHA(step):
		return looks, there // It is asked again before the VM enters HA.
	case there:
		return HAStep{State: p.haState(step), MayDelete: p.mayDelete}, true
	default:
		return looks, true
	}
}

// lookForHA is the step of a VM of which the provider looks whether it is in HA.
func lookForHA(mayDelete proxmox.Deletion) HAStep {
	return HAStep{Writing: HALooks, State: proxmox.HAStarted, MayDelete: mayDelete}
}

// looked is what becomes of the look for an entry of a VM that another one replaces. An entry that is found is taken over, and goes before the VM does.
func (p availabilityPlanner) looked(vm string, o proxmox.ObservedHAResource) (HAStep, bool) {
	step := p.steps[vm]

	switch {
	case p.claimed == nil || step.Action != ActionReplaced && step.Action != ActionRetire:
		return HAStep{}, false
	case o.Found() && !diagnose.NodeAway(p.vms[vm]):
		return HAStep{State: proxmox.HAIgnored, MayDelete: step.MayDelete || step.Action == ActionRetire}, true
	default:
		return lookForHA(step.MayDelete), true
	}
}

// haOf is what becomes of an HA resource that exists. One that stays behind its VM, or beside a VM that has replaced its own, could start that VM
// again.
func (p availabilityPlanner) haOf(vm string, o proxmox.ObservedHAResource) (HAStep, bool) {
	as := HAStep{Writing: HAStays, State: o.Spec.ForProvider.State, MayDelete: proxmox.Deletion(proxmox.MayDelete(o.Spec.ManagementPolicies))}

	step := p.steps[vm]
	if proxmox.LooksForHA(o) && step.Action != ActionDisown {
		return p.looked(vm, o) // It may be about another's VM, and deletes nothing when it goes. Whether the provider looks again is said where a VM enters HA.
	}

	switch step.Action {
	case ActionDisown:
		return as, true
	case ActionKeep, ActionCheck, ActionReserve, ActionCreate, ActionAdopt:
		return as, true
	case ActionReplaced:
		// Somebody may have started it by hand: the provider shuts it down, and the HA manager would switch it off.
		started := as.State == proxmox.HAStopped && powerKnown(p.vms[vm]) && p.vms[vm].Status.AtProvider.Started

		if (step.Stop || p.hold == haHolds || started) && !diagnose.NodeAway(p.vms[vm]) {
			as.State = proxmox.HAIgnored
		}

		return as, true
	case ActionRetire:
		as.State, as.MayDelete = proxmox.HAIgnored, proxmox.DeletionDestroys

		return as, !proxmox.LetsStop(o) || !proxmox.MayDelete(o.Spec.ManagementPolicies)
	case ActionFollow:
		return p.haFollows(step, as)
	case ActionWait, ActionRelease:
	}

	return as, false
}

// haFollows is what becomes of the HA resource of a VM that follows its claim. To take the VM out of HA neither stops nor starts it (ha-manager.adoc).
func (p availabilityPlanner) haFollows(step Step, as HAStep) (HAStep, bool) {
	if !p.proven {
		return as, true
	}

	// Also of a VM that is about to leave: a state of before would have the HA manager undo what the provider does.
	switch {
	case !powerKnown(p.vm):
	case !diagnose.NodeAway(p.vm):
		as.State = p.haState(step)
	case step.Power.Started || step.Power.Phase.Restarts() || step.Power.StoppedFor != "":
		// The provider does nothing while it does not reach the node, and the HA manager starts no VM elsewhere that it is to ignore.
		as.State = proxmox.HAStarted
	}

	if p.claimed == nil && !step.Stands {
		stays := as.MayDelete == proxmox.DeletionOrphans
		as.MayDelete = proxmox.DeletionDestroys

		return as, stays
	}

	as.MayDelete = p.mayDelete

	if !step.Stands {
		as.Writing = HAWritten
	}

	return as, true
}

// haState is what the HA manager is to do with a VM that follows its claim. While the provider stops the VM, and until it has started it again, the
// HA manager ignores the VM.
func (p availabilityPlanner) haState(step Step) proxmox.HAState {
	runs := powerKnown(p.vm) && p.vm.Status.AtProvider.Started

	switch power := step.Power; {
	case p.hold == haHolds, power.Phase.Restarts(), power.StoppedFor != "", !power.Started && runs:
		return proxmox.HAIgnored
	case power.Started:
		return proxmox.HAStarted
	default:
		return proxmox.HAStopped
	}
}

// mayEnterHA says whether a VM that follows its claim can enter HA now: it is ours and was seen, and nothing is under way.
func (p availabilityPlanner) mayEnterHA(step Step) bool {
	return !step.Stands && powerKnown(p.vm) && step.Power.Phase != PowerFirstStart && p.haState(step) != proxmox.HAIgnored &&
		proxmox.CreationOf(p.vm) != proxmox.CreationOurs
}

// boundToNode is what keeps a VM from starting on another node, in words. A VM keeps datastores that its claim does not name any more.
func (p availabilityPlanner) boundToNode(has proxmox.VMParameters) []string {
	shared := p.claimed.Shared

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
func HAUses(p *Plan) map[string]proxmox.ObservedHAResource {
	out := map[string]proxmox.ObservedHAResource{}

	for vm, step := range p.Availability.Steps {
		o, there := p.Observed.HAResources[proxmox.HAResourceOf(vm)]
		_, observed := p.Observed.VMs[vm]

		if there && observed && step.Writing != HALooks && p.Steps[vm].Action != ActionRelease {
			out[vm] = o
		}
	}

	return out
}
