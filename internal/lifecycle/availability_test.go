package lifecycle

import (
	"testing"

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
