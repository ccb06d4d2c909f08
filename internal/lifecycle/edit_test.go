package lifecycle

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/change"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
)

// TestEditIsJudgedFirst: while an edit waits for approval, the other decisions get the machine as the VM has it, and the situation that was judged stays.
func TestEditIsJudgedFirst(t *testing.T) {
	type want struct {
		Consent  Consent
		Stands   bool
		Decision Decision
		Reboot   string // What the other decisions get of the claim's spec.lifecycle.reboot.
	}

	cases := map[string]struct {
		reason  string
		ask     v1alpha1.Lifecycle
		trigger string
		trial   trial
		want    want
	}{
		"NobodyAsks": {reason: "The claim asks for no approval.", ask: v1alpha1.Lifecycle{Reboot: "a"}, want: want{Reboot: "a"}},
		"NoRisk":     {reason: "Nothing is to be done.", ask: v1alpha1.Lifecycle{Approval: v1alpha1.ApprovalOnRisk}, want: want{Consent: ConsentNotNeeded}},
		"Waits": {
			reason: "Nobody has approved the restart.", ask: v1alpha1.Lifecycle{Approval: v1alpha1.ApprovalOnRisk, Reboot: "a"},
			want: want{Consent: ConsentAwaited, Stands: true},
		},
		"ReplacementWaits": {
			reason: "Nor the replacement.", ask: v1alpha1.Lifecycle{Approval: v1alpha1.ApprovalOnRisk, Replace: "r"}, trigger: "r",
			want: want{Consent: ConsentAwaited, Stands: true, Decision: RefuseForApproval()},
		},
		"Candidate": {
			reason: "Nothing depends on a new VM.", ask: v1alpha1.Lifecycle{Approval: v1alpha1.ApprovalOnRisk, Reboot: "a"}, trigger: "r", trial: trialUnderWay,
			want: want{Consent: ConsentNotNeeded, Reboot: "a"},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			m := &machine.Machine{NICs: []machine.NIC{{}}, Power: v1alpha1.PowerRunning, Lifecycle: tc.ask}
			s := &Situation{Request: Request{Machine: m, Roles: Roles{Active: FirstVM, Trigger: tc.trigger}}, State: StateLiving, vm: settledVM(), trial: tc.trial}

			if tc.trial == trialUnderWay {
				s.Roles.Candidate = "vm-0123456789"
			}

			e := judge(s, Description{Parameters: change.AsMade(s.vm)})
			got := want{Consent: e.approval.Consent, Stands: e.stands, Decision: e.decision, Reboot: e.machine.Lifecycle.Reboot}

			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\njudge(): -want, +got:\n%s", tc.reason, diff)
			}

			if s.Machine != m || s.Decision.Permission != "" || m.Lifecycle != tc.ask {
				t.Errorf("%s\nthe situation was changed: %+v", tc.reason, s.Machine.Lifecycle)
			}
		})
	}
}
