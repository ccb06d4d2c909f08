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
		"Replaced":     {reason: "The VM goes, and nothing was written.", there: true, claimed: ha, step: Step{Action: ActionReplaced}},
		"Retires":      {reason: "The same of one that retires.", there: true, claimed: ha, step: Step{Action: ActionRetire}},
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
				hold: tc.hold,
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
