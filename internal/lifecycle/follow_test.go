package lifecycle

import (
	"testing"

	"github.com/homelab-io/function-proxmox-machine/internal/change"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// TestRestarts: a VM that is being restarted moves when it runs again, unless it does not start where it is.
func TestRestarts(t *testing.T) {
	cases := map[string]struct {
		reason     string
		annotation [2]string
		conditions proxmox.Conditions
		want       bool
	}{
		"Runs":    {reason: "Nothing is asked.", conditions: applied()},
		"Stopped": {reason: "It is stopped for a restart.", annotation: [2]string{proxmox.StoppedForAnnotation, StoppedForRestart}, conditions: applied(), want: true},
		"Starts":  {reason: "It is being started again.", annotation: [2]string{proxmox.StartingAgainAnnotation, "true"}, conditions: applied(), want: true},
		"Fails":   {reason: "It does not start on this node, and may start on another one.", annotation: [2]string{proxmox.StartingAgainAnnotation, "true"}, conditions: failed()},
		"Goes":    {reason: "It is stopped for its replacement.", annotation: [2]string{proxmox.StoppedForAnnotation, StoppedForReplacement}, conditions: applied()},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			vm := livingVM("pve")
			vm.Metadata.Annotations[tc.annotation[0]] = tc.annotation[1]
			vm.Status.Conditions = tc.conditions

			if got := restarts(vm); got != tc.want {
				t.Errorf("%s\ngot %t", tc.reason, got)
			}
		})
	}
}

// TestMoveWhen: a move waits for the devices that a VM runs with, and not for those that it is to get.
func TestMoveWhen(t *testing.T) {
	starting := livingVM("pve")
	starting.Metadata.Annotations[proxmox.StartingAgainAnnotation] = "true"
	starting.Status.Conditions = applied()

	cases := map[string]struct {
		reason  string
		vm      proxmox.ObservedVM
		pending []change.Change
		want    MoveWhen
	}{
		"Nothing": {reason: "It moves as it is.", vm: livingVM("pve"), pending: []change.Change{{Field: "spec.size.memory", Has: "1", Wanted: "2"}}},
		"Leaves":  {reason: "It runs with a device.", vm: livingVM("pve"), pending: []change.Change{{Field: "spec.devices.usb", Has: "coral"}}, want: MoveWithoutDevice},
		"Gets":    {reason: "It has none yet.", vm: livingVM("pve"), pending: []change.Change{{Field: "spec.devices.usb", Wanted: "coral"}}},
		"Starts":  {reason: "It is being restarted.", vm: starting, want: MoveWhenRestarted},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := moveWhen(tc.vm, tc.pending); got != tc.want {
				t.Errorf("%s\ngot %q", tc.reason, got)
			}
		})
	}
}

// TestFollowLeftOff: a VM that stays off for another one of its machine, which may run, is not started by a boot of its Proxmox node either.
func TestFollowLeftOff(t *testing.T) {
	stopped := func(vm *proxmox.ObservedVM) {
		vm.Metadata.Annotations[proxmox.StoppedForAnnotation] = StoppedForReplacement
	}
	rival := func(s *Situation) { s.Roles.Retired, s.Observed.VMs["vm-b"] = []string{"vm-b"}, settledVM() }

	cases := map[string]struct {
		reason string
		vm     proxmox.ObservedVM
		edit   func(s *Situation)
		want   bool
	}{
		"Runs":  {reason: "It starts with its node, as its claim says.", vm: settledVM(), edit: func(*Situation) {}, want: true},
		"Rival": {reason: "The two may have one address.", vm: settledVM(off, writtenOff, stopped), edit: rival},
		"Alone": {reason: "The other one is gone.", vm: settledVM(off, writtenOff, stopped), edit: func(*Situation) {}, want: true},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := replacing(tc.vm, func(s *Situation) { s.Roles, s.State, s.vm = Roles{Active: FirstVM}, StateLiving, tc.vm }, tc.edit)
			p := &Plan{Situation: *s, Steps: map[string]Step{}}
			p.follow(Description{Parameters: proxmox.VMParameters{OnBoot: true, Started: true}})

			if got := p.Steps[FirstVM].Parameters.OnBoot; got != tc.want {
				t.Errorf("%s\ngot %t", tc.reason, got)
			}
		})
	}
}
