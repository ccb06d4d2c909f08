package lifecycle

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/change"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// onRisk is a machine with a VM that lives on node pve, and whose edits wait for approval.
func onRisk(vm proxmox.ObservedVM, edit func(m *machine.Machine)) *Situation {
	m := &machine.Machine{Identity: me, NICs: []machine.NIC{{}}, Power: v1alpha1.PowerRunning, Lifecycle: v1alpha1.Lifecycle{Approval: v1alpha1.ApprovalOnRisk}}
	if edit != nil {
		edit(m)
	}

	return &Situation{
		Request: Request{Machine: m, Roles: Roles{Active: FirstVM}, Observed: proxmox.State{VMs: vms{FirstVM: vm}}}, State: StateLiving, vm: vm,
	}
}

// writtenOff is a VM that was told to stop.
func writtenOff(vm *proxmox.ObservedVM) { vm.Spec.ForProvider.Started = false }

// byHand is a VM that the provider may not change, since its power is a person's.
func byHand(vm *proxmox.ObservedVM) {
	vm.Spec.ManagementPolicies = proxmox.WithoutUpdate(vm.Spec.ManagementPolicies)
}

// forRestart is a VM that was stopped to be started again.
func forRestart(vm *proxmox.ObservedVM) {
	vm.Metadata.Annotations[proxmox.StoppedForAnnotation] = StoppedForRestart
}

// movingTo is a VM that the provider was told to move, and that it still sees on its former node.
func movingTo(node string) func(vm *proxmox.ObservedVM) {
	return func(vm *proxmox.ObservedVM) { vm.Spec.ForProvider.NodeName, vm.Spec.ForProvider.Migrate = node, true }
}

// remembering is a VM that remembers of approvals.
func remembering(m ApprovalMemory) func(vm *proxmox.ObservedVM) {
	return func(vm *proxmox.ObservedVM) { vm.Metadata.Annotations[proxmox.ApprovalAnnotation] = m.String() }
}

