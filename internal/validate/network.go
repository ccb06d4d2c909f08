package validate

import (
	"fmt"
	"net"
	"net/netip"
	"regexp"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
)

var macPattern = regexp.MustCompile(`^[0-9A-Fa-f]{2}(:[0-9A-Fa-f]{2}){5}$`)

// maxDNS is the maximum number of name servers: the resolver of glibc uses three.
const maxDNS = 3

// whyIPv4 is what needs IPv4: catalogue.SiteNetwork, and packages ipam and resolve.
const whyIPv4 = "IPv4 is required and ipv6 adds to it, because a site's subnet, gateway and address pool are of IPv4"

func network(at *field.Path, n *v1alpha1.Network) field.ErrorList {
	if n == nil {
		return nil
	}

	errs := oneIPv4(at, n.IPv4, n.Pool, n.IPv6)

	if n.StableMAC && n.MAC != "" {
		errs = append(errs, field.Invalid(at, field.OmitValueType{}, "set at most one of mac and stableMAC: true"))
	}

	errs = append(errs, ipv4(at, n.IPv4)...)
	errs = append(errs, DNS(at.Child("dns"), n.DNS)...)
	errs = append(errs, Domain(at.Child("domain"), n.Domain)...)
	errs = append(errs, searchDomains(at.Child("searchDomains"), n.SearchDomains, n.Domain)...)
	errs = append(errs, dnsRecord(at.Child("dnsRecord"), n.DNSRecord)...)
	errs = append(errs, ipv6(at.Child("ipv6"), n.IPv6)...)
	errs = append(errs, Bridge(at.Child("bridge"), n.Bridge)...)
	errs = append(errs, VLAN(at.Child("vlan"), n.VLAN)...)
	errs = append(errs, mtu(at.Child("mtu"), n.MTU)...)

	return append(errs, mac(at.Child("mac"), n.MAC)...)
}

// oneIPv4 checks that the first interface of a VM or a container has one way to its IPv4 address.
func oneIPv4(at *field.Path, a v1alpha1.IPv4, pool bool, v6 *v1alpha1.IPv6) field.ErrorList {
	ways := 0
	for _, set := range []bool{a.DHCP != nil && *a.DHCP, pool, a.IP != ""} {
		if set {
			ways++
		}
	}

	switch {
	case ways == 0 && v6 != nil:
		return field.ErrorList{field.Invalid(at, field.OmitValueType{}, "set exactly one of dhcp: true, pool: true and ip: "+whyIPv4)}
	case ways == 0:
		return field.ErrorList{field.Invalid(at, field.OmitValueType{}, "set exactly one of dhcp: true, pool: true and ip: there is none; write dhcp: true for an address over DHCP")}
	case ways != 1:
		return field.ErrorList{field.Invalid(at, field.OmitValueType{}, "set exactly one of dhcp: true, pool: true and ip")}
	}

	return nil
}

// An mtuRule checks the MTU of an interface: Proxmox has one rule for VMs, and another one for containers.
type mtuRule func(at *field.Path, n *int64) field.ErrorList

// nics checks the further interfaces of a VM or a container.
func nics(at *field.Path, ns []v1alpha1.NIC, mtu mtuRule) field.ErrorList {
	errs := count(at, len(ns), maxNICs)

	for i, n := range ns[:min(len(ns), maxNICs)] {
		p := at.Index(i)

		if n.DHCP != nil && *n.DHCP && n.IP != "" {
			errs = append(errs, field.Invalid(p, field.OmitValueType{}, "set at most one of dhcp: true and ip"))
		}

		if _, err := netip.ParseAddr(n.IP); err == nil && n.CIDR == nil {
			errs = append(errs, field.Required(p.Child("cidr"), "the prefix length of the subnet is required with ip, such as 10.30.0.5/24"))
		}

		errs = append(errs, ipv4(p, n.IPv4)...)
		errs = append(errs, requiredBridge(p.Child("bridge"), n.Bridge)...)
		errs = append(errs, VLAN(p.Child("vlan"), n.VLAN)...)
		errs = append(errs, mtu(p.Child("mtu"), n.MTU)...)
		errs = append(errs, ipv6(p.Child("ipv6"), n.IPv6)...)
		errs = append(errs, mac(p.Child("mac"), n.MAC)...)
	}

	return errs
}

