package lifecycle

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	catalogue "github.com/homelab-io/function-proxmox-machine/apis/catalogue/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/resolve"
)

func TestEntriesOf(t *testing.T) {
	yes, no, vlan := true, false, int64(20)

	cases := map[string]struct {
		reason string
		vm     proxmox.VMParameters
		want   resolve.Entries
	}{
		"Import": {
			reason: "A VM tells everything but which Linux its guest is.",
			vm: proxmox.VMParameters{
				CPU: []proxmox.CPU{{Cores: 4, Type: "host"}}, Memory: []proxmox.Memory{{Dedicated: 8192}}, Agent: []proxmox.Agent{{Enabled: true}},
				Bios: "ovmf", Machine: "q35", EFIDisk: []proxmox.EFIDisk{{PreEnrolledKeys: true}}, TPMState: []proxmox.TPMState{{}},
				BootOrder: []string{"scsi0"}, OperatingSystem: []proxmox.OperatingSystem{{Type: "l26"}},
				Disk:          []proxmox.Disk{{Interface: "scsi1", Size: 100, Serial: "data"}, {Interface: "scsi0", Size: 60, ImportFrom: "local:import/noble.qcow2"}},
				NetworkDevice: []proxmox.NetworkDevice{{Bridge: "vmbr1", VLANID: &vlan}},
				Initialization: []proxmox.Initialization{{
					DNS:         []proxmox.DNS{{Domain: "home.arpa", Servers: []string{"192.168.4.1"}}},
					IPConfig:    []proxmox.IPConfig{{IPv4: []proxmox.IPAddress{{Address: "192.168.4.53/23", Gateway: "192.168.4.1"}}}},
					UserAccount: []proxmox.UserAccount{{Username: "ops", Keys: []string{"ssh-ed25519 A"}}},
				}},
			},
			want: resolve.Entries{
				Class: catalog.Class{Class: catalogue.Class{Cores: 4, Memory: "8192Mi", Disk: "60Gi", CPUType: "host"}},
				Image: catalog.Image{Image: catalogue.Image{
					Volume: "local:import/noble.qcow2", TemplateDisk: "scsi0", OS: "linux", CloudInit: &yes, GuestAgent: &yes,
					Firmware: &v1alpha1.Firmware{Type: "UEFI", Machine: "q35", SecureBoot: true, TPM: true},
				}},
				Site: catalog.Site{Site: catalogue.Site{
					Network: catalogue.SiteNetwork{
						Bridge: "vmbr1", VLAN: 20, Gateway: "192.168.4.1", DNS: []string{"192.168.4.1"}, CIDR: 23, Domain: "home.arpa",
					},
				}},
				Access:    machine.Access{AdminUser: "ops", SSHAuthorizedKeys: []string{"ssh-ed25519 A"}},
				DataDisks: true,
			},
		},
		"Clone": {
			reason: "A clone has the firmware of its template.",
			vm: proxmox.VMParameters{
				Bios: "seabios", Clone: []proxmox.Clone{{VMID: 9000, NodeName: "pve"}}, Disk: []proxmox.Disk{{Interface: "virtio0", Size: 30}},
				OperatingSystem: []proxmox.OperatingSystem{{Type: "win11"}},
			},
			want: resolve.Entries{
				Class: catalog.Class{Class: catalogue.Class{Disk: "30Gi"}},
				Image: catalog.Image{Image: catalogue.Image{Template: 9000, TemplateNode: "pve", TemplateDisk: "virtio0", OS: "windows", CloudInit: &no, GuestAgent: &no}},
			},
		},
		"Installer": {
			reason: "An empty disk was installed from the CD drive.",
			vm: proxmox.VMParameters{
				Bios: "seabios", Machine: "q35", CDROM: []proxmox.CDROM{{FileID: "local:iso/haos.iso"}}, Disk: []proxmox.Disk{{Interface: "scsi0", Size: 30}},
				OperatingSystem: []proxmox.OperatingSystem{{Type: "other"}},
			},
			want: resolve.Entries{
				Class: catalog.Class{Class: catalogue.Class{Disk: "30Gi"}},
				Image: catalog.Image{Image: catalogue.Image{
					Volume: "local:iso/haos.iso", TemplateDisk: "scsi0", OS: "other", CloudInit: &no, GuestAgent: &no,
					Firmware: &v1alpha1.Firmware{Type: "BIOS", Machine: "q35"},
				}},
			},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(&tc.want, entriesOf(proxmox.ObservedVM{Spec: proxmox.Spec[proxmox.VMParameters]{ForProvider: tc.vm}})); diff != "" {
				t.Errorf("%s\nentriesOf(): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
