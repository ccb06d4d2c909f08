package lifecycle

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// TestMayEnterHA: an HA manager that gets a VM starts or stops it at once, so it gets none with which something is under way.
func TestMayEnterHA(t *testing.T) {
	runs := Step{Action: ActionFollow, Power: Power{Started: true}}
	with := func(edit func(*Step)) Step {
		out := runs
		edit(&out)

		return out
	}

	cases := map[string]struct {
		reason string
		step   Step
		vm     func(vm *proxmox.ObservedVM)
		hold   haHold
		want   bool
	}{
		"Runs":       {reason: "It is ours and was seen.", step: runs, want: true},
		"Stopped":    {reason: "One that its claim stops enters HA stopped.", step: with(func(s *Step) { s.Power.Started = false }), vm: func(vm *proxmox.ObservedVM) { vm.Status.AtProvider.Started = false }, want: true},
		"Stands":     {reason: "It is left as it stands.", step: with(func(s *Step) { s.Stands = true })},
		"Unseen":     {reason: "The provider has not read it.", step: runs, vm: func(vm *proxmox.ObservedVM) { vm.Status.AtProvider.ID = "" }},
		"FirstStart": {reason: "It starts for the first time.", step: with(func(s *Step) { s.Power.Phase = PowerFirstStart })},
		"Restarting": {reason: "It restarts.", step: with(func(s *Step) { s.Power.Phase = PowerRestarts })},
		"Stopping":   {reason: "It still runs, and is to stop.", step: with(func(s *Step) { s.Power.Started = false })},
		"Held":       {reason: "Something else holds HA.", step: runs, hold: haHolds},
		"Created": {
			reason: "The provider still creates it.", step: runs,
			vm: func(vm *proxmox.ObservedVM) {
				vm.Metadata.Annotations[proxmox.CreatingAnnotation] = "before"
				vm.Metadata.Annotations[proxmox.CreatePendingAnnotation] = "2026-11-20T10:00:00Z"
				vm.Status.AtProvider.Disk = []proxmox.ObservedDisk{{Interface: "scsi0"}}
				vm.Spec.ForProvider.Disk = []proxmox.Disk{{Interface: "scsi0"}}
			},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			vm := settledVM()
			if tc.vm != nil {
				tc.vm(&vm)
			}

			if got := (availabilityPlanner{vm: vm, hold: tc.hold}).mayEnterHA(tc.step); got != tc.want {
				t.Errorf("%s\nmayEnterHA(): want %t, got %t", tc.reason, tc.want, got)
			}
		})
	}
}

