package validate

import (
	"net/netip"
	"strings"
)

// ofQm is how a claim has what qm and pct call an ipconfig, such as ip=192.168.4.53/24,gw=192.168.4.1; empty for anything else.
func ofQm(s string) string {
	rest, ok := strings.CutPrefix(s, "ip=")
	if !ok {
		return ""
	}

	ip, gateway, _ := strings.Cut(rest, ",gw=")
	if prefix, err := netip.ParsePrefix(ip); err != nil || !prefix.Addr().Is4() {
		return ""
	}

	if gateway == "" {
		return "ip: " + ip
	}

	if address, err := netip.ParseAddr(gateway); err != nil || !address.Is4() {
		return ""
	}

	return "ip: " + ip + " and gateway: " + gateway
}
