package machine

import (
	"encoding/binary"
	"net/netip"
	"strings"
)

// An AddressRange is a range of addresses of one family, both ends included. Those of pools are IPv4.
type AddressRange struct{ From, To netip.Addr }

// ParseAddressRange reads two addresses of one family with a hyphen between them, or one address; false for anything else. Whether the second one comes after
// the first is not looked at.
func ParseAddressRange(text string) (r AddressRange, ok bool) {
	first, second, two := strings.Cut(text, "-")
	if !two {
		second = first
	}

	from, err := netip.ParseAddr(strings.TrimSpace(first))
	to, errTo := netip.ParseAddr(strings.TrimSpace(second))

	return AddressRange{From: from, To: to}, err == nil && errTo == nil && from.BitLen() == to.BitLen()
}

// SubnetRange is all of a valid subnet, from its network address to its last one, which is the broadcast address in IPv4.
func SubnetRange(subnet netip.Prefix) AddressRange {
	last := subnet.Addr().AsSlice()
	for bit := subnet.Bits(); bit < len(last)*8; bit++ {
		last[bit/8] |= 1 << (7 - bit%8)
	}

	to, _ := netip.AddrFromSlice(last)

	return AddressRange{From: subnet.Masked().Addr(), To: to}
}

// Size is how many addresses the range has.
func (r AddressRange) Size() int64 { return int64(figure(r.To)) - int64(figure(r.From)) + 1 }

// Contains says whether an address is in the range.
func (r AddressRange) Contains(a netip.Addr) bool { return !a.Less(r.From) && !r.To.Less(a) }

// Overlaps says whether two ranges share an address.
func (r AddressRange) Overlaps(other AddressRange) bool {
	return !r.To.Less(other.From) && !other.To.Less(r.From)
}

func (r AddressRange) String() string {
	if r.From == r.To {
		return r.From.String()
	}

	return r.From.String() + "-" + r.To.String()
}

// figure of an IPv4 address; 0 for any other.
func figure(a netip.Addr) uint32 {
	if !a.Is4() {
		return 0
	}

	b := a.As4()

	return binary.BigEndian.Uint32(b[:])
}
