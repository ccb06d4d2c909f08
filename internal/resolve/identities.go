package resolve

import (
	"maps"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
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
type identities struct{ *resolver }

// check that no interface has an address that is somebody else's. A VM that has the address already keeps it, with a warning: the claim of a machine
// that runs is no fault from one release to the next.
func (r identities) check() {
	owners := r.owners()

	for i, nic := range r.out.NICs {
		at := r.nicPath(i)

		for _, a := range []struct {
			at   *field.Path
			text string
		}{{at.Child("ip"), nic.IPv4.Address}, {at.Child("ipv6", "ip"), nic.IPv6.Address}} {
			address, err := netip.ParseAddr(a.text)
			if err != nil || nic.IPv4.Pool != nil && a.text == nic.IPv4.Address {
				continue
			}

			if o, taken := owners[address]; taken {
				r.taken(a.at, a.text, o, nic)
			}
		}
	}

	r.defaultRoutes()
}

// nicPath is the field of an interface.
func (r identities) nicPath(i int) *field.Path {
	if i == 0 {
		return r.at.Child("network")
	}

	return r.at.Child("nics").Index(i - 1)
}

func (r identities) taken(at *field.Path, text string, o owner, nic machine.NIC) {
	instead := "take another address"
	if p, err := netip.MustParseAddr(text).Prefix(int(nic.IPv4.Prefix)); err == nil && nic.IPv4.Address == text && nic.IPv4.Prefix > 0 {
		instead += " of " + p.String()
	}

	switch {
	case o.how == maybeTaken:
		r.warn("%s: %s is %s. If this machine is not that host, two hosts have one address: %s.", at, text, o.words, instead)
	case r.existing.Address.IP == text:
		r.warn("%s: %s is %s, and the machine has it: one of the two does not answer. Write another address, or correct the catalogue.", at, text, o.words)
	default:
		r.add(field.Invalid(at, text, "is "+o.words+": "+instead))
	}
}

// owners of addresses in the site and in the catalogue's clusters.
func (r identities) owners() map[netip.Addr]owner {
	out := map[netip.Addr]owner{}
	site := message.Excerpt(r.out.Placement.Site)

	take := func(text string, o owner) {
		if a, err := netip.ParseAddr(text); err == nil {
			if _, taken := out[a]; !taken {
				out[a] = o
			}
		}
	}

	take(r.site.Network.Gateway, owner{"the gateway of site " + site + " (" + r.site.Path().Child("network", "gateway").String() + ")", surelyTaken})

	for _, name := range slices.Sorted(maps.Keys(r.catalog.Clusters)) {
		u, err := url.Parse(r.catalog.Clusters[name].Server)
		if err != nil || r.serves(name) {
			continue
		}

		// A machine that is no K3s node may be the load balancer of the servers, or K3s in a NixOS flake.
		how := maybeTaken
		if r.k3s != nil {
			how = surelyTaken
		}

		take(u.Hostname(), owner{
			"where cluster " + message.Excerpt(name) + " is joined (data.clusters." + message.Key(name) + ".server), and the machine is no server of it", how,
		})
	}

	return out
}

// serves says whether the claim is a server of a cluster.
func (r identities) serves(cluster string) bool {
	return r.k3s != nil && r.k3s.Role == v1alpha1.K3sServer && r.k3s.Cluster == cluster
}

// defaultRoutes warns of a machine that has none of them, although its first address is fixed, or more than one.
func (r identities) defaultRoutes() {
	var through []string

	for i, nic := range r.out.NICs {
		switch at := r.nicPath(i).String(); {
		case nic.IPv4.Method == machine.MethodDHCP:
			through = append(through, at+" (by DHCP)")
		case nic.IPv4.Gateway != "":
			through = append(through, at+" ("+nic.IPv4.Gateway+")")
		}
	}

	first := r.out.NICs[0].IPv4
	if len(through) > 1 {
		r.warn("%s each bring a default route, and which one the guest takes is left to chance: leave the gateway out of all but one, and dhcp, whose server sends one.",
			strings.Join(through[:len(through)-1], ", ")+" and "+through[len(through)-1])
	}

	fixed := first.Method == machine.MethodStatic && first.Pool == nil && len(validate.IPv4(nil, first.Address)) == 0
	if fixed && len(through) == 0 && r.site.Network.Gateway == "" {
		r.warn("spec.network: neither claim nor site has a gateway, so the machine has no default route: it reaches its own subnet only. Set spec.network.gateway, or " +
			"sites.<site>.network.gateway in the catalogue.")
	}
}