// mtu checks the MTU of an interface, as Proxmox does (PVE::QemuServer, netdesc).
func mtu(at *field.Path, n *int64) field.ErrorList {
	if n == nil || *n == 1 || *n >= 576 && *n <= 65520 {
		return nil
	}

	return field.ErrorList{field.Invalid(at, *n, "must be an MTU from 576 to 65520 bytes, or 1 for the MTU of the bridge")}
}

func ipv4(at *field.Path, a v1alpha1.IPv4) field.ErrorList {
	// The prefix length and the gateway of an IPv6 address are no further faults.
	if addr, err := netip.ParseAddr(a.IP); err == nil && addr.Is6() {
		return machineAddress(at.Child("ip"), a.IP)
	}

	errs := between(at.Child("cidr"), a.CIDR, 1, 32)

	if a.Gateway != "" && a.IP == "" {
		errs = append(errs, field.Invalid(at.Child("gateway"), message.Excerpt(a.Gateway),
			"gateway goes with ip: with dhcp: true the DHCP server names the gateway"))
	}

	switch prefix, err := netip.ParsePrefix(a.IP); {
	case err == nil && prefix.Addr().Is4() && prefix.Bits() > 0 && a.CIDR != nil:
		errs = append(errs, contradicts(at.Child("cidr"), *a.CIDR, a.IP))
	case a.IP != "":
		errs = append(errs, machineAddress(at.Child("ip"), a.IP)...)
	}

	if a.Gateway != "" {
		errs = append(errs, IPv4(at.Child("gateway"), a.Gateway)...)
	}

	if len(errs) > 0 || a.IP == "" || a.CIDR == nil {
		return errs
	}

	return IPv4Subnet(at, a.IP, *a.CIDR, a.Gateway)
}

// contradicts is the fault of a prefix length that is not the address's own. One that is has been translated before.
func contradicts(at *field.Path, cidr int64, ip string) *field.Error {
	_, own, _ := strings.Cut(ip, "/")

	return field.Invalid(at, cidr, fmt.Sprintf("contradicts the prefix length in ip, which is %s: remove one of them", message.Excerpt(own)))
}

// machineAddress checks the IPv4 address of a machine, which may be written with its prefix length.
func machineAddress(at *field.Path, s string) field.ErrorList {
	if strings.EqualFold(strings.TrimPrefix(s, "ip="), "dhcp") {
		return field.ErrorList{field.Invalid(at, s, "must be an address: for DHCP, write dhcp: true in place of ip")}
	}

	const form = "must be an IPv4 address such as 192.168.4.53/24, or 192.168.4.53 with the prefix length in cidr"

	if meant := noAddressYet(s); meant != "" {
		return field.ErrorList{field.Invalid(at, message.Excerpt(s), form+": "+meant)}
	}

	// The prefix length is still there if it is none of IPv4.
	address, prefixLength, _ := strings.Cut(s, "/")
	_, notNumber := strconv.Atoi(prefixLength)

	if meant := ofQm(s); meant != "" {
		return field.ErrorList{field.Invalid(at, message.Excerpt(s), form+": write "+meant)}
	}

	if meant := withNetmask(s); meant != "" {
		return field.ErrorList{field.Invalid(at, message.Excerpt(s), form+": write "+meant)}
	}

	if meant := withoutZeros(s); meant != "" {
		return field.ErrorList{field.Invalid(at, message.Excerpt(s), form+": write "+meant)}
	}

	switch a, err := netip.ParseAddr(address); {
	case err == nil && a.Is6():
		return field.ErrorList{field.Invalid(at, message.Excerpt(s), form+": write the IPv6 address into ipv6.ip, beside IPv4; "+whyIPv4)}
	case err == nil && a.Is4() && notNumber == nil:
		return field.ErrorList{field.Invalid(at, message.Excerpt(s), form+": a prefix length of IPv4 is 1 to 32")}
	case err != nil || !a.Is4() || address != s:
		return field.ErrorList{field.Invalid(at, message.Excerpt(s), form)}
	}

	return IPv4(at, s)
}

