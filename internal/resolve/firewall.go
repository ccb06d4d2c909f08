package resolve

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/k3s"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
)

// firewall resolves the own firewall of a VM or a container.
type firewall struct {
	g    *given
	n    *notes
	nics []machine.NIC
	of   cluster
	site string
	l    located
}

// resolve the firewall, the interfaces with their switches, and the default that the guest is made with, for its annotation; nil and the interfaces as they are
// where it is to have none.
func (r firewall) resolve() (*machine.Firewall, []machine.NIC, string) {
	said, made := r.said()

	f := said.spec
	if f == nil {
		return nil, r.nics, made
	}

	out := &machine.Firewall{Enabled: orTrue(f.Enabled), Log: string(cmp.Or(f.Log, "nolog")), From: said.from}
	r.names(said)

	for _, rule := range slices.Concat(r.preset(f.Preset, said.from), allowed(f.Allow)) {
		if !out.Accepts(rule) {
			out.Rules = append(out.Rules, rule)
		}
	}

	if !out.Enabled {
		return out, r.nics, made
	}

	r.closed(said, out)

	return out, r.switches(said.from.Field()), made
}

// logins are the ports at which people log in: SSH's, also where people put it elsewhere, those of Windows (RDP, WinRM), and VNC's.
var logins = []string{"22", "2222", "3389", "5985", "5986", "5900"} //nolint:gochecknoglobals // A constant table.

// closed warns of a new guest whose rules, written without a preset, let nobody log in: who adds a port to a firewall often takes what is open for granted.
// Who wants that says preset: none. What a security group opens, nobody knows.
func (r firewall) closed(said firewallClaim, out *machine.Firewall) {
	if said.spec.Preset != "" || !out.Filters() || !r.g.isNew() || slices.ContainsFunc(logins, out.Opens) {
		return
	}

	r.n.warn("%s: drops everything but what allow has, SSH (TCP 22) with it: write preset: ssh beside allow, or preset: none where nobody is to log in.", said.from.Field())
}

// switches are the interfaces with the switch on, where the claim does not say it. Without it, the firewall has no effect.
func (r firewall) switches(at string) []machine.NIC {
	out := slices.Clone(r.nics)
	said := []*bool{nil}
	if n := r.g.spec.Network; n != nil {
		said[0] = n.Firewall
	}

	for _, n := range r.g.spec.NICs {
		said = append(said, n.Firewall)
	}

	for i := range out {
		name := "spec.network.firewall"
		if i > 0 {
			name = fmt.Sprintf("spec.nics[%d].firewall", i-1)
		}

		switch {
		case said[i] == nil:
			out[i].Firewall = new(true)
		case !*said[i]:
			r.n.warn("%s is false, so %s does not filter this interface: remove %s, or set it to true.", name, at, name)
		}
	}

	return out
}

// names checks what rules name of the datacenter's firewall. Nothing is known of it where the site is a fault itself, or where the guest keeps what it has
// without a catalogue.
func (r firewall) names(of firewallClaim) {
	if r.l.unknown || r.n.hasKept(machine.PartSite) {
		return
	}

	for i, rule := range of.spec.Allow {
		name, ok := catalog.FirewallNameOf(rule)
		if !ok {
			continue
		}

		there, key := catalog.NamesOf(name.Kind, r.l.site.Firewall)
		if slices.Contains(there, name.Name) {
			continue
		}

		typed := cmp.Or(rule.Group, rule.From)
		fault := field.Invalid(of.at.Child("allow").Index(i).Child(name.Field), message.Excerpt(typed), r.unlisted(name, there, key)).WithOrigin(catalog.OriginUnknown)
		r.misses(of, fault, typed, name)
	}
}

// unlisted says why a name of the datacenter's firewall is none, and what would be right.
func (r firewall) unlisted(name catalog.FirewallName, there []string, key string) string {
	if r.site == "" {
		return fmt.Sprintf("names %s %s of a datacenter, and the machine has no site: name a site (proxmox.site, or defaults.site in the catalogue) whose firewall.%s lists it",
			name.Kind, message.Excerpt(name.Name), key)
	}

	none := fmt.Sprintf("site '%s' has no %s of this name", message.Excerpt(r.site), name.Kind)
	if other := r.otherKind(name); other != "" {
		return none + ", but " + other
	}

	return fmt.Sprintf("%s. If Proxmox has it (Datacenter, Firewall), add it to %s; %s", none, r.l.site.Path().Child("firewall", key),
		message.There(r.g.catalog.Told(name.Kind, r.site, there), name.Name))
}

// otherKind says how a rule names what the site lists under the same name as something else; empty where there is no such thing.
func (r firewall) otherKind(name catalog.FirewallName) string {
	for _, kind := range []catalog.Kind{catalog.KindGroup, catalog.KindIPSet, catalog.KindAlias} {
		there, _ := catalog.NamesOf(kind, r.l.site.Firewall)
		if kind == name.Kind || !slices.Contains(r.g.catalog.Told(kind, r.site, there), name.Name) {
			continue
		}

		if kind == catalog.KindGroup {
			return fmt.Sprintf("a security group: the whole rule is {group: %s}", name.Name)
		}

		name.Kind = kind

		return fmt.Sprintf("an %s: write from: %s, beside a port", kind, name.Source())
	}

	return ""
}

