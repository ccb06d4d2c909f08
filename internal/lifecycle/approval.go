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

// A Consent is whether a person has approved what an edit does to an existing VM.
type Consent string

// The consents.
const (
	// ConsentNever: the claim asks for no approval.
	ConsentNever Consent = ""
	// ConsentNotNeeded: nothing is to be done that needs approval.
	ConsentNotNeeded Consent = "NotNeeded"
	// ConsentAwaited: the plan waits for approval.
	ConsentAwaited Consent = "Awaited"
	// ConsentOtherPlan: the plan waits, and the claim approves another plan.
	ConsentOtherPlan Consent = "OtherPlan"
	// ConsentGiven: the plan is approved, and not finished.
	ConsentGiven Consent = "Given"
)

// The effects of a plan, as its status names them. All but the last are risks.
const (
	EffectReboot  v1alpha1.PlanEffect = "Reboot"
	EffectStop    v1alpha1.PlanEffect = "Stop"
	EffectMove    v1alpha1.PlanEffect = "Move"
	EffectReplace v1alpha1.PlanEffect = "Replace"
	EffectClose   v1alpha1.PlanEffect = "Close"
	EffectRefuse  v1alpha1.PlanEffect = "Refuse"
	EffectChange  v1alpha1.PlanEffect = "Change"
)

// nodeField is the field that moves a VM, as package change names it.
const nodeField = "spec.proxmox.node"

// An Approval is what an edit does to an existing VM, and whether somebody approved that.
type Approval struct {
	Consent Consent
	// Hash identifies the plan; empty where nothing needs approval.
	Hash    string
	Effects []v1alpha1.PlanEffect
	// Changes of the VM, in the order of the fields.
	Changes []change.Change
	// Closes is what the firewall drops after the plan, and what reaches the guest now, in clauses; nil unless that is among the effects.
	Closes []string
	// Memory is what the VM remembers after this call.
	Memory ApprovalMemory
}

// Waits says whether the plan may not begin.
func (a Approval) Waits() bool { return a.Consent == ConsentAwaited || a.Consent == ConsentOtherPlan }

// Has says whether the plan has an effect.
func (a Approval) Has(e v1alpha1.PlanEffect) bool { return slices.Contains(a.Effects, e) }

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

// readApproval reads what a VM remembers. What somebody broke is as good as nothing: then the plan asks anew.
func readApproval(vm proxmox.ObservedVM) ApprovalMemory {
	text := vm.Metadata.Annotations[proxmox.ApprovalAnnotation]
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

// done forgets the target: the VM is as approved, or nobody asks any more.
func (m ApprovalMemory) done() ApprovalMemory {
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

	target := targetOf(m)
	parts := []string{"replace", r.Active, fmt.Sprint(proxmox.VMIDOf(vm)), readApproval(vm).Plan, target, r.Trigger}

	// Somebody may attach or grow a disk that is destroyed with the VM.
	for _, d := range proxmox.DisksAsGrown(vm) {
		parts = append(parts, fmt.Sprintf("%s %s %d", d.Interface, d.Serial, d.Size))
	}

	for _, d := range vm.Status.AtProvider.Disk {
		parts = append(parts, d.Interface)
	}

	a := Approval{Hash: lettered(m.Identity.Hash(parts...)), Effects: []v1alpha1.PlanEffect{EffectReplace}, Memory: readApproval(vm)}

	return a.judge(target, m.Lifecycle.Approve)
}

// judge whether a plan is approved: by the claim now, or by an earlier call until the target is reached.
func (a Approval) judge(target, approve string) Approval {
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
		a.Memory = a.Memory.done()
	}

	return a
}