// TestLeavesHA: a VM that is taken out of HA is in it for one step more, in which the HA manager undoes nothing of what the provider does.
func TestLeavesHA(t *testing.T) {
	last := func(s proxmox.HAState) HAStep {
		return HAStep{Writing: HAStays, State: s, MayDelete: proxmox.DeletionDestroys}
	}

	cases := map[string]struct {
		reason    string
		was       proxmox.HAState
		runs, run bool
		read      bool // Whether the provider has read the VM.
		hold      haHold
		mayDelete proxmox.Deletion // What the managed resource may do so far.
		claimed   bool
		away      bool // Whether Proxmox does not reach its node.
		want      HAStep
		stays     bool
	}{
		"Runs":    {reason: "It runs on.", was: proxmox.HAStarted, read: true, runs: true, run: true, want: last(proxmox.HAStarted), stays: true},
		"Stopped": {reason: "It stays off.", was: proxmox.HAStopped, read: true, want: last(proxmox.HAStopped), stays: true},
		"StartedByHand": {
			reason: "The provider shuts it down; the HA manager would switch it off.", was: proxmox.HAStopped, read: true, runs: true, want: last(proxmox.HAIgnored), stays: true,
		},
		"Starts": {
			reason: "The provider starts it, and the HA manager would stop it again.", was: proxmox.HAStopped, read: true, run: true, want: last(proxmox.HAStarted), stays: true,
		},
		"Held": {
			reason: "It is stopped when the HA manager ignores it.", was: proxmox.HAStarted, read: true, runs: true, run: true, hold: haHolds, want: last(proxmox.HAIgnored), stays: true,
		},
		"Unread": {reason: "Nobody knows whether it runs.", was: proxmox.HAStarted, want: last(proxmox.HAStarted), stays: true},
		"Gone": {
			reason: "Its managed resource may delete the entry, and goes.", was: proxmox.HAStarted, read: true, runs: true, run: true,
			mayDelete: proxmox.DeletionDestroys, want: last(proxmox.HAStarted),
		},
		"Asked": {
			reason: "It stays in HA.", was: proxmox.HAStopped, read: true, runs: true, claimed: true,
			want: HAStep{State: proxmox.HAIgnored, MayDelete: proxmox.DeletionOrphans}, stays: true,
		},
		"NodeAway": {
			reason: "The HA manager recovers it, whatever its claim asks for meanwhile.", was: proxmox.HAStarted, read: true, runs: true, run: true, hold: haHolds, away: true, claimed: true,
			want: HAStep{State: proxmox.HAStarted, MayDelete: proxmox.DeletionOrphans}, stays: true,
		},
		"NodeAwayIgnored": {
			reason: "It restarted when its node died: the HA manager is to recover it.", was: proxmox.HAIgnored, read: true, run: true, away: true, claimed: true,
			want: HAStep{State: proxmox.HAStarted, MayDelete: proxmox.DeletionOrphans}, stays: true,
		},
		"NodeAwayStopping": {
			reason: "It is to be off: nobody has to recover it first.", was: proxmox.HAIgnored, read: true, runs: true, away: true, claimed: true,
			want: HAStep{State: proxmox.HAIgnored, MayDelete: proxmox.DeletionOrphans}, stays: true,
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			vm := settledVM()
			vm.Status.AtProvider.Started = tc.runs

			if !tc.read {
				vm.Status.AtProvider = proxmox.VMObservation{}
			}

			if tc.away {
				vm.Status.Conditions = away()
			}

			p := availabilityPlanner{proven: true, vm: vm, hold: tc.hold, mayDelete: proxmox.DeletionOrphans}
			if tc.claimed {
				p.claimed = &machine.HA{}
			}

			was := HAStep{Writing: HAStays, State: tc.was, MayDelete: tc.mayDelete}
			got, stays := p.haFollows(Step{Action: ActionFollow, Power: Power{Started: tc.run}}, was)

			if diff := cmp.Diff(tc.want, got); diff != "" || stays != tc.stays {
				t.Errorf("%s\nhaFollows(): stays %t, want %t\n-want, +got:\n%s", tc.reason, stays, tc.stays, diff)
			}
		})
	}
}

// away are the conditions of a VM on a node that Proxmox does not reach.
func away() proxmox.Conditions {
	return proxmox.Conditions{{
		Type: proxmox.ConditionSynced, Status: "False", Reason: proxmox.ReasonError,
		Message: "observe failed: cannot run refresh: refresh failed: error retrieving VM 160: received an HTTP 595 response - Reason: No route to host",
	}}
}

