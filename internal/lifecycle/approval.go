package lifecycle

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/change"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// nodeField is the field that moves a VM, as package change names it.
const nodeField = "spec.proxmox.node"

// An ApprovalMemory is what a VM remembers of approvals, as JSON in [proxmox.ApprovalAnnotation].
type ApprovalMemory struct {
	// Plan that was approved last. It is part of the hash of the next one, so that no approval counts twice.
	Plan string `json:"plan,omitempty"`
	// Target is a hash of the machine that was approved, until the VM is as approved; Effects are those of the plan.
	Target  string                `json:"target,omitempty"`
	Effects []v1alpha1.PlanEffect `json:"effects,omitempty"`
	// Refused are hashes of changes that the VM cannot make, and of which a person knows.
	Refused []string `json:"refused,omitempty"`
}

// String is the value of [proxmox.ApprovalAnnotation]; empty where there is nothing to remember.
func (m ApprovalMemory) String() string {
	if m.Plan == "" && m.Target == "" && len(m.Refused) == 0 {
		return ""
	}

	b, err := json.Marshal(m)
	if err != nil {
		return ""
	}

	return string(b)
}

// ReadApproval reads what a VM or a container remembers. What somebody broke is as good as nothing: then the plan asks anew.
func ReadApproval(m proxmox.Metadata) ApprovalMemory {
	text := m.Annotations[proxmox.ApprovalAnnotation]
	if text == "" {
		return ApprovalMemory{}
	}

	var out ApprovalMemory

	if err := json.Unmarshal([]byte(text), &out); err != nil {
		return ApprovalMemory{}
	}

	return out
}

// covers says whether the person who approved a plan for this target approved all of these effects.
func (m ApprovalMemory) covers(target string, effects []v1alpha1.PlanEffect) bool {
	unknown := func(e v1alpha1.PlanEffect) bool { return !slices.Contains(m.Effects, e) }

	return m.Target != "" && m.Target == target && !slices.ContainsFunc(effects, unknown)
}

// Done forgets the target: the VM is as approved, or nobody asks any more.
func (m ApprovalMemory) Done() ApprovalMemory {
	m.Target, m.Effects = "", nil

	return m
}

// AsksApproval says whether a machine's edits may have to be approved.
func AsksApproval(m *machine.Machine) bool {
	return m.Lifecycle.Approval == v1alpha1.ApprovalOnRisk || m.Lifecycle.Approval == v1alpha1.ApprovalAlways
}

// ApproveReplacement says whether the active VM may be replaced, as far as approval goes. m is the machine as it is resolved for the
// active VM: which node and which address the new VM gets may differ from call to call.
func ApproveReplacement(m *machine.Machine, r Roles, vm proxmox.ObservedVM) Approval {
	if !AsksApproval(m) {
		return Approval{}
	}

	target := TargetOf(m)
	parts := []string{"replace", r.Active, fmt.Sprint(proxmox.VMIDOf(vm)), ReadApproval(vm.Metadata.Metadata).Plan, target, r.Trigger}

	// Somebody may attach or grow a disk that is destroyed with the VM.
	for _, d := range proxmox.DisksAsGrown(vm) {
		parts = append(parts, fmt.Sprintf("%s %s %d", d.Interface, d.Serial, d.Size))
	}

	for _, d := range vm.Status.AtProvider.Disk {
		parts = append(parts, d.Interface)
	}

	a := Approval{Hash: Lettered(m.Identity.Hash(parts...)), Effects: []v1alpha1.PlanEffect{EffectReplace}, Memory: ReadApproval(vm.Metadata.Metadata)}

	return a.Judge(target, m.Lifecycle.Approve)
}

// Judge whether a plan is approved: by the claim now, or by an earlier call until the target is reached.
func (a Approval) Judge(target, approve string) Approval {
	switch {
	case a.Memory.covers(target, a.Effects):
		a.Consent, a.Hash = ConsentGiven, a.Memory.Plan
	case approve == a.Hash:
		a.Consent = ConsentGiven
		a.Memory.Plan, a.Memory.Target, a.Memory.Effects = a.Hash, target, a.Effects
	case approve != "" && approve != a.Memory.Plan:
		a.Consent = ConsentOtherPlan
	default:
		a.Consent = ConsentAwaited
	}

	// Another plan than the approved one waits: what was approved and not finished is over.
	if a.Waits() {
		a.Memory = a.Memory.Done()
	}

	return a
}

