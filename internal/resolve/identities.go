package resolve

import (
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
	"github.com/homelab-io/function-proxmox-machine/internal/validate"
)

// A certainty is how sure it is that an address is somebody else's.
type certainty string

const (
	// surelyTaken: no machine can have the address, and no claim describes the host that has it.
	surelyTaken certainty = "Surely"
	// maybeTaken: the machine may be the host that the catalogue means.
	maybeTaken certainty = "Maybe"
)

// An owner of an address, as the catalogue knows it.
type owner struct {
	words string // What the address is, and whose.
	how   certainty
}

// identities are addresses that the catalogue knows to be somebody's.
type identities struct {
	g *given
	n *notes
	m *machine.Machine // With its interfaces and name servers.
	l located
}

// check that no interface has an address that is somebody else's. A VM that has the address already keeps it, with a warning: the claim of a machine
// that runs is no fault from one release to the next.
func (r identities) check() {
	for i, nic := range r.m.NICs {
		for n, text := range [...]string{nic.IPv4.Address, nic.IPv6.Address} {
			address, err := netip.ParseAddr(text)
			if err != nil || n == 0 && nic.IPv4.Pool != nil {
				continue
			}

			if o, taken := r.ownerOf(address, text); taken {
				r.taken([]*field.Path{machine.NICPath(i).Child("ip"), machine.NICPath(i).Child("ipv6", "ip")}[n], text, o, nic)
			}
		}
	}

	r.nameServers()
	r.gateway()
	r.prefixLengths()
	r.oneNetworkTwice()
	r.defaultRoutes()
	r.noBridges()
	smallPackets(r.n, r.m.NICs)
}

// minMTU6 is the smallest MTU with which a link has IPv6 (RFC 8200, 5): below it, Linux has none on an interface.
const minMTU6 = 1280

// smallPackets warns of interfaces with IPv6 and an MTU that is too small for it.
func smallPackets(n *notes, nics []machine.NIC) {
	for i, nic := range nics {
		if nic.MTU > 1 && nic.MTU < minMTU6 && nic.IPv6.Method != "" && nic.IPv6.Method != machine.MethodNone {
			n.warn("%s: %d: an interface has IPv6 from an MTU of %d on, so the guest has no IPv6 there: write %d or more, or remove ipv6.", machine.NICPath(i).Child("mtu"), nic.MTU, minMTU6, minMTU6)
		}
	}
}

// noBridges warns of an interface of a new machine on what has the name of something else.
func (r identities) noBridges() {
	for i, nic := range r.m.NICs {
		if why := validate.NoBridge(nic.Bridge); r.g.isNew() && why != "" {
			r.n.warn("%s: %s: %s.", machine.NICPath(i).Child("bridge"), message.Excerpt(nic.Bridge), why)
		}
	}
}

// nameServers refuses one that no host can be, and warns of the guest itself. What cannot work is refused, see [identities.asksItself]; the rest may: the
// catalogue names the site's name server for all its machines, and this machine may be that one; a template, a container or another image may have a name
// server in it; and beside another one it has somebody to ask meanwhile.
func (r identities) nameServers() {
	if !r.g.isNew() {
		return
	}

	refused := r.asksItself()

	for i, text := range r.m.DNS {
		a, err := netip.ParseAddr(text)
		if err != nil {
			continue
		}

		at := r.g.at.Child("network", "dns").Index(i)
		if r.g.spec.Network == nil || len(r.g.spec.Network.DNS) == 0 {
			at = r.l.site.Path().Child("network", "dns").Index(i)
		}

		switch why := edgeAt(r.m.NICs, a); {
		case why != "":
			r.n.add(field.Invalid(at, text, why+", and no name server"))
		case refused:
			r.n.add(field.Invalid(at, text, "is the guest itself, and images of "+string(r.m.Boot.OS)+" have no name server: it would resolve no name, and could install none. Write another one, also beside it"))
			return
		case a.IsLoopback(), len(r.m.DNS) == 1 && r.has(a):
			r.n.warn("%s: %s is the guest itself: unless a name server runs in it from its first boot, it resolves no name, and can install nothing. Write another one into %s.", at, text, r.g.at.Child("network", "dns"))
		}
	}
}

