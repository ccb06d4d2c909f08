package status

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

const (
	mac0 = "BC:24:11:00:00:53"
	mac1 = "BC:24:11:00:00:54"
)

var (
	dhcp    = machine.NIC{IPv4: machine.Addressing{Method: machine.MethodDHCP}}
	auto    = machine.NIC{IPv6: machine.Addressing{Method: machine.MethodAuto}}
	without = machine.NIC{}
)

// static is an interface with fixed addresses; empty ones are left out.
func static(v4, v6 string) machine.NIC {
	var n machine.NIC
	if v4 != "" {
		n.IPv4 = machine.Addressing{Method: machine.MethodStatic, Address: v4, Prefix: 24}
	}

	if v6 != "" {
		n.IPv6 = machine.Addressing{Method: machine.MethodStatic, Address: v6, Prefix: 64}
	}

	return n
}

// An iface is an interface of the guest, as its agent reports it.
type iface struct {
	name, mac string
	v4, v6    []string
}

var loopback = iface{"lo", "00:00:00:00:00:00", []string{"127.0.0.1"}, []string{"::1"}}

// guest is a VM with interfaces of its own and those that its agent reports.
func guest(own []string, seen ...iface) proxmox.ObservedVM {
	var vm proxmox.ObservedVM

	at := &vm.Status.AtProvider
	for _, mac := range own {
		at.NetworkDevice = append(at.NetworkDevice, proxmox.ObservedDevice{MACAddress: mac})
	}

	for _, i := range seen {
		at.NetworkInterfaceNames = append(at.NetworkInterfaceNames, i.name)
		at.MACAddresses = append(at.MACAddresses, i.mac)
		at.IPv4Addresses = append(at.IPv4Addresses, i.v4)
		at.IPv6Addresses = append(at.IPv6Addresses, i.v6)
	}

	return vm
}

