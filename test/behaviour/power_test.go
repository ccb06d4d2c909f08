package behaviour

import (
	"fmt"
	"testing"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// The policies of a machine that may be deleted, with and without the right to change its VM.
const (
	mayChange = "Observe,Create,Update,Delete"
	mayNot    = "Observe,Create,Delete"
)

// TestAVMThatIsNobodysBusiness: with Unmanaged, whoever stops or starts the VM in Proxmox decides.
func TestAVMThatIsNobodysBusiness(t *testing.T) {
	m, settled := living(t, "nixos/dns01", "power: Unmanaged")
	m.says(settled, map[string]string{"MachineReady": "Running"})

	if p := world.Policies(world.Desired(settled, "vm")); p != mayNot {
		t.Errorf("a VM without work for the provider has policies %s", p)
	}

	m.Proxmox.Stop(100)

	stopped := m.Rest()
	m.says(stopped, map[string]string{"MachineReady": "Stopped", "RebootPending": "NothingPending"})
	m.only(settled, stopped, func(d map[string]*fnv1.Resource) { set(d, "vm", false, "spec", "forProvider", "started") })

	if stopped.GetDesired().GetResources()["vm"].GetReady() != fnv1.Ready_READY_TRUE {
		t.Error("a VM that is stopped as somebody wished is not ready")
	}

	m.Proxmox.Start(100)

	started := m.Rest()
	m.says(started, map[string]string{"MachineReady": "Running"})
	m.only(settled, started, nil)
	m.did()
}

// TestAnEditOfAnUnmanagedVM gives the provider its right for as long as the edit takes, and changes no power.
func TestAnEditOfAnUnmanagedVM(t *testing.T) {
	for _, on := range []bool{true, false} {
		t.Run(fmt.Sprint(on), func(t *testing.T) {
			m, _ := living(t, "nixos/dns01", "power: Unmanaged")
			if !on {
				m.Proxmox.Stop(100)
			}

			settled := m.Rest()
			m.Spec()["tags"] = []any{"new"}
			m.Provider.Stuck = []string{"vm"}

			for range 4 {
				m.only(settled, m.Turn(), func(d map[string]*fnv1.Resource) {
					set(d, "vm", []any{"new", "role_dns"}, "spec", "forProvider", "tags")
					set(d, "vm", []any{"Observe", "Create", "Update", "Delete"}, "spec", "managementPolicies")
				})
			}

			m.Provider.Stuck = nil
			m.Turn()

			last := m.Turn()
			if p := world.Policies(world.Desired(last, "vm")); p != mayNot {
				t.Errorf("the edit is made, and the policies are %s", p)
			}

			m.Rest()
			m.did("change tags of 100")

			if got := m.Proxmox.VMs[100].Running != nil; got != on {
				t.Errorf("the VM runs: %t", got)
			}
		})
	}
}

// TestAnEditThatFails on the way: the right stays until it is made.
func TestAnEditThatFails(t *testing.T) {
	m, _ := living(t, "nixos/dns01", "power: Unmanaged")
	m.Spec()["tags"] = []any{"new"}
	m.Provider.Fails["vm"] = "update failed: apply failed: received an HTTP 500 response - Reason: got timeout"

	for range 5 {
		if p := world.Policies(world.Desired(m.Turn(), "vm")); p != mayChange {
			t.Errorf("policies %s", p)
		}
	}

	clear(m.Provider.Fails)

	if p := world.Policies(world.Desired(m.Rest(), "vm")); p != mayNot {
		t.Errorf("policies %s", p)
	}

	m.did("change tags of 100")
}

// TestFromOnePowerToAnother holds what a change of spec.power does to the VM.
func TestFromOnePowerToAnother(t *testing.T) {
	cases := map[string]struct {
		reason string
		from   string
		byHand func(p *world.Proxmox)
		to     string
		done   []string
		runs   bool
	}{
		"StopAndLeave":     {reason: "A VM that the claim stopped stays stopped when nobody asks any more.", from: "Stopped", to: "Unmanaged"},
		"RunAndLeave":      {reason: "It goes on running.", from: "Running", to: "Unmanaged", runs: true},
		"LeaveAndRun":      {reason: "The claim has a say again.", from: "Unmanaged", byHand: func(p *world.Proxmox) { p.Stop(100) }, to: "Running", done: []string{"start 100"}, runs: true},
		"LeaveAndRunOn":    {reason: "It runs already.", from: "Unmanaged", to: "Running", runs: true},
		"LeaveAndStop":     {reason: "The claim has a say again.", from: "Unmanaged", to: "Stopped", done: []string{"stop 100"}},
		"LeaveAndStayDown": {reason: "It is stopped already.", from: "Unmanaged", byHand: func(p *world.Proxmox) { p.Stop(100) }, to: "Stopped"},
		"Stop":             {reason: "Asked for.", from: "Running", to: "Stopped", done: []string{"stop 100"}},
		"Run":              {reason: "Asked for.", from: "Stopped", to: "Running", done: []string{"start 100"}, runs: true},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			m, _ := living(t, "nixos/dns01", "power: "+tc.from)
			if tc.byHand != nil {
				tc.byHand(m.Proxmox)
				m.Rest()
			}

			m.Spec()["power"] = tc.to
			last := m.Rest()
			m.did(tc.done...)

			if got := m.Proxmox.VMs[100].Running != nil; got != tc.runs {
				t.Errorf("%s\nthe VM runs: %t", tc.reason, got)
			}

			want := mayChange
			if tc.to == "Unmanaged" {
				want = mayNot
			}

			if p := world.Policies(world.Desired(last, "vm")); p != want {
				t.Errorf("%s\npolicies %s", tc.reason, p)
			}

			m.says(last, map[string]string{"MachineReady": map[bool]string{true: "Running", false: "Stopped"}[tc.runs]})
		})
	}
}

