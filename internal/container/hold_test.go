package container

import (
	"testing"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// TestHold: a new container does not start while the old one may run, and one that runs is not stopped for it.
func TestHold(t *testing.T) {
	for name, tc := range map[string]struct {
		reason string
		action Action
		power  Power
		runs   bool
		want   bool
	}{
		"FirstStart":   {reason: "It was never started.", action: ActionFollow, power: Power{Started: true, Phase: PowerFirstStart}, want: false},
		"StartedAgain": {reason: "It ran, and was stopped when somebody had started the old one.", action: ActionFollow, power: Power{Started: true}, want: false},
		"Runs":         {reason: "It runs.", action: ActionFollow, power: Power{Started: true}, runs: true, want: true},
		"Made":         {reason: "It is not there yet.", action: ActionCreate, power: Power{Started: true}, want: true},
	} {
		t.Run(name, func(t *testing.T) {
			o := proxmox.ObservedContainer{}
			o.Status.AtProvider.Started = tc.runs

			next := &Plan{Action: tc.action, Power: tc.power}
			next.Guest, next.Observed.Containers = "container-0123456789", map[string]proxmox.ObservedContainer{"container-0123456789": o}
			next.Parameters.Started = true

			hold(next)

			if next.Power.Started != tc.want || next.Parameters.Started != tc.want {
				t.Errorf("%s\nwant started: %t, got %t in the plan and %t in what is written", tc.reason, tc.want, next.Power.Started, next.Parameters.Started)
			}
		})
	}
}