func TestGuestAddresses(t *testing.T) {
	cases := map[string]struct {
		reason string
		vm     proxmox.ObservedVM
		nics   []machine.NIC
		known  []string
		want   addresses
	}{
		"CaseOfTheMAC": {
			reason: "Guests write MAC addresses in lower case, Proxmox in upper case.",
			vm:     guest([]string{mac0}, loopback, iface{"ens18", "bc:24:11:00:00:53", []string{"192.168.4.53"}, nil}),
			nics:   []machine.NIC{dhcp},
			want:   addresses{all: []string{"192.168.4.53"}, primary: "192.168.4.53", ipv4: "192.168.4.53"},
		},
		"ContainersComeFirst": {
			reason: "Bridges, tunnels and pairs of containers are not the VM's, wherever they stand in the list.",
			vm: guest([]string{mac0},
				iface{"veth1", "9e:00:00:00:00:01", []string{"169.254.1.1"}, []string{"fe80::1"}},
				iface{"cni0", "5a:13:0b:22:90:01", []string{"10.42.0.1"}, nil},
				iface{"docker0", "02:42:aa:bb:cc:dd", []string{"172.17.0.1"}, nil},
				iface{"flannel.1", "0a:00:00:00:00:01", []string{"10.42.0.0"}, nil},
				iface{"kube-ipvs0", "0a:00:00:00:00:02", []string{"10.43.0.1"}, nil},
				iface{"ens18", mac0, []string{"192.168.4.53"}, nil}, loopback),
			nics: []machine.NIC{dhcp},
			want: addresses{all: []string{"192.168.4.53"}, primary: "192.168.4.53", ipv4: "192.168.4.53"},
		},
		"Report": {
			reason: "A link by which the guest reports on itself is no interface, even with the VM's MAC address and an address.",
			vm: guest([]string{mac0}, loopback, iface{"k3s-joined", mac0, []string{"10.9.9.9"}, []string{"2001:db8::9"}},
				iface{"ens18", mac0, []string{"192.168.4.53"}, nil}, iface{"nix-ok-3f9a0c", "9e:00:00:00:00:01", nil, nil}),
			nics: []machine.NIC{dhcp},
			want: addresses{all: []string{"192.168.4.53"}, primary: "192.168.4.53", ipv4: "192.168.4.53"},
		},
		"ReportAlone": {
			reason: "A guest whose interface has no address yet: its agent answers.",
			vm:     guest([]string{mac0}, loopback, iface{"ens18", mac0, nil, nil}, iface{"k3s-waiting", "9e:00:00:00:00:01", nil, nil}),
			nics:   []machine.NIC{dhcp},
		},
		"OtherOrder": {
			reason: "The same guest in another order has the same addresses.",
			vm: guest([]string{mac0}, loopback, iface{"ens18", mac0, []string{"192.168.4.53"}, nil},
				iface{"veth9", "9e:00:00:00:00:09", []string{"10.42.0.9"}, nil}, iface{"cni0", "5a:13:0b:22:90:01", []string{"10.42.0.1"}, nil}),
			nics: []machine.NIC{dhcp},
			want: addresses{all: []string{"192.168.4.53"}, primary: "192.168.4.53", ipv4: "192.168.4.53"},
		},
		"IPv6Only": {
			reason: "Without an IPv4 address the IPv6 one is primary; link-local ones never count.",
			vm:     guest([]string{mac0}, loopback, iface{"ens18", mac0, nil, []string{"fe80::be24:11ff:fe00:53", "2001:db8::53"}}),
			nics:   []machine.NIC{auto},
			want:   addresses{all: []string{"2001:db8::53"}, primary: "2001:db8::53", ipv6: "2001:db8::53"},
		},
		"LinkLocalOnly": {
			reason: "A guest that got no lease gives itself a link-local address, which is none.",
			vm:     guest([]string{mac0}, loopback, iface{"ens18", mac0, []string{"169.254.7.8"}, []string{"fe80::1%ens18"}}),
			nics:   []machine.NIC{dhcp},
			want:   addresses{},
		},
		"NullLists": {
			reason: "Inner lists can be null, or missing at the end.",
			vm: func() proxmox.ObservedVM {
				vm := guest([]string{mac0}, loopback, iface{"ens18", mac0, []string{"192.168.4.53"}, nil})
				vm.Status.AtProvider.IPv6Addresses = nil
				vm.Status.AtProvider.IPv4Addresses[0] = nil

				return vm
			}(),
			nics: []machine.NIC{dhcp},
			want: addresses{all: []string{"192.168.4.53"}, primary: "192.168.4.53", ipv4: "192.168.4.53"},
		},
		"Zone": {
			reason: "A zone means something inside of the guest only.",
			vm:     guest([]string{mac0}, iface{"ens18", mac0, nil, []string{"2001:db8::53%ens18"}}),
			nics:   []machine.NIC{auto},
			want:   addresses{all: []string{"2001:db8::53"}, primary: "2001:db8::53", ipv6: "2001:db8::53"},
		},
		"NotAnAddress": {
			reason: "What is no address is passed over.",
			vm:     guest([]string{mac0}, iface{"ens18", mac0, []string{"", "unknown", "192.168.4.53/24", "0.0.0.0", "224.0.0.1"}, nil}),
			nics:   []machine.NIC{dhcp},
			want:   addresses{},
		},
		"TwoInterfaces": {
			reason: "Addresses come by interface, then IPv4 before IPv6, then in numerical order; the first interface's is primary.",
			vm: guest([]string{mac0, mac1},
				iface{"ens19", mac1, []string{"10.0.0.9", "10.0.0.10"}, nil},
				iface{"ens18", mac0, []string{"192.168.4.53"}, []string{"2001:db8::2", "2001:db8::1"}}),
			nics: []machine.NIC{dhcp, dhcp},
			want: addresses{
				all:     []string{"192.168.4.53", "2001:db8::1", "2001:db8::2", "10.0.0.9", "10.0.0.10"},
				primary: "192.168.4.53", ipv4: "192.168.4.53", ipv6: "2001:db8::2",
			},
		},
		"FirstHasNoneYet": {
			reason: "While the first interface waits for its lease, no other one's address is primary.",
			vm:     guest([]string{mac0, mac1}, iface{"ens18", mac0, nil, nil}, iface{"ens19", mac1, []string{"10.0.0.9"}, nil}),
			nics:   []machine.NIC{dhcp, static("10.0.0.9", "")},
			want:   addresses{all: []string{"10.0.0.9"}},
		},
		"FirstIsToHaveNone": {
			reason: "An interface that is to have no address, such as a trunk, is passed over.",
			vm:     guest([]string{mac0, mac1}, iface{"ens18", mac0, nil, nil}, iface{"ens19", mac1, []string{"10.0.0.9"}, nil}),
			nics:   []machine.NIC{without, dhcp},
			want:   addresses{all: []string{"10.0.0.9"}, primary: "10.0.0.9", ipv4: "10.0.0.9"},
		},
		"GuestDecides": {
			reason: "Where the claim leaves addressing to the guest, the first interface that has an address is primary.",
			vm:     guest([]string{mac0, mac1}, iface{"ens18", mac0, nil, nil}, iface{"ens19", mac1, []string{"10.0.0.9"}, nil}),
			nics:   []machine.NIC{without, without},
			want:   addresses{all: []string{"10.0.0.9"}, primary: "10.0.0.9", ipv4: "10.0.0.9"},
		},
		"VirtualIP": {
			reason: "A virtual IP on the interface does not become primary where the claim gives an address.",
			vm:     guest([]string{mac0}, iface{"ens18", mac0, []string{"192.168.4.10", "192.168.4.53"}, nil}),
			nics:   []machine.NIC{static("192.168.4.53", "")},
			want:   addresses{all: []string{"192.168.4.10", "192.168.4.53"}, primary: "192.168.4.53", ipv4: "192.168.4.53"},
		},
		"KnownStays": {
			reason: "Of several leases the one that was primary stays so, wherever it stands in the list.",
			vm:     guest([]string{mac0}, iface{"ens18", mac0, []string{"192.168.4.10", "192.168.4.53"}, nil}),
			nics:   []machine.NIC{dhcp},
			known:  []string{"192.168.4.53"},
			want:   addresses{all: []string{"192.168.4.10", "192.168.4.53"}, primary: "192.168.4.53", ipv4: "192.168.4.53"},
		},
		"ChangedReplaces": {
			reason: "An address that is gone is replaced.",
			vm:     guest([]string{mac0}, iface{"ens18", mac0, []string{"192.168.4.77"}, nil}),
			nics:   []machine.NIC{dhcp},
			known:  []string{"192.168.4.53"},
			want:   addresses{all: []string{"192.168.4.77"}, primary: "192.168.4.77", ipv4: "192.168.4.77"},
		},
		"KnownIPv6GivesWay": {
			reason: "IPv4 comes before IPv6, also when it came later.",
			vm:     guest([]string{mac0}, iface{"ens18", mac0, []string{"192.168.4.53"}, []string{"2001:db8::53"}}),
			nics:   []machine.NIC{dhcp},
			known:  []string{"2001:db8::53"},
			want:   addresses{all: []string{"192.168.4.53", "2001:db8::53"}, primary: "192.168.4.53", ipv4: "192.168.4.53", ipv6: "2001:db8::53"},
		},
		"KnownOfBothFamilies": {
			reason: "A name in DNS does not wander among the addresses of a guest that gives itself several.",
			vm:     guest([]string{mac0}, iface{"ens18", mac0, []string{"192.168.4.10", "192.168.4.53"}, []string{"2001:db8::a", "2001:db8::b"}}),
			nics:   []machine.NIC{dhcp},
			known:  []string{"192.168.4.53", "192.168.4.53", "2001:db8::b"},
			want: addresses{
				all:     []string{"192.168.4.10", "192.168.4.53", "2001:db8::a", "2001:db8::b"},
				primary: "192.168.4.53", ipv4: "192.168.4.53", ipv6: "2001:db8::b",
			},
		},
		"BridgeOverTheInterface": {
			reason: "A bridge that the guest puts over its interface has its MAC address, and the VM's address.",
			vm:     guest([]string{mac0}, iface{"ens18", mac0, nil, nil}, iface{"br0", mac0, []string{"192.168.4.53"}, nil}),
			nics:   []machine.NIC{dhcp},
			want:   addresses{all: []string{"192.168.4.53"}, primary: "192.168.4.53", ipv4: "192.168.4.53"},
		},
		"MACFromTheClaim": {
			reason: "Before Proxmox has said which MAC address it gave out, the one that was asked for counts.",
			vm: func() proxmox.ObservedVM {
				vm := guest(nil, iface{"ens18", mac0, []string{"192.168.4.53"}, nil})
				vm.Spec.ForProvider.NetworkDevice = []proxmox.NetworkDevice{{MACAddress: mac0}}

				return vm
			}(),
			nics: []machine.NIC{dhcp},
			want: addresses{all: []string{"192.168.4.53"}, primary: "192.168.4.53", ipv4: "192.168.4.53"},
		},
		"NoMACKnown": {
			reason: "Without a MAC address of its own, no address is the VM's; least of all one of an interface without a MAC.",
			vm:     guest([]string{""}, loopback, iface{"wg0", "", []string{"10.8.0.1"}, nil}),
			nics:   []machine.NIC{dhcp},
			want:   addresses{},
		},
		"Silent": {
			reason: "No list at all means that the agent does not answer.",
			vm:     guest([]string{mac0}),
			nics:   []machine.NIC{dhcp},
			want:   addresses{silent: true},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := guestAddresses(tc.vm, tc.nics, tc.known...)
			if diff := cmp.Diff(tc.want, got, cmp.AllowUnexported(addresses{}), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("%s\nguestAddresses(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestStaticAddresses(t *testing.T) {
	cases := map[string]struct {
		reason string
		nics   []machine.NIC
		want   addresses
	}{
		"Both":           {"Both families are told, IPv4 is primary.", []machine.NIC{static("10.0.0.2", "2001:db8::2")}, addresses{all: []string{"10.0.0.2", "2001:db8::2"}, primary: "10.0.0.2", ipv4: "10.0.0.2", ipv6: "2001:db8::2"}},
		"IPv6":           {"IPv6 is primary where there is no IPv4.", []machine.NIC{static("", "2001:db8::2")}, addresses{all: []string{"2001:db8::2"}, primary: "2001:db8::2", ipv6: "2001:db8::2"}},
		"DHCP":           {"A lease is not known without an agent.", []machine.NIC{dhcp}, addresses{}},
		"SecondOnly":     {"Only the first interface's address is primary.", []machine.NIC{dhcp, static("10.0.0.2", "")}, addresses{all: []string{"10.0.0.2"}}},
		"NoInterface":    {"A machine without an interface has no address.", nil, addresses{}},
		"NotAnAddress":   {"What is no address is passed over.", []machine.NIC{static("10.0.0.2/24", "")}, addresses{}},
		"ManyInterfaces": {"Addresses come by interface.", []machine.NIC{static("10.0.9.2", ""), static("10.0.0.2", "")}, addresses{all: []string{"10.0.9.2", "10.0.0.2"}, primary: "10.0.9.2", ipv4: "10.0.9.2"}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := staticAddresses(tc.nics)
			if diff := cmp.Diff(tc.want, got, cmp.AllowUnexported(addresses{}), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("%s\nstaticAddresses(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
