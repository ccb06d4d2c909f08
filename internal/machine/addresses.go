package machine

import (
	"net/netip"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// An Address is one that no two machines of a network can have: a static IP address, or a MAC address.
type Address struct {
	NIC   int    // The index of the interface; 0 is spec.network.
	Kind  string // ipv4, ipv6, mac or [KindRecord].
	Value string // As claimed, for instance 192.168.4.60, fd00::60 or BC:24:11:00:00:01; a MAC address in upper case.
	// Origin is the field of spec.network that asks for the address where the claim does not name it: pool or stableMAC.
	Origin string
}

// The fields that ask for an address without naming it.
const (
	OriginPool      = "pool"
	OriginStableMAC = "stableMAC"
)

// KindRecord is the kind of a name that external-dns points to the machine: in whichever network the machine is, the name is there once.
const KindRecord = "dnsRecord"

// Unique is what a claim gives its machine that no machine of another tenant may have: its addresses, and the name of its DNS record.
func (m *Machine) Unique() []Address {
	out := m.Addresses()
	if m.DNSRecord != "" {
		out = append(out, Address{Kind: KindRecord, Value: m.DNSRecord})
	}

	return out
}

// Addresses that a claim gives its machine, in the order of the interfaces.
func (m *Machine) Addresses() []Address {
	var out []Address

	for i, n := range m.NICs {
		if n.IPv4.Method == MethodStatic {
			a := Address{NIC: i, Kind: "ipv4", Value: n.IPv4.Address}
			if n.IPv4.Pool != nil {
				a.Origin = OriginPool
			}

			out = append(out, a)
		}

		if n.IPv6.Method == MethodStatic {
			out = append(out, Address{NIC: i, Kind: "ipv6", Value: n.IPv6.Address})
		}

		if n.MAC != "" {
			a := Address{NIC: i, Kind: "mac", Value: n.MAC}
			if n.StableMAC {
				a.Origin = OriginStableMAC
			}

			out = append(out, a)
		}
	}

	return out
}

// Path of the claim's field with the address, for instance spec.network.ip or spec.nics[0].mac.
func (a Address) Path() string {
	if a.Origin != "" {
		return "spec.network." + a.Origin
	}

	return NICPath(a.NIC).String() + "." + map[string]string{"ipv4": "ip", "ipv6": "ipv6.ip", "mac": "mac", KindRecord: "dnsRecord"}[a.Kind]
}

// NICPath is the claim's field with an interface, by its index in [Machine.NICs]: spec.network is the first one.
func NICPath(i int) *field.Path {
	if i == 0 {
		return field.NewPath("spec", "network")
	}

	return field.NewPath("spec", "nics").Index(i - 1)
}

// Label is the address as a label's value, the same for every spelling: an IPv6 address with all its digits, and without colons.
// Empty for what is no address.
func (a Address) Label() string {
	switch a.Kind {
	case "mac":
		return strings.ReplaceAll(strings.ToUpper(a.Value), ":", "-")
	case KindRecord:
		return a.Value // It is in an annotation: no label has a * or more than 63 characters.
	}

	ip, err := netip.ParseAddr(a.Value)
	if err != nil || ip.Zone() != "" {
		return ""
	}

	return strings.ReplaceAll(ip.StringExpanded(), ":", "-")
}
