package lifecycle

import (
	"testing"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// TestPause holds when an error that no retry mends pauses a VM, and when the pause goes.
func TestPause(t *testing.T) {
	const (
		row     = "render.invalid"
		invalid = "update failed: apply failed: error updating VM: received an HTTP 400 response - Reason: Parameter verification failed. (cores: value must have a maximum value of 128): "
	)

	says := func(message string) func(vm *proxmox.ObservedVM) {
		return func(vm *proxmox.ObservedVM) {
			reports("Synced", "False", "ReconcileError")(vm)
			vm.Status.Conditions[0].Message = message
		}
	}
	paused := func(by, purpose string) func(vm *proxmox.ObservedVM) {
		return func(vm *proxmox.ObservedVM) {
			vm.Metadata.Annotations[proxmox.PausedByAnnotation], vm.Metadata.Annotations[proxmox.PausedForAnnotation] = by, purpose
		}
	}
	edited := func(vm *proxmox.ObservedVM) { vm.Spec.ForProvider.Name = "before" }

	cases := map[string]struct {
		reason string
		vm     proxmox.ObservedVM
		want   string
	}{
		"NoError":     {reason: "There is nothing to pause for.", vm: settledVM()},
		"Hopeless":    {reason: "The provider would try for ever.", vm: settledVM(says(invalid)), want: row},
		"MayPass":     {reason: "Somebody may mend the network, and a pause would hide that.", vm: settledVM(says("observe failed: dial tcp 192.168.4.2:8006: connect: connection refused"))},
		"NotTriedYet": {reason: "The error is of what was written before.", vm: settledVM(says(invalid), edited)},
		"StaysPaused": {reason: "Nothing changed since.", vm: settledVM(paused(row, "")), want: row},
		"PausesNoMore": {
			reason: "An earlier release paused it for an error that passes when the provider looks again, which it does not while it is paused.",
			vm:     settledVM(paused("disk.shrink", "")),
		},
		"UnknownRow":       {reason: "Nobody knows whether the error of another release passes.", vm: settledVM(paused("no.such", "")), want: "no.such"},
		"ClaimChanged":     {reason: "It was paused for another claim, and is tried once more.", vm: settledVM(says(invalid), paused(row, "another claim"))},
		"OnlyObserved":     {reason: "A VMID check costs nothing, and its answer may change.", vm: settledVM(says(invalid), func(vm *proxmox.ObservedVM) { vm.Spec.ManagementPolicies = proxmox.ObserveOnly() })},
		"PausedBySomebody": {reason: "A person's pause is not ours to write.", vm: settledVM(func(vm *proxmox.ObservedVM) { vm.Metadata.Annotations[proxmox.PausedAnnotation] = "true" })},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := Pause(tc.vm, settledVM().Spec.ForProvider, func(p proxmox.VMParameters) string { return p.Name })
			if got != tc.want {
				t.Errorf("%s\nPause(): want %q, got %q", tc.reason, tc.want, got)
			}
		})
	}
}
