package resolve

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/machine"
)

// TestTemplates: as which distribution Proxmox configures a container, by the name of its template.
func TestTemplates(t *testing.T) {
	cases := map[string]struct {
		reason, spec, os string
	}{
		"Debian":  {reason: "The name says it.", spec: "image: 'local:vztmpl/debian-12-standard_12.7-1_amd64.tar.zst'", os: "debian"},
		"Alma":    {reason: "Proxmox knows it by /etc/redhat-release.", spec: "image: 'local:vztmpl/almalinux-9-default_20240911_amd64.tar.xz'", os: "centos"},
		"Rocky":   {reason: "The same.", spec: "image: 'local:vztmpl/rockylinux-9-default_20240912_amd64.tar.xz'", os: "centos"},
		"TurnKey": {reason: "An appliance on Debian.", spec: "image: 'local:vztmpl/turnkey-nextcloud_17.1_amd64.tar.gz'", os: "debian"},
		"NixOS":   {reason: "Proxmox writes its network for systemd-networkd.", spec: "image: 'local:vztmpl/nixos-image-lxc-proxmox-25.11-x86_64-linux.tar.xz'", os: "nixos"},
		"Said":    {reason: "The claim's word counts.", spec: "image: 'local:vztmpl/almalinux-9-default_20240911_amd64.tar.xz', os: unmanaged", os: "unmanaged"},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			claim := aClaim(t, "Container", "{"+tc.spec+", proxmox: {node: pve, vmId: 150, site: home}}")

			c, errs := Container(claim.Identity, *claim.Container, claim.Faults, aCatalog(t, containerCatalogue), Existing{})
			if len(errs) > 0 {
				t.Fatalf("%s\nContainer(...): %v", tc.reason, errs)
			}

			if c.OS != tc.os {
				t.Errorf("%s\nos: got %q, want %q", tc.reason, c.OS, tc.os)
			}
		})
	}
}

// TestSmallPackets: an MTU with which an interface has no IPv6.
func TestSmallPackets(t *testing.T) {
	auto := machine.Addressing{Method: "auto"}

	cases := map[string]struct {
		reason string
		nic    machine.NIC
		want   []string
	}{
		"Default": {"Proxmox's.", machine.NIC{IPv6: auto}, nil},
		"Bridge":  {"1 is the MTU of the bridge.", machine.NIC{MTU: 1, IPv6: auto}, nil},
		"Least":   {"RFC 8200.", machine.NIC{MTU: 1280, IPv6: auto}, nil},
		"IPv4":    {"IPv4 has smaller ones.", machine.NIC{MTU: 576}, nil},
		"Small":   {"A tunnel's.", machine.NIC{MTU: 1000, IPv6: auto}, []string{"spec.network.mtu: 1000: an interface has IPv6 from an MTU of 1280 on, so the guest has no IPv6 there: write 1280 or more, or remove ipv6."}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			n := &notes{}
			smallPackets(n, []machine.NIC{tc.nic})

			if diff := cmp.Diff(tc.want, n.warnings); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
