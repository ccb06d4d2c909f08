package resolve

import (
	"cmp"
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
)

// addressPool resolves the address of a claim with network.pool: true.
type addressPool struct {
	g *given
	n *notes
	l located
}

// addressing of the first interface. An existing VM keeps the address that it has, whatever became of the pool, and a VM that
// replaces it takes that one, too. Which address any other new VM gets depends on the other machines: package lifecycle picks it.
func (r addressPool) addressing() machine.Addressing {
	has := r.g.existing.Address

	switch {
	case r.g.container && r.g.existing.Adopting && has.IP != "":
		// A container tells its address, which it keeps as it is.
		return machine.Addressing{Method: machine.MethodStatic, Address: has.IP, Prefix: has.Prefix, Gateway: has.Gateway, Pool: &machine.AddressPool{}}
	case r.g.existing.Adopting:
		// Nobody writes addresses into the guest of an adopted VM.
		return machine.Addressing{Method: machine.MethodDHCP}
	case r.g.existing.Has != nil && has.IP == "":
		return machine.Addressing{Method: machine.MethodDHCP, Pool: &machine.AddressPool{}}
	case r.g.existing.Has != nil && !has.Of.IsZero():
		return claimed(has)
	case r.g.existing.Has != nil:
		return r.fixed(has.IP, has.Prefix, has.Gateway)
	}

	// The IPAddressClaim of the VM that is replaced has the address, whatever became of the site's pool.
	if !has.Of.IsZero() {
		r.inNetwork()
		return claimed(has)
	}

	pool := r.pool()
	if r.g.container && !pool.Of.IsZero() {
		r.n.add(field.Invalid(r.g.at.Child("network", "pool"), field.OmitValueType{}, fmt.Sprintf("the site's pool is %s of Cluster API, and a container takes an address of a "+
			"range of addresses only: write network.ip or dhcp: true, or make %s a range such as 192.168.4.50-192.168.4.99", pool.Of, pool.Path)))

		return machine.Addressing{Method: machine.MethodDHCP, Pool: pool}
	}

	if pool.Of.IsZero() && len(pool.Ranges) == 0 {
		return machine.Addressing{Method: machine.MethodDHCP, Pool: pool}
	}

	r.inNetwork()

	if !pool.Of.IsZero() {
		return r.toClaim(pool)
	}

	// A subnet that was renumbered has no use for the address of before.
	if site := r.l.site.Network; sameSubnet(has.IP, pool.Ranges[0].From, site.CIDR) {
		return r.fixed(has.IP, site.CIDR, "")
	}

	return machine.Addressing{Method: machine.MethodStatic, Prefix: r.l.site.Network.CIDR, Gateway: r.l.site.Network.Gateway, Pool: pool}
}

// claimed is an address that the machine has already from a pool of Cluster API's IPAM, with what that pool said of its subnet.
func claimed(has Address) machine.Addressing {
	return machine.Addressing{
		Method: machine.MethodStatic, Address: has.IP, Prefix: has.Prefix, Gateway: has.Gateway, Pool: &machine.AddressPool{Of: has.Of},
	}
}

// toClaim is an address that is to be claimed from a pool of Cluster API's IPAM. A VM that replaces another one has the address of that one,
// unless it is outside the site's subnet. Prefix length and gateway are the site's until the pool says them.
func (r addressPool) toClaim(pool *machine.AddressPool) machine.Addressing {
	has, site := r.g.existing.Address, r.l.site.Network

	gateway, err := netip.ParseAddr(site.Gateway)
	if has.IP != "" && (err != nil || site.CIDR == 0 || sameSubnet(has.IP, gateway, site.CIDR)) {
		return r.fixed(has.IP, has.Prefix, has.Gateway)
	}

	return machine.Addressing{Method: machine.MethodStatic, Prefix: site.CIDR, Gateway: site.Gateway, Pool: pool}
}

