package machine

import (
	"net/netip"
	"testing"
)

func TestParseAddressRange(t *testing.T) {
	for text, tc := range map[string]struct{ want, reason string }{
		"192.168.4.50-192.168.4.99":   {"192.168.4.50-192.168.4.99", "Two addresses."},
		"192.168.4.50 - 192.168.4.99": {"192.168.4.50-192.168.4.99", "Blanks are no fault."},
		"192.168.4.50":                {"192.168.4.50", "One address is a range of one."},
		"192.168.4.99-192.168.4.50":   {"192.168.4.99-192.168.4.50", "Who asks says what is wrong with the order."},
		"fd00::1-fd00::9":             {"fd00::1-fd00::9", "Of IPv6."},
		"192.168.4.50-fd00::9":        {"", "Of two families."},
		"192.168.4.50-":               {"", "Without an end."},
		"192.168.4.0/24":              {"", "A prefix."},
		"":                            {"", "Nothing."},
	} {
		got, ok := ParseAddressRange(text)
		if ok != (tc.want != "") || ok && got.String() != tc.want {
			t.Errorf("%s\nParseAddressRange(%q): want %q, got %v, %t", tc.reason, text, tc.want, got, ok)
		}
	}
}

func TestSubnetRange(t *testing.T) {
	for subnet, want := range map[string]string{
		"192.168.4.0/24": "192.168.4.0-192.168.4.255", "192.168.4.77/26": "192.168.4.64-192.168.4.127", "10.0.0.1/32": "10.0.0.1",
		"0.0.0.0/0": "0.0.0.0-255.255.255.255", "fd00::5/126": "fd00::4-fd00::7",
	} {
		if got := SubnetRange(netip.MustParsePrefix(subnet)).String(); got != want {
			t.Errorf("SubnetRange(%s): want %s, got %s", subnet, want, got)
		}
	}
}
