package compose

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/change"
	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/status"
)

// A step is what this call does with one composed resource, as the plan prints it.
type step struct {
	action  action
	words   []string // What a person must know of it, in sentences without a full stop.
	changes []change.Change
}

// An action names what a step does.
type action string

// The actions, as the plan prints them.
const (
	actionCreate action = "create"
	actionKeep   action = "keep"
	actionChange action = "change"
	actionCheck  action = "check"
	// actionReserve says that the managed resource only reserves an address.
	actionReserve action = "reserve"
	actionAdopt   action = "adopt"
	actionPause   action = "pause"
	actionWait    action = "wait" // It is not rendered before what it waits for is there.
	actionStart   action = "start"
	actionCycle   action = "power-cycle"
	actionGive    action = "replace" // Another VM is to take its place.
	actionRemove  action = "remove"  // From Crossplane; the policies say what becomes of it in Proxmox.
)

// effects, as the plan prints them.
var effects = map[change.Effect]string{ //nolint:gochecknoglobals // A constant table.
	change.InPlace: "change in place",
	change.Reboot:  "needs reboot",
	change.Refused: "refused",
}

// explain says what this call does to each composed resource, one result a resource, one a sentence about it and one a change, in
// the order of the names.
func explain(rsp *fnv1.RunFunctionResponse, plan *lifecycle.Plan, steps map[string]step) {
	say := sayer(rsp)

	for _, name := range slices.Sorted(maps.Keys(steps)) {
		s := steps[name]
		say("%s: %s", name, s.action)

		for _, w := range s.words {
			say("%s: %s", name, w)
		}

		for _, c := range s.changes {
			say("%s: %s: %s", name, effects[c.Effect], c)
		}
	}

	active := plan.Roles.Active
	for _, c := range plan.Pending {
		if !slices.Contains(steps[active].changes, c) {
			say("%s: waits for a reboot: %s", active, c)
		}
	}
}

// sayer adds lines to the plan.
func sayer(rsp *fnv1.RunFunctionResponse) func(format string, args ...any) {
	return func(format string, args ...any) {
		reason := "Plan"
		rsp.Results = append(rsp.Results, &fnv1.Result{
			Severity: fnv1.Severity_SEVERITY_NORMAL, Message: fmt.Sprintf(format, args...), Reason: &reason,
			Target: fnv1.Target_TARGET_COMPOSITE.Enum(),
		})
	}
}

// explainClaim says what of the claim has no effect: what the VM keeps because the catalogue lacks an entry, and what is valid and has
// no use.
func explainClaim(rsp *fnv1.RunFunctionResponse, m *machine.Machine) {
	say := sayer(rsp)

	for _, k := range m.Kept {
		say("claim: keeps %s: %s", k.Part, k.Faults.ToAggregate())
	}

	for _, w := range m.Warnings {
		say("claim: warning: %s", w)
	}
}

// steps of this call, by composed resource name, beside those of Usages and Objects.
func steps(plan *lifecycle.Plan, desired proxmox.Desired, beside map[string]step, said []status.Condition) map[string]step {
	out := maps.Clone(beside)
	addSteps(out, desired.VMs, plan.Observed.VMs)
	addSteps(out, desired.Files, plan.Observed.Files)
	addSteps(out, desired.DownloadFiles, plan.Observed.DownloadFiles)
	addSteps(out, desired.HAResources, plan.Observed.HAResources)
	addAvailability(out, plan, desired)
	addFirewallSteps(out, desired.Firewalls, plan)

	for name, s := range plan.Steps {
		if s.Action == lifecycle.ActionWait {
			out[name] = step{action: actionWait}
		}
	}

	name := plan.Roles.Described()
	if described, ok := out[name]; ok {
		out[name] = describe(described, plan)
	}

	for name, s := range out {
		s.changes = change.AsTyped(s.changes, plan.Machine.Typed)
		out[name] = s
	}

	spell(out, plan, said)
	addNode(out, plan, said)

	return out
}

