package behaviour

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// TestAnothersAddressByAnotherPath: a tenant that has an address where nobody else has it brings it to that of the platform's machine neither by an edit of the
// bridge or the VLAN tag, nor by what its guest says that it has. What runs goes on.
func TestAnothersAddressByAnotherPath(t *testing.T) {
	t.Parallel()

	const (
		foreign = "is that of another claim of this Proxmox, which is not of tenant team-b"
		noVLAN  = "{network: {vlan: }}"
	)

	cases := map[string]struct {
		reason, kind, before, edit string
		// reports is the address that the container's root gave its first interface.
		reports string
		says    string // Empty where the edit is harmless.
	}{
		"VLAN":          {reason: "The address comes from a VLAN of the tenant's own.", kind: "Machine", before: "{network: {ip: 192.168.4.53, vlan: 31}}", edit: noVLAN, says: foreign},
		"VLANOfMAC":     {reason: "So does a MAC address.", kind: "Machine", before: `{network: {mac: "BC:24:11:00:00:53", vlan: 31}}`, edit: noVLAN, says: foreign},
		"Second":        {reason: "On a further interface.", kind: "Machine", before: "{nics: [{bridge: vmbr0, vlan: 31, ip: 192.168.4.53, cidr: 24}]}", edit: "{nics: [{bridge: vmbr0, ip: 192.168.4.53, cidr: 24}]}", says: foreign},
		"IPv6":          {reason: "An address of IPv6 from a network of the tenant's own, which the platform's VM has, is the platform's.", kind: "Machine", before: `{network: {vlan: 31, ipv6: {ip: "fd00::53", cidr: 64}}}`, edit: noVLAN, says: foreign},
		"ContainerIPv6": {reason: "Of a container.", kind: "Container", before: `{network: {vlan: 31, ipv6: {ip: "fd00:0::53", cidr: 64}}}`, edit: noVLAN, says: foreign},
		"Elsewhere":     {reason: "A third network is nobody's.", kind: "Machine", before: "{network: {ip: 192.168.4.53, vlan: 31}}", edit: "{network: {vlan: 32}}"},
		"ContainerVLAN": {reason: "A container from a VLAN of its own.", kind: "Container", before: "{network: {ip: 192.168.4.53, vlan: 31}}", edit: noVLAN, says: foreign},
		"ContainerMAC":  {reason: "With a MAC address.", kind: "Container", before: `{network: {mac: "BC:24:11:00:00:53", vlan: 31}}`, edit: noVLAN, says: foreign},
		"Reported": {
			reason: "The container's root took the address first, and its claim says it then.", kind: "Container", before: "{network: {dhcp: true}}", reports: "192.168.4.53",
			edit: "{network: {ip: 192.168.4.53, cidr: 24}}", says: foreign,
		},
		"ReportedFree": {
			reason: "An address of DHCP that nobody has is written.", kind: "Container", before: "{network: {dhcp: true}}", reports: "192.168.4.54",
			edit: "{network: {ip: 192.168.4.54, cidr: 24}}",
		},
	}

	for name, tc := range cases {
		for _, in := range world.Installations {
			if tc.kind == "Container" && in.Name == "legacy" {
				continue // Its provider is too old for containers.
			}

			t.Run(name+in.Name, func(t *testing.T) {
				t.Parallel()

				before := tc.before
				if tc.kind == "Container" {
					before = strings.Replace(before, "{", `{image: "local:vztmpl/debian-12.tar.zst", proxmox: {vmId: 154}, `, 1)
				}

				p := playedPair(t, in, tc.kind, before)
				if strings.Contains(before, "dhcp") {
					delete(world.Object(p.hostile.Spec()["network"]), "ip")
					delete(world.Object(p.hostile.Spec()["network"]), "cidr")
					delete(world.Object(p.hostile.Spec()["network"]), "gateway")
				}

				p.hostile.says(p.hostile.Settle(), map[string]string{"MachineReady": "Running", "SpecValid": "Valid"})

				if tc.reports != "" {
					p.hostile.reports(tc.reports)
				}

				p.victim.Proxmox.Done = nil
				delete(world.Object(p.hostile.Spec()["network"]), "dhcp")
				world.Merge(p.hostile.Spec(), world.FromYAML(t, tc.edit))

				if tc.edit == noVLAN {
					delete(world.Object(p.hostile.Spec()["network"]), "vlan")
				}

				for range 4 {
					p.hostile.try()

					if tc.reports != "" {
						p.hostile.reports(tc.reports)
					}
				}

				if rsp := p.hostile.Call(); tc.says != "" {
					p.hostile.refused(rsp, tc.says)

					if diff := cmp.Diff([]string(nil), p.victim.Proxmox.Done); diff != "" {
						t.Errorf("%s In Proxmox: -want, +got:\n%s", tc.reason, diff)
					}
				} else {
					p.hostile.says(rsp, map[string]string{"SpecValid": "Valid"})
				}

				p.unharmed(t, "edited")
			})
		}
	}
}

// TestAnAddressThatAContainerTook: whatever address a container's root gives its interface, another tenant's new machine gets it.
func TestAnAddressThatAContainerTook(t *testing.T) {
	t.Parallel()

	for _, in := range withContainers() {
		t.Run(in.Name, func(t *testing.T) {
			t.Parallel()

			p := playedPair(t, in, "Container", `{image: "local:vztmpl/debian-12.tar.zst", proxmox: {vmId: 154}}`)
			p.hostile.Spec()["network"] = map[string]any{"dhcp": true}
			p.hostile.Settle()
			p.hostile.reports("192.168.4.88")

			honest := p.victim.beside(world.NewMachine(world.NewClaim("Machine", "vault-prod", "honest", world.FromYAML(t,
				`{class: small, image: debian-12, network: {ip: 192.168.4.88, cidr: 24, gateway: 192.168.4.1}, proxmox: {node: pve}}`)), in))
			honest.Catalogue = p.victim.Catalogue

			for range 4 {
				honest.try()
				p.hostile.reports("192.168.4.88")
			}

			honest.says(honest.Settle(), map[string]string{"MachineReady": "Running", "SpecValid": "Valid"})
		})
	}
}

// reports an address of the container's first interface, as Proxmox reads it of the guest.
func (m *machine) reports(address string) {
	m.t.Helper()

	container := world.Object(m.Observed["container"])
	if container == nil {
		m.t.Fatal("there is no container")
	}

	world.Object(world.Object(container["status"])["atProvider"])["ipv4"] = map[string]any{"eth0": address}
}
