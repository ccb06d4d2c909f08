package lifecycle

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// TestLooksForHA: the provider looks whether a VM is in HA before it writes an entry, and does no more with one that is about another's VM.
func TestLooksForHA(t *testing.T) {
	answered := func(status, reason, message string) proxmox.Conditions {
		return proxmox.Conditions{
			{Type: proxmox.ConditionReady, Status: status}, {Type: proxmox.ConditionSynced, Status: status, Reason: reason, Message: message, ObservedGeneration: 1},
		}
	}
	none := answered("False", proxmox.ReasonError, "observe failed: cannot run import: Error: HA resource not found after update\n: import failed")

	looks := &HAStep{Writing: HALooks, State: proxmox.HAStarted, MayDelete: proxmox.DeletionDestroys}
	orphans := &HAStep{Writing: HALooks, State: proxmox.HAStarted}
	written := &HAStep{State: proxmox.HAStarted, MayDelete: proxmox.DeletionDestroys}
	ha := &machine.HA{}

	cases := map[string]struct {
		reason     string
		there      bool // Whether there is the managed resource.
		conditions proxmox.Conditions
		name       string // External.
		claimed    *machine.HA
		hold       haHold
		stops      bool // Whether the provider stops the VM.
		unlooked   bool // Whether the provider has yet to look, before it stops the VM or destroys it.
		step       Step
		want       *HAStep // Nil: there is none.
	}{
		"First":      {reason: "Nobody has looked.", claimed: ha, step: Step{Action: ActionFollow}, want: looks},
		"Unanswered": {reason: "The provider has not looked yet.", there: true, claimed: ha, step: Step{Action: ActionFollow}, want: looks},
		"Fails": {
			reason: "The provider could not look: an entry can be there.", there: true, conditions: answered("False", proxmox.ReasonError, "observe failed: HTTP 403"), claimed: ha,
			step: Step{Action: ActionFollow}, want: looks,
		},
		"None":  {reason: "There is none: the provider adds it.", there: true, conditions: none, claimed: ha, step: Step{Action: ActionFollow}, want: written},
		"Found": {reason: "There is one: it is taken over.", there: true, conditions: answered("True", "", ""), name: "vm:160", claimed: ha, step: Step{Action: ActionFollow}, want: written},
		"Stops": {
			reason: "The provider is to stop the VM: before, it looks whether the HA manager keeps it running.", claimed: ha, hold: haHolds, step: Step{Action: ActionFollow}, want: looks,
		},
		"FoundAndStops": {
			reason: "The HA manager is to ignore it first.", there: true, conditions: answered("True", "", ""), name: "vm:160", claimed: ha, hold: haHolds, step: Step{Action: ActionFollow},
			want: &HAStep{State: proxmox.HAIgnored, MayDelete: proxmox.DeletionDestroys},
		},
		"NoneAndStops": {
			reason: "It is stopped, and enters HA after that.", there: true, conditions: none, claimed: ha, stops: true, step: Step{Action: ActionFollow}, want: looks,
		},
		"TakenBack": {
			reason: "The claim asks for HA no more: an entry of somebody else stays as it is.", there: true, conditions: answered("True", "", ""), name: "vm:160", step: Step{Action: ActionFollow},
		},
		"Stands":       {reason: "The VM is left as it stands: nobody looks.", claimed: ha, step: Step{Action: ActionFollow, Stands: true}},
		"StandsLooked": {reason: "What was asked is asked on.", there: true, claimed: ha, step: Step{Action: ActionFollow, Stands: true}, want: looks},
		"StandsStops":  {reason: "It is restarted by a word all the same, and a look changes nothing.", claimed: ha, hold: haHolds, step: Step{Action: ActionFollow, Stands: true}, want: looks},
		"Replaced": {
			reason: "The provider is to stop it for its successor: before, it looks.", claimed: ha, hold: haHolds, unlooked: true, step: Step{Action: ActionReplaced}, want: orphans,
		},
		"ReplacedLater":  {reason: "Nothing stops it yet.", claimed: ha, unlooked: true, step: Step{Action: ActionReplaced}},
		"ReplacedLooked": {reason: "The answer is needed until the VM is off.", there: true, conditions: none, claimed: ha, step: Step{Action: ActionReplaced}, want: orphans},
		"ReplacedFound": {
			reason: "The HA manager is to ignore it first.", there: true, conditions: answered("True", "", ""), name: "vm:160", claimed: ha, hold: haHolds, step: Step{Action: ActionReplaced},
			want: &HAStep{State: proxmox.HAIgnored},
		},
		"ReplacedWithout": {reason: "The claim asks for HA no more.", there: true, conditions: none, step: Step{Action: ActionReplaced}},
		"Retires":         {reason: "The provider is to stop it or to destroy it: before, it looks.", claimed: ha, unlooked: true, step: Step{Action: ActionRetire}, want: orphans},
		"RetiresFound": {
			reason: "It leaves HA before it goes.", there: true, conditions: answered("True", "", ""), name: "vm:160", claimed: ha, step: Step{Action: ActionRetire},
			want: &HAStep{State: proxmox.HAIgnored, MayDelete: proxmox.DeletionDestroys},
		},
		"Released": {reason: "The look goes with the VM.", there: true, conditions: none, claimed: ha, step: Step{Action: ActionRelease}},
		"Disowned": {
			reason: "The VM is somebody else's by now, and its entry is read, and no more.", there: true, claimed: ha, step: Step{Action: ActionDisown},
			want: &HAStep{Writing: HAStays, State: proxmox.HAStarted, MayDelete: proxmox.DeletionOrphans},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			tc.step.Power.Started = !tc.stops
			p := availabilityPlanner{
				claimed: tc.claimed, name: "vm", proven: true, vm: settledVM(), mayDelete: proxmox.DeletionDestroys, resources: map[string]proxmox.ObservedHAResource{},
				vms: map[string]proxmox.ObservedVM{"vm": settledVM()}, steps: map[string]Step{"vm": tc.step},
				looks: map[string]bool{"vm": tc.unlooked}, hold: tc.hold,
			}

			if tc.there {
				o := proxmox.ObservedHAResource{}
				o.Metadata.Generation = 1
				o.Metadata.Annotations = map[string]string{proxmox.ExternalNameAnnotation: tc.name}
				o.Spec.ForProvider.State, o.Spec.ManagementPolicies, o.Status.Conditions = proxmox.HAStarted, proxmox.ObserveOnly(), tc.conditions
				p.resources[proxmox.HAResourceOf("vm")] = o
			}

			var got *HAStep
			if step, there := p.decide().Steps["vm"]; there {
				got = &step
			}

			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestHALetsStop: a VM that runs and that somebody can have added to HA is stopped, and released, when the provider has looked.
func TestHALetsStop(t *testing.T) {
	none := proxmox.Conditions{{
		Type: proxmox.ConditionSynced, Status: "False", Reason: proxmox.ReasonError, Message: "observe failed: cannot run import: Error: HA resource not found after update", ObservedGeneration: 1,
	}}

	cases := map[string]struct {
		reason   string
		without  bool // Whether the claim asks for no HA.
		unread   bool // Whether the provider is an old one.
		lost     string
		there    bool // Whether there is the managed resource by which the provider looks.
		answered proxmox.Conditions
		vm       func(o *proxmox.ObservedVM)
		want     bool
	}{
		"Unlooked":    {reason: "Somebody can have added it."},
		"Unanswered":  {reason: "The provider has not looked yet.", there: true},
		"None":        {reason: "Nobody has.", there: true, answered: none, want: true},
		"NotAsked":    {reason: "The claim has no HA: what a person has put into HA is the person's.", without: true, want: true},
		"OldProvider": {reason: "It cannot look without writing an entry.", unread: true, want: true},
		"Off":         {reason: "Nothing is to be stopped.", vm: func(o *proxmox.ObservedVM) { o.Status.AtProvider.Started = false }, want: true},
		"Unseen":      {reason: "Nobody knows whether it is ours.", vm: func(o *proxmox.ObservedVM) { o.Status.AtProvider = proxmox.VMObservation{} }, want: true},
		"Lost":        {reason: "Its node does not come back.", lost: "pve1", want: true},
		"Candidate": {
			reason: "It was never anybody's to add.", want: true, vm: func(o *proxmox.ObservedVM) { o.Metadata.Annotations[proxmox.CandidateAnnotation] = "true" },
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			vm := settledVM()
			vm.Status.AtProvider.Started, vm.Status.AtProvider.NodeName = true, "pve1"

			if tc.vm != nil {
				tc.vm(&vm)
			}

			r := &Request{Machine: &machine.Machine{HA: &machine.HA{}}, HAUnread: tc.unread}
			r.Observed = proxmox.State{VMs: map[string]proxmox.ObservedVM{"vm": vm}, HAResources: map[string]proxmox.ObservedHAResource{}}
			if r.Machine.Lifecycle.Lost = tc.lost; tc.lost != "" {
				vm.Status.Conditions = away()
				r.Observed.VMs["vm"] = vm
			}

			if tc.without {
				r.Machine.HA = nil
			}

			if tc.there {
				o := proxmox.ObservedHAResource{}
				o.Metadata.Generation, o.Spec.ForProvider.State = 1, proxmox.HAStarted
				o.Spec.ManagementPolicies, o.Status.Conditions = proxmox.ObserveOnly(), tc.answered
				r.Observed.HAResources[proxmox.HAResourceOf("vm")] = o
			}

			if stop, release := knownOfHA(r).letsStop("vm"), knownOfHA(r).releases("vm"); stop != tc.want || release != tc.want {
				t.Errorf("%s\nletsStop(): %t, releases(): %t, want %t", tc.reason, stop, release, tc.want)
			}
		})
	}
}
