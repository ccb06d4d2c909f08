package lifecycle

import (
	"testing"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// TestInTheMaking holds when a claim is kept because the provider makes its VM.
func TestInTheMaking(t *testing.T) {
	// beingMade is a VM that the provider was asked to create.
	beingMade := func(also ...func(*proxmox.ObservedVM)) vms {
		vm := settledVM(also...)
		vm.Metadata.Annotations[proxmox.CreatingAnnotation] = "none"
		vm.Spec.ManagementPolicies = proxmox.CreatePolicies()

		return vms{FirstVM: vm}
	}
	unseen := func(vm *proxmox.ObservedVM) { vm.Status.AtProvider = proxmox.VMObservation{} }
	failing := func(message string) func(*proxmox.ObservedVM) {
		return func(vm *proxmox.ObservedVM) {
			unseen(vm)
			vm.Status.Conditions = []proxmox.Condition{
				{Type: "Ready", Status: "False", Reason: "Creating"}, {Type: "Synced", Status: "False", Reason: "ReconcileError", Message: message},
			}
		}
	}

	cases := map[string]struct {
		reason string
		policy v1alpha1.DeletionPolicy
		vms    vms
		action Action
		lost   string
		want   bool
	}{
		"Asked": {reason: "The provider may begin before anybody is called again.", policy: v1alpha1.DeletionDelete, action: ActionCreate, want: true},
		"Checked": {
			reason: "Nothing is made yet.", policy: v1alpha1.DeletionDelete, action: ActionCheck,
			vms: vms{FirstVM: settledVM(func(vm *proxmox.ObservedVM) { vm.Spec.ManagementPolicies = proxmox.ObserveOnly() })},
		},
		"Unseen":  {reason: "It may be there.", policy: v1alpha1.DeletionDelete, vms: beingMade(unseen), action: ActionKeep, want: true},
		"Seen":    {reason: "The provider may destroy it from the next call on.", policy: v1alpha1.DeletionDelete, vms: beingMade(), action: ActionFollow, want: true},
		"Settled": {reason: "The provider destroys it with the claim.", policy: v1alpha1.DeletionDelete, vms: vms{FirstVM: settledVM()}, action: ActionFollow},
		"ToBeDestroyedNow": {
			reason: "A VM that was to stay gets its policies with this call, and is made no more.", policy: v1alpha1.DeletionDelete,
			vms: vms{FirstVM: settledVM(orphaned)}, action: ActionFollow,
		},
		"Orphan":      {reason: "It is to stay.", policy: v1alpha1.DeletionOrphan, action: ActionCreate},
		"OrphanBegun": {reason: "It is to stay.", policy: v1alpha1.DeletionOrphan, vms: beingMade(unseen), action: ActionKeep},
		"Failed": {
			reason: "Nothing came of it.", policy: v1alpha1.DeletionDelete, action: ActionCreate,
			vms: beingMade(unseen, func(vm *proxmox.ObservedVM) {
				vm.Status.Conditions = []proxmox.Condition{
					{Type: "Ready", Status: "False", Reason: "Creating"}, {Type: "LastAsyncOperation", Status: "False", Reason: "ApplyFailure", Message: "storage 'nvme' does not exist"},
				}
			}),
		},
		"Unknown": {
			reason: "Somebody has to look what became of it, which may never happen.", policy: v1alpha1.DeletionDelete, action: ActionKeep,
			vms: beingMade(failing("cannot determine creation result - remove the crossplane.io/external-create-pending annotation if it is safe to proceed")),
		},
		"Lost": {reason: "It is never seen again.", policy: v1alpha1.DeletionDelete, vms: beingMade(failing("dial tcp: no route to host")), action: ActionKeep, lost: "pve"},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			m := &machine.Machine{DeletionPolicy: tc.policy}
			if tc.lost != "" {
				for n, vm := range tc.vms {
					vm.Spec.ForProvider.NodeName = tc.lost
					tc.vms[n] = vm
				}

				m.Lifecycle.Lost = tc.lost
			}

			p := Plan{Steps: map[string]Step{FirstVM: {Action: tc.action}}}
			p.Machine, p.Observed.VMs, p.Roles.Active, p.State = m, tc.vms, FirstVM, StateOf(tc.vms, FirstVM)

			if got := InTheMaking(&p); got != tc.want {
				t.Errorf("%s\nInTheMaking() is %v", tc.reason, got)
			}
		})
	}
}
