package validate

import "testing"

func TestNoAddressYet(t *testing.T) {
	const one = "an interface has one address: write 192.168.4.61, for instance; the first interface can have a free one of the range that the site has as its pool (network.pool: true)"

	cases := map[string]struct{ reason, address, want string }{
		"Auto": {
			"Two fields choose an address.", "Auto",
			"for DHCP, write dhcp: true in place of ip; the first interface can have a free address of the site's pool (network.pool: true)",
		},
		"Static":  {"That an address is fixed is said by the address.", "static", "write the address itself"},
		"Range":   {"A range is a site's.", "192.168.4.61-192.168.4.70", one},
		"Short":   {"The end of a range may be its last number.", "192.168.4.61 - 70", one},
		"Network": {"With a prefix length.", "192.168.4.61-192.168.4.70/24", one},
		"Name":    {"A host name with a hyphen is no range.", "git-01", ""},
		"Half":    {"Nor is an address with a name.", "192.168.4.61-git01", ""},
		"Address": {"An address is one.", "192.168.4.61", ""},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := noAddressYet(tc.address); got != tc.want {
				t.Errorf("%s: want %q, got %q", tc.reason, tc.want, got)
			}
		})
	}
}

func TestOfQm(t *testing.T) {
	cases := map[string]struct {
		reason  string
		address string
		want    string
	}{
		"Both":         {"An address and a gateway are two fields.", "ip=192.168.4.53/24,gw=192.168.4.1", "ip: 192.168.4.53/24 and gateway: 192.168.4.1"},
		"Address":      {"The site may have the gateway.", "ip=192.168.4.53/24", "ip: 192.168.4.53/24"},
		"NoPrefix":     {"qm refuses an address without its length, and nobody knows it.", "ip=192.168.4.53", ""},
		"NoAddress":    {"What is no address is not translated.", "ip=home/24", ""},
		"NoGateway":    {"Neither is what is no gateway.", "ip=192.168.4.53/24,gw=router", ""},
		"IPv6":         {"An address of IPv6 is another field's.", "ip=fd00::5/64", ""},
		"IPv6Gateway":  {"So is its gateway.", "ip=192.168.4.53/24,gw=fd00::1", ""},
		"MoreOfQm":     {"Nor is what comes behind it.", "ip=192.168.4.53/24,gw=192.168.4.1,ip6=auto", ""},
		"NotOfQm":      {"An address alone is a claim's own form.", "192.168.4.53/24", ""},
		"NothingAtAll": {"And nothing is nothing.", "ip=", ""},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := ofQm(tc.address); got != tc.want {
				t.Errorf("%s: want %q, got %q", tc.reason, tc.want, got)
			}
		})
	}
}
