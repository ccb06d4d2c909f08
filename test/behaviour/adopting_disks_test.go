package behaviour

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/world"
	"github.com/homelab-io/function-proxmox-machine/test/fake"
)

// TestDisksOfAnAdoptedVM: the claim's figures are those of the disk that the VM boots from, and no disk is ever taken away.
func TestDisksOfAnAdoptedVM(t *testing.T) {
	const (
		boot = `{interface: scsi0, datastoreId: local-zfs, size: 64, aio: io_uring, backup: true, cache: none, discard: ignore, replicate: true}`
		root = `{interface: scsi0, datastoreId: local-zfs, size: 64, aio: io_uring, backup: true, cache: none, discard: ignore, replicate: true, serial: root}`
		big  = `{interface: sata1, datastoreId: tank, size: 500, aio: native, cache: writeback, discard: ignore}`
		data = `{interface: scsi1, datastoreId: local-zfs, size: 500, aio: native, cache: none, discard: ignore, backup: true, serial: data}`
	)

	cases := map[string]struct {
		reason  string
		vm      string
		claim   string
		changes []any
		refused []any
		disks   []string // Interface and size.
	}{
		"Grows": {
			reason: "The boot disk grows, the other one is left alone.", vm: "disk: [" + boot + "," + big + "]", claim: "size: {disk: 80Gi}",
			changes: []any{"spec.size.disk: 64 GiB to 80 GiB"}, disks: []string{"scsi0 80", "sata1 500"},
		},
		"BootsFromTheSecond": {
			reason: "The order of the list means nothing, the boot order does.", vm: "disk: [" + big + "," + boot + "]", claim: "size: {disk: 80Gi}",
			changes: []any{"spec.size.disk: 64 GiB to 80 GiB"}, disks: []string{"scsi0 80", "sata1 500"},
		},
		"BootDiskHasASerial": {
			reason: "Somebody gave the boot disk a serial number, too.", vm: "disk: [" + root + "," + big + "]", claim: "size: {disk: 80Gi}",
			changes: []any{"spec.size.disk: 64 GiB to 80 GiB"}, disks: []string{"scsi0 80", "sata1 500"},
		},
		"Shrinks": {
			reason: "No disk is ever shrunk.", vm: "disk: [" + boot + "," + big + "]", claim: "size: {disk: 32Gi}",
			refused: []any{"spec.size.disk: 64 GiB to 32 GiB"}, disks: []string{"scsi0 64", "sata1 500"},
		},
		"KnownByName": {
			reason: "A disk whose serial number the claim knows is the claim's.", vm: "disk: [" + boot + "," + data + "]", claim: "disks: [{name: data, size: 600Gi}]",
			changes: []any{"spec.disks[data].size: 500 GiB to 600 GiB"}, disks: []string{"scsi0 64", "scsi1 600"},
		},
		"NotNamed": {
			reason: "A disk that the claim could name, and does not, is not taken away.", vm: "disk: [" + boot + "," + data + "]", claim: "tags: [old]",
			refused: []any{"spec.disks[data].size: 500 GiB to none"}, disks: []string{"scsi0 64", "scsi1 500"},
		},
		"NewDisk": {
			reason: "A further disk gets an address that is free.", vm: "disk: [" + boot + "," + data + "]",
			claim:   "disks: [{name: data, size: 500Gi}, {name: more, size: 5Gi}]",
			changes: []any{"spec.disks[more].size: none to 5 GiB"}, disks: []string{"scsi0 64", "scsi1 500", "scsi2 5"},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			m := adopting(t, "{adopt: {vmId: 108}, proxmox: {site: home}, hostname: nas, tags: [old], "+tc.claim+"}", fake.HandMade(t, tc.vm, "bootOrder: [scsi0]"))
			m.Rest()

			adoption := adoptionOf(m.Turn())
			changes := world.List(adoption["changes"])

			if diff := cmp.Diff(append([]any{"description: none to " + description(m)}, tc.changes...), changes); diff != "" {
				t.Errorf("%s\nchanges: -want, +got:\n%s", tc.reason, diff)
			}

			if diff := cmp.Diff(append([]any{}, tc.refused...), append([]any{}, world.List(adoption["refused"])...)); diff != "" {
				t.Errorf("%s\nrefused: -want, +got:\n%s", tc.reason, diff)
			}

			m.approved()

			var disks []string
			for _, d := range world.List(m.Proxmox.VMs[108].Config["disk"]) {
				disks = append(disks, world.Object(d)["interface"].(string)+" "+fmt.Sprint(world.Object(d)["size"]))
			}

			if diff := cmp.Diff(tc.disks, disks); diff != "" {
				t.Errorf("%s\ndisks: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
