package render

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// plainParameters are those of aMachine.
func plainParameters() proxmox.VMParameters {
	return proxmox.VMParameters{
		NodeName: "pve", Name: "web", Tags: []string{}, Started: true, StopOnDestroy: true, PurgeOnDestroy: true,
		Description: "Machine infra/web (homelab.io), managed by Crossplane. Change the claim in Git: changes made here are undone.",
		ACPI:        true, Bios: "seabios", TabletDevice: true, KeyboardLayout: "en-us",
		SMBIOS:          []proxmox.SMBIOS{{UUID: "415de2df-ce9d-531f-8c0c-7ad146016320"}},
		OperatingSystem: []proxmox.OperatingSystem{{Type: "l26"}},
		CPU:             []proxmox.CPU{{Cores: 2, Sockets: 1, Type: "host"}},
		Memory:          []proxmox.Memory{{Dedicated: 4096}},
		Agent:           []proxmox.Agent{{Timeout: "15s", Trim: true, Type: "virtio"}},
		ScsiHardware:    "virtio-scsi-single",
		BootOrder:       []string{"scsi0"},
		Disk: []proxmox.Disk{{
			Interface: "scsi0", DatastoreID: "local-zfs", Size: 20, ImportFrom: "local:import/x.qcow2",
			IOThread: true, Discard: "on", SSD: new(true), AIO: "io_uring", Replicate: true,
		}},
		NetworkDevice: []proxmox.NetworkDevice{{Bridge: "vmbr0", Model: "virtio", Firewall: new(false)}},
		SerialDevice:  []proxmox.SerialDevice{{Device: "socket"}},
		VGA:           []proxmox.VGA{{Type: "std"}},
		Initialization: []proxmox.Initialization{{
			DatastoreID: "local-zfs", Interface: "scsi30",
			IPConfig: []proxmox.IPConfig{{IPv4: []proxmox.IPAddress{{Address: "dhcp"}}}},
		}},
	}
}

