package proxmox

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDisksAsGrown(t *testing.T) {
	written := []Disk{{Interface: "scsi0", Size: 20}, {Interface: "scsi1", Size: 100, Serial: "data"}}

	cases := map[string]struct {
		reason   string
		has      []ObservedDisk
		observed []string // Management policies.
		want     []int64
	}{
		"NothingReported": {"The provider has not polled yet.", nil, Policies(true), []int64{20, 100}},
		"Same":            {"Nobody changed anything.", []ObservedDisk{{Interface: "scsi0", Size: 20}, {Interface: "scsi1", Size: 100}}, Policies(true), []int64{20, 100}},
		"Grown":           {"Somebody grew a disk.", []ObservedDisk{{Interface: "scsi1", Size: 150}, {Interface: "scsi0", Size: 20}}, Policies(true), []int64{20, 150}},
		"Smaller":         {"The provider is about to grow the disk.", []ObservedDisk{{Interface: "scsi0", Size: 10}, {Interface: "scsi1", Size: 50}}, Policies(true), []int64{20, 100}},
		"Unknown":         {"A size of 0 says nothing.", []ObservedDisk{{Interface: "scsi0", Size: 0}}, Policies(true), []int64{20, 100}},
		"OtherDisk":       {"A disk that is not written is not ours.", []ObservedDisk{{Interface: "scsi2", Size: 500}}, Policies(true), []int64{20, 100}},
		"Foreign":         {"The VMID check saw somebody else's VM.", []ObservedDisk{{Interface: "scsi0", Size: 500}}, ObserveOnly(), []int64{20, 100}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var vm ObservedVM
			vm.Spec.ForProvider.Disk, vm.Status.AtProvider.Disk = written, tc.has
			vm.Spec.ManagementPolicies = tc.observed

			var got []int64
			for _, d := range DisksAsGrown(vm) {
				got = append(got, d.Size)
			}

			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nDisksAsGrown(): -want, +got:\n%s", tc.reason, diff)
			}

			if written[0].Size != 20 || written[1].Size != 100 {
				t.Error("DisksAsGrown() changed what was observed")
			}
		})
	}
}
