package status

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/change"
	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// TestEvents names events only; their messages are those of conditions, and are tested with them.
func TestEvents(t *testing.T) {
	const (
		refused = "observe failed: cannot run refresh: refresh failed: dial tcp 192.168.4.2:8006: connect: connection refused"
		denied  = "observe failed: cannot run refresh: refresh failed: received an HTTP 401 response - Reason: invalid token value!"
	)

	// then is a run after which the machine is found as it is when all is well.
	then := func(t *testing.T, first Input) Input {
		t.Helper()

		in := running(t)
		in.Previous = after(Machine(first))

		return in
	}

	// fatal blots out all conditions but SpecValid, as Crossplane does after a run that failed.
	fatal := func(in Input) Input {
		for i := range in.Previous.Conditions {
			in.Previous.Conditions[i].Status, in.Previous.Conditions[i].Reason = metav1.ConditionUnknown, "FatalError"
		}

		return in
	}

	cases := map[string]struct {
		reason string
		in     func(*testing.T) Input
		want   []string
	}{
		"Nothing":         {"Nothing happened.", settled, nil},
		"CreatedAndReady": {"The first reporter of a machine that is well.", running, []string{"VMCreated", "BecameReady"}},
		"Created": {
			"The VM is there, without an address.",
			func(t *testing.T) Input { t.Helper(); return edit(running(t), silent) },
			[]string{"VMCreated"},
		},
		"Ready": {
			"The address came.",
			func(t *testing.T) Input { t.Helper(); return then(t, edit(running(t), silent)) },
			[]string{"BecameReady"},
		},
		"Error": {
			"An error appears.",
			func(t *testing.T) Input { t.Helper(); return fails(settled(t), refused) },
			[]string{"Warning NetworkError"},
		},
		"ErrorChanges": {
			"Another class of error takes its place.",
			func(t *testing.T) Input {
				t.Helper()

				in := fails(settled(t), denied)
				in.Previous = after(Machine(fails(settled(t), refused)))

				return in
			},
			[]string{"Warning AuthenticationError"},
		},
		"Recovered": {
			"The error is gone: one event, for the machine never went away.",
			func(t *testing.T) Input { t.Helper(); return then(t, fails(settled(t), refused)) },
			[]string{"ProviderRecovered"},
		},
		"RecoveredIntoBeing": {
			"Making the VM failed at first: it was made, is ready, and the error is gone.",
			func(t *testing.T) Input {
				t.Helper()

				failed := edit(fails(running(t), "create failed: apply failed: x"), func(vm *proxmox.ObservedVM) {
					vm.Status.AtProvider = proxmox.VMObservation{}
					vm.Status.Conditions = set(vm.Status.Conditions, proxmox.Condition{Type: "Ready", Status: "False", Reason: "Creating"})
				})

				return then(t, failed)
			},
			[]string{"VMCreated", "BecameReady", "ProviderRecovered"},
		},
		"Replacement": {
			"A change that the VM cannot follow appears.",
			func(t *testing.T) Input {
				t.Helper()

				in := settled(t)
				in.Plan.Held = []change.Change{{Field: "spec.image", Has: "a", Wanted: "b"}}

				return in
			},
			[]string{"Warning ReplacementRequired"},
		},
		"ReplacementTakenBack": {
			"A change that was taken back is no news: the condition says it.",
			func(t *testing.T) Input {
				t.Helper()

				in := settled(t)
				in.Plan.Held = []change.Change{{Field: "spec.image", Has: "a", Wanted: "b"}}

				return then(t, in)
			},
			nil,
		},
		"Bootstrap": {
			"Other bootstrap data appears.",
			func(t *testing.T) Input {
				t.Helper()

				in := settled(t)
				in.Bootstrap.Hash = "bbbbbbbbbb"

				return in
			},
			[]string{"Warning BootstrapChanged"},
		},
		"Pending": {
			"Changes begin to wait for a power cycle.",
			func(t *testing.T) Input { t.Helper(); in := settled(t); in.Plan.Pending = pending[:1]; return in },
			[]string{"Warning RebootPending"},
		},
		"PendingMore": {
			"One more is no news: the condition says it.",
			func(t *testing.T) Input {
				t.Helper()

				in := settled(t)
				in.Plan.Pending = pending[:1]
				in.Previous = after(Machine(in))
				in.Plan.Pending = pending

				return in
			},
			nil,
		},
		"PendingAfterAFatalRun": {
			"A run that failed does not make it news.",
			func(t *testing.T) Input {
				t.Helper()

				in := settled(t)
				in.Plan.Pending = pending
				in.Previous = after(Machine(in))

				return fatal(in)
			},
			nil,
		},
		"RebootAsked": {
			"The VM is restarted at once.",
			func(t *testing.T) Input {
				t.Helper()

				in := settled(t)
				in.Plan.Restarting = true
				in.wants(false)

				return in
			},
			[]string{"Rebooting"},
		},
		"ReplacementAfterAFatalRun": {
			"A run that failed while a machine is replaced: nothing began anew, and nobody became ready.",
			func(t *testing.T) Input {
				t.Helper()

				in := replaced(t, lifecycle.StageMaking, false, vmRunning, vmNext)
				in.Previous = after(Machine(in))

				return fatal(in)
			},
			nil,
		},
		"ReplacedAnew": {
			"Another word begins another replacement.",
			func(t *testing.T) Input {
				t.Helper()

				in := replaced(t, lifecycle.StageMaking, false, vmRunning, vmNext)
				in.Previous = after(Machine(in))
				in.Plan.Replacement.Trigger = "2026-11-21"

				return in
			},
			[]string{"Replacing"},
		},
		"NumberOfARange": {
			"The next number is taken, too.",
			func(t *testing.T) Input {
				t.Helper()

				in := looking(t, vmForeign, lifecycle.VMIDCheck{VMID: 153, Outcome: lifecycle.OutcomeTaken, Name: "nas", Node: "pve2", Next: 154})
				in.Previous = after(Machine(in))
				in.Plan.Check = &lifecycle.VMIDCheck{VMID: 154, Outcome: lifecycle.OutcomeChecking}
				in.Previous = after(Machine(in))
				in.Plan.Check = &lifecycle.VMIDCheck{VMID: 154, Outcome: lifecycle.OutcomeTaken, Name: "dns", Node: "pve2"}

				return in
			},
			[]string{"Warning VMIDInUse"},
		},
		"CuredAfterAPause": {
			"What was paused was tried again, and is well.",
			func(t *testing.T) Input {
				t.Helper()

				in := edit(settled(t), paused("render.invalid"))
				in.Paused = map[string]string{lifecycle.FirstVM: "render.invalid"}
				in.Previous = after(Machine(in))
				in.Paused = nil
				in.Previous = after(Machine(in))

				return then(t, in)
			},
			[]string{"ProviderRecovered"},
		},
		"AfterAFatalRun": {
			"A run that failed blots out conditions. The machine did not become ready again, and nothing recovered.",
			func(t *testing.T) Input { t.Helper(); return fatal(settled(t)) },
			nil,
		},
		"BornAfterAFatalRun": {
			"The machine became ready after a run that failed, while it was made.",
			func(t *testing.T) Input {
				t.Helper()

				in := fatal(settled(t))
				in.Previous.VMID, in.Previous.Phase = nil, v1alpha1.PhaseCreating

				return in
			},
			[]string{"VMCreated", "BecameReady"},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var got []string

			for _, e := range Machine(tc.in(t)).Events {
				label := e.Reason
				if e.Warning {
					label = "Warning " + label
				}

				got = append(got, label)
			}

			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nevents: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
