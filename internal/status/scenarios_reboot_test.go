package status

import (
	"testing"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/change"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// pending are changes that dns01 has not taken up.
var pending = []change.Change{
	{Field: "spec.size.cores", Has: "2", Wanted: "4", Effect: change.Reboot},
	{Field: "spec.size.memory", Has: "4096Mi", Wanted: "8192Mi", Effect: change.Reboot},
}

var pendingLines = []string{"spec.size.cores: 2 to 4", "spec.size.memory: 4096Mi to 8192Mi"}

const (
	byHand = "Or shut the VM down and start it in Proxmox, or run `qm reboot 153` on its node. If you rebooted and this stays, the provider missed it; clear it with `kubectl annotate environmentvms.virtualenvironmentvm.proxmoxbpg.crossplane.io " +
		"-l homelab.io/machine=dns01,homelab.io/namespace=infra homelab.io/reboot-pending-`."
	changesWait = "These changes take effect at the VM's next power cycle: spec.size.cores: 2 to 4; spec.size.memory: 4096Mi to 8192Mi. " +
		"To power-cycle the VM, set spec.lifecycle.reboot to a new value, or spec.lifecycle.rebootPolicy to WhenNeeded. " + byHand
	changesSoon = "These changes take effect at the VM's next power cycle: spec.size.cores: 2 to 4; spec.size.memory: 4096Mi to 8192Mi. " +
		"spec.lifecycle.rebootPolicy is WhenNeeded, so the provider power-cycles the VM automatically. " + byHand
	restarts     = "VM 153 on node pve is being power-cycled, as spec.lifecycle requests."
	restartsWith = restarts + " These changes then take effect: spec.size.cores: 2 to 4; spec.size.memory: 4096Mi to 8192Mi."
)

// reboots are the moments of a VM whose changes need a power cycle.
func reboots() map[string]scenario {
	return map[string]scenario{
		"ChangesPending": {
			reason: "Changes that the running VM has not taken up are named, with all ways to have them; the machine is ready meanwhile.",
			in: func(t *testing.T) Input {
				t.Helper()

				in := settled(t)
				in.Plan.Pending = pending

				return in
			},
			want: Output{
				Status: made(func(s *v1alpha1.Status) { s.PendingReboot = pendingLines }), Ready: readiness(true, true, true),
				Conditions: conditions(Condition{"RebootPending", "True", "ChangesPending", changesWait}),
				Events:     []Event{{Warning: true, Reason: "RebootPending", Message: changesWait}},
			},
		},
		"ChangesPendingByPolicy": {
			reason: "A claim that lets the VM restart when it has to is not told to let it.",
			in: func(t *testing.T) Input {
				t.Helper()

				in := settled(t)
				in.Plan.Pending, in.Machine.Lifecycle.RebootPolicy = pending, v1alpha1.RebootWhenNeeded

				return in
			},
			want: Output{
				Status: made(func(s *v1alpha1.Status) { s.PendingReboot = pendingLines }), Ready: readiness(true, true, true),
				Conditions: conditions(Condition{"RebootPending", "True", "ChangesPending", changesSoon}),
				Events:     []Event{{Warning: true, Reason: "RebootPending", Message: changesSoon}},
			},
		},
		"Rebooting": {
			reason: "The VM is shut down because somebody asked for a restart: it is not ready, although it is as rendered when it has stopped.",
			in: func(t *testing.T) Input {
				t.Helper()

				in := settled(t)
				in.Plan.Pending, in.Plan.Restarting = pending, true
				in.wants(false)

				return in
			},
			want: Output{
				Status: made(func(s *v1alpha1.Status) { s.PendingReboot = pendingLines }), Ready: readiness(false, true, true),
				Conditions: conditions(
					Condition{"MachineReady", "False", "Rebooting", "VM 153 on node pve is shutting down, and the provider then starts it again. If the guest does not answer, the shutdown takes up to half an hour, and the VM is then switched off."},
					Condition{"RebootPending", "True", "Rebooting", restartsWith},
				),
				Events: []Event{{Reason: "Rebooting", Message: restartsWith}},
			},
		},
		"RebootingUp": {
			reason: "It has stopped, and is started again: no second event, and no address meanwhile.",
			in: func(t *testing.T) Input {
				t.Helper()

				in := settled(t)
				in.Plan.Restarting = true
				in.wants(false)
				in.Previous = after(Machine(in))
				in.wants(true)

				return edit(edit(in, silent), func(vm *proxmox.ObservedVM) { vm.Status.AtProvider.Started = false })
			},
			want: Output{
				Status: made(func(s *v1alpha1.Status) { s.Phase, s.PrimaryAddress, s.Addresses = v1alpha1.PhaseStarting, "", nil }), Ready: readiness(false, true, true),
				Conditions: conditions(
					Condition{"MachineReady", "False", "Rebooting", "VM 153 on node pve is stopped, and the provider starts it again."},
					Condition{"RebootPending", "True", "Rebooting", restarts},
				),
			},
		},
		"Rebooted": {
			reason: "It runs again, with everything.",
			in: func(t *testing.T) Input {
				t.Helper()

				in := settled(t)
				in.Plan.Restarting, in.Plan.Pending = true, pending
				in.wants(false)
				in.Previous = after(Machine(in))
				in.Plan.Restarting, in.Plan.Pending = false, nil
				in.wants(true)

				return in
			},
			want: Output{
				Status: made(nil), Ready: readiness(true, true, true), Conditions: conditions(),
				Events: []Event{{Reason: "BecameReady", Message: "VM 153 on node pve runs."}},
			},
		},
	}
}

// fileOn is the manifest of a snippet.
func fileOn(node string) proxmox.File {
	f := proxmox.File{APIVersion: "x/v1", Kind: proxmox.FileKind}
	f.Spec.ForProvider.NodeName = node

	return f
}

// unmanaged are the moments of a VM that somebody else starts, stops or moves.
func unmanaged() map[string]scenario {
	return map[string]scenario{
		"UnmanagedStopped": {
			reason: "Somebody stopped a VM whose claim leaves that to Proxmox: it stays stopped, and the machine is ready.",
			in: func(t *testing.T) Input {
				t.Helper()

				in := settled(t)
				in.Machine.Power = v1alpha1.PowerUnmanaged
				in.wants(false)

				return edit(edit(in, silent), func(vm *proxmox.ObservedVM) { vm.Status.AtProvider.Started = false })
			},
			want: Output{
				Status: made(func(s *v1alpha1.Status) {
					s.Phase, s.Power, s.PrimaryAddress, s.Addresses = v1alpha1.PhaseStopped, v1alpha1.PowerUnmanaged, "", nil
				}),
				Ready: readiness(true, true, true),
				Conditions: conditions(Condition{
					"MachineReady", "True", "Stopped", "VM 153 on node pve is stopped until somebody starts it in Proxmox, because spec.power is Unmanaged.",
				}),
			},
		},
		"UnmanagedRunning": {
			reason: "It runs since somebody started it.",
			in: func(t *testing.T) Input {
				t.Helper()

				in := settled(t)
				in.Machine.Power = v1alpha1.PowerUnmanaged

				return in
			},
			want: Output{
				Status: made(func(s *v1alpha1.Status) { s.Power = v1alpha1.PowerUnmanaged }), Ready: readiness(true, true, true), Conditions: conditions(),
			},
		},
		"Migrating": {
			reason: "A VM that is moved runs on.",
			in: func(t *testing.T) Input {
				t.Helper()

				in := settled(t)
				in.Machine.Placement.Node, in.Machine.Placement.Migrate = "pve2", true

				return in
			},
			want: Output{
				Status: made(nil), Ready: readiness(true, true, true),
				Conditions: conditions(Condition{"MachineReady", "True", "Running", "VM 153 on node pve runs. It moves to node pve2."}),
			},
		},
		"MigratingWaits": {
			reason: "Its snippets have to be on the new node first.",
			in: func(t *testing.T) Input {
				t.Helper()

				in := settled(t)
				in.Machine.Placement.Node, in.Machine.Placement.Migrate = "pve2", true
				in.Desired.Files["user-data-9876543210"] = fileOn("pve2")

				return in
			},
			want: Output{
				Status: made(nil), Ready: map[string]bool{"vm": true, userData: true, metaData: true, image: true, "user-data-9876543210": false},
				Conditions: conditions(Condition{
					"MachineReady", "True", "Running", "VM 153 on node pve runs. It moves to node pve2 when its snippets are on that node (user-data-9876543210).",
				}),
			},
		},
	}
}