// asksItself says whether the claim itself has a new machine ask nobody but itself, with an image that has no name server, and nothing in its user-data that
// could name another one before something is installed.
func (r identities) asksItself() bool {
	b := r.g.spec.Bootstrap
	said := r.g.spec.Network != nil && len(r.g.spec.Network.DNS) > 0

	return said && r.m.Boot.Source != machine.SourceClone && r.m.Boot.OS.DefaultUser() != "" && b.Snippets == (v1alpha1.Snippets{}) && !strings.Contains(b.UserData, "resolv") &&
		!slices.ContainsFunc(r.m.DNS, func(text string) bool {
			a, err := netip.ParseAddr(text)
			return err != nil || !a.IsLoopback() && !r.has(a)
		})
}

// has says whether the machine has an address.
func (r identities) has(a netip.Addr) bool {
	return slices.ContainsFunc(r.m.NICs, func(n machine.NIC) bool { return n.IPv4.Address == a.String() || n.IPv6.Address == a.String() })
}

// gateway refuses a site's gateway that no host can be; the claim's own is refused with its subnet.
func (r identities) gateway() {
	a, err := netip.ParseAddr(r.l.site.Network.Gateway)
	if err != nil || !r.g.isNew() || r.m.NICs[0].IPv4.Gateway != a.String() {
		return
	}

	if why := edgeAt(r.m.NICs, a); why != "" && (r.g.spec.Network == nil || r.g.spec.Network.Gateway == "") {
		r.n.add(field.Invalid(r.l.site.Path().Child("network", "gateway"), a.String(), why+", and no gateway"))
	}
}

// A subnetOfNIC is where an interface's address is, and with it the guest's route to its neighbours.
type subnetOfNIC struct {
	nic    int // Its place among the interfaces.
	subnet netip.Prefix
}

// oneNetworkTwice warns of two interfaces whose subnets overlap, each once: the guest answers through whichever its routes name first. On two networks, the
// hosts of the other one are not reached at all.
func (r identities) oneNetworkTwice() {
	var seen []subnetOfNIC

	for i, nic := range r.m.NICs {
		// An address alone brings no route to neighbours.
		subnet, ok := subnetOf(nic.IPv4)
		if !ok || subnet.IsSingleIP() {
			continue
		}

		if other := slices.IndexFunc(seen, func(s subnetOfNIC) bool { return s.subnet.Overlaps(subnet) }); other >= 0 {
			r.overlap(seen[other], subnetOfNIC{i, subnet})
		} else {
			seen = append(seen, subnetOfNIC{i, subnet})
		}
	}
}

// overlap says what the guest does with two subnets that overlap.
func (r identities) overlap(first, second subnetOfNIC) {
	a, b := r.m.NICs[first.nic], r.m.NICs[second.nic]
	there, here := machine.NICPath(first.nic), machine.NICPath(second.nic)

	apart := a.Bridge != b.Bridge || a.VLAN != b.VLAN

	switch {
	// Who has it like that and runs has routes of their own.
	case (apart || first.subnet != second.subnet) && !r.g.isNew():
	case apart && first.subnet == second.subnet:
		r.n.warn("%s and %s are both in %s, on two networks (%s and %s): the guest looks for all hosts of %s in one of them, and does not reach those in the other one. Give each network a subnet of its own.",
			there, here, second.subnet, networkOf(a), networkOf(b), second.subnet)
	case first.subnet != second.subnet:
		r.n.warn("%s is in %s, and %s in %s, which overlap: the guest looks for a host that is in both through the interface with the smaller subnet. Correct the prefix length, or take another subnet.",
			there, first.subnet, here, second.subnet)
	default:
		r.n.warn("%s and %s are both in %s on bridge %s: the guest answers through one of them, whichever is asked. Leave one out, or give it another network.",
			there, here, second.subnet, message.Excerpt(b.Bridge))
	}
}

// networkOf an interface, in words.
func networkOf(nic machine.NIC) string {
	if nic.VLAN != 0 {
		return fmt.Sprintf("bridge %s, VLAN %d", message.Excerpt(nic.Bridge), nic.VLAN)
	}

	return "bridge " + message.Excerpt(nic.Bridge)
}