// TargetOf a machine is a hash of all that claim and catalogue want of it, but for what neither the VM nor a new VM would show.
func TargetOf(m *machine.Machine) string {
	t := *m
	t.Identity = machine.Identity{}
	// Rollout leaves no trace in JSON, so that machines without waves keep the hashes of plans.
	t.Kept, t.BuiltIn, t.Overrides, t.Typed, t.Warnings, t.Adopt, t.Rollout, t.HA, t.DNSRecord = nil, nil, nil, nil, nil, nil, nil, nil, ""
	t.RunsCrossplane = false
	t.Protection, t.PauseOnError, t.Placement.Choice, t.Placement.Reserves = false, false, nil, machine.ReservesNothing

	l := m.Lifecycle
	t.Lifecycle = v1alpha1.Lifecycle{Replace: l.Replace, Reboot: l.Reboot, RebootPolicy: l.RebootPolicy, Force: l.Force}

	if m.K3s != nil {
		k := *m.K3s
		k.NodeUID = ""
		t.K3s = &k
	}

	b, err := json.Marshal(t)
	if err != nil {
		return ""
	}

	return m.Identity.Hash("target", string(b))
}

// An approver decides whether the edit of a VM that lives has to be approved, and is.
type approver struct{ s *Situation }

// approval of what the described VM is to become. A VM that has not run yet, and a new VM that replaces another, wait for nobody: nothing
// depends on them.
func (p approver) approval(d Description, g change.Guarded, held []change.Change, filter firewallEdit) Approval {
	memory := ReadApproval(p.s.vm.Metadata.Metadata)

	switch {
	case !AsksApproval(p.s.Machine):
		return Approval{Memory: memory.Done()}
	case p.s.Replacing() || unstarted(p.s):
		return Approval{Consent: ConsentNotNeeded, Memory: memory.Done()}
	}

	effects, changes := p.effects(d, g, p.unknown(held, memory), filter)

	if asksReplacement(p.s) {
		a := ApproveReplacement(p.s.Machine, p.s.Roles, p.s.vm)
		a.Changes = changes

		return a
	}

	memory.Refused = slices.DeleteFunc(slices.Clone(memory.Refused), func(h string) bool { return !slices.Contains(p.hashes(held), h) })

	if len(effects) == 0 {
		return Approval{Consent: ConsentNotNeeded, Memory: memory.Done()}
	}

	target := TargetOf(p.s.Machine)
	parts := []string{"edit", p.s.Roles.Active, fmt.Sprint(proxmox.VMIDOf(p.s.vm)), memory.Plan, target}

	for _, e := range effects {
		parts = append(parts, string(e))
	}

	for _, c := range changes {
		parts = append(parts, string(c.Effect), c.Recorded())
	}

	a := Approval{Hash: Lettered(p.s.Machine.Identity.Hash(parts...)), Effects: effects, Changes: changes, Closes: filter.closes, Memory: memory}
	a = a.Judge(target, p.s.Machine.Lifecycle.Approve)

	if a.Consent == ConsentGiven {
		a.Memory.Refused = p.hashes(held)
	}

	return a
}

// asksReplacement says whether a replacement is to be approved. Nobody approves one that cannot begin before the claim is another one: what else the claim
// says is done, or asks for itself.
func asksReplacement(s *Situation) bool {
	return s.Roles.Trigger != "" && !s.Decision.Blocker.NeedsEdit()
}

// effects of an edit that need approval, and all changes that the edit makes. None where nothing needs approval.
func (p approver) effects(d Description, g change.Guarded, refused []change.Change, filter firewallEdit) ([]v1alpha1.PlanEffect, []change.Change) {
	var effects []v1alpha1.PlanEffect

	has, wanted := change.AsMade(p.s.vm), g.VM
	has.Started = p.ran()
	wanted.Started = startedUnlessSaid(p.s.Machine.Power, has.Started)
	has.NodeName, wanted.NodeName = p.from(d), d.Parameters.NodeName

	if !p.s.Machine.Placement.Migrate {
		wanted.NodeName = has.NodeName
	}

	changes := change.Compare(has, wanted)
	pending := outstanding(p.s, g)

	switch {
	case !p.mayRun():
	case p.s.Machine.Power == v1alpha1.PowerStopped && has.Started:
		effects = append(effects, EffectStop)
	case p.s.Machine.Power == v1alpha1.PowerStopped:
	case asksForReboot(p.s, pending), p.s.Machine.Lifecycle.RebootPolicy == v1alpha1.RebootWhenNeeded && len(pending) > 0:
		effects = append(effects, EffectReboot)
		changes = append(changes, slices.DeleteFunc(pending, func(c change.Change) bool { return slices.Contains(changes, c) })...)
	}

	if has.NodeName != wanted.NodeName {
		effects = append(effects, EffectMove)
	}

	changes = append(changes, filter.changes...)

	if len(filter.closes) > 0 {
		effects = append(effects, EffectClose)
	}

	if len(refused) > 0 {
		effects = append(effects, EffectRefuse)
	}

	if len(effects) == 0 && len(changes) > 0 && p.s.Machine.Lifecycle.Approval == v1alpha1.ApprovalAlways {
		effects = append(effects, EffectChange)
	}

	return effects, append(changes, refused...)
}