// TestANewUnmanagedVM starts once, as every new machine does; after that nobody starts it.
func TestANewUnmanagedVM(t *testing.T) {
	for name, policy := range map[string]string{"Delete": mayNot, "Orphan": "Observe,Create"} {
		t.Run(name, func(t *testing.T) {
			m, settled := living(t, "nixos/dns01", "power: Unmanaged", "deletionPolicy: "+name)
			if m.Proxmox.VMs[100].Running == nil {
				t.Error("a new VM was not started")
			}

			if p := world.Policies(world.Desired(settled, "vm")); p != policy {
				t.Errorf("policies %s", p)
			}

			m.Proxmox.Stop(100)

			for range 5 {
				m.Turn()
			}

			m.did()
		})
	}
}

// TestARebootOfAStoppedVM, where the power is nobody's business: it is off already, and stays so.
func TestARebootOfAStoppedVM(t *testing.T) {
	m, _ := living(t, "nixos/dns01", "power: Unmanaged")
	m.Spec()["size"] = map[string]any{"cores": 6}
	m.Rest()
	m.Proxmox.Stop(100)
	m.says(m.Rest(), map[string]string{"RebootPending": "NothingPending", "MachineReady": "Stopped"})

	m.lifecycle("reboot", "a")
	m.says(m.Rest(), map[string]string{"MachineReady": "Stopped"})
	m.did("change cpu of 100")

	// The trigger counts as followed by that: it stops nothing when somebody starts the VM.
	m.Proxmox.Start(100)
	m.says(m.Rest(), map[string]string{"MachineReady": "Running", "RebootPending": "NothingPending"})
	m.did()
}

// TestAManagedVMIsStarted again, when somebody stops it: that is what Running means.
func TestAManagedVMIsStarted(t *testing.T) {
	m, settled := living(t, "nixos/dns01")
	m.Proxmox.Stop(100)
	m.only(settled, m.Rest(), nil)
	m.did("start 100")
}

// TestAnUnmanagedVMThatIsGone is made again, since the claim asks for one.
func TestAnUnmanagedVMThatIsGone(t *testing.T) {
	m, settled := living(t, "nixos/dns01", "power: Unmanaged")
	delete(m.Proxmox.VMs, 100)
	m.only(settled, m.Rest(), m.recreated)
	m.did("make 100")
}

// TestNothingIsKnownOfAnUnmanagedVM, for instance after its status was lost: it is left as it was written last.
func TestNothingIsKnownOfAnUnmanagedVM(t *testing.T) {
	for _, on := range []bool{true, false} {
		t.Run(fmt.Sprint(on), func(t *testing.T) {
			m, _ := living(t, "nixos/dns01", "power: Unmanaged")
			if !on {
				m.Proxmox.Stop(100)
			}

			settled := m.Rest()
			m.forget("vm")
			m.Provider.Stuck = []string{"vm"}
			m.only(settled, m.Turn(), nil)

			m.Provider.Stuck = nil
			m.only(settled, m.Rest(), nil)
			m.did()
		})
	}
}
