package k3s

import (
	"net/netip"
)

// A Family is a family of IP addresses.
type Family string

// The families.
const (
	IPv4 Family = "IPv4"
	IPv6 Family = "IPv6"
)

// Families returns the families of a network range in K3s's config, such as cluster-cidr, in their order: the first one is the
// cluster's main one. Nil if the config has no such key, or a value that is no range.
func Families(config map[string]any, key string) []Family {
	list, ok := asList(config[key]).([]string)
	if !ok {
		return nil
	}

	var out []Family

	for _, text := range list {
		p, err := netip.ParsePrefix(text)

		switch {
		case err != nil:
			return nil
		case p.Addr().Is4():
			out = append(out, IPv4)
		default:
			out = append(out, IPv6)
		}
	}

	return out
}
