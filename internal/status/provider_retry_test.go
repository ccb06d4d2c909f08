package status

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// TestRetryDoesNotFlap follows an update that fails again and again: while the provider tries, Synced is True, and neither
// readiness nor conditions may come and go with it.
func TestRetryDoesNotFlap(t *testing.T) {
	const message = "apply failed: cannot move the Cloud-Init drive while automatic power-offs/reboots are disabled by 'reboot_after_update = false'"

	failed := func(t *testing.T) Input {
		t.Helper()

		return edit(fails(settled(t), "update failed: "+message), func(vm *proxmox.ObservedVM) {
			vm.Status.Conditions = set(vm.Status.Conditions, proxmox.Condition{Type: "LastAsyncOperation", Status: "False", Reason: "ApplyFailure", Message: message})
		})
	}
	trying := func(in Input) Input {
		return edit(in, func(vm *proxmox.ObservedVM) {
			vm.Status.Conditions = set(vm.Status.Conditions, proxmox.Condition{Type: "Synced", Status: "True", Reason: "ReconcileSuccess"})
			vm.Status.Conditions = set(vm.Status.Conditions, proxmox.Condition{Type: "AsyncOperation", Status: "False", Reason: "Ongoing"})
		})
	}
	done := func(in Input) Input {
		return edit(in, func(vm *proxmox.ObservedVM) {
			vm.Status.Conditions = set(vm.Status.Conditions, proxmox.Condition{Type: "AsyncOperation", Status: "True", Reason: "Finished"})
		})
	}

	in := failed(t)
	first := Machine(in)

	if c := first.condition(TypeProviderHealthy); c.Reason != ReasonRebootRequired {
		t.Fatalf("the first failure is %s", c.Reason)
	}

	in = trying(in)
	in.Previous = after(first)
	second := Machine(in)

	if diff := cmp.Diff(first.Conditions, second.Conditions); diff != "" {
		t.Errorf("while it is tried again: -before, +now:\n%s", diff)
	}

	if len(second.Events) > 0 || second.Ready[lifecycle.FirstVM] {
		t.Errorf("while it is tried again: ready %t, events %v", second.Ready[lifecycle.FirstVM], second.Events)
	}

	in = done(in)
	in.Previous = after(second)
	third := Machine(in)

	if !third.Ready[lifecycle.FirstVM] || third.condition(TypeProviderHealthy) != noError {
		t.Errorf("after it went well, with a stale LastAsyncOperation: ready %t, %v", third.Ready[lifecycle.FirstVM], third.condition(TypeProviderHealthy))
	}

	in = trying(settled(t))
	in = edit(in, func(vm *proxmox.ObservedVM) {
		vm.Status.Conditions = set(vm.Status.Conditions, proxmox.Condition{Type: "LastAsyncOperation", Status: "False", Reason: "ApplyFailure", Message: message})
	})

	if o := Machine(in); !o.Ready[lifecycle.FirstVM] || o.condition(TypeProviderHealthy) != noError {
		t.Errorf("an update under way, with a stale LastAsyncOperation of a machine that was well: ready %t, %v", o.Ready[lifecycle.FirstVM], o.condition(TypeProviderHealthy))
	}
}
