package validate

import "testing"

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
