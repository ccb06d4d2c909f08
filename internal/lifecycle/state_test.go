package lifecycle

import (
	"testing"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

func TestStateOf(t *testing.T) {
	condition := func(typ, status, reason string) proxmox.Condition {
		return proxmox.Condition{Type: typ, Status: status, Reason: reason}
	}
	failed := []proxmox.Condition{condition("Ready", "False", "Creating"), condition("LastAsyncOperation", "False", "ApplyFailure")}

	cases := map[string]struct {
		reason     string
		observe    bool // Whether the provider may only observe.
		id         string
		conditions []proxmox.Condition
		creating   bool
		want       State
	}{
		"NoWordYet": {reason: "A VM that was just written may be in the making.", want: StateLiving},
		"Settled": {
			reason: "The provider found it.", id: "153", want: StateLiving,
			conditions: []proxmox.Condition{condition("Ready", "True", "Available"), condition("Synced", "True", "ReconcileSuccess")},
		},
		"StaleFailure": {
			reason: "The outcome of the last operation can stay False for ever, beside a VM in order.", id: "153", want: StateLiving,
			conditions: []proxmox.Condition{condition("Ready", "True", "Available"), condition("LastAsyncOperation", "False", "ApplyFailure")},
		},
		"CreateFailed": {reason: "Nothing came of it.", conditions: failed, want: StateFailed},
		"CreateFailedUnsaid": {
			reason: "The provider was paused before it could say that nothing is ready: it is as free to become another VM.", conditions: failed[1:], creating: true, want: StateFailed,
		},
		"StatusLost": {
			reason: "What the provider said was lost, and an edit could not be made since: no creation failed, for none is under way.", conditions: failed[1:], want: StateLiving,
		},
		"CreateTriedAgain": {
			reason: "A try that is under way may succeed with what was written before.", want: StateLiving,
			conditions: append([]proxmox.Condition{condition("AsyncOperation", "False", "Ongoing")}, failed...),
		},
		"MadeAgain": {reason: "A VM that was there once keeps what it was made from, also where it cannot be made again.", id: "153", conditions: failed, want: StateLiving},
		"Tainted": {
			reason: "Ready, out of sync: the VM is there.", want: StateLiving,
			conditions: []proxmox.Condition{
				condition("Ready", "True", "Available"), condition("Synced", "False", "ReconcileError"), condition("LastAsyncOperation", "False", "ApplyFailure"),
			},
		},
		"Checking": {
			reason: "Whatever the provider sees while it may only observe is another's.", observe: true, id: "153", want: StateChecking,
			conditions: []proxmox.Condition{condition("Ready", "True", "Available"), condition("Synced", "True", "ReconcileSuccess")},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			vm := proxmox.ObservedVM{}
			vm.Status.AtProvider.ID, vm.Status.Conditions = tc.id, tc.conditions

			if tc.observe {
				vm.Spec.ManagementPolicies = proxmox.ObserveOnly()
			}

			if tc.creating {
				vm.Metadata.Annotations = map[string]string{proxmox.CreatingAnnotation: "none"}
			}

			if got := StateOf(vms{FirstVM: vm}, FirstVM); got != tc.want {
				t.Errorf("%s\nStateOf(): want %s, got %s", tc.reason, tc.want, got)
			}
		})
	}

	if got := StateOf(nil, FirstVM); got != StateAbsent {
		t.Errorf("A VM without a managed resource: want %s, got %s", StateAbsent, got)
	}
}

// TestNeverBegins: a creation that was asked for, has not begun, and is paused by the function is none: its place and its number are free for another one.
func TestNeverBegins(t *testing.T) {
	cases := map[string]struct {
		reason      string
		annotations map[string]string
		want        State
	}{
		"Asked":  {"It begins at any moment.", map[string]string{proxmox.CreatingAnnotation: "none"}, StateCreating},
		"Paused": {"Only an edit of the claim lets it begin.", map[string]string{proxmox.CreatingAnnotation: "none", proxmox.PausedByAnnotation: "render.invalid"}, StateFailed},
		"Began": {
			"The provider has begun, and may have made the VM.",
			map[string]string{proxmox.CreatingAnnotation: "none", proxmox.PausedByAnnotation: "render.invalid", "crossplane.io/external-create-pending": "2026-11-20T10:00:00Z"},
			StateCreating,
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			vm := proxmox.ObservedVM{}
			vm.Metadata.Annotations = tc.annotations

			if got := StateOf(vms{FirstVM: vm}, FirstVM); got != tc.want {
				t.Errorf("%s\nwant %s, got %s", tc.reason, tc.want, got)
			}
		})
	}
}