// noAddressYet is what to write where somebody leaves the choice of an address to others: with a word, or with a range; empty for any other text.
func noAddressYet(s string) string {
	switch strings.ToLower(s) {
	case "auto", "automatic", "any", "pool", "next", "free", "ipam":
		return "for DHCP, write dhcp: true in place of ip; the first interface can have a free address of the site's pool (network.pool: true)"
	case "static", "fixed", "manual":
		return "write the address itself"
	}

	from, to, isRange := strings.Cut(s, "-")
	first, err := netip.ParseAddr(strings.TrimSpace(from))
	last, _, _ := strings.Cut(strings.TrimSpace(to), "/")

	if _, noAddress := netip.ParseAddr(last); !isRange || err != nil || noAddress != nil && !onlyDigits(last) {
		return ""
	}

	return "an interface has one address: write " + first.String() + ", for instance; the first interface can have a free one of the range that the site has as its pool (network.pool: true)"
}

// onlyDigits says whether a text is the last number of an address.
func onlyDigits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// withoutZeros is an address whose numbers have zeros in front, as 192.168.004.050; empty for any other text.
func withoutZeros(s string) string {
	numbers := strings.Split(s, ".")
	for i, n := range numbers {
		if numbers[i] = strings.TrimLeft(n, "0"); numbers[i] == "" && n != "" {
			numbers[i] = "0"
		}
	}

	meant := strings.Join(numbers, ".")
	if a, err := netip.ParseAddr(meant); err != nil || !a.Is4() || meant == s {
		return ""
	}

	return meant
}

// withNetmask is an address with a netmask as one with a prefix length; empty for any other text.
func withNetmask(s string) string {
	ip, netmask, _ := strings.Cut(s, "/")
	mask, err := netip.ParseAddr(netmask)

	if a, bad := netip.ParseAddr(ip); err != nil || bad != nil || !mask.Is4() || !a.Is4() {
		return ""
	}

	ones, bits := net.IPMask(mask.AsSlice()).Size()
	if bits == 0 {
		return ""
	}

	return fmt.Sprintf("%s/%d", ip, ones)
}

// IPv4 checks the IPv4 address of a machine or a gateway.
func IPv4(at *field.Path, s string) field.ErrorList {
	a, err := netip.ParseAddr(s)

	switch {
	case err != nil || !a.Is4():
		rule := "must be an IPv4 address without a prefix length"

		if p, err := netip.ParsePrefix(s); err == nil && p.Addr().Is4() {
			return field.ErrorList{field.Invalid(at, message.Excerpt(s), rule+write(p.Addr().String()))}
		}

		return field.ErrorList{field.Invalid(at, message.Excerpt(s), rule+", such as 192.168.4.1")}
	case isReserved(a):
		return field.ErrorList{field.Invalid(at, s, "must be the address of a machine, not a loopback, multicast or reserved address")}
	default:
		return nil
	}
}

// isReserved says whether an address is none of a machine.
func isReserved(a netip.Addr) bool {
	return a.IsUnspecified() || a.IsLoopback() || a.IsMulticast() || a.Is4() && (a.As4()[0] == 0 || a.As4()[0] >= 224)
}

// IsNobodys says whether an address is none by which other hosts reach a host: those of no machine, and link-local ones.
func IsNobodys(a netip.Addr) bool { return isReserved(a) || a.IsLinkLocalUnicast() }

// EdgeOf a subnet of IPv4 is one of its two addresses that no machine can have, in words; empty for any other address.
func EdgeOf(address netip.Addr, subnet netip.Prefix) string {
	switch {
	case !address.Is4() || subnet.Bits() >= 31:
	case address == subnet.Addr():
		return fmt.Sprintf("is the address of the subnet %s itself: %s", subnet, hostsOf(subnet))
	case address == machine.SubnetRange(subnet).To:
		return fmt.Sprintf("is the broadcast address of the subnet %s: %s", subnet, hostsOf(subnet))
	}

	return ""
}

// hostsOf a subnet of IPv4 that has an edge, in words.
func hostsOf(subnet netip.Prefix) string {
	return fmt.Sprintf("its hosts have %s to %s", subnet.Addr().Next(), machine.SubnetRange(subnet).To.Prev())
}

