package change

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// full is a VM as a claim makes it: what each case of a comparison starts from.
func full() proxmox.VMParameters {
	p := made()
	p.CPU = []proxmox.CPU{{Cores: 2, Sockets: 1, Type: "host"}}
	p.Memory = []proxmox.Memory{{Dedicated: 4096}}
	p.Agent = []proxmox.Agent{{Enabled: true, Timeout: "15s", Type: "virtio"}}
	p.NetworkDevice = []proxmox.NetworkDevice{{Bridge: "vmbr0", Model: "virtio"}}
	p.Started, p.OnBoot = true, true
	withDrive(&p)

	return p
}

func TestCompare(t *testing.T) {
	cases := map[string]struct {
		reason string
		has    func(p *proxmox.VMParameters) // What both have beside [full]; nil for nothing.
		edit   func(p *proxmox.VMParameters)
		want   []Change
	}{
		"Nothing": {reason: "Two VMs that are the same.", edit: func(*proxmox.VMParameters) {}},
		"Switches": {
			reason: "What is said to the provider is no part of the VM.",
			edit: func(p *proxmox.VMParameters) {
				p.StopOnDestroy, p.RebootAfterUpdate, p.Agent[0].Timeout = true, true, "15m"
			},
		},
		"Cores": {
			reason: "The guest gets them at its next start.", edit: func(p *proxmox.VMParameters) { p.CPU[0].Cores = 4 },
			want: []Change{{"spec.size.cores", "2", "4", Reboot}},
		},
		"Memory": {
			reason: "With its unit, as Proxmox has it.", edit: func(p *proxmox.VMParameters) { p.Memory[0].Dedicated = 8192 },
			want: []Change{{"spec.size.memory", "4096 MiB", "8192 MiB", Reboot}},
		},
		"CPUType": {
			reason: "Other instructions need another start.", edit: func(p *proxmox.VMParameters) { p.CPU[0].Type = "x86-64-v3" },
			want: []Change{{"spec.size.cpuType", "host", "x86-64-v3", Reboot}},
		},
		"MemoryFloor": {
			reason: "With its unit.", edit: func(p *proxmox.VMParameters) { p.Memory[0].Floating = 1024 },
			want: []Change{{"spec.size.memoryFloor", "", "1024 MiB", Reboot}},
		},
		"Display": {
			reason: "A graphics card comes with the power.", edit: func(p *proxmox.VMParameters) { p.VGA = []proxmox.VGA{{Type: "serial0"}} },
			want: []Change{{"spec.vga.type", "", "serial0", Reboot}},
		},
		"DiskFlags": {
			reason: "Proxmox opens the disk anew for them.",
			edit:   func(p *proxmox.VMParameters) { p.Disk[0].SSD, p.Disk[1].Discard = new(true), "on" },
			want:   []Change{{"spec.disks[data].discard", "", "true", Reboot}, {"spec.bootDisk.ssd", "false", "true", Reboot}},
		},
		"FirewallAndMTU": {
			reason: "Interfaces are plugged while the VM runs.",
			edit: func(p *proxmox.VMParameters) {
				p.NetworkDevice[0].Firewall, p.NetworkDevice[0].MTU = new(true), new(int64(9000))
			},
			want: []Change{{"spec.network.firewall", "false", "true", InPlace}, {"spec.network.mtu", "", "9000", InPlace}},
		},
		"Agent": {
			reason: "Its channel is a device.", edit: func(p *proxmox.VMParameters) { p.Agent[0].Enabled = false },
			want: []Change{{"guest agent", "on", "off", Reboot}},
		},
		"Devices": {
			reason: "Devices come and go with the power.",
			edit: func(p *proxmox.VMParameters) {
				p.HostPCI = []proxmox.HostPCI{{Device: "hostpci0", Mapping: "gpu0"}, {Device: "hostpci1", Mapping: "gpu1"}}
				p.USB = []proxmox.USB{{Mapping: "zigbee"}}
			},
			want: []Change{{"spec.devices.pci", "", "gpu0, gpu1", Reboot}, {"spec.devices.usb", "", "zigbee", Reboot}},
		},
		"InPlace": {
			reason: "What the VM has at once, in the order of the table.",
			edit: func(p *proxmox.VMParameters) {
				p.Startup = []proxmox.Startup{{Order: 3, UpDelay: -1, DownDelay: 60}}
				p.Name, p.Tags, p.PoolID, p.Started, p.OnBoot, p.Description = "dns02", []string{"a", "b"}, "infra", false, false, "new"
			},
			want: []Change{
				{"spec.hostname", "dns01", "dns02", InPlace},
				{"description", "", "new", InPlace},
				{"spec.tags", "", "a, b", InPlace},
				{"spec.proxmox.pool", "", "infra", InPlace},
				{"spec.power", "Running", "Stopped", InPlace},
				{"spec.onBoot", "true", "false", InPlace},
				{"spec.startup", "", "order 3, up -1 s, down 60 s", InPlace},
			},
		},
		"DiskGrows": {
			reason: "The boot disk goes by the class's field, a data disk by its name.",
			edit:   func(p *proxmox.VMParameters) { p.Disk[0].Size, p.Disk[2].Size = 40, 60 },
			want:   []Change{{"spec.size.disk", "30Gi", "40Gi", InPlace}, {"spec.disks[logs].size", "50Gi", "60Gi", InPlace}},
		},
		"DiskDetails": {
			reason: "Backups change at once, the cache with the next start.",
			edit:   func(p *proxmox.VMParameters) { p.Disk[1].Backup, p.Disk[0].Cache = true, "writeback" },
			want:   []Change{{"spec.disks[data].backup", "false", "true", InPlace}, {"spec.bootDisk.cache", "", "writeback", Reboot}},
		},
		"DiskAdded": {
			reason: "A new disk is one change, not one for each of its details.",
			edit: func(p *proxmox.VMParameters) {
				p.Disk = append(p.Disk, proxmox.Disk{Interface: "scsi3", Serial: "new", Size: 5, DatastoreID: "tank", Cache: "none", Backup: true})
			},
			want: []Change{{"spec.disks[new].size", "", "5Gi", InPlace}},
		},
		"DiskGone": {
			reason: "A disk that is not listed any more; Guard never lets that through.",
			edit:   func(p *proxmox.VMParameters) { p.Disk = p.Disk[:2] },
			want:   []Change{{"spec.disks[logs].size", "50Gi", "", InPlace}},
		},
		"NICAdded": {
			reason: "A further interface goes by its place in spec.nics.",
			edit: func(p *proxmox.VMParameters) {
				p.NetworkDevice = append(p.NetworkDevice, proxmox.NetworkDevice{Bridge: "vmbr1", VLANID: new(int64(30)), MACAddress: "BC:24:11:00:00:01"})
			},
			want: []Change{{"spec.nics[0].bridge", "", "vmbr1", InPlace}},
		},
		"NICDetails": {
			reason: "Of the first one, which is the claim's network.",
			edit: func(p *proxmox.VMParameters) {
				p.NetworkDevice[0].VLANID, p.NetworkDevice[0].MACAddress = new(int64(20)), "BC:24:11:00:00:01"
			},
			want: []Change{{"spec.proxmox.vlan", "", "20", InPlace}, {"spec.network.mac", "", "BC:24:11:00:00:01", InPlace}},
		},
		"Addresses": {
			reason: "The guest reads the drive when it starts.",
			edit: func(p *proxmox.VMParameters) {
				p.Initialization[0].IPConfig[0] = proxmox.IPConfig{
					IPv4: []proxmox.IPAddress{{Address: "192.168.4.53/24", Gateway: "192.168.4.1"}}, IPv6: []proxmox.IPAddress{{Address: "auto"}},
				}
			},
			want: []Change{{"spec.network.ip", "dhcp", "192.168.4.53/24 via 192.168.4.1, auto", Reboot}},
		},
		"ReadOnce": {
			reason: "A guest with an instance ID of its own has read the drive for good: no power cycle gives it the change.",
			has:    func(p *proxmox.VMParameters) { p.Initialization[0].MetaDataFileID = "local:snippets/a.meta-data.yaml" },
			edit: func(p *proxmox.VMParameters) {
				p.Initialization[0].IPConfig[0] = proxmox.IPConfig{IPv4: []proxmox.IPAddress{{Address: "192.168.4.53/24"}}}
				p.Initialization[0].DNS = []proxmox.DNS{{Domain: "lab.example", Servers: []string{"192.168.4.2"}}}
				p.Memory = []proxmox.Memory{{Dedicated: 8192}}
			},
			want: []Change{
				{"spec.size.memory", "4096 MiB", "8192 MiB", Reboot},
				{"spec.network.dns", "192.168.4.1", "192.168.4.2", InPlace},
				{"spec.network.domain", "home.arpa", "lab.example", InPlace},
				{"spec.network.ip", "dhcp", "192.168.4.53/24", InPlace},
			},
		},
		"Keys": {
			reason: "Keys are told by number and hash: they are long, and some have a name in them.",
			edit: func(p *proxmox.VMParameters) {
				p.Initialization[0].UserAccount = []proxmox.UserAccount{{Username: "ops", Keys: []string{"ssh-ed25519 AAAA", "ssh-ed25519 BBBB"}}}
			},
			want: []Change{{"spec.bootstrap.sshAuthorizedKeys", "1 keys (9de8a231)", "2 keys (25c77073)", Reboot}},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			has, wanted := full(), full()
			if tc.has != nil {
				tc.has(&has)
				tc.has(&wanted)
			}

			tc.edit(&wanted)

			if diff := cmp.Diff(tc.want, Compare(has, wanted)); diff != "" {
				t.Errorf("%s\nCompare(): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestOutstanding(t *testing.T) {
	cases := map[string]struct {
		reason string
		has    map[string]string
		edit   func(p *proxmox.VMParameters)
		want   []Change
	}{
		"Nothing": {reason: "Nothing was changed since the VM started."},
		"Waiting": {
			reason: "The VM runs with two cores and is to have four.",
			has:    map[string]string{"spec.size.cores": "2"}, edit: func(p *proxmox.VMParameters) { p.CPU[0].Cores = 4 },
			want: []Change{{"spec.size.cores", "2", "4", Reboot}},
		},
		"ChangedTwice": {
			reason: "What it runs with counts, not what was wanted in between.",
			has:    map[string]string{"spec.size.cores": "2"}, edit: func(p *proxmox.VMParameters) { p.CPU[0].Cores = 8 },
			want: []Change{{"spec.size.cores", "2", "8", Reboot}},
		},
		"TakenBack": {reason: "It is wanted again as it runs.", has: map[string]string{"spec.size.cores": "2"}},
		"Order": {
			reason: "In the order of the table, whatever the order in which they were asked for.",
			has:    map[string]string{"spec.size.memory": "2048 MiB", "spec.size.cores": "1", "spec.size.cpuType": "qemu64"},
			want:   []Change{{"spec.size.cores", "1", "2", Reboot}, {"spec.size.cpuType", "qemu64", "host", Reboot}, {"spec.size.memory", "2048 MiB", "4096 MiB", Reboot}},
		},
		"FormerName": {
			reason: "An earlier release noted the CPU type under another name.",
			has:    map[string]string{"cpuType": "qemu64"}, want: []Change{{"spec.size.cpuType", "qemu64", "host", Reboot}},
		},
		"DeviceToLose": {
			reason: "A device that the claim does not name any more is in the VM until it stops.",
			has:    map[string]string{"spec.devices.pci": "gpu0"}, want: []Change{{"spec.devices.pci", "gpu0", "", Reboot}},
		},
		"DeviceAndBack": {reason: "A device that came and went meanwhile.", has: map[string]string{"spec.devices.pci": ""}},
		"AddressToLose": {
			reason: "A value that has no field any more goes, too.",
			has:    map[string]string{"spec.nics[3].ip": "10.0.0.2/24"}, want: []Change{{"spec.nics[3].ip", "10.0.0.2/24", "", Reboot}},
		},
		"ReadOnce": {
			reason: "An earlier release waited for a power cycle that gives the guest nothing.",
			has:    map[string]string{"spec.network.ip": "192.168.4.53/24", "spec.nics[3].ip": "10.0.0.2/24", "spec.size.cores": "1"},
			edit:   func(p *proxmox.VMParameters) { p.Initialization[0].MetaDataFileID = "local:snippets/a.meta-data.yaml" },
			want:   []Change{{"spec.size.cores", "1", "2", Reboot}},
		},
		"NeedsNoReboot": {
			reason: "A field that is not one of those that wait is remembered by mistake.",
			has:    map[string]string{"spec.hostname": "old"}, want: nil,
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			wanted := full()
			if tc.edit != nil {
				tc.edit(&wanted)
			}

			if diff := cmp.Diff(tc.want, Outstanding(tc.has, wanted)); diff != "" {
				t.Errorf("%s\nOutstanding(): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestString(t *testing.T) {
	for want, c := range map[string]Change{
		"spec.size.cores: 2 to 4":              {Field: "spec.size.cores", Has: "2", Wanted: "4"},
		"spec.devices.pci: none to gpu0":       {Field: "spec.devices.pci", Wanted: "gpu0"},
		"spec.disks[data].size: 5 GiB to none": {Field: "spec.disks[data].size", Has: "5Gi"},
	} {
		if got := c.String(); got != want {
			t.Errorf("String(): want %q, got %q", want, got)
		}
	}
}