// TestApproval: what of an edit has to be approved: what a VM that runs, or will run again, feels, and what cannot be done. Nothing else.
func TestApproval(t *testing.T) {
	stop := func(m *machine.Machine) { m.Power = v1alpha1.PowerStopped }
	migrate := func(m *machine.Machine) { m.Placement.Migrate = true }
	always := func(m *machine.Machine) { m.Lifecycle.Approval = v1alpha1.ApprovalAlways }
	reboot := func(m *machine.Machine) { m.Lifecycle.Reboot = "a" }
	effects := func(all ...v1alpha1.PlanEffect) []v1alpha1.PlanEffect { return all }

	disk := change.Change{Field: "spec.size.disk", Has: "20 GiB", Wanted: "10 GiB", Effect: change.Refused}
	place := change.Change{Field: nodeField, Has: "pve", Wanted: "pve2", Effect: change.Refused}
	moves := change.Change{Field: nodeField, Has: "pve", Wanted: "pve2", Effect: change.InPlace}
	stops := change.Change{Field: "spec.power", Has: "Running", Wanted: "Stopped", Effect: change.InPlace}
	grows := change.Change{Field: "spec.size.memory", Wanted: "2048 MiB", Effect: change.Reboot}

	known := ApprovalMemory{Plan: "a000000000", Refused: []string{approver{onRisk(settledVM(), nil)}.hash(disk)}}
	needless, awaited := Approval{Consent: ConsentNotNeeded}, ConsentAwaited

	cases := map[string]struct {
		reason  string
		vm      proxmox.ObservedVM
		edit    func(m *machine.Machine)
		node    string // That the claim asks for; empty: the VM's.
		memory  int64  // In MiB, that the claim asks for; 0: the VM's.
		held    []change.Change
		filter  firewallEdit
		approve bool // Whether the claim has the plan's hash.
		want    Approval
	}{
		"Nothing":       {reason: "The claim is as the VM.", vm: settledVM(), want: needless},
		"Stop":          {reason: "A VM that runs stops.", vm: settledVM(), edit: stop, want: Approval{Consent: awaited, Effects: effects(EffectStop), Changes: []change.Change{stops}}},
		"StopByHand":    {reason: "A person started it, and the provider was never told to.", vm: settledVM(writtenOff, byHand), edit: stop, want: Approval{Consent: awaited, Effects: effects(EffectStop), Changes: []change.Change{stops}}},
		"StopRestarted": {reason: "It is off for a restart, and would come back.", vm: settledVM(writtenOff, off, forRestart), edit: stop, want: Approval{Consent: awaited, Effects: effects(EffectStop), Changes: []change.Change{stops}}},
		"StopUnread":    {reason: "Nobody knows whether it runs.", vm: settledVM(func(vm *proxmox.ObservedVM) { vm.Status.AtProvider.ID = "" }), edit: stop, want: Approval{Consent: awaited, Effects: effects(EffectStop), Changes: []change.Change{stops}}},
		"StopStopped":   {reason: "A person stopped it already.", vm: settledVM(off), edit: stop, want: needless},
		"StopAgain":     {reason: "It was told to stop before.", vm: settledVM(writtenOff), edit: stop, want: needless},
		"Reboot":        {reason: "A restart is felt.", vm: settledVM(), edit: reboot, want: Approval{Consent: awaited, Effects: effects(EffectReboot)}},
		"RebootStopped": {reason: "A VM that is off has none.", vm: settledVM(off), edit: reboot, want: needless},
		"Move":          {reason: "A VM moves to another node.", vm: settledVM(), edit: migrate, node: "pve2", want: Approval{Consent: awaited, Effects: effects(EffectMove), Changes: []change.Change{moves}}},
		"Moves":         {reason: "It is on its way there.", vm: settledVM(movingTo("pve2")), edit: migrate, node: "pve2", want: needless},
		"MoveLater":     {reason: "That a move waits for its snippets is no refusal.", vm: settledVM(), edit: migrate, held: []change.Change{place}, want: needless},
		"MoveUnasked":   {reason: "A VM that does not migrate stays.", vm: settledVM(), node: "pve2", want: needless},
		"Refuse":        {reason: "A person has to know of what cannot be done.", vm: settledVM(), held: []change.Change{disk}, want: Approval{Consent: awaited, Effects: effects(EffectRefuse), Changes: []change.Change{disk}}},
		"RefuseNode":    {reason: "Also that the VM stays on its node.", vm: settledVM(), held: []change.Change{place}, want: Approval{Consent: awaited, Effects: effects(EffectRefuse), Changes: []change.Change{place}}},
		"RefuseKnown":   {reason: "A person knows of it.", vm: settledVM(remembering(known)), held: []change.Change{disk}, want: Approval{Consent: ConsentNotNeeded, Memory: known}},
		"RefuseGone":    {reason: "What nobody asks for any more is forgotten.", vm: settledVM(remembering(known)), want: Approval{Consent: ConsentNotNeeded, Memory: ApprovalMemory{Plan: known.Plan}}},
		"Close":         {reason: "What reaches the guest now does not any more.", vm: settledVM(), filter: firewallEdit{closes: []string{"all"}}, want: Approval{Consent: awaited, Effects: effects(EffectClose), Closes: []string{"all"}}},
		"Change":        {reason: "No risk needs no approval.", vm: settledVM(), memory: 2048, want: needless},
		"ChangeAlways":  {reason: "Unless the claim asks for all.", vm: settledVM(), edit: always, memory: 2048, want: Approval{Consent: awaited, Effects: effects(EffectChange), Changes: []change.Change{grows}}},
		"Approved": {
			reason: "With the approval, the person knows of what cannot be done.", vm: settledVM(), held: []change.Change{disk}, approve: true,
			want: Approval{Consent: ConsentGiven, Effects: effects(EffectRefuse), Changes: []change.Change{disk}, Memory: ApprovalMemory{Effects: effects(EffectRefuse), Refused: known.Refused}},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			tc.vm.Status.AtProvider.NodeName = "pve"
			s := onRisk(tc.vm, tc.edit)

			d := Description{Parameters: change.AsMade(s.vm), MayMigrate: true}
			if tc.node != "" {
				d.Parameters.NodeName = tc.node
			}

			if tc.memory != 0 {
				d.Parameters.Memory = []proxmox.Memory{{Dedicated: tc.memory}}
			}

			judged := func() Approval {
				return approver{s}.approval(d, change.Guard(d.Parameters, change.AsMade(s.vm), change.Circumstances{Migrate: true}), tc.held, tc.filter)
			}

			got := judged()
			if tc.approve {
				s.Machine.Lifecycle.Approve = got.Hash
				got = judged()
				tc.want.Memory.Plan, tc.want.Memory.Target = got.Hash, TargetOf(s.Machine)
			}

			if hashed := got.Hash != ""; hashed == (got.Consent == ConsentNotNeeded) {
				t.Errorf("%s\napproval(): hash %q of %s", tc.reason, got.Hash, got.Consent)
			}

			got.Hash = ""
			if diff := cmp.Diff(tc.want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("%s\napproval(): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestStand: while an edit waits, a VM keeps the power that it was written with, its node, and what a person knows to be refused.
func TestStand(t *testing.T) {
	disk := change.Change{Field: "spec.size.disk", Has: "20 GiB", Wanted: "10 GiB", Effect: change.Refused}
	other := change.Change{Field: "spec.size.firmware", Has: "BIOS", Wanted: "UEFI", Effect: change.Refused}
	known := ApprovalMemory{Plan: "a000000000", Refused: []string{approver{onRisk(settledVM(), nil)}.hash(disk)}}

	type want struct {
		Power  v1alpha1.Power
		Reboot string
		Node   string
		Held   []change.Change
	}

	cases := map[string]struct {
		reason string
		vm     proxmox.ObservedVM
		want   want
	}{
		"Runs":      {reason: "It runs on.", vm: settledVM(), want: want{Power: v1alpha1.PowerRunning, Node: "pve"}},
		"Stopped":   {reason: "It stays off.", vm: settledVM(writtenOff), want: want{Power: v1alpha1.PowerStopped, Node: "pve"}},
		"Restarted": {reason: "It was stopped to be started again, and is.", vm: settledVM(writtenOff, off, forRestart), want: want{Power: v1alpha1.PowerRunning, Node: "pve"}},
		"Begun": {
			reason: "A restart that has begun counts.", vm: settledVM(func(vm *proxmox.ObservedVM) { vm.Metadata.Annotations[proxmox.RebootingForAnnotation] = "b" }),
			want: want{Power: v1alpha1.PowerRunning, Reboot: "b", Node: "pve"},
		},
		"ByHand": {reason: "A person starts and stops it.", vm: settledVM(byHand), want: want{Power: v1alpha1.PowerUnmanaged, Node: "pve"}},
		"NoPolicies": {
			reason: "Without policies the provider may do everything.", vm: settledVM(func(vm *proxmox.ObservedVM) { vm.Spec.ManagementPolicies = nil }),
			want: want{Power: v1alpha1.PowerRunning, Node: "pve"},
		},
		"Moves": {reason: "The provider is not called back.", vm: settledVM(movingTo("pve2")), want: want{Power: v1alpha1.PowerRunning, Node: "pve2"}},
		"Known": {reason: "What a person knows of stays told.", vm: settledVM(remembering(known)), want: want{Power: v1alpha1.PowerRunning, Node: "pve", Held: []change.Change{disk}}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			tc.vm.Status.AtProvider.NodeName = "pve"
			s := onRisk(tc.vm, func(m *machine.Machine) {
				m.Power, m.Lifecycle.Reboot, m.Lifecycle.Force = v1alpha1.PowerStopped, "a", "a"
			})

			m, guarded, held := approver{s}.stand([]change.Change{disk, other})
			if diff := cmp.Diff(tc.want, want{m.Power, m.Lifecycle.Reboot, guarded.VM.NodeName, held}, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("%s\nstand(): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestReplacementApproval: what was approved stays known while the active VM is replaced.
func TestReplacementApproval(t *testing.T) {
	under := ApprovalMemory{Plan: "a000000000", Target: "t", Effects: []v1alpha1.PlanEffect{EffectReplace}}
	over := ApprovalMemory{Plan: "a000000000"}
	never := func(m *machine.Machine) { m.Lifecycle.Approval = v1alpha1.ApprovalNever }

	for name, tc := range map[string]struct {
		reason string
		memory ApprovalMemory
		edit   func(m *machine.Machine)
		judged Approval
		want   Approval
	}{
		"Judged": {reason: "This call judged it.", memory: under, judged: Approval{Consent: ConsentAwaited}, want: Approval{Consent: ConsentAwaited}},
		"Never":  {reason: "Nobody asks any more.", memory: under, edit: never},
		"Given":  {reason: "A call before did.", memory: under, want: Approval{Consent: ConsentGiven, Hash: under.Plan, Effects: under.Effects, Memory: under}},
		"Over":   {reason: "That was another plan.", memory: over, want: Approval{Consent: ConsentNotNeeded, Memory: over}},
	} {
		t.Run(name, func(t *testing.T) {
			s := onRisk(settledVM(remembering(tc.memory)), tc.edit)
			s.ReplacementApproval = tc.judged

			if diff := cmp.Diff(tc.want, replacementApproval(s)); diff != "" {
				t.Errorf("%s\nreplacementApproval(): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
