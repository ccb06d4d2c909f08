package validate

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

func TestIPv4Subnet(t *testing.T) {
	cases := map[string]struct {
		reason  string
		ip      string
		prefix  int64
		gateway string
		want    []string
	}{
		"Usual":        {reason: "The usual network.", ip: "192.168.4.53", prefix: 24, gateway: "192.168.4.1"},
		"NoGateway":    {reason: "A network may end at its switch.", ip: "192.168.4.53", prefix: 24},
		"PointToPoint": {reason: "A /31 has two machines and nothing else (RFC 3021).", ip: "10.0.0.0", prefix: 31, gateway: "10.0.0.1"},
		"Host":         {reason: "A /32 is its machine.", ip: "10.0.0.1", prefix: 32},
		"HostGateway": {reason: "No gateway is in a /32.", ip: "10.0.0.1", prefix: 32, gateway: "10.0.0.2", want: []string{`n.gateway: Invalid value: "10.0.0.2": gateway must be inside the subnet that ip and cidr describe, which is 10.0.0.1/32: that is one address alone. ` +
			"Write the prefix length of the network that the router is in; where the router is in none with the machine, as with addresses that a provider routes, leave gateway out, and let the guest itself set a route with on-link"}},
		"Wide":           {reason: "A /16 is wide.", ip: "10.1.0.0", prefix: 8, gateway: "10.255.0.1"},
		"Itself":         {reason: "The first address is the subnet's.", ip: "10.1.0.0", prefix: 16, want: []string{`n.ip: Invalid value: "10.1.0.0": is the address of the subnet 10.1.0.0/16 itself: its hosts have 10.1.0.1 to 10.1.255.254`}},
		"Broadcast":      {reason: "The last address is everybody's.", ip: "10.1.255.255", prefix: 16, want: []string{`n.ip: Invalid value: "10.1.255.255": is the broadcast address of the subnet 10.1.0.0/16: its hosts have 10.1.0.1 to 10.1.255.254`}},
		"SmallBroadcast": {reason: "So it is in a /30.", ip: "10.0.0.3", prefix: 30, want: []string{`n.ip: Invalid value: "10.0.0.3": is the broadcast address of the subnet 10.0.0.0/30: its hosts have 10.0.0.1 to 10.0.0.2`}},
		"OwnGateway":     {reason: "Nobody is his own gateway.", ip: "10.0.0.2", prefix: 30, gateway: "10.0.0.2", want: []string{`n.gateway: Invalid value: "10.0.0.2": is the machine's own address: the gateway is that of the router`}},
		"NoAddress":      {reason: "What is no address is found elsewhere.", ip: "x", prefix: 24},
		"IPv6":           {reason: "What is no IPv4 address is found elsewhere.", ip: "::1", prefix: 24, gateway: "::2"},
		"NoPrefix":       {reason: "What is no prefix length is found elsewhere.", ip: "10.0.0.2", prefix: 33, gateway: "10.0.0.1"},
		"NegativePrefix": {reason: "What is no prefix length is found elsewhere.", ip: "10.0.0.2", prefix: -1},
		"BadGateway":     {reason: "What is no gateway is found elsewhere.", ip: "10.0.0.2", prefix: 24, gateway: "x"},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, messages(IPv4Subnet(field.NewPath("n"), tc.ip, tc.prefix, tc.gateway))); diff != "" {
				t.Errorf("%s\nIPv4Subnet(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestMAC(t *testing.T) {
	cases := map[string]struct {
		reason string
		mac    string
		fault  bool
	}{
		"Proxmox":    {reason: "Proxmox' own prefix.", mac: "BC:24:11:00:00:53"},
		"LowerCase":  {reason: "Case does not matter.", mac: "bc:24:11:00:00:53"},
		"Local":      {reason: "A locally administered address.", mac: "02:00:00:00:00:01"},
		"LocalLast":  {reason: "An even second digit of any kind.", mac: "0E:00:00:00:00:01"},
		"Multicast":  {reason: "The lowest bit of the first byte.", mac: "03:00:00:00:00:01", fault: true},
		"Broadcast":  {reason: "Everybody.", mac: "FF:FF:FF:FF:FF:FF", fault: true},
		"LowerOdd":   {reason: "An odd second digit of any case.", mac: "0b:00:00:00:00:01", fault: true},
		"Zero":       {reason: "Nobody.", mac: "00:00:00:00:00:00", fault: true},
		"Dashes":     {reason: "Windows' way.", mac: "BC-24-11-00-00-53", fault: true},
		"Short":      {reason: "Five pairs.", mac: "BC:24:11:00:00", fault: true},
		"Long":       {reason: "Seven pairs.", mac: "BC:24:11:00:00:53:00", fault: true},
		"LineEnd":    {reason: "One line.", mac: "BC:24:11:00:00:53\n", fault: true},
		"NotHex":     {reason: "Hexadecimal digits.", mac: "GC:24:11:00:00:53", fault: true},
		"NotWritten": {reason: "It may be left out.", mac: ""},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := messages(mac(field.NewPath("mac"), tc.mac)); (len(got) > 0) != tc.fault {
				t.Errorf("%s\nmac(%q): want fault=%v, got %q", tc.reason, tc.mac, tc.fault, got)
			}
		})
	}
}

// TestMACOf: people copy MAC addresses from where they stand.
func TestMACOf(t *testing.T) {
	for typed, want := range map[string]string{
		"bc-24-11-00-00-53": "with colons: write BC:24:11:00:00:53",
		"bc24.1100.0053":    "with colons: write BC:24:11:00:00:53",
		"BC2411000053":      "with colons: write BC:24:11:00:00:53",
		"auto":              "such as BC:24:11:00:00:53",
		"BC:24:11:00:00":    "such as BC:24:11:00:00:53",
	} {
		if got := macOf(typed); got != want {
			t.Errorf("%s: got %q, want %q", typed, got, want)
		}
	}
}
