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

// TestPower holds what becomes of a VM's power: by what its claim says, by what was asked for, and by what is known of the VM.
func TestPower(t *testing.T) {
	followed := func(triggers string) func(vm *proxmox.ObservedVM) {
		return func(vm *proxmox.ObservedVM) { vm.Metadata.Annotations[proxmox.RebootTriggersAnnotation] = triggers }
	}
	stoppedFor := func(what string) func(vm *proxmox.ObservedVM) {
		return func(vm *proxmox.ObservedVM) { vm.Metadata.Annotations[proxmox.StoppedForAnnotation] = what }
	}
	rebootingFor := func(trigger string) func(vm *proxmox.ObservedVM) {
		return func(vm *proxmox.ObservedVM) { vm.Metadata.Annotations[proxmox.RebootingForAnnotation] = trigger }
	}
	startsAgain := func(vm *proxmox.ObservedVM) { vm.Metadata.Annotations[proxmox.StartingAgainAnnotation] = "true" }
	written := func(started bool) func(vm *proxmox.ObservedVM) {
		return func(vm *proxmox.ObservedVM) { vm.Spec.ForProvider.Started = started }
	}
	notReported := func(vm *proxmox.ObservedVM) { vm.Status.AtProvider = proxmox.VMObservation{} }
	mayNotUpdate := func(vm *proxmox.ObservedVM) {
		vm.Spec.ManagementPolicies = proxmox.WithoutUpdate(vm.Spec.ManagementPolicies)
	}
	tagged := func(vm *proxmox.ObservedVM) { vm.Spec.ForProvider.Tags = []string{"of old"} }

	cases := map[string]struct {
		reason  string
		power   v1alpha1.Power
		reboot  string
		policy  v1alpha1.RebootPolicy
		pending bool
		trial   bool // Whether the VM is a candidate that has not proven itself.
		vm      proxmox.ObservedVM
		want    Power
	}{
		"Running":      {reason: "As it is.", power: v1alpha1.PowerRunning, vm: settledVM(), want: Power{Started: true}},
		"StartedAgain": {reason: "Somebody stopped it, and the claim says that it runs.", power: v1alpha1.PowerRunning, vm: settledVM(off), want: Power{Started: true}},
		"Stopped":      {reason: "The claim says so.", power: v1alpha1.PowerStopped, vm: settledVM()},
		"StoppedRebootsNothing": {
			reason: "A VM that is to be stopped is not restarted; once it is stopped the trigger counts as followed.",
			power:  v1alpha1.PowerStopped, reboot: "a", vm: settledVM(off), want: Power{Followed: []string{"a"}},
		},

		"Reboot": {
			reason: "It is stopped first, and what for is written down.", power: v1alpha1.PowerRunning, reboot: "a", vm: settledVM(),
			want: Power{Phase: PowerRestarts, StoppedFor: StoppedForRestart, RebootingFor: "a"},
		},
		"RebootSeenStopped": {
			reason: "Then it is started, and the trigger counts as followed.",
			power:  v1alpha1.PowerRunning, reboot: "a", vm: settledVM(off, stoppedFor(StoppedForRestart), rebootingFor("a")),
			want: Power{Started: true, Phase: PowerRestarts, Followed: []string{"a"}},
		},
		"RebootHiddenByAnEdit": {
			reason: "An edit that waits for approval hides the claim's trigger. That the VM was stopped for it counts.",
			power:  v1alpha1.PowerRunning, vm: settledVM(off, stoppedFor(StoppedForRestart), rebootingFor("a")),
			want: Power{Started: true, Phase: PowerRestarts, Followed: []string{"a"}},
		},
		"RebootOfAnotherTrigger": {
			reason: "The second one came before the start that it asks for.", power: v1alpha1.PowerRunning, reboot: "b",
			vm:   settledVM(off, stoppedFor(StoppedForRestart), rebootingFor("a")),
			want: Power{Started: true, Phase: PowerRestarts, Followed: []string{"a", "b"}},
		},
		"RebootDone": {
			reason: "It runs again.", power: v1alpha1.PowerRunning, reboot: "a", vm: settledVM(followed("a"), stoppedFor(StoppedForRestart)),
			want: Power{Started: true, Followed: []string{"a"}},
		},
		"RebootFollowed":   {reason: "A trigger counts once.", power: v1alpha1.PowerRunning, reboot: "a", vm: settledVM(followed("a,b")), want: Power{Started: true, Followed: []string{"a", "b"}}},
		"RebootOfNoReport": {reason: "Nobody knows whether it runs, so nothing is stopped.", power: v1alpha1.PowerRunning, reboot: "a", vm: settledVM(notReported), want: Power{Started: true}},
		"RestartOfNoReport": {
			reason: "The call after the stop knows nothing: to start it now would stop it once more for the same trigger.",
			power:  v1alpha1.PowerRunning, reboot: "a", vm: settledVM(notReported, written(false), stoppedFor(StoppedForRestart), rebootingFor("a")),
			want: Power{Phase: PowerRestarts, StoppedFor: StoppedForRestart, RebootingFor: "a"},
		},
		"ReplacementOfNoReport": {
			reason: "The same where it was stopped for a replacement that was cancelled.",
			power:  v1alpha1.PowerRunning, vm: settledVM(notReported, written(false), stoppedFor(StoppedForReplacement)), want: Power{StoppedFor: StoppedForReplacement},
		},
		"StoppedOfNoReport": {reason: "It was written to run, and nobody knows.", power: v1alpha1.PowerStopped, vm: settledVM(notReported), want: Power{Started: true}},
		"RunningOfNoReport": {reason: "It was written to be stopped, and nobody knows.", power: v1alpha1.PowerRunning, vm: settledVM(notReported, written(false))},
		"StoppedCandidate": {
			reason: "A new VM boots once before it replaces another, also where the machine is to be stopped.",
			power:  v1alpha1.PowerStopped, trial: true, vm: settledVM(off), want: Power{Started: true},
		},
		"WhenNeeded":        {reason: "A change waits for it.", power: v1alpha1.PowerRunning, policy: v1alpha1.RebootWhenNeeded, pending: true, vm: settledVM(), want: Power{Phase: PowerRestarts, StoppedFor: StoppedForRestart}},
		"WhenNotNeeded":     {reason: "No change waits for it.", power: v1alpha1.PowerRunning, policy: v1alpha1.RebootWhenNeeded, vm: settledVM(), want: Power{Started: true}},
		"OnRequest":         {reason: "A change waits, and nobody asked.", power: v1alpha1.PowerRunning, policy: v1alpha1.RebootOnRequest, pending: true, vm: settledVM(), want: Power{Started: true}},
		"ReplacementIsOver": {reason: "It made way for a VM that never came, and ran before.", power: v1alpha1.PowerUnmanaged, vm: settledVM(off, written(false), stoppedFor(StoppedForReplacement)), want: Power{Started: true, Phase: PowerRestartsUnmanaged}},

		"UnmanagedRuns":    {reason: "What somebody does in Proxmox stays, and the provider has nothing to change.", power: v1alpha1.PowerUnmanaged, vm: settledVM(), want: Power{Started: true, Phase: PowerReleased}},
		"UnmanagedStopped": {reason: "Somebody stopped it while the provider could not start it.", power: v1alpha1.PowerUnmanaged, vm: settledVM(off, mayNotUpdate), want: Power{Phase: PowerReleased}},
		"UnmanagedEdited":  {reason: "An edit is carried out first.", power: v1alpha1.PowerUnmanaged, vm: settledVM(tagged), want: Power{Started: true}},
		"UnmanagedInWork": {
			reason: "What the provider reports may be older than what was written.", power: v1alpha1.PowerUnmanaged,
			vm: settledVM(off, reports("AsyncOperation", "False", "Ongoing")), want: Power{Started: true},
		},
		"UnmanagedReboot": {
			reason: "A reboot that was asked for needs the provider.", power: v1alpha1.PowerUnmanaged, reboot: "a", vm: settledVM(mayNotUpdate),
			want: Power{Phase: PowerRestarts, StoppedFor: StoppedForRestart, RebootingFor: "a"},
		},
		"UnmanagedSeenStopped": {
			reason: "It ran before.", power: v1alpha1.PowerUnmanaged, reboot: "a", vm: settledVM(off, stoppedFor(StoppedForRestart), rebootingFor("a")),
			want: Power{Started: true, Phase: PowerRestartsUnmanaged, Followed: []string{"a"}},
		},
		"UnmanagedStarts": {
			reason: "An old provider does not say whether it has tried to start it: what was ordered stays ordered.", power: v1alpha1.PowerUnmanaged,
			vm: settledVM(off, followed("a"), startsAgain), want: Power{Started: true, Phase: PowerStartsAgain, Followed: []string{"a"}},
		},
		"UnmanagedHasStarted": {
			reason: "From now on its power is its user's.", power: v1alpha1.PowerUnmanaged, vm: settledVM(followed("a"), startsAgain),
			want: Power{Started: true, Phase: PowerReleased, Followed: []string{"a"}},
		},
		"UnmanagedOfNoReport": {reason: "What was written last counts.", power: v1alpha1.PowerUnmanaged, vm: settledVM(notReported, written(false), mayNotUpdate), want: Power{Phase: PowerReleased}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			m := &machine.Machine{Power: tc.power, Lifecycle: v1alpha1.Lifecycle{Reboot: tc.reboot, RebootPolicy: tc.policy}}

			s := &Situation{Request: Request{Machine: m}, vm: tc.vm}
			if tc.trial {
				s.trial = trialUnderWay
			}

			var changes []change.Change
			if tc.pending {
				changes = []change.Change{{}}
			}

			wanted := settledVM().Spec.ForProvider

			got, _ := power(s, absence{}, changes, wanted)
			if diff := cmp.Diff(tc.want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestStartedAtBirth(t *testing.T) {
	at := func(power v1alpha1.Power, candidate string) bool {
		return StartedAtBirth(Situation{Request: Request{Machine: &machine.Machine{Power: power}, Roles: Roles{Active: FirstVM, Candidate: candidate}}})
	}

	for power, want := range map[v1alpha1.Power]bool{v1alpha1.PowerRunning: true, v1alpha1.PowerStopped: false, v1alpha1.PowerUnmanaged: true} {
		if got := at(power, ""); got != want {
			t.Errorf("%s: want %t, got %t", power, want, got)
		}

		if !at(power, "vm-0123456789") {
			t.Errorf("%s: a candidate that never ran would replace a VM", power)
		}
	}
}
