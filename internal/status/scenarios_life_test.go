package status

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// lives are the moments of a machine that was made.
func lives() map[string]scenario {
	return map[string]scenario{
		"Running": {
			reason: "All is well: own addresses only, IPv4 first, and both events of a first time.",
			in:     running,
			want: Output{
				Status: made(nil), Ready: readiness(true, true, true),
				Conditions: []Condition{specValid, machineRunning, current, notRequired, nothingPending, numberOurs, noError},
				Events: []Event{
					{Reason: "VMCreated", Message: "The provider created the VM."},
					{Reason: "BecameReady", Message: "VM 153 on node pve runs."},
				},
			},
		},
		"Settled": {
			reason: "All is well and nothing happened since: no event.",
			in:     settled,
			want: Output{
				Status: made(nil), Ready: readiness(true, true, true),
				Conditions: []Condition{specValid, machineRunning, current, notRequired, nothingPending, numberOurs, noError},
			},
		},
		"AgentGone": {
			reason: "A guest agent that falls silent takes nothing back: still ready, with the last known addresses.",
			in: func(t *testing.T) Input {
				t.Helper()

				return edit(settled(t), silent)
			},
			want: Output{
				Status: made(nil), Ready: readiness(true, true, true),
				Conditions: []Condition{
					specValid,
					{"MachineReady", "True", "Running", "VM 153 on node pve runs. Its guest agent does not answer; status has its last known addresses."},
					current, notRequired, nothingPending, numberOurs, noError,
				},
			},
		},
		"Starting": {
			reason: "Somebody stopped the VM in Proxmox: it is started again, has no address meanwhile, and is not ready.",
			in: func(t *testing.T) Input {
				t.Helper()

				return edit(edit(settled(t), silent), func(vm *proxmox.ObservedVM) { vm.Status.AtProvider.Started = false })
			},
			want: Output{
				Status: made(func(s *v1alpha1.Status) { s.Phase, s.PrimaryAddress, s.Addresses = v1alpha1.PhaseStarting, "", nil }),
				Ready:  readiness(false, true, true),
				Conditions: []Condition{
					specValid,
					{"MachineReady", "False", "Starting", "VM 153 on node pve is stopped, and the provider starts it."},
					current, notRequired, nothingPending, numberOurs, noError,
				},
			},
		},
		"Stopping": {
			reason: "The claim asks for Stopped and the VM still runs.",
			in: func(t *testing.T) Input {
				t.Helper()

				in := settled(t)
				in.Machine.Power = v1alpha1.PowerStopped
				in.wants(false)

				return in
			},
			want: Output{
				Status: made(func(s *v1alpha1.Status) { s.Power = v1alpha1.PowerStopped }), Ready: readiness(false, true, true),
				Conditions: []Condition{
					specValid,
					{"MachineReady", "False", "Stopping", "VM 153 on node pve runs, and the provider shuts it down. If the guest does not answer, the shutdown takes up to half an hour, and the VM is then switched off."},
					current, notRequired, nothingPending, numberOurs, noError,
				},
			},
		},
		"Stopped": {
			reason: "A VM that is stopped as asked is ready, without an address.",
			in: func(t *testing.T) Input {
				t.Helper()

				in := edit(edit(settled(t), silent), func(vm *proxmox.ObservedVM) { vm.Status.AtProvider.Started = false })
				in.Machine.Power = v1alpha1.PowerStopped
				in.wants(false)
				in.Previous.Conditions[1] = metav1.Condition{Type: "MachineReady", Status: "False", Reason: "Stopping"}

				return in
			},
			want: Output{
				Status: made(func(s *v1alpha1.Status) {
					s.Phase, s.Power, s.PrimaryAddress, s.Addresses = v1alpha1.PhaseStopped, v1alpha1.PowerStopped, "", nil
				}),
				Ready: readiness(true, true, true),
				Conditions: []Condition{
					specValid,
					{"MachineReady", "True", "Stopped", "VM 153 on node pve is stopped, as requested."},
					current, notRequired, nothingPending, numberOurs, noError,
				},
				Events: []Event{{Reason: "BecameReady", Message: "VM 153 on node pve is stopped, as requested."}},
			},
		},
		"Deleting": {
			reason: "Somebody deleted the managed resource of the VM: it says so, and is not ready.",
			in: func(t *testing.T) Input {
				t.Helper()

				return edit(settled(t), func(vm *proxmox.ObservedVM) {
					vm.Status.Conditions = set(vm.Status.Conditions, proxmox.Condition{Type: "Ready", Status: "False", Reason: "Deleting"})
				})
			},
			want: Output{
				Status: made(func(s *v1alpha1.Status) { s.Phase, s.PrimaryAddress, s.Addresses = v1alpha1.PhaseCreating, "", nil }),
				Ready:  readiness(false, true, true),
				Conditions: []Condition{
					specValid,
					{"MachineReady", "False", "Deleting", "Somebody deleted the managed resource of the VM; the VM is deleted too if the resource's policies allow it. Crossplane then creates the resource again."},
					current, notRequired, nothingPending, numberOurs, noError,
				},
			},
		},
	}
}
