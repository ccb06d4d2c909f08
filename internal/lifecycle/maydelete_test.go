package lifecycle

import (
	"testing"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// TestMayDelete holds what is destroyed with its claim.
func TestMayDelete(t *testing.T) {
	unread := func(vm *proxmox.ObservedVM) {
		vm.Status.AtProvider.NodeName, vm.Status.Conditions = "pve2", []proxmox.Condition{{Type: "Ready", Status: "True"}, {Type: "Synced", Status: "False"}}
	}

	cases := map[string]struct {
		reason string
		policy v1alpha1.DeletionPolicy
		vm     proxmox.ObservedVM
		lost   string
		want   proxmox.Deletion
	}{
		"Delete": {reason: "The claim says so.", policy: v1alpha1.DeletionDelete, vm: settledVM(), want: proxmox.DeletionDestroys},
		"Orphan": {reason: "The claim says that it stays.", policy: v1alpha1.DeletionOrphan, vm: settledVM(), want: proxmox.DeletionOrphans},
		"Unread": {reason: "Nobody says that its node is lost.", policy: v1alpha1.DeletionDelete, vm: settledVM(unread), want: proxmox.DeletionDestroys},
		"Lost":   {reason: "The claim could not go while the provider tries.", policy: v1alpha1.DeletionDelete, vm: settledVM(unread), lost: "pve2", want: proxmox.DeletionOrphans},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var s Situation

			s.Roles = Roles{Active: FirstVM}
			s.Observed.VMs = vms{FirstVM: tc.vm}
			s.Machine = &machine.Machine{DeletionPolicy: tc.policy, Lifecycle: v1alpha1.Lifecycle{Lost: tc.lost}}

			if got := s.MayDelete(); got != tc.want {
				t.Errorf("%s\nMayDelete(): want %v, got %v", tc.reason, tc.want, got)
			}
		})
	}
}