// allowed are the claim's own rules, security groups last.
func allowed(rules []v1alpha1.FirewallRule) []machine.FirewallRule {
	out := make([]machine.FirewallRule, 0, len(rules))

	var groups []machine.FirewallRule

	for _, r := range rules {
		if r.Group != "" {
			groups = append(groups, machine.FirewallRule{Group: r.Group, Comment: r.Comment})
			continue
		}

		out = append(out, machine.FirewallRule{
			Protocol: string(cmp.Or(r.Protocol, v1alpha1.ProtocolTCP)),
			Port:     strings.Replace(string(r.Port), "-", ":", 1),
			From:     canonical(r.From),
			Comment:  r.Comment,
		})
	}

	return append(out, groups...)
}

// canonical is what may connect in one spelling, so that the same rule is not written twice.
func canonical(from string) string {
	if name, ok := catalog.FirewallNameOf(v1alpha1.FirewallRule{From: from}); ok {
		return name.Source()
	}

	if a, err := netip.ParseAddr(from); err == nil {
		return a.String()
	}

	if p, err := netip.ParsePrefix(from); err == nil {
		return p.String()
	}

	return from
}

// preset are the rules that a kind of machine needs.
func (r firewall) preset(p v1alpha1.FirewallPreset, from machine.FirewallFrom) []machine.FirewallRule {
	if p != v1alpha1.PresetSSH && p != v1alpha1.PresetK3sServer && p != v1alpha1.PresetK3sAgent {
		return nil
	}

	own := r.own()
	out := []machine.FirewallRule{{Macro: "Ping", Comment: "ping"}}
	out = append(out, moving(sources(own, "tcp", "22", "SSH"))...)

	if p == v1alpha1.PresetSSH {
		return out
	}

	return append(out, r.cluster(p, r.inside(own), from)...)
}

// cluster are the rules for what a node of a K3s cluster opens, as its keys state: see [k3s.Ports].
func (r firewall) cluster(p v1alpha1.FirewallPreset, inside []netip.Prefix, from machine.FirewallFrom) []machine.FirewallRule {
	role := k3s.RoleAgent
	if p == v1alpha1.PresetK3sServer {
		role = k3s.RoleServer
	}

	if r.of.k3s != nil && k3s.Backend(r.of.shared) == k3s.BackendNone {
		const unknown = "%s: flannel-backend of the cluster is none, so %s does not know the ports of your network plugin: "

		if from == machine.FirewallFromDefault {
			r.n.warn(unknown+"write spec.firewall, with these in allow.", from.Field(), "the preset of the node's role")
		} else {
			r.n.warn(unknown+"name them in spec.firewall.allow.", from.Field(), "spec.firewall.preset")
		}
	}

	var out []machine.FirewallRule

	for _, port := range k3s.Ports(role, r.of.shared, !r.of.known()) {
		switch port.From {
		case k3s.FromEverywhere:
			out = append(out, machine.FirewallRule{Protocol: port.Protocol, Port: port.Port, Comment: port.For})
		case k3s.FromNodes:
			out = append(out, moving(sources(inside, port.Protocol, port.Port, port.For))...)
		case k3s.FromPods:
			out = append(out, sources(r.podNetworks(), port.Protocol, port.Port, port.For)...)
		case k3s.FromMonitoring:
		}
	}

	return out
}

// inside are the networks in which the nodes of the machine's cluster can be: the private ones, since servers can be in several subnets, and a
// server that the others do not reach costs the cluster its quorum; and the machine's own, which need not be private.
func (r firewall) inside(own []netip.Prefix) []netip.Prefix {
	inside := slices.Clone(private4)

	if slices.ContainsFunc(r.nics, func(n machine.NIC) bool { return n.IPv6.Method != machine.MethodNone }) {
		inside = append(inside, private6...)
	}

	for _, n := range own {
		if !machine.Within(n, inside) {
			inside = append(inside, n)
		}
	}

	return inside
}

// podNetworks of the node's cluster.
func (r firewall) podNetworks() []netip.Prefix {
	var out []netip.Prefix

	for _, n := range k3s.Ranges(r.of.shared) {
		if n.Of == k3s.NetworkPods {
			out = append(out, n.Prefix)
		}
	}

	return out
}

// own are the networks that the machine is in: those of its fixed addresses, and the private ones where it gets an address from somebody.
func (r firewall) own() []netip.Prefix {
	var out []netip.Prefix

	for _, n := range r.nics {
		for _, more := range [][]netip.Prefix{subnet(n.IPv4, private4), subnet(n.IPv6, private6)} {
			for _, p := range more {
				if !slices.Contains(out, p) {
					out = append(out, p)
				}
			}
		}
	}

	return out
}

// subnet of an address; the private networks of its family where nobody knows it.
func subnet(a machine.Addressing, private []netip.Prefix) []netip.Prefix {
	if a.Method == machine.MethodNone {
		return nil
	}

	if p, ok := subnetOf(a); ok {
		return []netip.Prefix{p}
	}

	return private
}

// moving are rules whose networks are those of the machine's addresses.
func moving(rules []machine.FirewallRule) []machine.FirewallRule {
	for i := range rules {
		rules[i].OwnNetworks = true
	}

	return rules
}

// sources are a rule for each family of some networks: Proxmox takes no list of both.
func sources(networks []netip.Prefix, protocol, port, comment string) []machine.FirewallRule {
	var out []machine.FirewallRule

	for _, v4 := range []bool{true, false} {
		var list []string

		for _, n := range networks {
			if n.Addr().Is4() == v4 {
				list = append(list, n.String())
			}
		}

		if len(list) > 0 {
			out = append(out, machine.FirewallRule{Protocol: protocol, Port: port, From: strings.Join(list, ","), Comment: comment})
		}
	}

	return out
}
