package change

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// made is a VM as it was made: what each case starts from.
func made() proxmox.VMParameters {
	return proxmox.VMParameters{
		NodeName: "pve", VMID: new(int64(153)), Name: "dns01", Bios: "seabios", Machine: "q35", BootOrder: []string{"scsi0"},
		Disk: []proxmox.Disk{
			{Interface: "scsi0", DatastoreID: "local-zfs", Size: 30, ImportFrom: "local:import/a.qcow2"},
			{Interface: "scsi1", DatastoreID: "tank", Size: 100, Serial: "data"},
			{Interface: "scsi2", DatastoreID: "tank", Size: 50, Serial: "logs"},
		},
		Initialization: []proxmox.Initialization{{DatastoreID: "local-zfs", Interface: "scsi30", UserDataFileID: "local:snippets/dns01-1.user-data.yaml"}},
	}
}

// withDrive is a VM whose user-data Proxmox makes.
func withDrive(p *proxmox.VMParameters) {
	i := &p.Initialization[0]
	i.UserDataFileID = ""
	i.DNS = []proxmox.DNS{{Domain: "home.arpa", Servers: []string{"192.168.4.1"}}}
	i.IPConfig = []proxmox.IPConfig{
		{IPv4: []proxmox.IPAddress{{Address: "dhcp"}}}, {IPv4: []proxmox.IPAddress{{Address: "10.0.0.2/24"}}},
	}
	i.UserAccount = []proxmox.UserAccount{{Username: "ops", Keys: []string{"ssh-ed25519 AAAA"}}}
}

// readOnce is a VM whose guest reads its drive at its first boot only.
func readOnce(p *proxmox.VMParameters) {
	p.Initialization[0].MetaDataFileID = "local:snippets/dns01-1.meta-data.yaml"
}

// withAgent is such a VM with a guest agent.
func withAgent(p *proxmox.VMParameters) {
	withDrive(p)
	p.Agent = []proxmox.Agent{{Enabled: true}}
}

// crowd takes all addresses that disks may have.
func crowd(p *proxmox.VMParameters) {
	for i := len(p.Disk); i <= maxDiskIndex; i++ {
		p.Disk = append(p.Disk, proxmox.Disk{Interface: fmt.Sprintf("scsi%d", i), DatastoreID: "tank", Size: 1, Serial: fmt.Sprintf("d%d", i)})
	}
}