// from is the node that the VM is on, or, once the provider was asked to move it, the node that it moves to.
func (p approver) from(d Description) string {
	if has := p.s.vm.Spec.ForProvider; has.Migrate && has.NodeName == d.Parameters.NodeName {
		return has.NodeName
	}

	return change.AsMade(p.s.vm).NodeName
}

// stoppedByUs says whether the function stopped the VM, and will start it again.
func (p approver) stoppedByUs() bool {
	annotations := p.s.vm.Metadata.Annotations

	return annotations[proxmox.StoppedForAnnotation] != "" || annotations[proxmox.StartingAgainAnnotation] != ""
}

// ran says whether the VM was last started, by the function or, where the provider may not change it, by a person.
func (p approver) ran() bool {
	byHand := p.unmanagedBefore() && p.s.vm.Status.AtProvider.Started

	return p.s.vm.Spec.ForProvider.Started || byHand || p.stoppedByUs()
}

// unmanagedBefore says whether the provider may not change the VM, because its power is a person's. Without policies the provider may do everything.
func (p approver) unmanagedBefore() bool {
	policies := p.s.vm.Spec.ManagementPolicies

	return len(policies) > 0 && !proxmox.MayUpdate(policies)
}

// mayRun says whether the VM runs, or may run, or is about to be started again: then a stop is felt.
func (p approver) mayRun() bool {
	return p.stoppedByUs() || !powerKnown(p.s.vm) || p.s.vm.Status.AtProvider.Started
}

// unknown are refused changes of which nobody has been told. A VM that is to move is not refused its node.
func (p approver) unknown(held []change.Change, memory ApprovalMemory) []change.Change {
	return slices.DeleteFunc(slices.Clone(held), func(c change.Change) bool {
		return c.Field == nodeField && p.s.Machine.Placement.Migrate || slices.Contains(memory.Refused, p.hash(c))
	})
}

func (p approver) hash(c change.Change) string {
	return p.s.Machine.Identity.Hash("refused", c.Recorded())
}

func (p approver) hashes(held []change.Change) []string {
	var out []string

	for _, c := range held {
		if c.Field != nodeField || !p.s.Machine.Placement.Migrate {
			out = append(out, p.hash(c))
		}
	}

	return out
}

// stand keeps a VM as it was last written while an edit waits: no part of the edit takes effect. The machine is what the VM has in place of what
// the claim asks for, as far as the decisions about power, restarts and drains go.
func (p approver) stand(held []change.Change) (*machine.Machine, change.Guarded, []change.Change) {
	m := *p.s.Machine
	written := p.s.vm.Spec.ForProvider

	m.Lifecycle.Force, m.Lifecycle.RebootPolicy = "", v1alpha1.RebootOnRequest
	// A restart that has begun goes on, and counts.
	m.Lifecycle.Reboot = p.s.vm.Metadata.Annotations[proxmox.RebootingForAnnotation]
	m.Lifecycle.Drain = p.s.vm.Metadata.Annotations[proxmox.DrainTriggerAnnotation]

	switch {
	case p.unmanagedBefore():
		m.Power = v1alpha1.PowerUnmanaged
	case written.Started || p.stoppedByUs():
		m.Power = v1alpha1.PowerRunning
	default:
		m.Power = v1alpha1.PowerStopped
	}

	vm := change.AsMade(p.s.vm)
	if written.Migrate {
		// The provider may be moving it.
		vm.NodeName = written.NodeName
	}

	known := ReadApproval(p.s.vm.Metadata.Metadata).Refused
	held = slices.DeleteFunc(slices.Clone(held), func(c change.Change) bool { return !slices.Contains(known, p.hash(c)) })

	return &m, change.Guarded{VM: vm}, held
}

// adopted is what an adopted VM remembers: the approval of the adoption told of the refused changes.
func (p approver) adopted(held []change.Change) ApprovalMemory {
	if !AsksApproval(p.s.Machine) {
		return ApprovalMemory{}
	}

	return ApprovalMemory{Refused: p.hashes(held)}
}

// replacementApproval is the approval of a replacement that may go on. What the active VM remembers stays, also once nobody asks any more.
func replacementApproval(s *Situation) Approval {
	a := s.ReplacementApproval
	if a.Consent != ConsentNever || !AsksApproval(s.Machine) {
		return a
	}

	memory := ReadApproval(s.Observed.VMs[s.Roles.Active].Metadata.Metadata)
	if memory.Target == "" {
		return Approval{Consent: ConsentNotNeeded, Memory: memory}
	}

	return Approval{Consent: ConsentGiven, Hash: memory.Plan, Effects: memory.Effects, Memory: memory}
}
