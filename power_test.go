package main

import (
	"fmt"
	"testing"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
)

// The policies of a machine that may be deleted, with and without the right to change its VM.
const (
	mayChange = "Observe,Create,Update,Delete"
	mayNot    = "Observe,Create,Delete"
)

// TestAVMThatIsNobodysBusiness: with Unmanaged, whoever stops or starts the VM in Proxmox has the last word.
func TestAVMThatIsNobodysBusiness(t *testing.T) {
	l, settled := living1(t, "nixos/dns01", "power: Unmanaged")
	l.says(settled, map[string]string{"MachineReady": "Running"})

	if p := policies(vm(settled)); p != mayNot {
		t.Errorf("a VM without work for the provider has policies %s", p)
	}

	l.pve.stop(100)

	stopped := l.rest()
	l.says(stopped, map[string]string{"MachineReady": "Stopped", "RebootPending": "NothingPending"})
	l.only(settled, stopped, func(d map[string]*fnv1.Resource) { set(d, "vm", false, "spec", "forProvider", "started") })

	if stopped.GetDesired().GetResources()["vm"].GetReady() != fnv1.Ready_READY_TRUE {
		t.Error("a VM that is stopped as somebody wished is not ready")
	}

	l.pve.start(100)

	started := l.rest()
	l.says(started, map[string]string{"MachineReady": "Running"})
	l.only(settled, started, nil)
	l.did()
}

// TestAnEditOfAnUnmanagedVM gives the provider its right for as long as the edit takes, and changes no power.
func TestAnEditOfAnUnmanagedVM(t *testing.T) {
	for _, on := range []bool{true, false} {
		t.Run(fmt.Sprint(on), func(t *testing.T) {
			l, _ := living1(t, "nixos/dns01", "power: Unmanaged")
			if !on {
				l.pve.stop(100)
			}

			settled := l.rest()
			specOf(l.world)["tags"] = []any{"new"}
			l.stuck = []string{"vm"}

			for range 4 {
				l.only(settled, l.turn(), func(d map[string]*fnv1.Resource) {
					set(d, "vm", []any{"new", "role_dns"}, "spec", "forProvider", "tags")
					set(d, "vm", []any{"Observe", "Create", "Update", "Delete"}, "spec", "managementPolicies")
				})
			}

			l.stuck = nil
			l.turn()

			last := l.turn()
			if p := policies(vm(last)); p != mayNot {
				t.Errorf("the edit is made, and the policies are %s", p)
			}

			l.rest()
			l.did("change tags of 100")

			if got := l.pve.vms[100].running != nil; got != on {
				t.Errorf("the VM runs: %t", got)
			}
		})
	}
}

// TestAnEditThatFails on the way: the right stays until it is made.
func TestAnEditThatFails(t *testing.T) {
	l, _ := living1(t, "nixos/dns01", "power: Unmanaged")
	specOf(l.world)["tags"] = []any{"new"}
	l.fails["vm"] = "update failed: apply failed: received an HTTP 500 response - Reason: got timeout"

	for range 5 {
		if p := policies(vm(l.turn())); p != mayChange {
			t.Errorf("policies %s", p)
		}
	}

	clear(l.fails)

	if p := policies(vm(l.rest())); p != mayNot {
		t.Errorf("policies %s", p)
	}

	l.did("change tags of 100")
}

