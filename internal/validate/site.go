package validate

import (
	"fmt"
	"maps"
	"math"
	"net/netip"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
)

// The provider takes names of bridges of at most 10 characters, Proxmox those of at least two, and Linux interfaces have at most 15.
var (
	bridgeNamePattern    = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]{1,9}$`)
	rawDevicePattern     = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]{1,12}$`)
	sitePortPattern      = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]{1,14}([.][0-9]{1,4})?$`)
	siteCommentPattern   = regexp.MustCompile(`^[!-~]([ -~]*[!-~])?$`)
	interruptionPattern  = regexp.MustCompile(`^[a-z][a-z0-9]*$`)
	sitePoolPattern      = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*(/[A-Za-z0-9][A-Za-z0-9._-]*){0,2}$`)
	siteInterfacePattern = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9-]*/[A-Za-z][A-Za-z0-9_]*([.][0-9]{1,4})?$`)
)

const (
	maxSiteNodes     = 32
	maxSiteBridges   = 32
	maxSiteVLANs     = 64
	maxSitePools     = 64
	maxBridgePorts   = 16
	maxInterfaceName = 15
	maxSiteComment   = 100
	minSiteMTU       = 1280
	maxSiteMTU       = 65520
	defaultMTU       = 1500
)

// ProxmoxSite checks the spec of a ProxmoxSite.
func ProxmoxSite(s v1alpha1.ProxmoxSiteSpec) field.ErrorList {
	at := field.NewPath("spec")
	errs := catalogueName(at.Child("proxmox", "site"), s.Proxmox.Site, 63)
	errs = append(errs, count(at.Child("nodes"), len(s.Nodes), maxSiteNodes)...)

	v := siteCheck{addresses: map[netip.Addr]string{}, subnets: map[string]netip.Prefix{}, parts: map[string]bool{}}

	for _, name := range slices.Sorted(maps.Keys(s.Nodes)) {
		errs = append(errs, v.node(at.Child("nodes", message.Key(name)), name, s.Nodes[name])...)
	}

	pools := textRule{63, sitePoolPattern, "must be the name of a Proxmox resource pool: letters, digits, dots, _ and -, at most three levels with / between them, such as infra"}
	names := make([]string, 0, len(s.Pools))
	errs = append(errs, count(at.Child("pools"), len(s.Pools), maxSitePools)...)

	for i, p := range s.Pools[:min(len(s.Pools), maxSitePools)] {
		errs = append(errs, pools.required(at.Child("pools").Index(i).Child("name"), p.Name)...)
		errs = append(errs, siteComment(at.Child("pools").Index(i), p.Comment)...)
		names = append(names, p.Name)
	}

	errs = append(errs, duplicateKeys(at.Child("pools"), "name", names)...)

	removal := at.Child("allowRemoval")
	interfaces := textRule{80, siteInterfacePattern, "must be the node and the interface, such as pve1/vmbr1"}
	errs = append(errs, interfaces.items(removal.Child("interfaces"), s.AllowRemoval.Interfaces, maxSiteVLANs)...)
	errs = append(errs, pools.items(removal.Child("pools"), s.AllowRemoval.Pools, maxSitePools)...)

	for i, name := range s.AllowRemoval.Interfaces {
		if v.parts[name] {
			errs = append(errs, field.Invalid(removal.Child("interfaces").Index(i), message.Excerpt(name), "is in spec.nodes: remove it there, or here"))
		}
	}

	for i, name := range s.AllowRemoval.Pools {
		if slices.Contains(names, name) {
			errs = append(errs, field.Invalid(removal.Child("pools").Index(i), message.Excerpt(name), "is in spec.pools: remove it there, or here"))
		}
	}

	return append(errs, deletionPolicy(at, s.DeletionPolicy)...)
}

// A siteCheck knows what the nodes before have.
type siteCheck struct {
	addresses map[netip.Addr]string   // Who has it.
	subnets   map[string]netip.Prefix // Of interfaces, by node/name.
	parts     map[string]bool
}

func (v siteCheck) node(at *field.Path, name string, n v1alpha1.ProxmoxSiteNode) field.ErrorList {
	errs := nodeRule().check(at, name)
	errs = append(errs, count(at.Child("bridges"), len(n.Bridges), maxSiteBridges)...)
	errs = append(errs, count(at.Child("vlans"), len(n.VLANs), maxSiteVLANs)...)

	bridges := make([]string, 0, len(n.Bridges))
	ports := map[string]string{} // The bridge that has a port.

	for i, b := range n.Bridges[:min(len(n.Bridges), maxSiteBridges)] {
		p := at.Child("bridges").Index(i)
		if b.Name == "lo" {
			errs = append(errs, field.Invalid(p.Child("name"), b.Name, "is the node's loopback interface"))
		}

		rule := textRule{math.MaxInt, bridgeNamePattern, "must hold 2 to 10 letters, digits and _, and start with a letter, such as vmbr1"}
		errs = append(errs, rule.required(p.Child("name"), b.Name)...)
		errs = append(errs, v.ports(p.Child("ports"), b, n, ports)...)
		errs = append(errs, v.common(p, name+"/"+b.Name, b.ProxmoxSiteInterface)...)
		bridges = append(bridges, b.Name)
	}

	errs = append(errs, duplicateKeys(at.Child("bridges"), "name", bridges)...)

	for i, l := range n.VLANs[:min(len(n.VLANs), maxSiteVLANs)] {
		errs = append(errs, v.vlan(at.Child("vlans").Index(i), name, l, n)...)
	}

	return errs
}

// usualBridge is a name that Proxmox's own interface gives bridges only.
var usualBridge = regexp.MustCompile(`^vmbr[0-9]+$`)

// ports of a bridge. Proxmox refuses a port that another interface uses; what the claim itself says twice is a fault of the claim.
func (v siteCheck) ports(at *field.Path, b v1alpha1.ProxmoxSiteBridge, n v1alpha1.ProxmoxSiteNode, taken map[string]string) field.ErrorList {
	rule := textRule{maxInterfaceName, sitePortPattern, "must be the name of a NIC, a bond or a VLAN interface of the node, such as enp2s0, bond0 or enp2s0.30"}
	errs := rule.items(at, b.Ports, maxBridgePorts)

	for i, port := range b.Ports[:min(len(b.Ports), maxBridgePorts)] {
		isBridge := usualBridge.MatchString(port) || slices.ContainsFunc(n.Bridges, func(o v1alpha1.ProxmoxSiteBridge) bool { return o.Name == port })
		loops := slices.ContainsFunc(n.VLANs, func(l v1alpha1.ProxmoxSiteVLAN) bool { return vlanName(l) == port && l.Interface == b.Name })

		switch other := taken[port]; {
		case port == "lo":
			errs = append(errs, field.Invalid(at.Index(i), port, "is the node's loopback interface, which the kernel takes into no bridge"))
		case isBridge:
			errs = append(errs, field.Invalid(at.Index(i), message.Excerpt(port), "is a bridge: a bridge cannot be a port of a bridge"))
		case loops:
			errs = append(errs, field.Invalid(at.Index(i), message.Excerpt(port), "is a VLAN interface of the bridge itself"))
		case other != "" && other != b.Name:
			errs = append(errs, field.Invalid(at.Index(i), message.Excerpt(port), "is a port of "+message.Excerpt(other)+": a port has one bridge"))
		default:
			taken[port] = b.Name
		}
	}

	return errs
}

func vlanName(l v1alpha1.ProxmoxSiteVLAN) string {
	return l.Interface + "." + strconv.FormatInt(l.Tag, 10)
}

func (v siteCheck) vlan(at *field.Path, node string, l v1alpha1.ProxmoxSiteVLAN, n v1alpha1.ProxmoxSiteNode) field.ErrorList {
	rule := textRule{math.MaxInt, rawDevicePattern, "must be the name of a bridge, a NIC or a bond of the node, 2 to 13 letters, digits and _, such as vmbr1"}
	errs := rule.required(at.Child("interface"), l.Interface)

	if raw, tag, ok := strings.Cut(l.Interface, "."); ok && rawDevicePattern.MatchString(raw) && vlanTag.MatchString(tag) {
		errs = field.ErrorList{field.Invalid(at.Child("interface"), message.Excerpt(l.Interface), "is the name of a VLAN interface, which the function makes of two fields: "+
			"write interface: "+raw+" and tag: "+tag)}
	}

	errs = append(errs, VLAN(at.Child("tag"), &l.Tag)...)

	name := vlanName(l)
	if len(l.Interface) <= 13 && len(name) > maxInterfaceName {
		errs = append(errs, field.Invalid(at, message.Excerpt(name),
			fmt.Sprintf("the name of an interface has at most %d characters, and this one is %s", maxInterfaceName, message.Excerpt(name))))
	}

	if v.parts[node+"/"+name] {
		errs = append(errs, field.Duplicate(at, message.Excerpt(name)))
	}

	for _, b := range n.Bridges {
		if b.Name == l.Interface && l.MTU != nil && *l.MTU > MTUOf(b) {
			errs = append(errs, field.Invalid(at.Child("mtu"), *l.MTU, fmt.Sprintf("must be at most the mtu of bridge %s, %d", b.Name, MTUOf(b))))
		}
	}

	return append(errs, v.common(at, node+"/"+name, l.ProxmoxSiteInterface)...)
}

// MTUOf a bridge, in bytes.
func MTUOf(b v1alpha1.ProxmoxSiteBridge) int64 {
	if b.MTU != nil {
		return *b.MTU
	}

	return defaultMTU
}

func (v siteCheck) common(at *field.Path, key string, i v1alpha1.ProxmoxSiteInterface) field.ErrorList {
	v.parts[key] = true
	errs := v.address(at.Child("address"), key, i.Address, true)
	errs = append(errs, v.address(at.Child("address6"), key, i.Address6, false)...)
	errs = append(errs, between(at.Child("mtu"), i.MTU, minSiteMTU, maxSiteMTU)...)
	errs = append(errs, siteComment(at, i.Comment)...)
	rule := textRule{63, interruptionPattern, "must be the hash that status.interfaces shows beside the changes"}

	return append(errs, copiedHash(at.Child("allowInterruption"), i.AllowInterruption, rule)...)
}

// sixth tells the IPv6 subnet of an interface from its IPv4 subnet.
const sixth = " 6"

func (v siteCheck) address(at *field.Path, key, text string, four bool) field.ErrorList {
	if text == "" {
		return nil
	}

	rule := "must be an IPv6 address with the length of its prefix, such as fd00:9::2/64"
	if four {
		rule = "must be an IPv4 address with the length of its prefix, such as 10.0.9.2/24"
	}

	p, err := netip.ParsePrefix(text)

	switch {
	case err != nil || p.Addr().Is4() != four || p.Addr().Is4In6():
		return field.ErrorList{field.Invalid(at, message.Excerpt(text), rule)}
	case v.addresses[p.Addr()] != "":
		return field.ErrorList{field.Invalid(at, message.Excerpt(text), "is the address of "+message.Excerpt(v.addresses[p.Addr()])+", too")}
	}

	if why := noHost(p); why != "" {
		return field.ErrorList{field.Invalid(at, message.Excerpt(text), why)}
	}

	v.addresses[p.Addr()] = key

	// A node that has two interfaces in one subnet answers on one of them only.
	node, _, _ := strings.Cut(key, "/")

	for _, other := range slices.Sorted(maps.Keys(v.subnets)) {
		if n, _, _ := strings.Cut(other, "/"); n == node && v.subnets[other].Overlaps(p) {
			who := message.Excerpt(strings.TrimSuffix(other, sixth))
			return field.ErrorList{field.Invalid(at, message.Excerpt(text), "is in the subnet of "+who+": a node has one interface in a subnet")}
		}
	}

	if !four {
		key += sixth
	}

	v.subnets[key] = p.Masked()

	return nil
}

// noHost says why no interface of a node can have an address; empty where one can. Proxmox checks none of this for IPv4 (create_network in
// pve-manager, PVE/API2/Network.pm).
func noHost(p netip.Prefix) string {
	switch {
	case isReserved(p.Addr()):
		return "must be the address of a node, not a loopback, multicast or reserved address"
	case p.Bits() < 8:
		return fmt.Sprintf("the subnet %s holds other networks, which the node would not reach any more: write the length of the subnet's prefix, such as /24", p.Masked())
	}

	return EdgeOf(p.Addr(), p.Masked())
}

func siteComment(at *field.Path, text string) field.ErrorList {
	if strings.Contains(text, "[ProxmoxSite ") {
		return field.ErrorList{field.Invalid(at.Child("comment"), message.Excerpt(text), "must not hold [ProxmoxSite: the function marks with it what a claim manages")}
	}

	return textRule{maxSiteComment, siteCommentPattern, "must be one line of printable ASCII characters, without spaces at the ends"}.check(at.Child("comment"), text)
}
