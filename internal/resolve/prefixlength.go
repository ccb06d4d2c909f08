package resolve

import (
	"fmt"
	"net/netip"

	"k8s.io/apimachinery/pkg/util/validation/field"

	catalogue "github.com/homelab-io/function-proxmox-machine/apis/catalogue/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/validate"
)

// fewestBits is the prefix length of the largest network of IPv4 that anybody has: 10.0.0.0/8.
const fewestBits = 8

// prefixLengths refuses subnets that reach beyond the network they are in: the guest would look on its own link for hosts that are behind the gateway, and they
// never answer. A part of the network works, and reaches its neighbours by the gateway.
func (r identities) prefixLengths() {
	if !r.g.isNew() {
		return
	}

	site, ofSite := r.l.site.Network, r.l.site.Path().Child("network", "cidr")
	network, known := networkOfSite(site)

	for i, nic := range r.m.NICs {
		subnet, ok := subnetOf(nic.IPv4)
		if !ok || nic.IPv4.Pool != nil {
			continue
		}

		at, text := machine.NICPath(i).Child("ip"), fmt.Sprintf("%s/%d", nic.IPv4.Address, nic.IPv4.Prefix)
		routed := i == 0 && known && nic.IPv4.Gateway == site.Gateway

		switch {
		case subnet.Bits() < fewestBits && i == 0 && nic.IPv4.Prefix == site.CIDR:
			r.n.add(field.Invalid(ofSite, site.CIDR, fmt.Sprintf("must be the prefix length of the site's network, such as 24: no network is as large as %s", subnet)))
		case subnet.Bits() < fewestBits:
			r.n.add(field.Invalid(at, text, fmt.Sprintf("must have the prefix length of its network, such as 24: no network is as large as %s", subnet)))
		case routed && subnet.Bits() < network.Bits():
			r.n.add(field.Invalid(at, text, fmt.Sprintf(
				"%s reaches beyond %s, the site's network (%s), and the %s would look for the hosts of the rest on its own link, where they never answer: write %s/%d, or correct the site",
				subnet, network, ofSite, r.g.subject(), nic.IPv4.Address, network.Bits())))
		case routed && subnet.Bits() > network.Bits():
			r.n.warn("%s: %s is a part of %s, the site's network (%s): the %s reaches the other hosts of it only if the gateway hands on what they say to each other. If that is not meant, write %s/%d.",
				at, text, network, ofSite, r.g.subject(), nic.IPv4.Address, network.Bits())
		}
	}
}

// networkOfSite is the network of a site's gateway; false where nobody knows it. A gateway that no host of such a network can be says that the site has
// another one.
func networkOfSite(site catalogue.SiteNetwork) (netip.Prefix, bool) {
	gateway, err := netip.ParseAddr(site.Gateway)
	if err != nil || site.CIDR < fewestBits {
		return netip.Prefix{}, false
	}

	network, err := gateway.Prefix(int(site.CIDR))

	return network, err == nil && validate.EdgeOf(gateway, network) == ""
}