// TestParameters holds what each part of a machine adds to the plainest VM, and that it changes nothing else.
func TestParameters(t *testing.T) {
	order, up := int64(3), int64(30)
	vlan := int64(20)

	cases := map[string]struct {
		reason string
		edit   func(m *machine.Machine)
		want   func(p *proxmox.VMParameters)
	}{
		"Plain": {reason: "Nothing is said.", edit: func(*machine.Machine) {}, want: func(*proxmox.VMParameters) {}},

		// Life.
		"Stopped":   {reason: "A VM that is to be stopped is created stopped.", edit: func(m *machine.Machine) { m.Power = v1alpha1.PowerStopped }, want: func(p *proxmox.VMParameters) { p.Started = false }},
		"Unmanaged": {reason: "A new VM starts once, whoever manages its power later.", edit: func(m *machine.Machine) { m.Power = v1alpha1.PowerUnmanaged }, want: func(*proxmox.VMParameters) {}},
		"OnBoot":    {reason: "It starts with its node.", edit: func(m *machine.Machine) { m.OnBoot = true }, want: func(p *proxmox.VMParameters) { p.OnBoot = true }},
		"Startup": {
			reason: "What the claim leaves out is the node's default, which is -1.",
			edit:   func(m *machine.Machine) { m.Startup = &v1alpha1.Startup{Order: &order, UpDelaySeconds: &up} },
			want:   func(p *proxmox.VMParameters) { p.Startup = []proxmox.Startup{{Order: 3, UpDelay: 30, DownDelay: -1}} },
		},
		"EmptyStartup": {reason: "An order of nothing but defaults never converges.", edit: func(m *machine.Machine) { m.Startup = &v1alpha1.Startup{} }, want: func(*proxmox.VMParameters) {}},
		"Notes": {
			reason: "A person's words come before ours.", edit: func(m *machine.Machine) { m.Notes = "Owner: Ada" },
			want: func(p *proxmox.VMParameters) {
				p.Description = "Owner: Ada\n\nMachine infra/web (homelab.io), managed by Crossplane. Change the claim in Git: changes made here are undone."
			},
		},
		"Ballooning": {
			reason: "The rest of the memory is the node's to take back.", edit: func(m *machine.Machine) { m.MemoryFloorMiB = 1024 },
			want: func(p *proxmox.VMParameters) { p.Memory[0].Floating = 1024 },
		},
		"Display":   {reason: "It is the claim's.", edit: func(m *machine.Machine) { m.VGA = "serial0" }, want: func(p *proxmox.VMParameters) { p.VGA[0].Type = "serial0" }},
		"NoDisplay": {reason: "An adopted VM keeps its own where nothing is said.", edit: func(m *machine.Machine) { m.VGA = "" }, want: func(p *proxmox.VMParameters) { p.VGA = nil }},
		"FirewallAndMTU": {
			reason: "They are the interface's.", edit: func(m *machine.Machine) { m.NICs[0].Firewall, m.NICs[0].MTU = new(true), 9000 },
			want: func(p *proxmox.VMParameters) {
				p.NetworkDevice[0].Firewall, p.NetworkDevice[0].MTU = new(true), new(int64(9000))
			},
		},
		"UnsaidFlags": {
			reason: "An adopted VM keeps what its claim does not say.",
			edit:   func(m *machine.Machine) { m.Boot.Discard, m.Boot.SSD, m.NICs[0].Firewall = nil, nil, nil },
			want: func(p *proxmox.VMParameters) {
				p.Disk[0].Discard, p.Disk[0].SSD, p.NetworkDevice[0].Firewall = "", nil, nil
			},
		},
		"PoolAndTags": {
			reason: "They are the claim's.", edit: func(m *machine.Machine) { m.Placement.Pool, m.Tags = "infra", []string{"a", "b"} },
			want: func(p *proxmox.VMParameters) { p.PoolID, p.Tags = "infra", []string{"a", "b"} },
		},
		"ClusterScoped": {
			reason: "A composite without a namespace has a name alone.", edit: func(m *machine.Machine) { m.Identity.Namespace = "" },
			want: func(p *proxmox.VMParameters) {
				p.Description = "Machine web (homelab.io), managed by Crossplane. Change the claim in Git: changes made here are undone."
			},
		},

		// Guests.
		"Windows": {reason: "Proxmox tunes the VM for it.", edit: func(m *machine.Machine) { m.Boot.OS = machine.OSWindows }, want: func(p *proxmox.VMParameters) { p.OperatingSystem[0].Type = "win11" }},
		"Other":   {reason: "Nothing is known of it.", edit: func(m *machine.Machine) { m.Boot.OS = machine.OSOther }, want: func(p *proxmox.VMParameters) { p.OperatingSystem[0].Type = "other" }},
		"NixOS":   {reason: "A Linux like any other to Proxmox.", edit: func(m *machine.Machine) { m.Boot.OS = machine.OSNixOS }, want: func(*proxmox.VMParameters) {}},
		"GuestAgent": {
			reason: "The image brings it.", edit: func(m *machine.Machine) { m.Boot.GuestAgent = true },
			want: func(p *proxmox.VMParameters) { p.Agent[0].Enabled = true },
		},
		"NoCloudInit": {
			reason: "An image that reads no cloud-init drive gets none.", edit: func(m *machine.Machine) { m.Boot.CloudInit = false },
			want: func(p *proxmox.VMParameters) { p.Initialization = nil },
		},

		// Boot disks.
		"Download": {
			reason: "The disk is imported from the file that the node downloads.",
			edit: func(m *machine.Machine) {
				m.Boot.Source, m.Boot.Volume, m.Boot.Download = machine.SourceDownload, "", &machine.Download{URL: "https://example.org/y.img", FileName: "y.qcow2"}
			},
			want: func(p *proxmox.VMParameters) { p.Disk[0].ImportFrom = "local:import/y.qcow2" },
		},
		"DiskFile": {
			reason: "An image of content type iso is imported by the provider.", edit: func(m *machine.Machine) { m.Boot.Source = machine.SourceDiskFile },
			want: func(p *proxmox.VMParameters) { p.Disk[0].ImportFrom, p.Disk[0].FileID = "", "local:import/x.qcow2" },
		},
		"ISO": {
			reason: "The disk is empty, so that it falls through to the installer.", edit: func(m *machine.Machine) { m.Boot.Source = machine.SourceISO },
			want: func(p *proxmox.VMParameters) {
				p.Disk[0].ImportFrom = ""
				p.BootOrder, p.CDROM = []string{"scsi0", "ide2"}, []proxmox.CDROM{{FileID: "local:import/x.qcow2", Interface: "ide2"}}
			},
		},
		"Clone": {
			reason: "A full copy, tried once: a second try would take over what has the VMID already.",
			edit: func(m *machine.Machine) {
				m.Boot.Source, m.Boot.Template = machine.SourceClone, &machine.Template{VMID: 9000, Node: "pve2"}
			},
			want: func(p *proxmox.VMParameters) {
				p.Disk[0].ImportFrom = ""
				p.Clone = []proxmox.Clone{{VMID: 9000, NodeName: "pve2", DatastoreID: "local-zfs", Full: true, Retries: 1}}
			},
		},
		"CloneOfVirtIO": {
			reason: "The template's boot disk is where the template has it, on the machine's node unless it says otherwise.",
			edit: func(m *machine.Machine) {
				m.Boot.Source, m.Boot.Template, m.Boot.Interface = machine.SourceClone, &machine.Template{VMID: 9000}, "virtio0"
				m.Boot.SSD = new(false)
			},
			want: func(p *proxmox.VMParameters) {
				p.Disk[0].ImportFrom, p.Disk[0].Interface, p.Disk[0].SSD, p.BootOrder = "", "virtio0", new(false), []string{"virtio0"}
				p.Clone = []proxmox.Clone{{VMID: 9000, NodeName: "pve", DatastoreID: "local-zfs", Full: true, Retries: 1}}
			},
		},
		"SATA": {
			reason: "Proxmox has I/O threads for SCSI and VirtIO disks only.",
			edit: func(m *machine.Machine) {
				m.Boot.Source, m.Boot.Template, m.Boot.Interface = machine.SourceClone, &machine.Template{VMID: 9000}, "sata0"
			},
			want: func(p *proxmox.VMParameters) {
				p.Disk[0].ImportFrom, p.Disk[0].Interface, p.Disk[0].IOThread, p.BootOrder = "", "sata0", false, []string{"sata0"}
				p.Clone = []proxmox.Clone{{VMID: 9000, NodeName: "pve", DatastoreID: "local-zfs", Full: true, Retries: 1}}
			},
		},
		"BackupAndCache": {
			reason: "They are the claim's.", edit: func(m *machine.Machine) { m.Boot.Backup, m.Boot.Cache = true, "writeback" },
			want: func(p *proxmox.VMParameters) { p.Disk[0].Backup, p.Disk[0].Cache = true, "writeback" },
		},
		"DataDisks": {
			reason: "Each has the next address, and its name as serial number.",
			edit: func(m *machine.Machine) {
				m.Disks = []machine.Disk{{Name: "data", SizeGiB: 50, Datastore: "tank", Backup: true, Discard: new(true), SSD: new(true)}, {Name: "logs", SizeGiB: 5, Datastore: "local-zfs", Cache: "none", Discard: new(false), SSD: new(false)}}
			},
			want: func(p *proxmox.VMParameters) {
				data := proxmox.Disk{Interface: "scsi1", DatastoreID: "tank", Size: 50, Serial: "data", Backup: true, IOThread: true, Discard: "on", SSD: new(true), AIO: "io_uring", Replicate: true}
				logs := data
				logs.Interface, logs.DatastoreID, logs.Size, logs.Serial, logs.Backup, logs.Cache = "scsi2", "local-zfs", 5, "logs", false, "none"
				logs.Discard, logs.SSD = "ignore", new(false)
				p.Disk = append(p.Disk, data, logs)
			},
		},

		// Firmware.
		"UEFI": {
			reason: "UEFI keeps its variables on a disk.", edit: func(m *machine.Machine) { m.Firmware = &v1alpha1.Firmware{Type: "UEFI", Machine: "q35"} },
			want: func(p *proxmox.VMParameters) {
				p.Bios, p.Machine, p.EFIDisk = "ovmf", "q35", []proxmox.EFIDisk{{DatastoreID: "local-zfs", Type: "4m"}}
			},
		},
		"SecureBootAndTPM": {
			reason: "Secure Boot is keys on that disk.", edit: func(m *machine.Machine) { m.Firmware = &v1alpha1.Firmware{Type: "UEFI", SecureBoot: true, TPM: true} },
			want: func(p *proxmox.VMParameters) {
				p.Bios, p.EFIDisk = "ovmf", []proxmox.EFIDisk{{DatastoreID: "local-zfs", Type: "4m", PreEnrolledKeys: true}}
				p.TPMState = []proxmox.TPMState{{DatastoreID: "local-zfs", Version: "v2.0"}}
			},
		},
		"BIOSWithTPM": {
			reason: "A TPM needs no UEFI.", edit: func(m *machine.Machine) { m.Firmware = &v1alpha1.Firmware{Type: "BIOS", Machine: "pc", TPM: true} },
			want: func(p *proxmox.VMParameters) {
				p.Machine, p.TPMState = "pc", []proxmox.TPMState{{DatastoreID: "local-zfs", Version: "v2.0"}}
			},
		},
		"UEFIOfAClone": {
			reason: "The EFI disk and the TPM are the template's.",
			edit: func(m *machine.Machine) {
				m.Boot.Source, m.Boot.Template, m.Firmware = machine.SourceClone, &machine.Template{VMID: 9000}, &v1alpha1.Firmware{Type: "UEFI", Machine: "q35", TPM: true}
			},
			want: func(p *proxmox.VMParameters) {
				p.Disk[0].ImportFrom, p.Bios, p.Machine = "", "ovmf", "q35"
				p.Clone = []proxmox.Clone{{VMID: 9000, NodeName: "pve", DatastoreID: "local-zfs", Full: true, Retries: 1}}
			},
		},
		"Devices": {
			reason: "Only q35 has a PCI Express bus.", edit: func(m *machine.Machine) {
				m.PCI, m.USB, m.Firmware = []string{"gpu0", "gpu1"}, []string{"coral"}, &v1alpha1.Firmware{Type: "BIOS", Machine: "pc-q35-9.0"}
			},
			want: func(p *proxmox.VMParameters) {
				p.Machine = "pc-q35-9.0"
				p.HostPCI = []proxmox.HostPCI{{Device: "hostpci0", Mapping: "gpu0", PCIe: true, ROMBar: true}, {Device: "hostpci1", Mapping: "gpu1", PCIe: true, ROMBar: true}}
				p.USB = []proxmox.USB{{Mapping: "coral", USB3: true}}
			},
		},
		"DevicesOfAnUnknownChipset": {
			reason: "Plain PCI works on both.", edit: func(m *machine.Machine) { m.PCI = []string{"gpu0"} },
			want: func(p *proxmox.VMParameters) {
				p.HostPCI = []proxmox.HostPCI{{Device: "hostpci0", Mapping: "gpu0", ROMBar: true}}
			},
		},

		// Network.
		"Tagged": {
			reason: "An untagged interface has no VLAN at all.", edit: func(m *machine.Machine) { m.NICs[0].VLAN, m.NICs[0].MAC = 20, "BC:24:11:00:00:01" },
			want: func(p *proxmox.VMParameters) {
				p.NetworkDevice[0].VLANID, p.NetworkDevice[0].MACAddress = &vlan, "BC:24:11:00:00:01"
			},
		},
		"Static": {
			reason: "Address and prefix length are one word to Proxmox.",
			edit: func(m *machine.Machine) {
				m.NICs[0].IPv4 = machine.Addressing{Method: machine.MethodStatic, Address: "192.168.4.9", Prefix: 24, Gateway: "192.168.4.1"}
				m.NICs[0].IPv6 = machine.Addressing{Method: machine.MethodAuto}
			},
			want: func(p *proxmox.VMParameters) {
				p.Initialization[0].IPConfig = []proxmox.IPConfig{{
					IPv4: []proxmox.IPAddress{{Address: "192.168.4.9/24", Gateway: "192.168.4.1"}}, IPv6: []proxmox.IPAddress{{Address: "auto"}},
				}}
			},
		},
		"InterfacesWithoutAddress": {
			reason: "One in the middle keeps the others at their place, one at the end is left out.",
			edit: func(m *machine.Machine) {
				m.NICs = []machine.NIC{
					{Bridge: "vmbr0"}, {Bridge: "vmbr1", IPv4: machine.Addressing{Method: machine.MethodDHCP}}, {Bridge: "vmbr2"},
				}
			},
			want: func(p *proxmox.VMParameters) {
				p.NetworkDevice = []proxmox.NetworkDevice{{Bridge: "vmbr0", Model: "virtio"}, {Bridge: "vmbr1", Model: "virtio"}, {Bridge: "vmbr2", Model: "virtio"}}
				p.Initialization[0].IPConfig = []proxmox.IPConfig{{}, {IPv4: []proxmox.IPAddress{{Address: "dhcp"}}}}
			},
		},
		"NoAddressAtAll": {
			reason: "Then nothing is said of addresses.", edit: func(m *machine.Machine) { m.NICs[0].IPv4 = machine.Addressing{} },
			want: func(p *proxmox.VMParameters) { p.Initialization[0].IPConfig = []proxmox.IPConfig{} },
		},
		"NameServers": {
			reason: "Servers and search domain go together.", edit: func(m *machine.Machine) { m.DNS, m.Domain = []string{"192.168.4.1"}, "home.arpa" },
			want: func(p *proxmox.VMParameters) {
				p.Initialization[0].DNS = []proxmox.DNS{{Domain: "home.arpa", Servers: []string{"192.168.4.1"}}}
			},
		},
		"SearchDomains": {
			reason: "Proxmox has them in one text, and a domain that the site has, too, once.",
			edit: func(m *machine.Machine) {
				m.Domain, m.SearchDomains = "home.arpa", []string{"lan", "home.arpa", "corp.example"}
			},
			want: func(p *proxmox.VMParameters) {
				p.Initialization[0].DNS = []proxmox.DNS{{Domain: "home.arpa lan corp.example"}}
			},
		},
		"SearchDomainsAlone": {
			reason: "There may be no domain.", edit: func(m *machine.Machine) { m.SearchDomains = []string{"lan", "corp.example"} },
			want: func(p *proxmox.VMParameters) { p.Initialization[0].DNS = []proxmox.DNS{{Domain: "lan corp.example"}} },
		},
		"Keys": {
			reason: "Where Proxmox makes the user-data, it makes the account.", edit: func(m *machine.Machine) { m.Access.SSHAuthorizedKeys = []string{"ssh-ed25519 A"} },
			want: func(p *proxmox.VMParameters) {
				p.Initialization[0].UserAccount = []proxmox.UserAccount{{Username: "ops", Keys: []string{"ssh-ed25519 A"}}}
			},
		},
		"PlacedSnippets": {
			reason: "Other user-data replaces that of Proxmox, account included; it is to bring the guest agent.",
			edit: func(m *machine.Machine) {
				m.Access.SSHAuthorizedKeys = []string{"ssh-ed25519 A"}
				m.Snippets = v1alpha1.Snippets{UserData: "local:snippets/u.yaml", VendorData: "local:snippets/v.yaml", MetaData: "local:snippets/m.yaml"}
			},
			want: func(p *proxmox.VMParameters) {
				p.Agent[0].Enabled = true
				i := &p.Initialization[0]
				i.UserDataFileID, i.VendorDataFileID, i.MetaDataFileID = "local:snippets/u.yaml", "local:snippets/v.yaml", "local:snippets/m.yaml"
			},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			want := plainParameters()
			tc.want(&want)

			if diff := cmp.Diff(want, describe(t, aMachine(tc.edit)).Parameters); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestMetadata(t *testing.T) {
	plain := map[string]string{proxmox.MachineLabel: "web", proxmox.NamespaceLabel: "infra"}

	cases := map[string]struct {
		reason string
		edit   func(m *machine.Machine)
		want   map[string]string
	}{
		"Plain":         {reason: "Whose it is.", edit: func(*machine.Machine) {}, want: plain},
		"ClusterScoped": {reason: "There is no namespace.", edit: func(m *machine.Machine) { m.Identity.Namespace = "" }, want: map[string]string{proxmox.MachineLabel: "web"}},
		"Role": {
			reason: "For whoever selects by it.", edit: func(m *machine.Machine) { m.Role = "dns" },
			want: map[string]string{proxmox.MachineLabel: "web", proxmox.NamespaceLabel: "infra", proxmox.RoleLabel: "dns"},
		},
		"Server": {
			reason: "The other servers of its cluster find it.", edit: func(m *machine.Machine) { m.K3s = &machine.K3s{Role: v1alpha1.K3sServer, Cluster: "home"} },
			want: map[string]string{proxmox.MachineLabel: "web", proxmox.NamespaceLabel: "infra", proxmox.K3sRoleLabel: "server", proxmox.ClusterLabel: "home"},
		},
		"NodeOfNoCluster": {
			reason: "A cluster without a name has no label.", edit: func(m *machine.Machine) { m.K3s = &machine.K3s{Role: v1alpha1.K3sAgent} },
			want: map[string]string{proxmox.MachineLabel: "web", proxmox.NamespaceLabel: "infra", proxmox.K3sRoleLabel: "agent"},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			r := Request{}
			r.Machine = aMachine(tc.edit)

			if diff := cmp.Diff(tc.want, r.metadata().Labels); diff != "" {
				t.Errorf("%s\nlabels: -want, +got:\n%s", tc.reason, diff)
			}

			got := r.metadataWith(map[string]string{"a": "1", "b": ""}).Annotations
			if diff := cmp.Diff(map[string]string{"a": "1"}, got); diff != "" {
				t.Errorf("annotations without a value are left out: -want, +got:\n%s", diff)
			}
		})
	}
}
