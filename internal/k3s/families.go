package k3s

import (
	"net/netip"
	"strings"
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
	return familiesOf(config, key, func(text string) (netip.Addr, error) {
		p, err := netip.ParsePrefix(text)
		return p.Addr(), err
	})
}

// FamiliesOfNode returns the families of the addresses of node-ip in K3s's config, in their order. Nil if the config has none, or a value that is no address.
func FamiliesOfNode(config map[string]any) []Family {
	return familiesOf(config, "node-ip", netip.ParseAddr)
}

func familiesOf(config map[string]any, key string, parse func(text string) (netip.Addr, error)) []Family {
	list, ok := asList(config[key]).([]string)
	if !ok {
		return nil
	}

	var out []Family

	for _, text := range list {
		a, err := parse(strings.TrimSpace(text))

		switch {
		case err != nil:
			return nil
		case a.Is4():
			out = append(out, IPv4)
		default:
			out = append(out, IPv6)
		}
	}

	return out
}