// describe the VM that the claim describes.
func describe(described step, plan *lifecycle.Plan) step {
	switch {
	case plan.State == lifecycle.StateLiving:
		described.changes = slices.Concat(described.changes, plan.Held)
	case plan.Adoption != nil:
		described.changes = plan.Adoption.Changes
	}

	// Snippets and images are on their way, with a step of their own; a Secret somebody has to apply.
	waits := slices.DeleteFunc(slices.Clone(plan.Waiting), func(w string) bool {
		return described.action != actionWait && !strings.HasPrefix(w, "Secret ")
	})
	if len(waits) > 0 {
		described.words = append(described.words, "waits for "+strings.Join(waits, ", "))
	}

	described.words = append(described.words, approvalWords(plan)...)
	described.words = append(described.words, waveWords(plan)...)

	described.words = append(described.words, addressWords(plan)...)
	described.words = append(described.words, driveWords(described.changes, plan)...)
	described.words = append(described.words, renamedDisk(described.changes)...)

	if moves := plan.Moves; moves != nil && !plan.Turn.Holds(lifecycle.OutageMigration) {
		described.action = actionChange
		described.changes = append(described.changes, *moves)

		described.words = append(described.words, "Proxmox moves the VM to node "+moves.Wanted+" "+moveWords[plan.MovesWhen])
	}

	return power(reconnects(described, plan), plan)
}

// moveWords say when a VM moves that waits with it.
var moveWords = map[lifecycle.MoveWhen]string{ //nolint:gochecknoglobals // A constant table.
	lifecycle.MoveNow:           "when its snippets are there",
	lifecycle.MoveWithoutDevice: "after the power cycle: no VM moves with devices of its node",
	lifecycle.MoveWhenRestarted: "when it runs again",
}

// reconnects adds the interfaces of a K3s server that wait for the other servers.
func reconnects(described step, plan *lifecycle.Plan) step {
	if len(plan.Reconnects) > 0 {
		described.action = actionChange
		described.changes = append(described.changes, plan.Reconnects...)
		described.words = append(described.words, "the provider plugs the interface in again when no other server of the K3s cluster is away, and the others can go on without this one")
	}

	return described
}

// power says what becomes of the VM's power: a first start is no change of it.
func power(described step, plan *lifecycle.Plan) step {
	// A VM is created stopped, and started once it is known to be the machine's own.
	if plan.Steps[plan.Roles.Described()].Power.Phase == lifecycle.PowerFirstStart {
		described.changes = slices.DeleteFunc(described.changes, isPower)

		if described.action == actionChange && len(described.changes) == 0 {
			described.action = actionStart
		}
	}

	vm := plan.Observed.VMs[plan.Roles.Described()]
	step := plan.Steps[plan.Roles.Described()]

	if step.Action == lifecycle.ActionDisown {
		described.words = append(described.words, status.WhoHas(*plan.Check)+" The provider only observes it from now on")
	}

	stops := vm.Status.AtProvider.Started && step.Action == lifecycle.ActionFollow && !step.Power.Started

	if stops && lifecycle.StopOf(step.Parameters) == lifecycle.StopSwitchedOff {
		described.words = append(described.words, "the provider switches the VM off, as if its power failed, because it has no guest agent")
	}

	if plan.Restarting {
		described.action = actionCycle
		described.words = append(described.words, "the provider stops the VM and starts it again, as spec.lifecycle requests")
		described.changes = slices.DeleteFunc(described.changes, isPower)
	}

	return described
}

// driveWords say what a change of the cloud-init drive does in the guest, beside the power cycle that it waits for.
func driveWords(changes []change.Change, plan *lifecycle.Plan) []string {
	if plan.State != lifecycle.StateLiving || !slices.ContainsFunc(changes, change.OnDrive) {
		return nil
	}

	if change.ReadsDriveOnce(plan.Observed.VMs[plan.Roles.Described()].Spec.ForProvider) {
		return []string{"the guest has user-data, and reads the cloud-init drive at its first boot only: make the change in the guest, too"}
	}

	return []string{"after the power cycle cloud-init configures the guest again, with new SSH host keys"}
}