// IPv4Subnet checks addresses against their subnet. It ignores text that is not an address, because [IPv4] reports it. The
// gateway is optional.
func IPv4Subnet(at *field.Path, ip string, prefixLength int64, gateway string) field.ErrorList {
	address, err := netip.ParseAddr(ip)
	if err != nil || !address.Is4() {
		return nil
	}

	prefix, err := address.Prefix(int(prefixLength))
	if err != nil {
		return nil
	}

	var errs field.ErrorList

	if why := EdgeOf(address, prefix); why != "" {
		errs = append(errs, field.Invalid(at.Child("ip"), ip, why))
	}

	if gateway == "" {
		return errs
	}

	g, err := netip.ParseAddr(gateway)

	switch {
	case err != nil:
	case !prefix.Contains(g):
		why := fmt.Sprintf("gateway must be inside the subnet that ip and cidr describe, which is %s", prefix)
		if prefix.IsSingleIP() {
			why += ": that is one address alone. Write the prefix length of the network that the router is in; where the router is in none with the machine, as with addresses that a provider routes, " +
				"leave gateway out, and let the guest itself set a route with on-link"
		}

		errs = append(errs, field.Invalid(at.Child("gateway"), gateway, why))
	case g == address:
		errs = append(errs, field.Invalid(at.Child("gateway"), gateway, "is the machine's own address: the gateway is that of the router"))
	default:
		if why := EdgeOf(g, prefix); why != "" {
			errs = append(errs, field.Invalid(at.Child("gateway"), gateway, why))
		}
	}

	return errs
}

func ipv6(at *field.Path, a *v1alpha1.IPv6) field.ErrorList {
	if a == nil {
		return nil
	}

	var errs field.ErrorList

	methods := 0
	for _, set := range []bool{a.Auto, a.DHCP, a.IP != ""} {
		if set {
			methods++
		}
	}

	if methods != 1 {
		errs = append(errs, field.Invalid(at, field.OmitValueType{}, "set exactly one of auto: true, dhcp: true and ip"))
	}

	if written := strings.Contains(a.IP, "/"); (a.IP != "") != (a.CIDR != nil) && !written {
		errs = append(errs, field.Invalid(at.Child("cidr"), field.OmitValueType{}, "ip and cidr go together"))
	}

	errs = append(errs, between(at.Child("cidr"), a.CIDR, 1, 128)...)

	switch prefix, err := netip.ParsePrefix(a.IP); {
	case err == nil && prefix.Addr().Is6() && prefix.Bits() > 0 && a.CIDR != nil:
		errs = append(errs, contradicts(at.Child("cidr"), *a.CIDR, a.IP))
	case a.IP != "":
		errs = append(errs, ipv6Address(at.Child("ip"), a.IP)...)
		errs = append(errs, ipv6OfMachine(at.Child("ip"), a)...)
	}

	if a.Gateway == "" {
		return errs
	}

	if a.IP == "" {
		errs = append(errs, field.Invalid(at.Child("gateway"), message.Excerpt(a.Gateway), "gateway goes with ip"))
	}

	errs = append(errs, ipv6Address(at.Child("gateway"), a.Gateway)...)
	if len(errs) > 0 {
		return errs
	}

	return ipv6Gateway(at.Child("gateway"), a)
}

func ipv6Address(at *field.Path, s string) field.ErrorList {
	a, err := netip.ParseAddr(s)

	switch {
	case err != nil || !a.Is6() || a.Is4In6() || a.Zone() != "":
		return field.ErrorList{field.Invalid(at, message.Excerpt(s),
			"must be an IPv6 address such as 2001:db8:4::53/64, or 2001:db8:4::53 with the prefix length in cidr")}
	case a.IsUnspecified() || a.IsLoopback() || a.IsMulticast():
		return field.ErrorList{field.Invalid(at, s, "must be the address of a machine, not a loopback, multicast or reserved address")}
	default:
		return nil
	}
}

// ipv6OfMachine checks that an address can be a machine's own: others reach it, and it is not that of all routers of its subnet (RFC 4291, 2.6.1).
func ipv6OfMachine(at *field.Path, a *v1alpha1.IPv6) field.ErrorList {
	address, err := netip.ParseAddr(a.IP)
	if err != nil {
		return nil
	}

	if address.IsLinkLocalUnicast() {
		return field.ErrorList{field.Invalid(at, a.IP, "is a link-local address, which each interface has anyway and nobody reaches from another network: "+
			"give an address of the site's prefix, or of a private one such as fd00:4::/64")}
	}

	if a.CIDR == nil || *a.CIDR < 1 || *a.CIDR >= 127 {
		return nil
	}

	if prefix, err := address.Prefix(int(*a.CIDR)); err == nil && prefix.Addr() == address {
		return field.ErrorList{field.Invalid(at, a.IP, fmt.Sprintf("is the address of all routers of the subnet %s, and no machine's own: take another one, such as %s", prefix, address.Next()))}
	}

	return nil
}

