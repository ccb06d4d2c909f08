package behaviour

import (
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// unique is what `qmrestore --unique` and `qm clone` make up anew: qemu-server, restore_update_config_line.
func unique(config map[string]any) {
	config["smbios"] = []any{map[string]any{"uuid": "11111111-2222-3333-4444-555555555555"}}
	world.Object(world.List(config["networkDevice"])[0])["macAddress"] = "BC:24:11:99:99:99"
}

// withoutExcluded is a VM restored from a backup that leaves its second disk out: Proxmox writes the disk's line as a comment, which is a line of the notes.
func withoutExcluded(config map[string]any) {
	config["disk"] = world.List(config["disk"])[:1]
	config["description"] = "scsi1: local-zfs:vm-100-disk-1,backup=0,size=10G\n" + config["description"].(string)
}

// TestAVMIsRestored over itself while Crossplane runs: it stays the machine's, and no second VM is made beside it, with its name and address.
func TestAVMIsRestored(t *testing.T) {
	both := func(edits ...func(map[string]any)) func(map[string]any) {
		return func(config map[string]any) {
			for _, edit := range edits {
				edit(config)
			}
		}
	}

	notes := func(config map[string]any) {
		config["description"] = "Notes of last year.\n\n" + config["description"].(string)
	}
	smaller := func(config map[string]any) { config["memory"] = []any{map[string]any{"dedicated": 1024.0}} }
	renamed := func(config map[string]any) { config["name"] = "Copy-of-VM-dns01" }

	const excluded = "disks: [{name: data, size: 10Gi, backup: false}]"

	running := map[string]string{"MachineReady": "Running", "VMIDInUse": "NumberFree"}

	cases := map[string]struct {
		reason string
		edits  []string
		backup func(config map[string]any)
		want   map[string]string
		did    []string
	}{
		"AsItWas":   {reason: "A restored VM is stopped, and power is Running.", backup: both(), want: running, did: []string{"start 100"}},
		"Older":     {reason: "The claim counts, not the backup.", backup: both(smaller, notes), want: running, did: []string{"change description, memory of 100", "start 100"}},
		"Unique":    {reason: "Its UUID is another one, and its notes say whose it is.", backup: both(unique), want: running, did: []string{"change networkDevice, smbios of 100", "start 100"}},
		"OldNotes":  {reason: "An edit of the claim's notes since the backup makes it no other VM.", backup: both(unique, notes), want: running, did: []string{"change description, networkDevice, smbios of 100", "start 100"}},
		"OldNotes2": {reason: "With a VMID of the claim, too.", edits: []string{"proxmox: {vmId: 100}"}, backup: both(unique, notes), want: running, did: []string{"change description, networkDevice, smbios of 100", "start 100"}},
		"Excluded": {
			reason: "The disk that is not in the backup is made again, empty: docs/outside.md says to attach the one that Proxmox kept before the machine goes on.",
			edits:  []string{excluded}, backup: both(unique, withoutExcluded), want: running, did: []string{"change description, disk, networkDevice, smbios of 100", "start 100"},
		},
		"Clone": {
			reason: "A clone in the place of the VM may be somebody's: a person says so.", backup: both(unique, renamed),
			want: map[string]string{"MachineReady": "VMIDInUse", "VMIDInUse": "NumberMadeBefore"},
		},
		"CloneOfFixed": {
			reason: "The same where the claim says the VMID.", edits: []string{"proxmox: {vmId: 100}"}, backup: both(unique, renamed),
			want: map[string]string{"MachineReady": "VMIDInUse", "VMIDInUse": "NumberMadeBefore"},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			m, _ := living(t, "nixos/dns01", tc.edits...)
			m.Proxmox.Restore(100, tc.backup)
			m.Provide()

			m.says(m.Rest(), tc.want)

			if diff := cmp.Diff(tc.did, m.Proxmox.Done); diff != "" {
				t.Errorf("%s\ndone in Proxmox: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestAVMIsRestoredBesideItself, or cloned: under another VMID it is nobody's, whatever its notes say.
func TestAVMIsRestoredBesideItself(t *testing.T) {
	m, settled := living(t, "nixos/dns01")

	for id, edit := range map[int]func(map[string]any){900: func(map[string]any) {}, 901: unique} {
		config := world.Object(world.Copy(m.Proxmox.VMs[100].Config))
		config["started"] = false
		edit(config)
		m.Proxmox.ByHand(id, config)
	}

	m.Provide()
	m.only(settled, m.Rest(), nil)
	m.did()
	m.Leave()

	if diff := cmp.Diff([]int{900, 901}, slices.Sorted(maps.Keys(m.Proxmox.VMs))); diff != "" {
		t.Errorf("VMs left by the end of the claim: -want, +got:\n%s", diff)
	}
}

// TestACloneInItsPlaceGoes: with the clone gone, the VM is made again.
func TestACloneInItsPlaceGoes(t *testing.T) {
	m, _ := living(t, "nixos/dns01")
	m.Proxmox.Restore(100, func(config map[string]any) {
		unique(config)
		config["name"] = "Copy-of-VM-dns01"
	})
	m.Provide()
	m.says(m.Rest(), map[string]string{"VMIDInUse": "NumberMadeBefore"})

	delete(m.Proxmox.VMs, 100)
	m.Provide()
	m.says(m.Rest(), map[string]string{"MachineReady": "Running", "VMIDInUse": "NumberFree"})
	m.did("make 100")
}
