package k3s

import (
	"net/netip"
	"strings"

	"go.yaml.in/yaml/v3"
)

// mostAnnounced are the ranges of one file that are looked at.
const mostAnnounced = 64

// An Announced is a range of addresses that something in the cluster answers for in the nodes' network, both ends included.
type Announced struct {
	From, To netip.Addr
	Kind     string // Of the object: IPAddressPool, CiliumLoadBalancerIPPool.
}

// Contains says whether an address is in the range.
func (a Announced) Contains(address netip.Addr) bool {
	return address.BitLen() == a.From.BitLen() && !address.Less(a.From) && !a.To.Less(address)
}

// A balancer is what of a manifest says which addresses Services get: metallb.io/v1beta1 IPAddressPool and cilium.io CiliumLoadBalancerIPPool.
type balancer struct {
	Kind string `yaml:"kind"`
	Spec struct {
		Addresses []string `yaml:"addresses"`
		Blocks    []struct {
			CIDR  string `yaml:"cidr"`
			Start string `yaml:"start"`
			Stop  string `yaml:"stop"`
		} `yaml:"blocks"`
	} `yaml:"spec"`
}

// AnnouncedBy are the ranges of a file with manifests, from which MetalLB or Cilium give Services their addresses. What cannot be read has none.
func AnnouncedBy(manifests string) []Announced {
	var out []Announced

	decoder := yaml.NewDecoder(strings.NewReader(manifests))

	for len(out) < mostAnnounced {
		var b balancer
		if decoder.Decode(&b) != nil { // The end, or no manifest.
			return out
		}

		var texts []string

		switch b.Kind {
		case "IPAddressPool":
			texts = b.Spec.Addresses
		case "CiliumLoadBalancerIPPool":
			for _, block := range b.Spec.Blocks {
				if block.CIDR == "" && block.Stop != "" {
					block.CIDR = block.Start + "-" + block.Stop
				}

				texts = append(texts, block.CIDR)
			}
		}

		for _, text := range texts {
			if from, to, ok := addressRange(text); ok {
				out = append(out, Announced{from, to, b.Kind})
			}
		}
	}

	return out
}

// addressRange reads from-to, a prefix or one address.
func addressRange(text string) (from, to netip.Addr, ok bool) {
	if prefix, err := netip.ParsePrefix(strings.TrimSpace(text)); err == nil {
		return prefix.Masked().Addr(), last(prefix), true
	}

	first, second, both := strings.Cut(text, "-")
	if !both {
		second = first
	}

	from, err := netip.ParseAddr(strings.TrimSpace(first))
	to, errTo := netip.ParseAddr(strings.TrimSpace(second))

	return from, to, err == nil && errTo == nil && from.BitLen() == to.BitLen()
}

// last is the last address of a prefix.
func last(prefix netip.Prefix) netip.Addr {
	bytes := prefix.Addr().AsSlice()
	for bit := prefix.Bits(); bit < len(bytes)*8; bit++ {
		bytes[bit/8] |= 1 << (7 - bit%8)
	}

	out, _ := netip.AddrFromSlice(bytes)

	return out
}