// renamedDisk says what another name of a disk is.
func renamedDisk(changes []change.Change) []string {
	is := func(effect change.Effect) func(change.Change) bool {
		return func(c change.Change) bool {
			goes, comes := effect == change.Refused && c.Wanted == "", effect == change.InPlace && c.Has == ""

			return c.Effect == effect && strings.HasPrefix(c.Field, "spec.disks[") && (goes || comes)
		}
	}

	added, kept := slices.IndexFunc(changes, is(change.InPlace)), slices.IndexFunc(changes, is(change.Refused))
	if added < 0 || kept < 0 {
		return nil
	}

	return []string{fmt.Sprintf("the name identifies a disk: %s is a new, empty disk, which cannot be removed again, and %s keeps its data under its name",
		diskName(changes[added]), diskName(changes[kept]))}
}

// diskName is the name of the disk that a change is of.
func diskName(c change.Change) string {
	name, _, _ := strings.Cut(strings.TrimPrefix(c.Field, "spec.disks["), "]")

	return name
}

// approvalWords say what waits for approval, and how to approve it.
func approvalWords(plan *lifecycle.Plan) []string {
	if !plan.Approval.Waits() {
		return nil
	}

	out := []string{fmt.Sprintf("waits for approval: set spec.lifecycle.approve to \"%s\"", plan.Approval.Hash)}
	for _, s := range status.PlanSentences(plan, vmOf(plan.Observed.VMs[plan.Roles.Active])) {
		out = append(out, "after approval: "+s)
	}

	return out
}

// waveWords say what waits for other machines of the group, and what happens then.
func waveWords(plan *lifecycle.Plan) []string {
	if len(plan.Turn.Held) == 0 {
		return nil
	}

	out := []string{"waits for its wave: " + status.WaveSentence(plan)}
	move := plan.Turn.Holds(lifecycle.OutageMigration)

	if !move || len(plan.Turn.Held) > 1 {
		out = append(out, "in its turn: the provider stops the VM and starts it again, as spec.lifecycle requests")
	}

	if move {
		out = append(out, "in its turn: Proxmox moves the VM to node "+plan.Machine.Placement.Node)
	}

	return out
}

func isPower(c change.Change) bool { return c.Field == "spec.power" }

// spell out what becomes of VMs, in words: a replacement, its end, and what is requested and held back.
func spell(out map[string]step, plan *lifecycle.Plan, said []status.Condition) {
	for name, s := range out {
		if vm, is := plan.Observed.VMs[name]; is && s.action == actionRemove && !vm.ObserveOnly() {
			s.words = append(s.words, vmOf(vm)+" "+fate(vm, plan.Destroys(name)))
			out[name] = s
		}
	}

	if r := plan.Replacement; r != nil && r.Stage != lifecycle.StageBlocked {
		if s, ok := out[r.Old]; ok && s.action != actionRemove {
			out[r.Old] = replacedStep(s, *r, plan)
		}
	}

	s, ok := out[plan.Roles.Active]
	if !ok {
		return
	}

	for _, c := range said {
		blocks := c.Reason == status.ReasonReplacementBlocked || c.Reason == status.ReasonWaitingForQuorum || c.Reason == status.ReasonRunsCrossplane ||
			c.Reason == status.ReasonDrainBlocked ||
			c.Type == status.TypeReplacementRequired && c.Reason == status.ReasonWaitingForWave
		if text := "blocked: " + c.Message; blocks && !slices.Contains(s.words, text) {
			s.words = append(s.words, text)
		}

		// Nothing happens to the VM, and a person has something to do in its guest.
		if c.Reason == status.ReasonDataDisksChanged {
			s.words = append(s.words, "guest: "+c.Message)
		}
	}

	out[plan.Roles.Active] = s
}