// ipv6Gateway checks a valid gateway: it must have a link-local address, or an address inside the subnet.
func ipv6Gateway(at *field.Path, a *v1alpha1.IPv6) field.ErrorList {
	address, err := netip.ParseAddr(a.IP)
	if err != nil || a.CIDR == nil {
		return nil
	}

	prefix, err := address.Prefix(int(*a.CIDR))
	if err != nil {
		return nil
	}

	g, err := netip.ParseAddr(a.Gateway)
	if err != nil || g.IsLinkLocalUnicast() || prefix.Contains(g) {
		return nil
	}

	return field.ErrorList{field.Invalid(at, a.Gateway, fmt.Sprintf("must be a link-local address, such as fe80::1, or inside the subnet %s", prefix))}
}

// DNS checks name servers.
func DNS(at *field.Path, servers []string) field.ErrorList {
	errs := count(at, len(servers), maxDNS)

	for i, s := range servers[:min(len(servers), maxDNS)] {
		if a, err := netip.ParseAddr(s); err != nil || a.Zone() != "" || a.Is4In6() {
			errs = append(errs, field.Invalid(at.Index(i), message.Excerpt(s), "must be an IP address"))
		} else if a.IsUnspecified() || a.IsMulticast() || a == netip.AddrFrom4([4]byte{255, 255, 255, 255}) {
			errs = append(errs, field.Invalid(at.Index(i), s, "must be the address of a name server, which no multicast, broadcast or empty address is"))
		}
	}

	return append(errs, duplicates(at, servers)...)
}

func mac(at *field.Path, s string) field.ErrorList {
	if s == "" {
		return nil
	}

	if !macPattern.MatchString(s) {
		return field.ErrorList{field.Invalid(at, message.Excerpt(s), "must be a MAC address of six pairs of hexadecimal digits, "+macOf(s))}
	}

	switch {
	case strings.Trim(s, "0:") == "":
		return field.ErrorList{field.Invalid(at, s, "must not be all zeros: leave it out, and Proxmox generates an address")}
	case strings.ContainsRune("13579bdfBDF", rune(s[1])):
		return field.ErrorList{field.Invalid(at, s, "must not be a multicast address: the second digit must be even")}
	default:
		return nil
	}
}

// macInside is a MAC address with what Proxmox's configuration of a VM has around it.
var macInside = regexp.MustCompile(`=((?:[0-9A-Fa-f]{2}:){5}[0-9A-Fa-f]{2})(?:,|$)`)

// bareMAC is a MAC address without what stands between its digits.
var bareMAC = regexp.MustCompile(`^([0-9A-F]{2})([0-9A-F]{2})([0-9A-F]{2})([0-9A-F]{2})([0-9A-F]{2})([0-9A-F]{2})$`)

// macOf a MAC address with other signs between its digits, as Windows, Cisco and labels have it: what to write.
func macOf(s string) string {
	// As the configuration of a VM in Proxmox has it: virtio=BC:24:11:00:00:53,bridge=vmbr0.
	if of := macInside.FindStringSubmatch(s); of != nil {
		return "without anything around it: write " + strings.ToUpper(of[1])
	}

	bare := strings.ToUpper(strings.NewReplacer("-", "", ".", "", ":", "", " ", "").Replace(s))
	if len(s) > len("BC:24:11:00:00:53") || !bareMAC.MatchString(bare) {
		return "such as BC:24:11:00:00:53"
	}

	return "with colons: write " + bareMAC.ReplaceAllString(bare, "$1:$2:$3:$4:$5:$6")
}

// uniqueAddresses reports addresses that two interfaces of a machine share: the first one, if the claim has it, and the others.
func uniqueAddresses(at *field.Path, first *v1alpha1.Network, nics []v1alpha1.NIC) field.ErrorList {
	if len(nics) == 0 {
		return nil
	}

	var errs field.ErrorList

	seen := map[string]bool{}
	check := func(p *field.Path, s string) {
		key := strings.ToUpper(s)
		if s != "" && seen[key] {
			errs = append(errs, field.Duplicate(p, message.Excerpt(s)))
		}

		seen[key] = true
	}

	if first != nil {
		check(at.Child("network", "mac"), first.MAC)
		check(at.Child("network", "ip"), first.IP)
	}

	for i, n := range nics[:min(len(nics), maxNICs)] {
		p := at.Child("nics").Index(i)
		check(p.Child("mac"), n.MAC)
		check(p.Child("ip"), n.IP)
	}

	return errs
}