// TestFromOnePowerToAnother holds what a change of spec.power does to the VM.
func TestFromOnePowerToAnother(t *testing.T) {
	cases := map[string]struct {
		reason string
		from   string
		byHand func(p *pve)
		to     string
		done   []string
		runs   bool
	}{
		"StopAndLeave":     {reason: "A VM that the claim stopped stays stopped when nobody asks any more.", from: "Stopped", to: "Unmanaged"},
		"RunAndLeave":      {reason: "It goes on running.", from: "Running", to: "Unmanaged", runs: true},
		"LeaveAndRun":      {reason: "The claim has a say again.", from: "Unmanaged", byHand: func(p *pve) { p.stop(100) }, to: "Running", done: []string{"start 100"}, runs: true},
		"LeaveAndRunOn":    {reason: "It runs already.", from: "Unmanaged", to: "Running", runs: true},
		"LeaveAndStop":     {reason: "The claim has a say again.", from: "Unmanaged", to: "Stopped", done: []string{"stop 100"}},
		"LeaveAndStayDown": {reason: "It is stopped already.", from: "Unmanaged", byHand: func(p *pve) { p.stop(100) }, to: "Stopped"},
		"Stop":             {reason: "Asked for.", from: "Running", to: "Stopped", done: []string{"stop 100"}},
		"Run":              {reason: "Asked for.", from: "Stopped", to: "Running", done: []string{"start 100"}, runs: true},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			l, _ := living1(t, "nixos/dns01", "power: "+tc.from)
			if tc.byHand != nil {
				tc.byHand(l.pve)
				l.rest()
			}

			specOf(l.world)["power"] = tc.to
			last := l.rest()
			l.did(tc.done...)

			if got := l.pve.vms[100].running != nil; got != tc.runs {
				t.Errorf("%s\nthe VM runs: %t", tc.reason, got)
			}

			want := mayChange
			if tc.to == "Unmanaged" {
				want = mayNot
			}

			if p := policies(vm(last)); p != want {
				t.Errorf("%s\npolicies %s", tc.reason, p)
			}

			l.says(last, map[string]string{"MachineReady": map[bool]string{true: "Running", false: "Stopped"}[tc.runs]})
		})
	}
}

// TestANewUnmanagedVM starts once, as every new machine does; after that nobody starts it.
func TestANewUnmanagedVM(t *testing.T) {
	for name, policy := range map[string]string{"Delete": mayNot, "Orphan": "Observe,Create"} {
		t.Run(name, func(t *testing.T) {
			l, settled := living1(t, "nixos/dns01", "power: Unmanaged", "deletionPolicy: "+name)
			if l.pve.vms[100].running == nil {
				t.Error("a new VM was not started")
			}

			if p := policies(vm(settled)); p != policy {
				t.Errorf("policies %s", p)
			}

			l.pve.stop(100)

			for range 5 {
				l.turn()
			}

			l.did()
		})
	}
}

// TestARebootOfAStoppedVM, where the power is nobody's business: it is off already, and stays so.
func TestARebootOfAStoppedVM(t *testing.T) {
	l, _ := living1(t, "nixos/dns01", "power: Unmanaged")
	specOf(l.world)["size"] = map[string]any{"cores": 6}
	l.rest()
	l.pve.stop(100)
	l.says(l.rest(), map[string]string{"RebootPending": "NothingPending", "MachineReady": "Stopped"})

	l.lifecycle("reboot", "a")
	l.says(l.rest(), map[string]string{"MachineReady": "Stopped"})
	l.did("change cpu of 100")

	// The word was followed by that: it stops nothing when somebody starts the VM.
	l.pve.start(100)
	l.says(l.rest(), map[string]string{"MachineReady": "Running", "RebootPending": "NothingPending"})
	l.did()
}

// TestAManagedVMIsStarted again, when somebody stops it: that is what Running means.
func TestAManagedVMIsStarted(t *testing.T) {
	l, settled := living1(t, "nixos/dns01")
	l.pve.stop(100)
	l.only(settled, l.rest(), nil)
	l.did("start 100")
}

// TestAnUnmanagedVMThatIsGone is made again, since the claim asks for one.
func TestAnUnmanagedVMThatIsGone(t *testing.T) {
	l, settled := living1(t, "nixos/dns01", "power: Unmanaged")
	delete(l.pve.vms, 100)
	l.only(settled, l.rest(), nil)
	l.did("make 100")
}

// TestNothingIsKnownOfAnUnmanagedVM, for instance after its status was lost: it is left as it was written last.
func TestNothingIsKnownOfAnUnmanagedVM(t *testing.T) {
	for _, on := range []bool{true, false} {
		t.Run(fmt.Sprint(on), func(t *testing.T) {
			l, _ := living1(t, "nixos/dns01", "power: Unmanaged")
			if !on {
				l.pve.stop(100)
			}

			settled := l.rest()
			l.forget("vm")
			l.stuck = []string{"vm"}
			l.only(settled, l.turn(), nil)

			l.stuck = nil
			l.only(settled, l.rest(), nil)
			l.did()
		})
	}
}
