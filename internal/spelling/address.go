package spelling

import (
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strings"
)

// splitAddresses writes the prefix length of each address into the field cidr beside it.
func (d document) splitAddresses() {
	if network, ok := split(d.child("network")); ok {
		d.fields["network"] = network
	}

	nics, ok := d.fields["nics"].([]any)
	if !ok {
		return
	}

	nics = slices.Clone(nics)

	for i := range nics {
		nic, _ := nics[i].(map[string]any)
		if out, ok := split(nic); ok {
			nics[i] = out
		}
	}

	d.fields["nics"] = nics
}

// split the address of an interface, and its IPv6 address. A prefix length that contradicts the field cidr stays: that is a fault.
func split(nic map[string]any) (map[string]any, bool) {
	v6, _ := nic["ipv6"].(map[string]any)
	if !hasPrefix(nic) && !hasPrefix(v6) {
		return nil, false
	}

	out := maps.Clone(nic)
	splitAddress(out)

	if v6 != nil {
		v6 = maps.Clone(v6)
		splitAddress(v6)
		out["ipv6"] = v6
	}

	return out, true
}

// hasPrefix says whether the address of an interface, or its IPv6 address, has a prefix length.
func hasPrefix(of map[string]any) bool {
	ip, _ := of["ip"].(string)

	return strings.Contains(ip, "/")
}

func splitAddress(of map[string]any) {
	text, ok := of["ip"].(string)
	if !ok {
		return
	}

	prefix, err := netip.ParsePrefix(text)
	if err != nil || prefix.Bits() == 0 {
		return
	}

	if cidr, ok := of["cidr"]; ok && cidr != nil && fmt.Sprint(cidr) != fmt.Sprint(prefix.Bits()) {
		return
	}

	of["ip"], _, _ = strings.Cut(text, "/")
	of["cidr"] = int64(prefix.Bits())
}