// targetOf a machine is a hash of all that claim and catalogue want of it, but for what neither the VM nor a new VM would show.
func targetOf(m *machine.Machine) string {
	t := *m
	t.Identity = machine.Identity{}
	// Rollout leaves no trace in JSON, so that machines without waves keep the hashes of plans.
	t.Kept, t.BuiltIn, t.Typed, t.Warnings, t.Adopt, t.Rollout, t.HA, t.DNSRecord = nil, nil, nil, nil, nil, nil, nil, ""
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
type approver struct{ *Plan }

// approval of what the described VM is to become. A VM that has not run yet, and a new VM that replaces another, wait for nobody: nothing
// depends on them.
func (p approver) approval(d Description, g change.Guarded, held []change.Change) Approval {
	memory := readApproval(p.vm)

	switch {
	case !AsksApproval(p.Machine):
		return Approval{Memory: memory.done()}
	case p.Replacing() || p.unstarted():
		return Approval{Consent: ConsentNotNeeded, Memory: memory.done()}
	}

	effects, changes := p.effects(d, g, p.unknown(held, memory))

	if p.Roles.Trigger != "" {
		a := ApproveReplacement(p.Machine, p.Roles, p.vm)
		a.Changes = changes

		return a
	}

	memory.Refused = slices.DeleteFunc(slices.Clone(memory.Refused), func(h string) bool { return !slices.Contains(p.hashes(held), h) })

	if len(effects) == 0 {
		return Approval{Consent: ConsentNotNeeded, Memory: memory.done()}
	}

	target := targetOf(p.Machine)
	parts := []string{"edit", p.Roles.Active, fmt.Sprint(proxmox.VMIDOf(p.vm)), memory.Plan, target}

	for _, e := range effects {
		parts = append(parts, string(e))
	}

	for _, c := range changes {
		parts = append(parts, string(c.Effect), c.String())
	}

	a := Approval{Hash: lettered(p.Machine.Identity.Hash(parts...)), Effects: effects, Changes: changes, Memory: memory}
	_, a.Closes = firewallPlanner(p).changesOfEdit()
	a = a.judge(target, p.Machine.Lifecycle.Approve)

	if a.Consent == ConsentGiven {
		a.Memory.Refused = p.hashes(held)
	}

	return a
}

// effects of an edit that need approval, and all changes that the edit makes. None where nothing needs approval.
func (p approver) effects(d Description, g change.Guarded, refused []change.Change) ([]v1alpha1.PlanEffect, []change.Change) {
	var effects []v1alpha1.PlanEffect

	has, wanted := change.AsMade(p.vm), g.VM
	has.Started = p.ran()
	wanted.Started = startedUnlessSaid(p.Machine.Power, has.Started)
	has.NodeName, wanted.NodeName = p.from(d), d.Parameters.NodeName

	if !p.Machine.Placement.Migrate {
		wanted.NodeName = has.NodeName
	}

	changes := change.Compare(has, wanted)
	pending := p.outstanding(g)

	switch reboots := asks(p.Machine.Lifecycle.Reboot, ReadTriggers(p.vm, proxmox.RebootTriggersAnnotation)); {
	case !p.mayRun():
	case p.Machine.Power == v1alpha1.PowerStopped && has.Started:
		effects = append(effects, EffectStop)
	case p.Machine.Power == v1alpha1.PowerStopped:
	case reboots, p.Machine.Lifecycle.RebootPolicy == v1alpha1.RebootWhenNeeded && len(pending) > 0:
		effects = append(effects, EffectReboot)
		changes = append(changes, slices.DeleteFunc(pending, func(c change.Change) bool { return slices.Contains(changes, c) })...)
	}

	if has.NodeName != wanted.NodeName {
		effects = append(effects, EffectMove)
	}

	filters, closes := firewallPlanner(p).changesOfEdit()
	changes = append(changes, filters...)

	if len(closes) > 0 {
		effects = append(effects, EffectClose)
	}

	if len(refused) > 0 {
		effects = append(effects, EffectRefuse)
	}

	if len(effects) == 0 && len(changes) > 0 && p.Machine.Lifecycle.Approval == v1alpha1.ApprovalAlways {
		effects = append(effects, EffectChange)
	}

	return effects, append(changes, refused...)
}

// from is the node that the VM is on, or, once the provider was asked to move it, the node that it moves to.
func (p approver) from(d Description) string {
	if has := p.vm.Spec.ForProvider; has.Migrate && has.NodeName == d.Parameters.NodeName {
		return has.NodeName
	}

	return change.AsMade(p.vm).NodeName
}

// stoppedByUs says whether the function stopped the VM, and will start it again.
func (p approver) stoppedByUs() bool {
	annotations := p.vm.Metadata.Annotations

	return annotations[proxmox.StoppedForAnnotation] != "" || annotations[proxmox.StartingAgainAnnotation] != ""
}

// ran says whether the VM was last started, by the function or, where the provider may not change it, by a person.
func (p approver) ran() bool {
	byHand := p.unmanagedBefore() && p.vm.Status.AtProvider.Started

	return p.vm.Spec.ForProvider.Started || byHand || p.stoppedByUs()
}

// unmanagedBefore says whether the provider may not change the VM, because its power is a person's. Without policies the provider may do everything.
func (p approver) unmanagedBefore() bool {
	policies := p.vm.Spec.ManagementPolicies

	return len(policies) > 0 && !proxmox.MayUpdate(policies)
}

// mayRun says whether the VM runs, or may run, or is about to be started again: then a stop is felt.
func (p approver) mayRun() bool {
	return p.stoppedByUs() || !powerKnown(p.vm) || p.vm.Status.AtProvider.Started
}

// unknown are refused changes of which nobody has been told. A VM that is to move is not refused its node.
func (p approver) unknown(held []change.Change, memory ApprovalMemory) []change.Change {
	return slices.DeleteFunc(slices.Clone(held), func(c change.Change) bool {
		return c.Field == nodeField && p.Machine.Placement.Migrate || slices.Contains(memory.Refused, p.hash(c))
	})
}

func (p approver) hash(c change.Change) string { return p.Machine.Identity.Hash("refused", c.String()) }

func (p approver) hashes(held []change.Change) []string {
	var out []string

	for _, c := range held {
		if c.Field != nodeField || !p.Machine.Placement.Migrate {
			out = append(out, p.hash(c))
		}
	}

	return out
}

// stand keeps a VM as it was last written while an edit waits: no part of the edit takes effect. The machine is what the VM has in place of what
// the claim asks for, as far as the decisions about power, restarts and drains go.
func (p approver) stand(held []change.Change) (change.Guarded, []change.Change) {
	m := *p.Machine
	written := p.vm.Spec.ForProvider

	m.Lifecycle.Force, m.Lifecycle.RebootPolicy = "", v1alpha1.RebootOnRequest
	// A restart that has begun goes on, and counts.
	m.Lifecycle.Reboot = p.vm.Metadata.Annotations[proxmox.RebootingForAnnotation]
	m.Lifecycle.Drain = p.vm.Metadata.Annotations[proxmox.DrainTriggerAnnotation]

	switch {
	case p.unmanagedBefore():
		m.Power = v1alpha1.PowerUnmanaged
	case written.Started || p.stoppedByUs():
		m.Power = v1alpha1.PowerRunning
	default:
		m.Power = v1alpha1.PowerStopped
	}

	p.Machine = &m

	vm := change.AsMade(p.vm)
	if written.Migrate {
		// The provider may be moving it.
		vm.NodeName = written.NodeName
	}

	known := readApproval(p.vm).Refused
	held = slices.DeleteFunc(slices.Clone(held), func(c change.Change) bool { return !slices.Contains(known, p.hash(c)) })

	return change.Guarded{VM: vm}, held
}

// adopted is what an adopted VM remembers: the approval of the adoption told of the refused changes.
func (p approver) adopted(held []change.Change) ApprovalMemory {
	if !AsksApproval(p.Machine) {
		return ApprovalMemory{}
	}

	return ApprovalMemory{Refused: p.hashes(held)}
}

// replacementApproval is the approval of a replacement that may go on. What the active VM remembers stays, also once nobody asks any more.
func (p *Plan) replacementApproval() Approval {
	a := p.ReplacementApproval
	if a.Consent != ConsentNever || !AsksApproval(p.Machine) {
		return a
	}

	memory := readApproval(p.Observed.VMs[p.Roles.Active])
	if memory.Target == "" {
		return Approval{Consent: ConsentNotNeeded, Memory: memory}
	}

	return Approval{Consent: ConsentGiven, Hash: memory.Plan, Effects: memory.Effects, Memory: memory}
}
