package lifecycle

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

func TestJudge(t *testing.T) {
	reboot := []v1alpha1.PlanEffect{EffectReboot}
	under := ApprovalMemory{Plan: "a000000000", Target: "t", Effects: reboot}

	cases := map[string]struct {
		reason  string
		memory  ApprovalMemory
		target  string
		approve string
		effects []v1alpha1.PlanEffect
		want    Consent
		memo    ApprovalMemory
	}{
		"Nothing": {reason: "Nobody has approved anything.", target: "t", effects: reboot, want: ConsentAwaited},
		"Hash": {
			reason: "The claim has the hash.", target: "t", approve: "b000000000", effects: reboot, want: ConsentGiven,
			memo: ApprovalMemory{Plan: "b000000000", Target: "t", Effects: reboot},
		},
		"Other": {reason: "Another hash.", target: "t", approve: "c000000000", effects: reboot, want: ConsentOtherPlan},
		"Former": {
			reason: "The hash of the plan before approves nothing, and is no mistake.", memory: ApprovalMemory{Plan: "a000000000"}, target: "t", approve: "a000000000",
			effects: reboot, want: ConsentAwaited, memo: ApprovalMemory{Plan: "a000000000"},
		},
		"UnderWay": {reason: "Without its hash, too.", memory: under, target: "t", effects: reboot, want: ConsentGiven, memo: under},
		"OtherTarget": {
			reason: "An edit in the middle.", memory: under, target: "u", approve: "a000000000", effects: reboot, want: ConsentAwaited,
			memo: ApprovalMemory{Plan: "a000000000"},
		},
		"OtherEffect": {
			reason: "Nobody approved a move.", memory: under, target: "t", effects: []v1alpha1.PlanEffect{EffectReboot, EffectMove}, want: ConsentAwaited,
			memo: ApprovalMemory{Plan: "a000000000"},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := Approval{Hash: "b000000000", Effects: tc.effects, Memory: tc.memory}.Judge(tc.target, tc.approve)
			if got.Consent != tc.want {
				t.Errorf("%s\njudge(...): want %q, got %q", tc.reason, tc.want, got.Consent)
			}

			if diff := cmp.Diff(tc.memo, got.Memory); diff != "" {
				t.Errorf("%s\nmemory: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestApprovalMemory: what is written is read, and what somebody broke is nothing.
func TestApprovalMemory(t *testing.T) {
	want := ApprovalMemory{Plan: "a000000000", Target: "t", Effects: []v1alpha1.PlanEffect{EffectStop}, Refused: []string{"r"}}

	for text, want := range map[string]ApprovalMemory{want.String(): want, "": {}, "{": {}, `{"plan": 1, "target": "t"}`: {}} {
		vm := proxmox.ObservedVM{}
		vm.Metadata.Annotations = map[string]string{proxmox.ApprovalAnnotation: text}

		if diff := cmp.Diff(want, ReadApproval(vm.Metadata.Metadata)); diff != "" {
			t.Errorf("ReadApproval(%q): -want, +got:\n%s", text, diff)
		}
	}

	if got := (ApprovalMemory{}).String(); got != "" {
		t.Errorf("nothing is remembered as %q", got)
	}
}

// TestTarget: what reaches a VM, or a new one, makes another target, and nothing else does.
func TestTarget(t *testing.T) {
	cases := map[string]struct {
		edit  func(m *machine.Machine)
		other bool
	}{
		"Cores":      {func(m *machine.Machine) { m.Cores = 4 }, true},
		"Reboot":     {func(m *machine.Machine) { m.Lifecycle.Reboot = "a" }, true},
		"Force":      {func(m *machine.Machine) { m.Lifecycle.Force = "a" }, true},
		"UserData":   {func(m *machine.Machine) { m.UserData = "#cloud-config" }, true},
		"Fate":       {func(m *machine.Machine) { m.DeletionPolicy = v1alpha1.DeletionOrphan }, true},
		"Approve":    {func(m *machine.Machine) { m.Lifecycle.Approve = "a000000000" }, false},
		"Approval":   {func(m *machine.Machine) { m.Lifecycle.Approval = v1alpha1.ApprovalAlways }, false},
		"Retry":      {func(m *machine.Machine) { m.Lifecycle.Retry = "a" }, false},
		"Protection": {func(m *machine.Machine) { m.Protection = true }, false},
		"NodeUID":    {func(m *machine.Machine) { m.K3s.NodeUID = "a" }, false},
		"Warning":    {func(m *machine.Machine) { m.Warnings = []string{"a"} }, false},
	}

	of := func(edit func(m *machine.Machine)) string {
		m := &machine.Machine{Cores: 2, K3s: &machine.K3s{Role: v1alpha1.K3sAgent}}
		edit(m)

		return TargetOf(m)
	}
	before := of(func(*machine.Machine) {})

	for name, tc := range cases {
		if got := of(tc.edit) != before; got != tc.other {
			t.Errorf("%s: another target: want %t, got %t", name, tc.other, got)
		}
	}
}