// fixed is an address that the machine has already. Its gateway is the site's, if it is inside the subnet, else another one.
func (r addressPool) fixed(ip string, prefix int64, gateway string) machine.Addressing {
	out := machine.Addressing{Method: machine.MethodStatic, Address: ip, Prefix: prefix, Gateway: gateway, Pool: &machine.AddressPool{}}

	if inside(r.l.site.Network.Gateway, out.Address, prefix) {
		out.Gateway = r.l.site.Network.Gateway
	}

	return out
}

// pool of the site; without ranges where it has none, which is a fault.
func (r addressPool) pool() *machine.AddressPool {
	site := r.l.site
	out := &machine.AddressPool{Path: site.Path().Child("network", "pool").String(), Except: r.inUse()}

	if site.Network.Pool.IsZero() {
		if !r.l.unknown {
			r.n.add(field.Invalid(r.g.at.Child("network", "pool"), field.OmitValueType{}, r.noPool()))
		}

		return out
	}

	// The faults of a pool are the catalogue's, which are reported with the site.
	if out.Of, _ = catalog.NamedPool(site.Network.Pool, nil); out.Of.IsZero() {
		out.Ranges, _ = catalog.AddressRanges(site.Network.Pool, nil)
	}

	return out
}

func (r addressPool) noPool() string {
	const instead = "or write network.ip or dhcp: true"

	if r.l.site.From == "" {
		return "the machine has no site, and address pools are a site's: add sites.<site>.network.pool to the catalogue, " + instead
	}

	return fmt.Sprintf("its site has no address pool: set %s to a range such as 192.168.4.50-192.168.4.99, or to a pool of Cluster API, %s", r.l.site.Path().Child("network", "pool"), instead)
}

// inNetwork refuses a bridge or VLAN beside the site's own: the pool's addresses are of that network.
func (r addressPool) inNetwork() {
	site := r.l.site.Network
	bridge := bridgeOf(r.g, r.l.site)

	if want := cmp.Or(site.Bridge, defaultBridge); bridge.name != want {
		r.n.add(field.Invalid(bridge.at, message.Excerpt(bridge.name), fmt.Sprintf("the addresses of the site's pool are of bridge %s: leave the bridge out, or write network.ip or dhcp: true", want)))
	}

	for _, said := range []struct {
		at   *field.Path
		vlan *int64
	}{{r.g.at.Child("network", "vlan"), r.g.spec.Network.VLAN}, {r.g.at.Child("proxmox", "vlan"), r.g.spec.Proxmox.VLAN}} {
		if said.vlan != nil && *said.vlan != site.VLAN {
			r.n.add(field.Invalid(said.at, *said.vlan, "the addresses of the site's pool are of "+vlanWords(site.VLAN)+": leave the VLAN tag out, or write network.ip or dhcp: true"))
		}
	}
}

func vlanWords(tag int64) string {
	if tag == 0 {
		return "the network without a VLAN tag"
	}

	return fmt.Sprintf("VLAN %d", tag)
}

// inUse are addresses in the catalogue that belong to something else: a pool may have them.
func (r addressPool) inUse() []netip.Addr {
	texts := slices.Concat([]string{r.l.site.Network.Gateway}, r.l.site.Network.DNS)

	for _, c := range r.g.catalog.Clusters {
		texts = append(append(texts, hostOf(c.Server)), c.TLSSANs...)
	}

	if r.g.k3s != nil {
		texts = append(append(texts, hostOf(r.g.k3s.Server)), r.g.k3s.TLSSANs...)
	}

	var out []netip.Addr

	for _, text := range texts {
		if a, err := netip.ParseAddr(text); err == nil && a.Is4() && !slices.Contains(out, a) {
			out = append(out, a)
		}
	}

	slices.SortFunc(out, netip.Addr.Compare)

	return out
}

// hostOf a URL; empty where it is none.
func hostOf(text string) string {
	u, err := url.Parse(strings.TrimSpace(text))
	if err != nil {
		return ""
	}

	return u.Hostname()
}

// sameSubnet says whether an address is in the subnet of another one. A text that is no address is in none.
func sameSubnet(text string, other netip.Addr, cidr int64) bool {
	a, err := netip.ParseAddr(text)
	if err != nil {
		return false
	}

	p, err := other.Prefix(int(cidr))

	return err == nil && p.Contains(a)
}
