package resolve

import (
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// adoptCatalogue has nothing that a new machine could be made from or with.
const adoptCatalogue = `
defaults: {image: gone}
images:
  uefi: {url: "https://x.org/y.qcow2", os: debian, disk: 200Gi, firmware: {type: uefi, tpm: true}}
  appliance: {template: 9000, cloudInit: false}
sites:
  home:
    nodes:
      pve: {bridges: [vmbr0], storages: {tank: [images], iso: [iso]}}
clusters:
  silent: {}
  secret: {token: {secretRef: {name: join}, allowPlaintext: true}}
`

func TestAdopting(t *testing.T) {
	type want struct {
		Boot     machine.Boot
		Firmware *v1alpha1.Firmware
		K3s      *machine.K3s
	}

	unknown := machine.Boot{Backup: true, Interface: "scsi0", CloudInit: true}
	uefi := machine.Boot{
		Image: "uefi", Source: machine.SourceDownload, OS: machine.OSDebian, Backup: true, Interface: "scsi0", CloudInit: true,
		Download: &machine.Download{URL: "https://x.org/y.qcow2"},
	}

	cases := map[string]struct {
		reason string
		kind   string
		spec   string
		want   want
	}{
		"Silent": {
			reason: "A claim that says nothing but the number needs neither image nor datastores.", kind: kindMachine,
			spec: `{proxmox: {site: home}, adopt: {vmId: 108}}`, want: want{Boot: unknown},
		},
		"Image": {
			reason: "An image's firmware and smallest disk are for those who are made from it.", kind: kindMachine,
			spec: `{proxmox: {site: home}, image: uefi, adopt: {vmId: 108}}`, want: want{Boot: uefi},
		},
		"Firmware": {
			reason: "The claim's word is taken whole.", kind: kindMachine,
			spec: `{proxmox: {site: home}, image: uefi, firmware: {type: uefi}, adopt: {vmId: 108}}`,
			want: want{Boot: uefi, Firmware: &v1alpha1.Firmware{Type: "UEFI"}},
		},
		"Bootstrap": {
			reason: "What only a first boot would read is in nobody's way.", kind: kindMachine,
			spec: `{proxmox: {site: home}, adopt: {vmId: 108}, nix: {flakeRef: "github:a/b"}, network: {ip: 10.0.0.5, cidr: 24},
				bootstrap: {adminUser: ops, snippets: {vendorData: "local:snippets/x.yaml"}}}`,
			want: want{Boot: unknown},
		},
		"Server": {
			reason: "A server that runs needs no version, address or token from its claim.", kind: kindNode,
			spec: `{proxmox: {site: home}, adopt: {vmId: 108}, k3s: {role: server}}`,
			want: want{Boot: unknown, K3s: &machine.K3s{Observe: machine.ObserveNone, ReadyWhen: v1alpha1.ReadyWhenVM, Role: "server", Etcd: proxmox.EtcdMember, Config: map[string]any{}}},
		},
		"SilentCluster": {
			reason: "Neither does its cluster in the catalogue.", kind: kindNode,
			spec: `{proxmox: {site: home}, adopt: {vmId: 108}, k3s: {role: agent, cluster: silent}}`,
			want: want{Boot: unknown, K3s: &machine.K3s{Observe: machine.ObserveNone, ReadyWhen: v1alpha1.ReadyWhenVM, Cluster: "silent", Role: "agent", Config: map[string]any{}}},
		},
		"Secret": {
			reason: "No Secret is read that nothing is written from.", kind: kindNode,
			spec: `{proxmox: {site: home}, adopt: {vmId: 108}, k3s: {role: agent, cluster: secret}}`,
			want: want{Boot: unknown, K3s: &machine.K3s{Observe: machine.ObserveNone, ReadyWhen: v1alpha1.ReadyWhenVM, Cluster: "secret", Role: "agent", Config: map[string]any{}}},
		},
		"DataDisks": {
			reason: "Disks and interfaces of the claim are there, or come in addition.", kind: kindMachine,
			spec: `{proxmox: {site: home}, adopt: {vmId: 108}, disks: [{name: data, size: 5Gi, storage: tank}], nics: [{bridge: vmbr0}]}`,
			want: want{Boot: unknown},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			m := aMachine(t, tc.kind, tc.spec, adoptCatalogue, Existing{Adopting: true})
			got := want{m.Boot, m.Firmware, m.K3s}

			if got.Boot.Download != nil {
				got.Boot.Download = &machine.Download{URL: got.Boot.Download.URL}
			}

			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nClaim(...): -want, +got:\n%s", tc.reason, diff)
			}

			// Without the adoption, each of these claims is refused: the catalogue has nothing to make a machine from.
			if m, _ := Claim(aClaim(t, tc.kind, tc.spec), aCatalog(t, adoptCatalogue), Existing{}); m != nil {
				t.Error("A machine that is not taken over came out of the same claim")
			}
		})
	}
}

