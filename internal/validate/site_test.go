package validate

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
)

// TestProxmoxSite: what is wrong with the claim of a site, all at once.
func TestProxmoxSite(t *testing.T) {
	cases := map[string]struct {
		reason string
		spec   string
		want   []string
	}{
		"Right": {
			reason: "Everything that a claim can say.",
			spec: `{nodes: {pve: {bridges: [{name: vmbr1, ports: [enp2s0, bond0.7], vlanAware: true, mtu: 9000, address: 10.0.9.2/24, address6: "fd00::2/64", comment: a b}, {name: br}], ` +
				`vlans: [{interface: vmbr1, tag: 30, mtu: 9000}, {interface: enp3s0, tag: 4094}]}}, pools: [{name: a}, {name: a/b/c}], allowRemoval: {interfaces: [pve/vmbr7], pools: [b]}}`,
		},
		"Empty": {reason: "The last entry may be removed.", spec: `{}`},
		"Names": {
			reason: "Proxmox takes two characters or more, the provider ten at most.",
			spec:   `{nodes: {pve: {bridges: [{name: b}, {name: vmbr1234567}, {name: "1br"}, {name: ""}]}}}`,
			want: []string{
				"spec.nodes.pve.bridges[0].name: Invalid value: must hold 2 to 10 letters, digits and _, and start with a letter, such as vmbr1",
				"spec.nodes.pve.bridges[1].name: Invalid value: must hold 2 to 10 letters, digits and _, and start with a letter, such as vmbr1",
				"spec.nodes.pve.bridges[2].name: Invalid value: must hold 2 to 10 letters, digits and _, and start with a letter, such as vmbr1",
				"spec.nodes.pve.bridges[3].name: Required value: must hold 2 to 10 letters, digits and _, and start with a letter, such as vmbr1",
			},
		},
		"Twice": {
			reason: "A node has one interface of a name, also of both kinds, and the cluster one pool.",
			spec:   `{nodes: {pve: {bridges: [{name: vmbr1}, {name: vmbr1}], vlans: [{interface: vmbr1, tag: 3}, {interface: vmbr1, tag: 3}]}}, pools: [{name: a}, {name: a}]}`,
			want: []string{
				"spec.nodes.pve.bridges[1].name: Duplicate value: ",
				"spec.nodes.pve.vlans[1]: Duplicate value: ",
				"spec.pools[1].name: Duplicate value: ",
			},
		},
		"Ports": {
			reason: "A port has one bridge, and is none.",
			spec:   `{nodes: {pve: {bridges: [{name: vmbr1, ports: [enp2s0, enp2s0]}, {name: vmbr2, ports: [enp2s0, vmbr1, "a b"]}, {name: br, ports: [br.7]}], vlans: [{interface: br, tag: 7}]}}}`,
			want: []string{
				"spec.nodes.pve.bridges[0].ports[1]: Duplicate value: ",
				"spec.nodes.pve.bridges[1].ports[2]: Invalid value: must be the name of a NIC, a bond or a VLAN interface of the node, such as enp2s0, bond0 or enp2s0.30",
				"spec.nodes.pve.bridges[1].ports[0]: Invalid value: is a port of vmbr1: a port has one bridge",
				"spec.nodes.pve.bridges[1].ports[1]: Invalid value: is a bridge: a bridge cannot be a port of a bridge",
				"spec.nodes.pve.bridges[2].ports[0]: Invalid value: is a VLAN interface of the bridge itself",
			},
		},
		"OtherNode": {reason: "Another node has ports and names of its own.", spec: `{nodes: {pve: {bridges: [{name: vmbr1, ports: [enp2s0]}]}, pve2: {bridges: [{name: vmbr1, ports: [enp2s0]}]}}}`},
		"Addresses": {
			reason: "An address has a prefix, and one owner in the claim.",
			spec: `{nodes: {pve: {bridges: [{name: vmbr1, address: 10.0.9.2}, {name: vmbr2, address: "fd00::2/64", address6: 10.0.9.2/24}, {name: vmbr3, address: 10.0.9.3/24}]}, ` +
				`pve2: {bridges: [{name: vmbr1, address: 10.0.9.3/16}]}}}`,
			want: []string{
				"spec.nodes.pve.bridges[0].address: Invalid value: must be an IPv4 address with the length of its prefix, such as 10.0.9.2/24",
				"spec.nodes.pve.bridges[1].address: Invalid value: must be an IPv4 address with the length of its prefix, such as 10.0.9.2/24",
				"spec.nodes.pve.bridges[1].address6: Invalid value: must be an IPv6 address with the length of its prefix, such as fd00:9::2/64",
				"spec.nodes.pve2.bridges[0].address: Invalid value: is the address of pve/vmbr3, too",
			},
		},
		"Subnets": {
			reason: "A node has one interface in a subnet; other nodes have theirs.",
			spec: `{nodes: {pve: {bridges: [{name: vmbr1, address: 10.0.9.2/24, address6: "fd00::2/64"}, {name: vmbr2, address: 10.0.9.3/16}], ` +
				`vlans: [{interface: vmbr1, tag: 3, address6: "fd00::3/64"}]}, pve2: {bridges: [{name: vmbr1, address: 10.0.9.4/24, address6: "fd00::4/64"}]}}}`,
			want: []string{
				"spec.nodes.pve.bridges[1].address: Invalid value: is in the subnet of pve/vmbr1: a node has one interface in a subnet",
				"spec.nodes.pve.vlans[0].address6: Invalid value: is in the subnet of pve/vmbr1: a node has one interface in a subnet",
			},
		},
		"MTU": {
			reason: "A VLAN interface has at most what its bridge has.",
			spec:   `{nodes: {pve: {bridges: [{name: vmbr1, mtu: 1000}, {name: vmbr2}], vlans: [{interface: vmbr2, tag: 3, mtu: 9000}]}}}`,
			want: []string{
				"spec.nodes.pve.bridges[0].mtu: Invalid value: must be a whole number from 1280 to 65520",
				"spec.nodes.pve.vlans[0].mtu: Invalid value: must be at most the mtu of bridge vmbr2, 1500",
			},
		},
		"VLANs": {
			reason: "A tag of 802.1Q, and a name that Linux takes.",
			spec:   `{nodes: {pve: {vlans: [{interface: vmbr1, tag: 0}, {interface: vmbr1, tag: 4095}, {interface: enp0s31f6u1u, tag: 4000}, {interface: "", tag: 1}]}}}`,
			want: []string{
				"spec.nodes.pve.vlans[0].tag: Invalid value: must be a whole number from 1 to 4094",
				"spec.nodes.pve.vlans[1].tag: Invalid value: must be a whole number from 1 to 4094",
				"spec.nodes.pve.vlans[2]: Invalid value: the name of an interface has at most 15 characters, and this one is enp0s31f6u1u.4000",
				"spec.nodes.pve.vlans[3].interface: Required value: must be the name of a bridge, a NIC or a bond of the node, 2 to 13 letters, digits and _, such as vmbr1",
			},
		},
		"VLANByItsName": {
			reason: "The name of the interface has both, and the function makes it.", spec: `{nodes: {pve: {vlans: [{interface: vmbr0.20, tag: 20}, {interface: vmbr0.x, tag: 20}]}}}`,
			want: []string{
				"spec.nodes.pve.vlans[0].interface: Invalid value: is the name of a VLAN interface, which the function makes of two fields: write interface: vmbr0 and tag: 20",
				"spec.nodes.pve.vlans[1].interface: Invalid value: must be the name of a bridge, a NIC or a bond of the node, 2 to 13 letters, digits and _, such as vmbr1",
			},
		},
		"Comments": {
			reason: "/etc/network/interfaces has them in a line, and the mark is the function's.",
			spec:   `{nodes: {pve: {bridges: [{name: vmbr1, comment: "a\nb"}, {name: vmbr2, comment: "[ProxmoxSite infra/other]"}]}}, pools: [{name: a, comment: "ü"}]}`,
			want: []string{
				"spec.nodes.pve.bridges[0].comment: Invalid value: must be one line of printable ASCII characters, without spaces at the ends",
				"spec.nodes.pve.bridges[1].comment: Invalid value: must not hold [ProxmoxSite: the function marks with it what a claim manages",
				"spec.pools[0].comment: Invalid value: must be one line of printable ASCII characters, without spaces at the ends",
			},
		},
		"Removals": {
			reason: "What the claim has cannot be removed.",
			spec:   `{nodes: {pve: {vlans: [{interface: vmbr1, tag: 3}]}}, pools: [{name: a}], allowRemoval: {interfaces: [pve/vmbr1.3, vmbr1], pools: [a]}}`,
			want: []string{
				"spec.allowRemoval.interfaces[1]: Invalid value: must be the node and the interface, such as pve1/vmbr1",
				"spec.allowRemoval.interfaces[0]: Invalid value: is in spec.nodes: remove it there, or here",
				"spec.allowRemoval.pools[0]: Invalid value: is in spec.pools: remove it there, or here",
			},
		},
		"Word": {
			reason: "A hash begins with a letter.", spec: `{nodes: {pve: {bridges: [{name: vmbr1, allowInterruption: "true!"}]}}}`,
			want: []string{"spec.nodes.pve.bridges[0].allowInterruption: Invalid value: must be the hash that status.interfaces shows beside the changes"},
		},
		"CopiedAllow": {
			reason: "What was copied with its name has a hash in it.", spec: `{nodes: {pve: {bridges: [{name: vmbr1, allowInterruption: "allow: B81F9A3C20"}]}}}`,
			want: []string{"spec.nodes.pve.bridges[0].allowInterruption: Invalid value: must be the hash that status.interfaces shows beside the changes: write \"b81f9a3c20\""},
		},
		"Allow": {
			reason: "The hash as it is shown.", spec: `{nodes: {pve: {bridges: [{name: vmbr1, allowInterruption: b81f9a3c20}]}}}`,
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			spec := v1alpha1.ProxmoxSiteSpec{}
			if err := yaml.UnmarshalStrict([]byte(tc.spec), &spec); err != nil {
				t.Fatal(err)
			}

			var got []string
			for _, err := range ProxmoxSite(spec) {
				got = append(got, err.Field+": "+err.Type.String()+": "+err.Detail)
			}

			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
