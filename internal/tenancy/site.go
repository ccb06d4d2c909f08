package tenancy

import (
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	catalogue "github.com/homelab-io/function-proxmox-machine/apis/catalogue/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
)

// ClaimedSite is what a ProxmoxSite asks for.
type ClaimedSite struct {
	// Site is the name of the site that it is of, its default filled in.
	Site string
	Spec v1alpha1.ProxmoxSiteSpec
	// JoinedAt are the clusters of the catalogue that are joined at an address; nil where there are none.
	JoinedAt func(address string) []string
}

// JudgeSite judges whether there may be a ProxmoxSite at all.
func JudgeSite(t *catalog.Tenancy, id machine.Identity) []Violation {
	tenant, ruled, v := of(t, id)
	if !ruled || slices.Contains(tenant.Allow, catalogue.AllowProxmoxSites) {
		return v
	}

	return append(v, denied(tenant, field.NewPath("kind"), "ProxmoxSite", catalogue.AllowProxmoxSites, "interfaces and pools of the nodes are everybody's"))
}

// JudgeSiteParts judges which site a ProxmoxSite is of, and what it has there: a network, or an address, that the tenant's machines may not have, its nodes do
// not get for it.
func JudgeSiteParts(t *catalog.Tenancy, id machine.Identity, c ClaimedSite) []Violation {
	tenant, ruled, _ := of(t, id)
	if !ruled {
		return nil
	}

	j := judge{tenant: tenant, claimed: Claimed{JoinedAt: c.JoinedAt}}

	allowed, ok := tenant.Site(c.Site)
	if !ok {
		j.listed(namesOf(tenant.Sites), tenant.Path().Child("sites"), at("proxmox", "site"), c.Site, "site")
		return j.out
	}

	s := siteJudge{judge: &j, allowed: allowed, key: tenant.SitePath(c.Site)}

	for _, node := range namesOf(c.Spec.Nodes) {
		path := at("nodes", message.Key(node))
		j.node(c.Site, path, node)

		for i, b := range c.Spec.Nodes[node].Bridges {
			s.bridge(path.Child("bridges").Index(i), node, b)
		}

		for i, l := range c.Spec.Nodes[node].VLANs {
			s.vlan(path.Child("vlans").Index(i), node, l)
		}
	}

	for _, p := range c.Spec.Pools {
		if allowed.Pool != "" && p.Name != allowed.Pool {
			j.listed([]string{allowed.Pool}, s.key.Child("pool"), at("pools").Key(p.Name), p.Name, "pool")
		}
	}

	return j.out
}

// A siteJudge judges interfaces of the nodes of a site that is the tenant's. An interface is known by its node and name, wherever it stands in its list.
type siteJudge struct {
	judge   *judge
	allowed catalogue.TenantSite
	key     *field.Path
}

// bridge of a node. A NIC that becomes its port brings the bridge's machines the tags that they may have there, and no others; a VLAN interface brings
// them its network without a tag.
func (s siteJudge) bridge(at *field.Path, node string, b v1alpha1.ProxmoxSiteBridge) {
	where := node + "/" + b.Name
	s.carrier(at.Child("name"), where, b.Name, b.Name)

	for i, port := range b.Ports {
		if n, ok := networkOf(port); ok {
			s.carrier(at.Child("ports").Index(i), where, n.carrier, port)
			s.tag(at.Child("ports").Index(i), where, n, port)
		}
	}

	// What the node sends from its own address has no tag.
	for _, a := range [][2]string{{"address", b.Address}, {"address6", b.Address6}} {
		if a[1] != "" {
			s.tag(at.Child(a[0]), where, network{carrier: b.Name}, a[1])
		}
	}

	s.addresses(at, where, b.ProxmoxSiteInterface)
}

// vlan is a VLAN interface of a node. A NIC below a bridge of others has all of their networks, so only a bridge of the tenant carries one.
func (s siteJudge) vlan(at *field.Path, node string, l v1alpha1.ProxmoxSiteVLAN) {
	where := node + "/" + l.Interface + "." + strconv.FormatInt(l.Tag, 10)

	s.carrier(at.Child("interface"), where, l.Interface, l.Interface)
	s.tag(at.Child("tag"), where, network{l.Interface, l.Tag}, "")
	s.addresses(at, where, l.ProxmoxSiteInterface)
}

// A network is what has a VLAN tag on a bridge, a NIC or a bond; tag 0 is none.
type network struct {
	carrier string
	tag     int64
}

// networkOf a VLAN interface; ok is false for other names. Proxmox has two forms of names: the second one, as vlan30, does not tell what carries it, and
// stands for itself.
func networkOf(port string) (n network, ok bool) {
	carrier, text, found := strings.Cut(port, ".")
	if !found {
		carrier = port
		text, found = strings.CutPrefix(port, "vlan")
	}

	tag, err := strconv.ParseInt(text, 10, 64)

	return network{carrier, tag}, found && err == nil
}

// carrier is what has the tags of a network: a bridge that the tenant's machines may be on. typed is the word that names it.
func (s siteJudge) carrier(at *field.Path, where, name, typed string) {
	if s.allowed.Bridges == nil {
		return
	}

	if _, ok := s.allowed.Bridges[name]; !ok {
		r := rule{namesOf(s.allowed.Bridges), s.key.Child("bridges"), "bridge"}
		s.judge.add("bridge", where+" on "+name, r.key, withValue(notListed(s.judge.tenant, r, at, name), typed))
	}
}

// tag of a network on a bridge that is the tenant's.
func (s siteJudge) tag(at *field.Path, where string, n network, typed string) {
	if fault := s.judge.tagFault(s.key, s.allowed, at, n); fault != nil {
		s.judge.add("vlan", where+" on "+n.carrier+"."+strconv.FormatInt(n.tag, 10)+" "+typed, s.key.Child("bridges", message.Key(n.carrier)), fault)
	}
}

// addresses of a node on an interface.
func (s siteJudge) addresses(at *field.Path, where string, i v1alpha1.ProxmoxSiteInterface) {
	of := func(field, text string) (ip netip.Addr, ok bool) {
		p, err := netip.ParsePrefix(text)
		if err == nil {
			s.judge.joined(at.Child(field), p.Addr().String())
		}

		return p.Addr(), err == nil
	}

	ip, ok := of("address", i.Address)
	ip6, ok6 := of("address6", i.Address6)

	if s.allowed.Addresses.IsZero() {
		return
	}

	key := s.key.Child("addresses")
	ranges, _ := catalog.AddressRanges(s.allowed.Addresses, nil)

	if ok && !within(ranges, ip) {
		s.judge.add("address", where+" "+ip.String(), key, field.Invalid(at.Child("address"), message.Excerpt(i.Address), fmt.Sprintf(
			"is no address of tenant %s (%s); %s", s.judge.tenant.Name, key, message.ThereAre(textOf(ranges)))))
	}

	if ok6 {
		s.judge.add("address", where+" "+ip6.String(), key, withValue(field.Forbidden(at.Child("address6"), fmt.Sprintf(
			"the addresses of tenant %s are IPv4 (%s)", s.judge.tenant.Name, key)), i.Address6))
	}
}
