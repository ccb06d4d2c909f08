package lifecycle

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// TestDisown holds that a VM whose VMID another one has is only observed, whatever was decided about it, and that no other one is.
func TestDisown(t *testing.T) {
	const ours, theirs = "3f1c8f0e-5a44-4b39-9d0e-5f7c2f2f8a13", "00000000-5a44-4b39-9d0e-5f7c2f2f8a13"

	with := func(uuid string) proxmox.ObservedVM {
		return settledVM(func(vm *proxmox.ObservedVM) {
			vm.Spec.ForProvider.NodeName, vm.Spec.ForProvider.Name = "pve1", "db"
			vm.Spec.ForProvider.SMBIOS, vm.Status.AtProvider.SMBIOS = []proxmox.SMBIOS{{UUID: ours}}, []proxmox.SMBIOS{{UUID: uuid}}
			vm.Status.AtProvider.Name = "somebody"
		})
	}
	steps := map[string]Step{FirstVM: {Action: ActionFollow}, "vm-taken": {Action: ActionRelease}}

	disown(vms{FirstVM: with(ours), "vm-taken": with(theirs)}, steps)

	want := map[string]Step{FirstVM: {Action: ActionFollow}, "vm-taken": {Action: ActionDisown, ImportName: "pve1/100"}}
	if diff := cmp.Diff(want, steps); diff != "" {
		t.Errorf("A released VM would be destroyed, and it is somebody's.\n-want, +got:\n%s", diff)
	}
}
