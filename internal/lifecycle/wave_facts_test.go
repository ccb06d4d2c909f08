package lifecycle

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
)

// TestTake: which outages of a member of a group may begin with a call.
func TestTake(t *testing.T) {
	place := &v1alpha1.MachineRollout{Group: "edge", Wave: 2}
	below := OtherMember{Machine: "other", Wave: 1, State: v1alpha1.WaveUnfinished, Claim: "a", Intent: "a"}
	announced := Rollout{Known: true, Before: v1alpha1.WaveAnnounced}
	waiting := announced
	waiting.Members = []OtherMember{below}

	refused := refuse(Blocker{Reason: BlockedByWave, Waves: []WaveWait{{Machine: "other", Wave: 1, Reason: WaveNotFinished}}})

	cases := map[string]struct {
		reason string
		facts  WaveFacts
		wanted []Outage
		takes  []Outage
		want   Turn
	}{
		"NoGroup":   {reason: "Nobody waits for it.", facts: WaveFacts{Group: waiting}, wanted: []Outage{OutageReboot}, takes: []Outage{OutageReboot}},
		"Nothing":   {reason: "It asks for nothing.", facts: WaveFacts{Place: place, Group: waiting}},
		"Stop":      {reason: "A stop waits for nobody.", facts: WaveFacts{Place: place, Group: waiting}, wanted: []Outage{OutageStop}, takes: []Outage{OutageStop}},
		"Absent":    {reason: "What has begun never waits.", facts: WaveFacts{Place: place, Group: waiting, Presence: WaveAbsent}, wanted: []Outage{OutageReboot}, takes: []Outage{OutageReboot}},
		"AsksGroup": {reason: "The others are not known.", facts: WaveFacts{Place: place}, wanted: []Outage{OutageReboot}, takes: []Outage{}, want: Turn{AsksGroup: true, Held: []Outage{OutageReboot}, Decision: Decision{Permission: PermissionAwaited}}},
		"Waits":     {reason: "A lower wave is not finished; the stop is taken.", facts: WaveFacts{Place: place, Group: waiting}, wanted: []Outage{OutageReboot, OutageStop}, takes: []Outage{OutageStop}, want: Turn{Held: []Outage{OutageReboot}, Decision: refused}},
		"Announces": {reason: "Others may begin in this moment.", facts: WaveFacts{Place: place, Group: Rollout{Known: true}}, wanted: []Outage{OutageReboot}, takes: []Outage{}, want: Turn{Held: []Outage{OutageReboot}, Decision: Decision{Permission: PermissionAwaited}}},
		"Begins":    {reason: "It is its turn.", facts: WaveFacts{Place: place, Group: announced}, wanted: []Outage{OutageReboot}, takes: []Outage{OutageReboot}, want: Turn{Decision: Decision{Permission: PermissionGranted}}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			takes, turn := tc.facts.Take(tc.wanted)
			if diff := cmp.Diff(tc.takes, takes); diff != "" {
				t.Errorf("%s\nTake(), outages: -want, +got:\n%s", tc.reason, diff)
			}

			if diff := cmp.Diff(tc.want, turn); diff != "" {
				t.Errorf("%s\nTake(), turn: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestSettle: what the other members of a group see.
func TestSettle(t *testing.T) {
	place := &v1alpha1.MachineRollout{Group: "edge", Wave: 2}
	granted, awaited := Decision{Permission: PermissionGranted}, Decision{Permission: PermissionAwaited}
	waves := Blocker{Reason: BlockedByWave, Waves: []WaveWait{{Machine: "other", Wave: 1, Reason: WaveNotFinished}}}

	cases := map[string]struct {
		reason  string
		facts   WaveFacts
		outcome WaveOutcome
		want    Turn
	}{
		"NoGroup":    {reason: "Nobody reads it.", outcome: WaveOutcome{Lacks: WaveLacksVM}},
		"Finished":   {reason: "Nothing is lacking.", facts: WaveFacts{Place: place}, want: Turn{State: v1alpha1.WaveFinished}},
		"Unfinished": {reason: "Something is.", facts: WaveFacts{Place: place}, outcome: WaveOutcome{Lacks: WaveLacksVM, BootID: "a"}, want: Turn{State: v1alpha1.WaveUnfinished, Lacks: WaveLacksVM}},
		"Held": {
			reason: "It announces its turn.", facts: WaveFacts{Place: place}, outcome: WaveOutcome{Turn: Turn{Held: []Outage{OutageReboot}, Decision: awaited}, Lacks: WaveLacksChange},
			want: Turn{State: v1alpha1.WaveAnnounced, Held: []Outage{OutageReboot}, Decision: awaited},
		},
		"Refused": {
			reason: "It waits for a lower wave.", facts: WaveFacts{Place: place}, outcome: WaveOutcome{Turn: Turn{Held: []Outage{OutageReboot}, Decision: refuse(waves)}},
			want: Turn{State: v1alpha1.WaveWaiting, Held: []Outage{OutageReboot}, Decision: refuse(waves)},
		},
		"Replacement": {reason: "So does a replacement.", facts: WaveFacts{Place: place}, outcome: WaveOutcome{Blocker: waves}, want: Turn{State: v1alpha1.WaveWaiting, Decision: refuse(waves)}},
		"Alone": {
			reason: "It waits for nobody, and has to announce its replacement.", facts: WaveFacts{Place: place}, outcome: WaveOutcome{Blocker: Blocker{Reason: BlockedByWave}},
			want: Turn{State: v1alpha1.WaveAnnounced, Decision: refuse(Blocker{Reason: BlockedByWave})},
		},
		"OtherBlocker": {
			reason: "Waves are not what blocks it.", facts: WaveFacts{Place: place}, outcome: WaveOutcome{Blocker: Blocker{Reason: BlockedByFaults}, Lacks: WaveLacksChange},
			want: Turn{State: v1alpha1.WaveUnfinished, Lacks: WaveLacksChange},
		},
		"KeptBack": {reason: "It is its turn, and something else keeps it.", facts: WaveFacts{Place: place}, outcome: WaveOutcome{Turn: Turn{Decision: granted}}, want: Turn{State: v1alpha1.WaveAnnounced, Decision: granted}},
		"Begins": {
			reason: "It goes with this call.", facts: WaveFacts{Place: place}, outcome: WaveOutcome{Turn: Turn{Decision: granted}, Progress: WaveBegins, BootID: "a"},
			want: Turn{State: v1alpha1.WaveBegun, Decision: granted, BootID: "a"},
		},
		"Away": {
			reason: "It is about the edit with which it began.", facts: WaveFacts{Place: place, Presence: WaveAbsent, Group: Rollout{Before: v1alpha1.WaveBegun, Edited: true}},
			outcome: WaveOutcome{Lacks: WaveLacksVM}, want: Turn{State: v1alpha1.WaveBegun, Earlier: true},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, tc.facts.Settle(tc.outcome)); diff != "" {
				t.Errorf("%s\nSettle(): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
