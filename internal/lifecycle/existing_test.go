package lifecycle

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	catalogue "github.com/homelab-io/function-proxmox-machine/apis/catalogue/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/resolve"
)

func TestExisting(t *testing.T) {
	no := false
	entries := &resolve.Entries{Class: catalog.Class{Class: catalogue.Class{Disk: "30Gi"}}, Image: catalog.Image{Image: catalogue.Image{OS: "linux", CloudInit: &no, GuestAgent: &no}}}
	has := resolve.Existing{Node: "pve2", DiskDatastore: "tank", Has: entries}

	cases := map[string]struct {
		reason string
		vm     func(vm *proxmox.ObservedVM)
		want   resolve.Existing
	}{
		"JustWritten": {reason: "The VM may be in the making.", vm: func(*proxmox.ObservedVM) {}, want: has},
		"Moved": {
			reason: "Somebody migrated the VM: it is where the provider sees it.",
			vm: func(vm *proxmox.ObservedVM) {
				vm.Status.AtProvider.ID, vm.Status.AtProvider.NodeName = "153", "pve3"
			},
			want: resolve.Existing{Node: "pve3", DiskDatastore: "tank", Has: entries},
		},
		"Checked": {
			reason: "What the provider sees in a check of the VMID is another VM.",
			vm:     func(vm *proxmox.ObservedVM) { vm.Spec.ManagementPolicies = proxmox.ObserveOnly() },
		},
		"NotCreated": {
			reason: "The claim may name another node, and the boot disk has to be as large as the image once more.",
			vm: func(vm *proxmox.ObservedVM) {
				vm.Status.Conditions = []proxmox.Condition{
					{Type: "Ready", Status: "False", Reason: "Creating"}, {Type: "LastAsyncOperation", Status: "False", Reason: "ApplyFailure"},
				}
			},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			vm := proxmox.ObservedVM{}
			vm.Spec.ForProvider.NodeName, vm.Spec.ForProvider.Disk = "pve2", []proxmox.Disk{{DatastoreID: "tank", Size: 30}}
			tc.vm(&vm)

			if diff := cmp.Diff(tc.want, Existing(nil, Roles{Active: FirstVM}, vms{FirstVM: vm})); diff != "" {
				t.Errorf("%s\nExisting(): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