func TestAdoptingAtFault(t *testing.T) {
	cases := map[string]struct {
		reason   string
		spec     string
		existing Existing
		want     []string
	}{
		"Image": {
			reason: "An image that the claim names is to be there.",
			spec:   `{proxmox: {site: home}, image: gone, adopt: {vmId: 108}}`, want: []string{"spec.image: Invalid value: \"gone\": there is no image of that name"},
		},
		"Firmware": {
			reason: "A word about the firmware is whole, for what is not said would be taken away.",
			spec:   `{proxmox: {site: home}, image: uefi, firmware: {tpm: true}, adopt: {vmId: 108}}`,
			want:   []string{"spec.firmware.type: Required value: an adopted VM keeps its own firmware"},
		},
		"Place": {
			reason: "What the claim names must be on its node.",
			spec:   `{proxmox: {site: home, node: pve, storage: zfs, bridge: vmbr9}, disks: [{name: a, size: 1Gi, storage: zfs}], adopt: {vmId: 108}}`,
			want: []string{
				"spec.proxmox.bridge: Invalid value: \"vmbr9\"", "spec.proxmox.storage: Invalid value: \"zfs\"", "spec.disks[0].storage: Invalid value: \"zfs\"",
			},
		},
		"CloudInit": {
			reason: "A claim that names an image which reads no cloud-init asks for what cannot be.",
			spec:   `{proxmox: {site: home}, image: appliance, network: {ip: 10.0.0.5, cidr: 24}, adopt: {vmId: 108}}`,
			want:   []string{"spec.network.ip: Forbidden: image appliance does not read cloud-init data"},
		},
		"Replaced": {
			reason: "The VM that takes an adopted one's place is made, and needs all of it.",
			spec:   `{proxmox: {node: pve}, adopt: {vmId: 108}}`, existing: Existing{Node: "pve"},
			want: []string{"data.defaults.image: Invalid value: \"gone\": there is no image of that name"},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := tc.existing
			s.Adopting = reflect.ValueOf(s).IsZero()

			_, errs := Claim(aClaim(t, kindMachine, tc.spec), aCatalog(t, adoptCatalogue), s)

			if diff := beginnings(tc.want, errs); diff != "" {
				t.Errorf("%s\nClaim(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// beginnings of faults, against the faults.
func beginnings(want []string, errs field.ErrorList) string {
	got := make([]string, 0, len(errs))

	for i, err := range errs {
		message := err.Error()
		if i < len(want) && strings.HasPrefix(message, want[i]) {
			message = want[i]
		}

		got = append(got, message)
	}

	return cmp.Diff(want, got, cmpopts.EquateEmpty())
}

// TestAdoptingLeavesAlone holds that no default of the catalogue or of ours changes a VM that somebody else made.
func TestAdoptingLeavesAlone(t *testing.T) {
	type want struct {
		Class     string
		Cores     int64
		CPUType   string
		MemoryMiB int64
		DiskGiB   int64
		Bridge    string
		VLAN      int64
		Node      string
		Cache     string
		Unsaid    machine.Unsaid
	}

	all := machine.Unsaid{SSD: true, Node: true, OnBoot: true, Backup: true}

	cases := map[string]struct {
		reason string
		spec   string
		want   want
	}{
		"Silent": {
			reason: "What the claim does not say is nothing here, and stays as it is.",
			spec:   `{proxmox: {site: home}, adopt: {vmId: 108}}`, want: want{Node: "pve", Unsaid: all},
		},
		"NoSite": {
			reason: "The provider finds the VM on any node.",
			spec:   `{adopt: {vmId: 108}}`, want: want{Node: "any", Unsaid: all},
		},
		"Said": {
			reason: "What the claim says is taken.",
			spec:   `{proxmox: {site: home, node: pve}, onBoot: true, bootDisk: {ssd: true, cache: none, backup: false}, adopt: {vmId: 108}}`, want: want{Node: "pve", Cache: "none"},
		},
		"Class": {
			reason: "A class says all figures.",
			spec:   `{class: medium, proxmox: {site: home}, adopt: {vmId: 108}}`,
			want:   want{Class: "medium", Cores: 4, CPUType: "x86-64-v2-AES", MemoryMiB: 8192, DiskGiB: 60, Node: "pve", Unsaid: all},
		},
		"Figures": {
			reason: "A single figure says no other.",
			spec:   `{size: {cores: 3}, proxmox: {site: home, bridge: vmbr0, vlan: 20}, adopt: {vmId: 108}}`,
			want:   want{Cores: 3, Bridge: "vmbr0", VLAN: 20, Node: "pve", Unsaid: all},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			m := aMachine(t, kindMachine, tc.spec, adoptCatalogue, Existing{Adopting: true})
			got := want{m.Class, m.Cores, m.CPUType, m.MemoryMiB, m.Boot.DiskGiB, m.NICs[0].Bridge, m.NICs[0].VLAN, m.Placement.Node, m.Boot.Cache, m.Unsaid}

			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nClaim(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
