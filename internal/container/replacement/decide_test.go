package replacement

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/succession"
)

func TestDecide(t *testing.T) {
	t.Parallel()

	cases := map[string]struct {
		reason string
		facts  Facts
		want   *Decision
	}{
		"NotAsked":    {reason: "Nobody asks.", facts: Facts{Old: On}},
		"Hindered":    {reason: "It does not begin.", facts: Facts{Trigger: "a", Announced: "a", New: Ready, Old: On, Hindrance: HinderedByClaim}, want: &Decision{Trigger: "a", Stage: lifecycle.StageBlocked, Hindrance: HinderedByClaim, Old: On}},
		"Unannounced": {reason: "It is announced before anything stops.", facts: Facts{Trigger: "a", New: Ready, Old: On}, want: &Decision{Trigger: "a", Stage: lifecycle.StagePreparing, Old: On}},
		"OtherValue":  {reason: "Another one was announced.", facts: Facts{Trigger: "b", Announced: "a", New: Ready, Old: On}, want: &Decision{Trigger: "b", Stage: lifecycle.StagePreparing, Old: On}},
		"Unready":     {reason: "The old one runs until all is there.", facts: Facts{Trigger: "a", Announced: "a", Old: On}, want: &Decision{Trigger: "a", Stage: lifecycle.StagePreparing, Old: On}},
		"Stops":       {reason: "All is there.", facts: Facts{Trigger: "a", Announced: "a", New: Ready, Old: On}, want: &Decision{Trigger: "a", Stage: lifecycle.StageStopping, Old: On}},
		"AskedAnew":   {reason: "It does not start again for a look that takes longer.", facts: Facts{Trigger: "a", Announced: "a", Stopped: StoppedReplacement, Old: Off}, want: &Decision{Trigger: "a", Stage: lifecycle.StageStopping, Old: Off}},
		"Makes":       {reason: "Its address is free.", facts: Facts{Trigger: "a", Announced: "a", New: Ready, Old: Off}, want: &Decision{Trigger: "a", Stage: lifecycle.StageMaking, Old: Off}},
		"GoesOn":      {reason: "What has begun ends.", facts: Facts{Trigger: "a", New: Begun, Old: Off, Hindrance: HinderedByClaim}, want: &Decision{Trigger: "a", Stage: lifecycle.StageMaking, Old: Off}},
		"Runs":        {reason: "The old one may go.", facts: Facts{Trigger: "a", New: Runs, Old: Off, Hindrance: HinderedBySilence}, want: &Decision{Trigger: "a", Stage: lifecycle.StageRetiring, Old: Off}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			if diff := cmp.Diff(tc.want, Decide(tc.facts)); diff != "" {
				t.Errorf("%s\nDecide(): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestDepart(t *testing.T) {
	t.Parallel()

	gone := Leaver{Existence: succession.Exists, Power: Off, Fate: Destroyed, Written: Told}

	cases := map[string]struct {
		reason string
		edit   func(*Leaver)
		want   Departure
	}{
		"Goes":      {reason: "It is off, and the provider knows its fate.", edit: func(*Leaver) {}, want: Goes},
		"Left":      {reason: "It stays in Proxmox.", edit: func(l *Leaver) { l.Fate, l.Permission = Left, KeptByClaim }, want: Goes},
		"Runs":      {reason: "It would run beside the other one.", edit: func(l *Leaver) { l.Power = On }, want: Stops},
		"Untold":    {reason: "The policies of before would decide.", edit: func(l *Leaver) { l.Written = Untold }, want: Stops},
		"Unproven":  {reason: "The one in its place was not seen to run.", edit: func(l *Leaver) { l.Successor = succession.Unproven }, want: Stops},
		"Protected": {reason: "The claim protects it.", edit: func(l *Leaver) { l.Permission = KeptByClaim }, want: Kept},
		"ByProxmox": {reason: "Proxmox does.", edit: func(l *Leaver) { l.Permission = KeptByProxmox }, want: Kept},
		"Making":    {reason: "Nobody knows whether there is one.", edit: func(l *Leaver) { l.Existence = succession.Making }, want: Stays},
		"Failed":    {reason: "There is none.", edit: func(l *Leaver) { l.Existence, l.Power, l.Written = succession.Failed, On, Untold }, want: Goes},
		"Nothing":   {reason: "It is somebody else's.", edit: func(l *Leaver) { l.Existence = succession.Nothing }, want: Goes},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			l := gone
			tc.edit(&l)

			if got := Depart(l); got != tc.want {
				t.Errorf("%s\nDepart(): want %s, got %s", tc.reason, tc.want, got)
			}
		})
	}
}
