package change

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// TestSSDOfAnotherImage: a claim that says nothing leaves the boot disk what it is on its bus, whatever bus its image has now.
func TestSSDOfAnotherImage(t *testing.T) {
	for iface, want := range map[string]bool{"scsi0": true, "sata0": true, "virtio0": false} {
		made := full()
		made.Disk[0].Interface, made.Disk[0].SSD, made.BootOrder = iface, new(want), []string{iface}

		wanted := clone(made)
		wanted.Disk[0].Interface, wanted.Disk[0].SSD = "scsi0", new(!want)

		got := Guard(wanted, made, Circumstances{SSDUnsaid: true})
		if ssd := got.VM.Disk[0].SSD; ssd == nil || *ssd != want || len(got.Changes) > 0 {
			t.Errorf("%s: want %t and no change, got %+v and %v", iface, want, got.VM.Disk[0], got.Changes)
		}
	}
}

// TestAdoptedHardware: an adopted VM keeps the hardware that its claim does not mention, and takes what the claim says.
func TestAdoptedHardware(t *testing.T) {
	byHand := func() proxmox.VMParameters {
		p := full()
		p.Memory[0].Floating, p.Disk[0].ImportFrom = 2048, ""
		p.VGA = []proxmox.VGA{{Type: "qxl"}}
		p.Disk[0].Discard, p.Disk[0].SSD = "ignore", new(false)
		p.NetworkDevice[0].Firewall, p.NetworkDevice[0].MTU = new(true), new(int64(9000))

		return p
	}
	unsaid := func(p *proxmox.VMParameters) {
		p.Memory[0].Floating, p.VGA = 0, nil
		p.Disk[0].Discard, p.Disk[0].SSD = "", nil
		p.NetworkDevice[0].Firewall, p.NetworkDevice[0].MTU = nil, nil
	}

	cases := map[string]struct {
		reason string
		has    func(p *proxmox.VMParameters)
		claim  func(p *proxmox.VMParameters)
		want   []Change
		held   []Change
	}{
		"Unsaid": {reason: "Nothing is said, nothing changes.", claim: unsaid},
		"PoolUnsaid": {
			reason: "It is in the pool where somebody put it.", has: func(p *proxmox.VMParameters) { p.PoolID = "tier1" },
			claim: func(p *proxmox.VMParameters) { unsaid(p); p.PoolID = "" },
		},
		"PoolSaid": {
			reason: "A pool that the claim names is the claim's.", has: func(p *proxmox.VMParameters) { p.PoolID = "tier1" },
			claim: func(p *proxmox.VMParameters) { unsaid(p); p.PoolID = "tier2" },
			want:  []Change{{Field: "spec.proxmox.pool", Has: "tier1", Wanted: "tier2", Effect: InPlace}},
		},
		"Said": {
			reason: "What is said is written, whether it is a default or not.",
			claim: func(p *proxmox.VMParameters) {
				unsaid(p)
				p.Memory[0].Floating, p.VGA = 1024, []proxmox.VGA{{Type: "std"}}
				p.Disk[0].Discard, p.Disk[0].SSD = "on", new(true)
				p.NetworkDevice[0].Firewall, p.NetworkDevice[0].MTU = new(false), new(int64(1))
			},
			want: []Change{
				{"spec.size.memoryFloor", "2048 MiB", "1024 MiB", Reboot},
				{"spec.vga.type", "qxl", "std", Reboot},
				{"spec.bootDisk.discard", "false", "true", Reboot},
				{"spec.bootDisk.ssd", "false", "true", Reboot},
				{"spec.network.firewall", "true", "false", InPlace},
				{"spec.network.mtu", "9000", "1", InPlace},
			},
		},
		"NewDiskAndInterface": {
			reason: "What the VM does not have yet has no setting to keep, and takes the defaults of a new machine.",
			claim: func(p *proxmox.VMParameters) {
				unsaid(p)
				p.Disk = append(p.Disk, proxmox.Disk{DatastoreID: "tank", Size: 5, Serial: "more", Cache: "none"})
				p.NetworkDevice = append(p.NetworkDevice, proxmox.NetworkDevice{Bridge: "vmbr1", Model: "virtio"})
			},
			want: []Change{{"spec.disks[more].size", "", "5Gi", InPlace}, {"spec.nics[0].bridge", "", "vmbr1", InPlace}},
		},
		"SSDOnVirtIO": {
			reason: "Proxmox has no such setting for that bus, and would refuse every change of the VM.",
			has:    func(p *proxmox.VMParameters) { p.Disk[0].Interface, p.BootOrder = "virtio0", []string{"virtio0"} },
			claim:  func(p *proxmox.VMParameters) { unsaid(p); p.Disk[0].SSD = new(true) },
			held:   []Change{{"spec.bootDisk.ssd", "false", "true", Refused}},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			has, claim := byHand(), byHand()
			if tc.has != nil {
				tc.has(&has)
				tc.has(&claim)
			}

			tc.claim(&claim)

			got := Guard(claim, has, Circumstances{Adopted: true})

			if diff := cmp.Diff(tc.want, got.Changes); diff != "" {
				t.Errorf("%s\nGuard() changes: -want, +got:\n%s", tc.reason, diff)
			}

			if diff := cmp.Diff(tc.held, got.Held); diff != "" {
				t.Errorf("%s\nGuard() held: -want, +got:\n%s", tc.reason, diff)
			}

			for _, d := range got.VM.Disk {
				if d.Serial == "more" && (d.Discard != "on" || d.SSD == nil || !*d.SSD) {
					t.Errorf("%s\nthe new disk is %+v", tc.reason, d)
				}
			}

			for _, d := range got.VM.NetworkDevice {
				if d.Firewall == nil {
					t.Errorf("%s\nnobody says whether %s is behind the firewall", tc.reason, d.Bridge)
				}
			}
		})
	}
}