// replacedStep says that a new VM takes the place of another, and what becomes of that.
func replacedStep(s step, r lifecycle.Replacement, plan *lifecycle.Plan) step {
	vm := plan.Observed.VMs[r.Old]
	id := vmOf(vm)
	text := fmt.Sprintf("replace %s by a new VM (%s)", id, r.New)

	if r.Stopped || r.Stage != lifecycle.StageRetiring && !lifecycle.RunsSideBySide(plan.Machine) {
		how := " is shut down first"
		if lifecycle.StopOf(vm.Spec.ForProvider) == lifecycle.StopSwitchedOff {
			how = " is switched off first, as if its power failed, because it has no guest agent"
		}

		text += "; " + id + how
	}

	s.action = actionGive
	s.words = append(s.words, text+"; when "+status.Success(plan)+", "+id+" "+fate(vm, plan.Machine.DeletionPolicy == v1alpha1.DeletionDelete))

	return s
}

// fate of a VM that is replaced.
func fate(vm proxmox.ObservedVM, destroyed bool) string {
	if !destroyed {
		return "stays in Proxmox, stopped"
	}

	return "is destroyed with its disks: " + strings.Join(disksOf(vm), ", ")
}

func vmOf(vm proxmox.ObservedVM) string {
	if id := proxmox.VMIDOf(vm); id != 0 {
		return fmt.Sprintf("VM %d", id)
	}

	return "the old VM"
}

// disksOf a VM with their sizes: under their names in the claim, the others, for instance those that somebody attached by hand, under
// their addresses.
func disksOf(vm proxmox.ObservedVM) []string {
	var out []string

	disks := proxmox.DisksAsGrown(vm)
	boot := change.BootDisk(vm.Spec.ForProvider)

	for i, d := range disks {
		name := cmp.Or(d.Serial, d.Interface)
		if i == boot {
			name = "boot disk"
		}

		out = append(out, fmt.Sprintf("%s (%d GiB)", name, d.Size))
	}

	for _, d := range vm.Status.AtProvider.Disk {
		if !slices.ContainsFunc(disks, func(w proxmox.Disk) bool { return w.Interface == d.Interface }) {
			out = append(out, fmt.Sprintf("%s (%d GiB)", d.Interface, d.Size))
		}
	}

	return out
}

func addSteps[P, S any](to map[string]step, desired map[string]proxmox.Resource[P], observed map[string]proxmox.Observed[P, S]) {
	for name, r := range desired {
		o, ok := observed[name]
		to[name] = stepOf(r, o, ok)
	}

	for name := range observed {
		if _, stays := desired[name]; !stays {
			to[name] = step{action: actionRemove}
		}
	}
}

// stepOf says what becomes of one resource.
func stepOf[P, S any](r proxmox.Resource[P], o proxmox.Observed[P, S], observed bool) step {
	switch {
	case lifecycle.PausedByUs(r.Metadata):
		return step{action: actionPause}
	case proxmox.OnlyObserves(r.Spec.ManagementPolicies) && r.Metadata.Annotations[proxmox.PausedAnnotation] != "":
		return step{action: actionReserve}
	case proxmox.OnlyObserves(r.Spec.ManagementPolicies):
		return step{action: actionCheck}
	case !observed:
		return step{action: actionCreate}
	}

	vm, isVM := any(o).(proxmox.ObservedVM)
	if !isVM {
		return step{action: actionKeep}
	}

	if vm.ObserveOnly() {
		if r.Metadata.Annotations[proxmox.AdoptedAnnotation] != "" {
			return step{action: actionAdopt}
		}

		return step{action: actionCreate}
	}

	// As it is in Proxmox, where that is known, and not as it was last written.
	has := change.AsMade(vm)
	if vm.Status.AtProvider.ID != "" {
		has.Started = vm.Status.AtProvider.Started
	}

	wanted, _ := any(r.Spec.ForProvider).(proxmox.VMParameters)
	if changes := change.Compare(has, wanted); len(changes) > 0 {
		return step{action: actionChange, changes: changes}
	}

	return step{action: actionKeep}
}