func TestGuard(t *testing.T) {
	cases := map[string]struct {
		reason string
		native bool // Whether the claim leaves the user-data to Proxmox.
		other  bool // Whether the claim's site is another Proxmox cluster.
		claim  func(p *proxmox.VMParameters)
		vm     func(p *proxmox.VMParameters)
		want   func(p *proxmox.VMParameters)
		nics   []proxmox.ObservedDevice
		stay   []bool // The interfaces whose address stays.
		held   []Change
	}{
		"NothingChanged": {
			reason: "A VM that is as claimed has nothing to hold.",
		},
		"FollowsWhatCanChange": {
			reason: "Names, tags, sizes that grow and the like go through.",
			claim: func(p *proxmox.VMParameters) {
				p.Name, p.Tags, p.Disk[0].Size, p.Disk[1].Size = "dns02", []string{"core"}, 40, 200
			},
			want: func(p *proxmox.VMParameters) {
				p.Name, p.Tags, p.Disk[0].Size, p.Disk[1].Size = "dns02", []string{"core"}, 40, 200
			},
		},
		"VMID": {
			reason: "Another number is another VM.",
			claim:  func(p *proxmox.VMParameters) { p.VMID = new(int64(154)) },
			held:   []Change{{Field: "spec.proxmox.vmId", Has: "153", Wanted: "154", Effect: Refused}},
		},
		"Node": {
			reason: "A VM stays where it was made.",
			claim:  func(p *proxmox.VMParameters) { p.NodeName = "pve2" },
			held:   []Change{{Field: "spec.proxmox.node", Has: "pve", Wanted: "pve2", Effect: Refused}},
		},
		"MovedByProxmox": {
			reason: "A VM that HA moved is followed, not pulled back.",
			claim:  func(p *proxmox.VMParameters) { p.NodeName = "pve" },
			vm:     func(p *proxmox.VMParameters) { p.NodeName = "pve3" },
			want:   func(p *proxmox.VMParameters) { p.NodeName = "pve3" },
			held:   []Change{{Field: "spec.proxmox.node", Has: "pve3", Wanted: "pve", Effect: Refused}},
		},
		"Image": {
			reason: "A VM keeps the disk that it was made with.",
			claim:  func(p *proxmox.VMParameters) { p.Disk[0].ImportFrom = "local:import/b.qcow2" },
			held:   []Change{{Field: "spec.image", Has: "local:import/a.qcow2", Wanted: "local:import/b.qcow2", Effect: Refused}},
		},
		"ImageBecomesTemplate": {
			reason: "Adding a clone to a living VM would replace it.",
			claim: func(p *proxmox.VMParameters) {
				p.Disk[0].ImportFrom = ""
				p.Clone = []proxmox.Clone{{VMID: 9000}}
			},
			held: []Change{{Field: "spec.image", Has: "local:import/a.qcow2", Wanted: "template 9000", Effect: Refused}},
		},
		"AgentOfTheImage": {
			reason: "Whether an image has the agent is known of the VM that was made from it.",
			vm:     withAgent,
			claim: func(p *proxmox.VMParameters) {
				withAgent(p)
				p.Agent[0].Enabled = false
			},
			want: func(p *proxmox.VMParameters) {
				withAgent(p)
				p.Agent[0].Enabled = false
			},
			native: true,
		},
		"AgentOfAnotherImage": {
			reason: "A VM does not get the agent of an image, or lose its own, with an edit that cannot give it that image.",
			vm:     withAgent,
			claim: func(p *proxmox.VMParameters) {
				withAgent(p)
				p.Disk[0].ImportFrom = "local:import/b.qcow2"
				p.Agent[0].Enabled = false
			},
			want:   withAgent,
			held:   []Change{{Field: "spec.image", Has: "local:import/a.qcow2", Wanted: "local:import/b.qcow2", Effect: Refused}},
			native: true,
		},
		"Firmware": {
			reason: "The guest's boot loader depends on it.",
			claim: func(p *proxmox.VMParameters) {
				p.Bios, p.EFIDisk = "ovmf", []proxmox.EFIDisk{{DatastoreID: "local-zfs", Type: "4m"}}
				p.TPMState = []proxmox.TPMState{{DatastoreID: "local-zfs", Version: "v2.0"}}
			},
			held: []Change{{Field: "spec.firmware", Has: "seabios on q35", Wanted: "ovmf on q35, Secure Boot false, TPM", Effect: Refused}},
		},
		"DiskShrinks": {
			reason: "No disk is ever shrunk.",
			claim:  func(p *proxmox.VMParameters) { p.Disk[0].Size, p.Disk[1].Size = 20, 10 },
			held:   []Change{{Field: "spec.size.disk", Has: "30Gi", Wanted: "20Gi", Effect: Refused}, {Field: "spec.disks[data].size", Has: "100Gi", Wanted: "10Gi", Effect: Refused}},
		},
		"DiskMoves": {
			reason: "Moving a disk needs the VM powered off.",
			claim:  func(p *proxmox.VMParameters) { p.Disk[0].DatastoreID, p.Disk[1].DatastoreID = "local", "local" },
			held:   []Change{{Field: "spec.proxmox.storage", Has: "local-zfs", Wanted: "local", Effect: Refused}, {Field: "spec.disks[data].storage", Has: "tank", Wanted: "local", Effect: Refused}},
		},
		"DiskLeavesTheList": {
			reason: "A disk that is taken out of the list stays with the VM, and the others keep their addresses.",
			claim:  func(p *proxmox.VMParameters) { p.Disk = append(p.Disk[:1:1], p.Disk[2]); p.Disk[1].Interface = "scsi1" },
			held:   []Change{{Field: "spec.disks[data].size", Has: "100Gi", Effect: Refused}},
		},
		"DisksChangePlaces": {
			reason: "Disks are known by name: the order of the list swaps nothing.",
			claim: func(p *proxmox.VMParameters) {
				p.Disk[1], p.Disk[2] = p.Disk[2], p.Disk[1]
				p.Disk[1].Interface, p.Disk[2].Interface = "scsi1", "scsi2"
			},
		},
		"DiskInTheMiddle": {
			reason: "A new disk gets a free address, wherever it stands in the list.",
			claim: func(p *proxmox.VMParameters) {
				p.Disk = []proxmox.Disk{p.Disk[0], {Interface: "scsi1", DatastoreID: "tank", Size: 5, Serial: "new"}, p.Disk[1], p.Disk[2]}
			},
			want: func(p *proxmox.VMParameters) {
				p.Disk = append(p.Disk, proxmox.Disk{Interface: "scsi3", DatastoreID: "tank", Size: 5, Serial: "new"})
			},
		},
		"NoAddressLeft": {
			reason: "A VM that has a disk on every address gets no other: one without an address would be refused, and all edits with it.",
			vm:     crowd,
			claim: func(p *proxmox.VMParameters) {
				crowd(p)
				p.Disk = append(p.Disk, proxmox.Disk{DatastoreID: "tank", Size: 5, Serial: "new"})
			},
			want: crowd,
			held: []Change{{Field: "spec.disks[new].size", Wanted: "5Gi", Effect: Refused}},
		},
		"Snippets": {
			reason: "The snippets of a VM never change; condition BootstrapCurrent tells.",
			claim: func(p *proxmox.VMParameters) {
				p.Initialization[0].UserDataFileID = "local:snippets/dns01-2.user-data.yaml"
				p.Initialization[0].Interface = "ide2"
			},
		},
		"AddressesFollow": {
			reason: "The drive's addresses may change; the guest reads them when it starts.",
			claim:  func(p *proxmox.VMParameters) { p.Initialization[0].DNS = []proxmox.DNS{{Domain: "home.arpa"}} },
			want:   func(p *proxmox.VMParameters) { p.Initialization[0].DNS = []proxmox.DNS{{Domain: "home.arpa"}} },
		},
		"NameServersStay": {
			reason: "The provider never takes them away, and tries to for ever.",
			native: true,
			vm:     withDrive,
			claim: func(p *proxmox.VMParameters) {
				withDrive(p)
				p.Initialization[0].DNS = nil
			},
			want: withDrive,
			held: []Change{{Field: "spec.network.dns", Has: "192.168.4.1", Effect: Refused}, {Field: "spec.network.domain", Has: "home.arpa", Effect: Refused}},
		},
		"SearchDomainsGo": {
			reason: "The domain remains of the text, so the provider writes it.",
			native: true,
			vm: func(p *proxmox.VMParameters) {
				withDrive(p)
				p.Initialization[0].DNS[0].Domain = "home.arpa lan"
			},
			claim: withDrive,
			want:  withDrive,
		},
		"SearchDomainsStay": {
			reason: "Where nothing remains, the provider writes nothing.",
			native: true,
			vm: func(p *proxmox.VMParameters) {
				withDrive(p)
				p.Initialization[0].DNS[0].Domain = "home.arpa lan"
			},
			claim: func(p *proxmox.VMParameters) {
				withDrive(p)
				p.Initialization[0].DNS[0].Domain = ""
			},
			want: func(p *proxmox.VMParameters) {
				withDrive(p)
				p.Initialization[0].DNS[0].Domain = "home.arpa lan"
			},
			held: []Change{
				{Field: "spec.network.domain", Has: "home.arpa", Effect: Refused}, {Field: "spec.network.searchDomains", Has: "lan", Effect: Refused},
			},
		},
		"AddressesStay": {
			reason: "The same for the address of an interface.",
			native: true,
			vm:     withDrive,
			claim: func(p *proxmox.VMParameters) {
				withDrive(p)
				p.Initialization[0].IPConfig = p.Initialization[0].IPConfig[:1]
			},
			want: withDrive,
			held: []Change{{Field: "spec.nics[0].ip", Has: "10.0.0.2/24", Effect: Refused}},
		},
		"KeysStay": {
			reason: "The same for the keys of the account that Proxmox makes.",
			native: true,
			vm:     withDrive,
			claim: func(p *proxmox.VMParameters) {
				withDrive(p)
				p.Initialization[0].UserAccount = nil
			},
			want: withDrive,
			held: []Change{{Field: "spec.bootstrap.sshAuthorizedKeys", Has: "1 keys (9de8a231)", Effect: Refused}},
		},
		"UserDataLater": {
			reason: "A guest without user-data of ours has neither its agent nor its accounts.",
			vm:     withDrive,
			claim: func(p *proxmox.VMParameters) {
				withDrive(p)
				p.Initialization[0].UserAccount = nil
				p.Agent = []proxmox.Agent{{Enabled: true}}
			},
			want: withDrive,
		},
		"NetworkOfAnotherProxmox": {
			reason: "A VM stays in its Proxmox cluster, and so in its network: an address from elsewhere would cut it off at the next power cycle.",
			native: true, other: true, vm: withDrive,
			claim: func(p *proxmox.VMParameters) {
				withDrive(p)
				p.NodeName = "pvelab"
				p.NetworkDevice = []proxmox.NetworkDevice{{Bridge: "vmbr1"}}
				p.Initialization[0].DNS = []proxmox.DNS{{Servers: []string{"10.9.0.1"}}}
				p.Initialization[0].IPConfig = []proxmox.IPConfig{{IPv4: []proxmox.IPAddress{{Address: "10.9.0.5/24", Gateway: "10.9.0.1"}}}}
			},
			want: withDrive,
			held: []Change{
				{Field: "spec.proxmox.node", Has: "pve", Wanted: "pvelab", Effect: Refused},
				{Field: "spec.proxmox.bridge", Wanted: "vmbr1", Effect: Refused},
				{Field: "spec.network.dns", Has: "192.168.4.1", Wanted: "10.9.0.1", Effect: Refused},
				{Field: "spec.network.domain", Has: "home.arpa", Effect: Refused},
				{Field: "spec.network.ip", Has: "dhcp", Wanted: "10.9.0.5/24 via 10.9.0.1", Effect: Refused},
				{Field: "spec.nics[0].ip", Has: "10.0.0.2/24", Effect: Refused},
			},
		},
		"MAC": {
			reason: "cloud-init makes the guest's configuration anew at the next power cycle.", native: true,
			vm: func(p *proxmox.VMParameters) {
				withDrive(p)
				p.NetworkDevice = []proxmox.NetworkDevice{{MACAddress: "BC:24:11:00:00:01"}}
			},
			claim: func(p *proxmox.VMParameters) {
				withDrive(p)
				p.NetworkDevice = []proxmox.NetworkDevice{{MACAddress: "BC:24:11:00:00:02"}}
			},
			want: func(p *proxmox.VMParameters) {
				withDrive(p)
				p.NetworkDevice = []proxmox.NetworkDevice{{MACAddress: "BC:24:11:00:00:02"}}
			},
		},
		"MACReadOnce": {
			reason: "It never does for a guest that reads its drive once: with another MAC address that one is out of the network for good.",
			vm: func(p *proxmox.VMParameters) {
				readOnce(p)
				p.NetworkDevice = []proxmox.NetworkDevice{{MACAddress: "BC:24:11:00:00:01"}, {}, {}}
			},
			nics: []proxmox.ObservedDevice{{MACAddress: "BC:24:11:00:00:01"}, {MACAddress: "BC:24:11:00:00:0B"}, {MACAddress: "BC:24:11:00:00:0C"}},
			claim: func(p *proxmox.VMParameters) {
				readOnce(p)
				p.NetworkDevice = []proxmox.NetworkDevice{{MACAddress: "BC:24:11:00:00:02"}, {MACAddress: "BC:24:11:00:00:0B"}, {MACAddress: "BC:24:11:00:00:03"}, {MACAddress: "BC:24:11:00:00:04"}}
			},
			// The second is as Proxmox made it up, and the last is new.
			want: func(p *proxmox.VMParameters) {
				readOnce(p)
				p.NetworkDevice = []proxmox.NetworkDevice{{MACAddress: "BC:24:11:00:00:01"}, {MACAddress: "BC:24:11:00:00:0B"}, {}, {MACAddress: "BC:24:11:00:00:04"}}
			},
			held: []Change{
				{Field: "spec.network.mac", Has: "BC:24:11:00:00:01", Wanted: "BC:24:11:00:00:02", Effect: Refused},
				{Field: "spec.nics[1].mac", Wanted: "BC:24:11:00:00:03", Effect: Refused},
			},
		},
		"AddressStays": {
			reason: "An interface whose address only a new VM can change stays where the address is. The others follow the claim, and so does what else it has.",
			stay:   []bool{true, false, true, true},
			vm: func(p *proxmox.VMParameters) {
				p.NetworkDevice = []proxmox.NetworkDevice{{Bridge: "vmbr0"}, {Bridge: "vmbr0"}, {Bridge: "vmbr0", VLANID: new(int64(20))}}
			},
			claim: func(p *proxmox.VMParameters) {
				p.NetworkDevice = []proxmox.NetworkDevice{
					{Bridge: "vmbr0", VLANID: new(int64(30)), MTU: new(int64(9000))}, {Bridge: "vmbr1"}, {Bridge: "vmbr1"}, {Bridge: "vmbr2"},
				}
			},
			want: func(p *proxmox.VMParameters) {
				p.NetworkDevice = []proxmox.NetworkDevice{
					{Bridge: "vmbr0", MTU: new(int64(9000))}, {Bridge: "vmbr1"}, {Bridge: "vmbr0", VLANID: new(int64(20))}, {Bridge: "vmbr2"},
				}
			},
			held: []Change{
				{Field: "spec.nics[1].bridge", Has: "vmbr0", Wanted: "vmbr1", Effect: Refused},
				{Field: "spec.proxmox.vlan", Wanted: "30", Effect: Refused},
				{Field: "spec.nics[1].vlan", Has: "20", Effect: Refused},
			},
		},
		"AddressStaysWhereAnInterfaceGoes": {
			reason: "An interface that goes is nowhere.", stay: []bool{true, true},
			vm: func(p *proxmox.VMParameters) {
				p.NetworkDevice = []proxmox.NetworkDevice{{Bridge: "vmbr0"}, {Bridge: "vmbr1"}}
			},
			claim: func(p *proxmox.VMParameters) { p.NetworkDevice = []proxmox.NetworkDevice{{Bridge: "vmbr0"}} },
			want:  func(p *proxmox.VMParameters) { p.NetworkDevice = []proxmox.NetworkDevice{{Bridge: "vmbr0"}} },
		},
		"DriveIsNotTakenAway": {
			reason: "Taking the cloud-init drive away would power the VM off.",
			claim:  func(p *proxmox.VMParameters) { p.Initialization = nil },
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			claimed, was, want := made(), made(), made()
			if tc.claim != nil {
				tc.claim(&claimed)
			}

			if tc.vm != nil {
				tc.vm(&was)
			}

			if tc.want != nil {
				tc.want(&want)
			}

			guarded := Guard(claimed, was, Circumstances{Native: tc.native, OtherProxmox: tc.other, Migrate: tc.other, NICs: tc.nics, AddressesStay: tc.stay})
			got, held := guarded.VM, guarded.Held

			if diff := cmp.Diff(tc.held, held); diff != "" {
				t.Errorf("%s\nGuard() held: -want, +got:\n%s", tc.reason, diff)
			}

			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s\nGuard() VM: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