// TestAwaitHA: the provider stops no VM that the HA manager keeps running, or is to run again where the VM's node is away.
func TestAwaitHA(t *testing.T) {
	restarts := Power{StoppedFor: StoppedForRestart, RebootingFor: "a", Phase: PowerRestarts}
	runsOn := Power{Started: true, Phase: PowerRestarts}

	cases := map[string]struct {
		reason  string
		state   proxmox.HAState // As it is written and reported; empty for a VM that is in no HA.
		power   Power
		written bool // Whether the VM is written to run.
		stopped bool
		away    bool
		claimed bool // Whether its claim has HA.
		want    Power
		hold    haHold
	}{
		"Managed":      {reason: "The HA manager would switch it off.", state: proxmox.HAStarted, power: restarts, written: true, want: runsOn, hold: haHolds},
		"Ignored":      {reason: "The HA manager lets the provider stop it.", state: proxmox.HAIgnored, power: restarts, written: true, want: restarts},
		"Away":         {reason: "The HA manager is to run it again, and the restart begins once more.", state: proxmox.HAIgnored, power: restarts, written: true, away: true, want: runsOn, hold: haHolds},
		"AwayWritten":  {reason: "The provider would stop it when its node is back.", state: proxmox.HAIgnored, power: restarts, away: true, want: runsOn, hold: haHolds},
		"AwayStopped":  {reason: "It was seen stopped.", state: proxmox.HAIgnored, power: restarts, stopped: true, away: true, want: restarts},
		"AwayStopping": {reason: "It is to be off: nobody has to run it.", state: proxmox.HAIgnored, power: Power{}, away: true, want: Power{}},
		"Unknown":      {reason: "Somebody can have added it to HA: the provider looks first.", claimed: true, power: restarts, written: true, want: runsOn, hold: haHolds},
		"NotAsked":     {reason: "Its claim has no HA.", power: restarts, written: true, want: restarts},
		"AwayOutside":  {reason: "Nobody runs it elsewhere.", power: restarts, written: true, away: true, want: restarts},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			vm := settledVM()
			vm.Status.AtProvider.Started, vm.Spec.ForProvider.Started = !tc.stopped, tc.written

			if tc.away {
				vm.Status.Conditions = away()
			}

			s := &Situation{Request: Request{Roles: Roles{Active: FirstVM}}, vm: vm}
			s.Observed.VMs = map[string]proxmox.ObservedVM{FirstVM: vm}

			if s.Machine = (&machine.Machine{}); tc.claimed {
				s.Machine.HA = &machine.HA{}
			}

			if tc.state != "" {
				o := proxmox.ObservedHAResource{}
				o.Metadata.Generation = 1
				o.Spec.ForProvider.State, o.Status.AtProvider.State = tc.state, tc.state
				o.Status.Conditions = proxmox.Conditions{
					{Type: proxmox.ConditionReady, Status: "True"}, {Type: proxmox.ConditionSynced, Status: "True", ObservedGeneration: 1},
				}
				s.Observed.HAResources = map[string]proxmox.ObservedHAResource{proxmox.HAResourceOf(FirstVM): o}
			}

			got, hold := awaitHA(s, tc.power)
			if diff := cmp.Diff(tc.want, got); diff != "" || hold != tc.hold {
				t.Errorf("%s\nawaitHA(): hold %q, want %q\n-want, +got:\n%s", tc.reason, hold, tc.hold, diff)
			}
		})
	}
}

// TestReplacedInHA: the HA manager neither starts a VM beside the one that replaces it, nor switches it off.
func TestReplacedInHA(t *testing.T) {
	cases := map[string]struct {
		reason string
		was    proxmox.HAState
		runs   bool
		read   bool // Whether the provider has read the VM.
		away   bool // Whether Proxmox does not reach its node.
		step   Step
		want   proxmox.HAState
	}{
		"Runs":          {reason: "It runs until the other one is made.", was: proxmox.HAStarted, runs: true, read: true, want: proxmox.HAStarted},
		"Stops":         {reason: "The provider stops it.", was: proxmox.HAStarted, runs: true, read: true, step: Step{Stop: true}, want: proxmox.HAIgnored},
		"Stopped":       {reason: "Its claim has stopped it.", was: proxmox.HAStopped, read: true, want: proxmox.HAStopped},
		"StartedByHand": {reason: "The provider shuts it down; the HA manager would switch it off.", was: proxmox.HAStopped, runs: true, read: true, want: proxmox.HAIgnored},
		"NodeAway":      {reason: "It does not stop before its node is back, and the HA manager recovers it.", was: proxmox.HAStarted, runs: true, read: true, away: true, step: Step{Stop: true}, want: proxmox.HAStarted},
		"Unread":        {reason: "Nobody knows whether it runs.", was: proxmox.HAStopped, runs: true, want: proxmox.HAStopped},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			vm := settledVM()
			if vm.Status.AtProvider.Started = tc.runs; !tc.read {
				vm.Status.AtProvider.ID = ""
			}

			if tc.away {
				vm.Status.Conditions = away()
			}

			tc.step.Action = ActionReplaced
			p := availabilityPlanner{vms: map[string]proxmox.ObservedVM{"vm": vm}, steps: map[string]Step{"vm": tc.step}}

			o := proxmox.ObservedHAResource{}
			o.Spec.ForProvider.State = tc.was

			got, stays := p.haOf("vm", o)
			if diff := cmp.Diff(HAStep{Writing: HAStays, State: tc.want, MayDelete: proxmox.Deletion(proxmox.MayDelete(nil))}, got); diff != "" || !stays {
				t.Errorf("%s\nhaOf(): stays %t, want true\n-want, +got:\n%s", tc.reason, stays, diff)
			}
		})
	}
}
