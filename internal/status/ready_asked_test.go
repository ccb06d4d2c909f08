package status

import (
	"testing"

	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// TestNotReadyAsRendered: a VM may be as it is rendered, and not be as asked, or not be the machine's.
func TestNotReadyAsRendered(t *testing.T) {
	cases := map[string]struct {
		reason string
		in     func(*testing.T) Input
	}{
		"Restarting": {
			"It is stopped to restart it.",
			func(t *testing.T) Input {
				t.Helper()

				in := settled(t)
				in.Plan.Restarting = true
				in.wants(false)

				return edit(in, func(vm *proxmox.ObservedVM) { vm.Status.AtProvider.Started = false })
			},
		},
		"MakingWay": {
			"It is stopped for the VM that replaces it.",
			func(t *testing.T) Input { t.Helper(); return replaced(t, lifecycle.StageMaking, true, vmStopped) },
		},
		"OnlyLookedAt": {
			"It runs, and is somebody else's.",
			func(t *testing.T) Input {
				t.Helper()

				in := looking(t, vmForeign, lifecycle.VMIDCheck{VMID: 153, Outcome: lifecycle.OutcomeTaken, Name: "nas", Node: "pve2"})
				in.agent(false)

				return in
			},
		},
		"Adopting": {
			"It runs, and is not the machine's yet.",
			func(t *testing.T) Input {
				t.Helper()

				in := adopting(t, vmForeign, plan(func(a *lifecycle.Adoption) { a.Consent = lifecycle.ConsentGiven }))
				in.agent(false)

				return in
			},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			o := Machine(tc.in(t))
			if c := o.condition(TypeMachineReady); o.Ready[lifecycle.FirstVM] || c.Status != "False" {
				t.Errorf("%s\nready: %t, %+v", tc.reason, o.Ready[lifecycle.FirstVM], c)
			}
		})
	}
}
