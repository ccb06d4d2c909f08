package resolve

import (
	"net/netip"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/ipam"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
)

// TestNodeAddresses: the VM of a node of K3s keeps the addresses that K3s knows it by, and says what it refuses.
func TestNodeAddresses(t *testing.T) {
	const clusters = `clusters: {home: {server: "https://k3s:6443", version: v1.33.6+k3s1, token: {file: /etc/rancher/k3s/token}}}
images: {debian: {url: "https://x/y.qcow2", os: debian}}
sites: {home: {network: {gateway: 192.168.4.1, cidr: 24, pool: [192.168.4.50-192.168.4.59]}}}`

	fixed := machine.Addressing{Method: machine.MethodStatic, Address: "192.168.4.60", Prefix: 24, Gateway: "192.168.4.1"}
	asked := machine.Addressing{Method: machine.MethodDHCP}
	storage := machine.Addressing{Method: machine.MethodStatic, Address: "10.0.0.60", Prefix: 24}
	own := machine.Addressing{Method: machine.MethodStatic, Address: "fd00::60", Prefix: 64}
	of := func(a machine.Addressing, address string) machine.Addressing { a.Address = address; return a }
	refuses := func(a, what machine.Addressing) machine.Addressing { a.Refused = &what; return a }
	server := Member{Role: v1alpha1.K3sServer, Cluster: "home", Etcd: "member"}

	// What the machine has: IPv4 and IPv6 of each interface.
	type addresses [][2]machine.Addressing

	for name, tc := range map[string]struct {
		reason   string
		spec     string
		k3s      string
		existing Existing
		want     addresses
	}{
		"New":      {reason: "A node without a VM gets what its claim says.", spec: `network: {ip: 192.168.4.61}`, want: addresses{{of(fixed, "192.168.4.61"), {}}}},
		"Same":     {reason: "Nothing changed.", spec: `network: {ip: 192.168.4.60}`, existing: Existing{NICs: []NIC{{IPv4: fixed}}}, want: addresses{{fixed, {}}}},
		"Prefix":   {reason: "K3s knows no prefix length.", spec: `network: {ip: 192.168.4.60/23}`, existing: Existing{NICs: []NIC{{IPv4: fixed}}}, want: addresses{{{Method: machine.MethodStatic, Address: "192.168.4.60", Prefix: 23, Gateway: "192.168.4.1"}, {}}}},
		"Another":  {reason: "etcd and the kubelet know the other one.", spec: `network: {ip: 192.168.4.61}`, existing: Existing{NICs: []NIC{{IPv4: fixed}}}, want: addresses{{refuses(fixed, of(fixed, "192.168.4.61")), {}}}},
		"ToDHCP":   {reason: "A lease is another address.", spec: `network: {dhcp: true}`, existing: Existing{NICs: []NIC{{IPv4: fixed}}}, want: addresses{{refuses(fixed, asked), {}}}},
		"FromDHCP": {reason: "Nobody knows which one it has.", spec: `network: {ip: 192.168.4.61}`, existing: Existing{NICs: []NIC{{IPv4: asked}}}, want: addresses{{refuses(asked, of(fixed, "192.168.4.61")), {}}}},
		"Lease": {
			reason: "The address of its lease is written down.", spec: `network: {ip: 192.168.4.61}`,
			existing: Existing{NICs: []NIC{{IPv4: asked, Reported: []netip.Addr{netip.MustParseAddr("192.168.4.61")}}}}, want: addresses{{of(fixed, "192.168.4.61"), {}}},
		},
		"InGuest": {
			reason: "A person has changed the guest, and says so.", spec: `network: {ip: 192.168.4.61}`,
			existing: Existing{NICs: []NIC{{IPv4: fixed, Reported: []netip.Addr{netip.MustParseAddr("192.168.4.61")}}}}, want: addresses{{of(fixed, "192.168.4.61"), {}}},
		},
		"IPv6": {
			reason: "Also the address of the other family.", spec: `network: {ip: 192.168.4.60, ipv6: {ip: "fd00::61/64"}}`,
			existing: Existing{NICs: []NIC{{IPv4: fixed, IPv6: own}}}, want: addresses{{fixed, refuses(own, of(own, "fd00::61"))}},
		},
		"Spelling": {
			reason: "The same address in other words.", spec: `network: {ip: 192.168.4.60, ipv6: {ip: "fd00:0::60/64"}}`,
			existing: Existing{NICs: []NIC{{IPv4: fixed, IPv6: own}}}, want: addresses{{fixed, of(own, "fd00:0::60")}},
		},
		"FirstIPv6": {
			reason: "The guest has none.", spec: `network: {ip: 192.168.4.60, ipv6: {ip: "fd00::61/64"}}`,
			existing: Existing{NICs: []NIC{{IPv4: fixed}}}, want: addresses{{fixed, refuses(machine.Addressing{}, of(own, "fd00::61"))}},
		},
		"NoIPv6": {
			reason: "The guest keeps it.", spec: `network: {ip: 192.168.4.60}`,
			existing: Existing{NICs: []NIC{{IPv4: fixed, IPv6: own}}}, want: addresses{{fixed, refuses(own, machine.Addressing{})}},
		},
		"Stranded": {
			reason: "The site's network became another one, in which the address is nobody's.", spec: `network: {ip: 10.30.0.60}`,
			existing: Existing{NICs: []NIC{{IPv4: machine.Addressing{Method: machine.MethodStatic, Address: "10.30.0.60", Prefix: 24, Gateway: "10.30.0.1"}}}},
			want: addresses{{refuses(machine.Addressing{Method: machine.MethodStatic, Address: "10.30.0.60", Prefix: 24, Gateway: "10.30.0.1"},
				machine.Addressing{Method: machine.MethodStatic, Address: "10.30.0.60", Prefix: 24}), {}}},
		},
		"RouteElsewhere": {
			reason: "Another interface brings the default route from now on.", spec: `network: {ip: 10.30.0.60}, nics: [{bridge: vmbr1, ip: 10.0.0.60/24, gateway: 10.0.0.1}]`,
			existing: Existing{NICs: []NIC{{IPv4: machine.Addressing{Method: machine.MethodStatic, Address: "10.30.0.60", Prefix: 24, Gateway: "10.30.0.1"}}, {IPv4: storage}}},
			want: addresses{
				{{Method: machine.MethodStatic, Address: "10.30.0.60", Prefix: 24}, {}},
				{{Method: machine.MethodStatic, Address: "10.0.0.60", Prefix: 24, Gateway: "10.0.0.1"}, {}},
			},
		},
		"NeverHadARoute": {
			reason: "It was made without one.", spec: `network: {ip: 10.30.0.60}`,
			existing: Existing{NICs: []NIC{{IPv4: machine.Addressing{Method: machine.MethodStatic, Address: "10.30.0.60", Prefix: 24}}}},
			want:     addresses{{{Method: machine.MethodStatic, Address: "10.30.0.60", Prefix: 24}, {}}},
		},
		"NeverInItsNetwork": {
			reason: "The gateway that it was made with was none for its address.", spec: `network: {ip: 10.30.0.60}`,
			existing: Existing{NICs: []NIC{{IPv4: machine.Addressing{Method: machine.MethodStatic, Address: "10.30.0.60", Prefix: 24, Gateway: "192.168.4.1"}}}},
			want:     addresses{{{Method: machine.MethodStatic, Address: "10.30.0.60", Prefix: 24}, {}}},
		},
		"AnotherRouter": {
			reason: "The network is the same one.", spec: `network: {ip: 192.168.4.60}`,
			existing: Existing{NICs: []NIC{{IPv4: machine.Addressing{Method: machine.MethodStatic, Address: "192.168.4.60", Prefix: 24, Gateway: "192.168.4.254"}}}}, want: addresses{{fixed, {}}},
		},
		"Further": {
			reason: "K3s knows the first interface.", spec: `network: {ip: 192.168.4.60}, nics: [{bridge: vmbr1, ip: 10.0.0.61/24}]`,
			existing: Existing{NICs: []NIC{{IPv4: fixed}, {IPv4: storage}}}, want: addresses{{fixed, {}}, {of(storage, "10.0.0.61"), {}}},
		},
		"FurtherNodeIP": {
			reason: "Unless its config names another one.", spec: `network: {ip: 192.168.4.60}, nics: [{bridge: vmbr1, ip: 10.0.0.61/24}]`, k3s: `config: {node-ip: 10.0.0.60}`,
			existing: Existing{NICs: []NIC{{IPv4: fixed}, {IPv4: storage}}}, want: addresses{{fixed, {}}, {refuses(storage, of(storage, "10.0.0.61")), {}}},
		},
		"Removed": {
			reason: "An interface that goes has no address.", spec: `network: {ip: 192.168.4.60}`, k3s: `config: {node-ip: 10.0.0.60}`,
			existing: Existing{NICs: []NIC{{IPv4: fixed}, {IPv4: storage}}}, want: addresses{{fixed, {}}},
		},
		"ToPool": {
			reason: "It keeps its address, also outside of the pool.", spec: `network: {pool: true}`,
			existing: Existing{NICs: []NIC{{IPv4: fixed}}, Address: Address{IP: "192.168.4.60", Prefix: 24, Gateway: "192.168.4.1"}},
			want:     addresses{{{Method: machine.MethodStatic, Address: "192.168.4.60", Prefix: 24, Gateway: "192.168.4.1", Pool: &machine.AddressPool{}}, {}}},
		},
		"Claimed": {
			reason: "What Cluster API's pool gave stays its own: it would give the address to somebody else.", spec: `network: {ip: 192.168.4.61}`,
			existing: Existing{NICs: []NIC{{IPv4: fixed}}, Address: Address{IP: "192.168.4.60", Prefix: 24, Gateway: "192.168.4.1", Of: ipam.Pool{Kind: "InClusterIPPool", Name: "lan"}}},
			want: addresses{{{
				Method: machine.MethodStatic, Address: "192.168.4.60", Prefix: 24, Gateway: "192.168.4.1", Refused: new(of(fixed, "192.168.4.61")),
				Pool: &machine.AddressPool{Of: ipam.Pool{Kind: "InClusterIPPool", Name: "lan"}},
			}, {}}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			if tc.existing.NICs != nil {
				tc.existing.Node, tc.existing.Has, tc.existing.BuiltIn, tc.existing.Member = "pve", &Entries{}, defaults(), server
			}

			m, errs := Claim(aClaim(t, kindNode, `{proxmox: {site: home, node: pve}, class: medium, image: debian, `+tc.spec+`, k3s: {cluster: home, role: server, `+tc.k3s+`}}`),
				aCatalog(t, clusters), tc.existing)
			if len(errs) > 0 {
				t.Fatal(errs.ToAggregate())
			}

			var got addresses
			for _, n := range m.NICs {
				got = append(got, [2]machine.Addressing{n.IPv4, n.IPv6})
			}

			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