func (r identities) taken(at *field.Path, text string, o owner, nic machine.NIC) {
	instead := "take another address"
	if p, ok := subnetOf(nic.IPv4); ok && nic.IPv4.Address == text {
		instead += " of " + p.String()
	}

	switch {
	case o.how == maybeTaken:
		r.n.warn("%s: %s is %s. If this %s is not that host, two hosts have one address: %s.", at, text, o.words, r.g.subject(), instead)
	case r.g.existing.Address.IP == text:
		r.n.warn("%s: %s is %s, and the %s has it: one of the two does not answer. Write another address, or correct the catalogue.", at, text, o.words, r.g.subject())
	default:
		r.n.add(field.Invalid(at, text, "is "+o.words+": "+instead))
	}
}

// ownerOf an address in the site and in the catalogue's clusters. text is the address as the claim has it.
func (r identities) ownerOf(address netip.Addr, text string) (owner, bool) {
	if g, err := netip.ParseAddr(r.l.site.Network.Gateway); err == nil && g == address {
		at := r.l.site.Path().Child("network", "gateway")
		return owner{"the gateway of site " + message.Excerpt(r.m.Placement.Site) + " (" + at.String() + ")", surelyTaken}, true
	}

	first := ""

	for name, c := range r.g.catalog.Clusters {
		if strings.Contains(c.Server, text) && IsHost(c.Server, address) && !r.serves(name) && (first == "" || name < first) {
			first = name
		}
	}

	if first == "" {
		return owner{}, false
	}

	// A machine that is no K3s node may be the load balancer of the servers, or K3s in a NixOS flake.
	how := maybeTaken
	if r.g.k3s != nil {
		how = surelyTaken
	}

	if !r.g.catalog.Tells(catalog.KindCluster, "", first) {
		return owner{"where another cluster is joined", how}, true
	}

	return owner{
		"where cluster " + message.Excerpt(first) + " is joined (data.clusters." + message.Key(first) + ".server), and the machine is no server of it", how,
	}, true
}

// IsHost says whether an address is the host of a URL.
func IsHost(address string, ip netip.Addr) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false
	}

	host, err := netip.ParseAddr(u.Hostname())

	return err == nil && host == ip
}

// serves says whether the claim is a server of a cluster.
func (r identities) serves(cluster string) bool {
	return r.g.k3s != nil && r.g.k3s.Role == v1alpha1.K3sServer && r.g.k3s.Cluster == cluster
}

// defaultRoutes warns of a machine that has none of them, although its first address is fixed, or more than one.
func (r identities) defaultRoutes() {
	routes := 0

	for _, nic := range r.m.NICs {
		if nic.IPv4.Method == machine.MethodDHCP || nic.IPv4.Gateway != "" {
			routes++
		}
	}

	first := r.m.NICs[0].IPv4

	if routes > 1 {
		through := r.routes()
		r.n.warn("%s each bring a default route, and which one the guest takes is left to chance: leave the gateway out of all but one, and dhcp, whose server sends one.",
			strings.Join(through[:len(through)-1], ", ")+" and "+through[len(through)-1])
	}

	fixed := first.Method == machine.MethodStatic && first.Pool == nil && len(validate.IPv4(nil, first.Address)) == 0
	if fixed && routes == 0 && r.l.site.Network.Gateway == "" {
		r.n.warn("spec.network: neither claim nor site has a gateway, so the %s has no default route: it reaches its own subnet only. Set spec.network.gateway, or "+
			"sites.<site>.network.gateway in the catalogue.", r.g.subject())
	}
}

// routes are the interfaces that bring a default route, in words.
func (r identities) routes() []string {
	var out []string

	for i, nic := range r.m.NICs {
		switch at := machine.NICPath(i).String(); {
		case nic.IPv4.Method == machine.MethodDHCP:
			out = append(out, at+" (by DHCP)")
		case nic.IPv4.Gateway != "":
			out = append(out, at+" ("+nic.IPv4.Gateway+")")
		}
	}

	return out
}
