package change

import (
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/internal/message"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// firewallField and firewallLogField are the fields of a claim that the firewall's changes are reported under.
const (
	firewallField    = "spec.firewall"
	firewallLogField = "spec.firewall.log"
)

// everywhere is where a connection comes from that may come from anywhere.
const everywhere = "everywhere"

// A Filter is what a VM's firewall does with connections to the guest.
type Filter struct {
	// Drops says whether it drops what no rule accepts. Otherwise everything reaches the guest.
	Drops bool
	Rules []proxmox.FirewallRule
	// Log is the level at which it logs what it drops; empty where nobody knows.
	Log string
}

// FilterOf options and rules.
func FilterOf(o proxmox.FirewallOptionsParameters, r proxmox.FirewallRulesParameters) Filter {
	return Filter{Drops: o.Enabled && o.InputPolicy == proxmox.PolicyDrop, Rules: r.Rule, Log: o.LogLevelIn}
}

// Firewalls compares two filters, as changes of a VM. All take effect at once.
func Firewalls(has, wanted Filter) []Change {
	var out []Change

	switch h, w := has.Words(), wanted.Words(); {
	case h == w:
	case slices.Equal(has.inAnyOrder(), wanted.inAnyOrder()):
		out = append(out, Change{Field: firewallField, Has: "the rules in their order", Wanted: "the same rules in another order", Effect: InPlace})
	default:
		out = append(out, Change{Field: firewallField, Has: h, Wanted: w, Effect: InPlace})
	}

	if has.Log != "" && wanted.Log != "" && has.Log != wanted.Log {
		out = append(out, Change{Field: firewallLogField, Has: has.Log, Wanted: wanted.Log, Effect: InPlace})
	}

	return out
}

// asSet is a firewall that somebody set up in Proxmox: the provider reports nothing of one before it manages it.
const asSet = "as set in Proxmox"

// FirewallsOver are the changes of a firewall that somebody set up in Proxmox. The provider writes all options at once, whoever set them before
// (bpg/proxmox 0.111.1, proxmoxtf/resource/firewall/options.go, optionsSet), so each is named, under the name that Proxmox has for it.
func FirewallsOver(o proxmox.FirewallOptionsParameters, r proxmox.FirewallRulesParameters) []Change {
	switches := map[bool]int{true: 1}
	options := fmt.Sprintf("enable=%d,policy_in=%s,policy_out=%s,log_level_in=%s,log_level_out=%s,dhcp=%d,ndp=%d,radv=%d,macfilter=%d,ipfilter=%d",
		switches[o.Enabled], o.InputPolicy, o.OutputPolicy, o.LogLevelIn, o.LogLevelOut, switches[o.DHCP], switches[o.NDP], switches[o.RAdv],
		switches[o.MACFilter], switches[o.IPFilter])

	return []Change{
		{Field: firewallField, Has: asSet, Wanted: FilterOf(o, r).Words(), Effect: InPlace},
		{Field: "option firewall", Has: asSet, Wanted: options, Effect: InPlace},
	}
}

// FoundRules are the rules that are in Proxmox before the provider writes the claim's, each with what is to become of it: the provider replaces none.
func FoundRules(found []proxmox.FoundFirewallRule, wanted []proxmox.FirewallRule) []Change {
	out := make([]Change, 0, len(found))

	for _, r := range found {
		becomes := "be deleted first, by hand: the claim does not have it"
		if slices.ContainsFunc(wanted, r.Is) {
			becomes = "stay: the claim has it"
		}

		out = append(out, Change{Field: fmt.Sprintf("firewall rule %d", r.Pos), Has: message.Excerpt(r.String()), Wanted: becomes, Effect: InPlace})
	}

	return out
}

// Words of a filter, in the order of its rules: one clause.
func (f Filter) Words() string {
	if !f.Drops {
		return "everything reaches the guest"
	}

	out := make([]string, 0, len(f.Rules))
	for _, r := range f.Rules {
		out = append(out, wordsOf(r))
	}

	return "only " + strings.Join(out, "; ")
}

// wordsOf a rule.
func wordsOf(r proxmox.FirewallRule) string {
	if r.SecurityGroup != "" {
		return "what security group " + r.SecurityGroup + " accepts"
	}

	return serviceOf(r).words() + " from " + sourceOf(r)
}

// inAnyOrder is what a filter lets through, sorted: each rule accepts, so that their order says nothing. Security groups stay in theirs, since one can drop
// what the next one accepts. Nil where it drops nothing.
func (f Filter) inAnyOrder() []string {
	if !f.Drops {
		return nil
	}

	var groups []string

	out := make([]string, 0, len(f.Rules))

	for _, r := range f.Rules {
		if r.SecurityGroup != "" {
			groups = append(groups, wordsOf(r))
			continue
		}

		sources := strings.Split(r.Source, ",")
		slices.Sort(sources)
		out = append(out, serviceOf(r).words()+" from "+strings.Join(sources, ","))
	}

	slices.Sort(out)

	return append(out, groups...)
}

// A service is what a rule lets through, of one protocol.
type service struct {
	proto       string // Empty: every protocol.
	macro       string // In place of protocol and ports.
	first, last int    // Ports; 0 for all.
}

// named are the services that people know by name. cluster says that only nodes of K3s have them.
var named = []struct { //nolint:gochecknoglobals // A constant table.
	service
	name    string
	cluster bool
}{
	{service{proto: "tcp", first: 22, last: 22}, "SSH", false},
	{service{proto: "tcp", first: 6443, last: 6443}, "the Kubernetes API", true},
	{service{proto: "tcp", first: 2379, last: 2380}, "etcd", true},
	{service{proto: "tcp", first: 10250, last: 10250}, "the kubelet", true},
	{service{proto: "udp", first: 8472, last: 8472}, "flannel over VXLAN", true},
	{service{proto: "udp", first: 51820, last: 51821}, "flannel over WireGuard", true},
	{service{macro: "Ping"}, "ping", false},
}

func serviceOf(r proxmox.FirewallRule) service {
	out := service{proto: r.Proto, macro: r.Macro}
	if r.DPort == "" {
		return out
	}

	a, b, isRange := strings.Cut(r.DPort, ":")
	out.first, _ = strconv.Atoi(a)
	out.last = out.first

	if isRange {
		out.last, _ = strconv.Atoi(b)
	}

	return out
}

// words of a service: its name, and its ports.
func (s service) words() string {
	ports := strings.ToUpper(s.proto)

	switch {
	case s.macro != "":
		ports = s.macro
	case s.proto == "" && s.first == 0:
		ports = "all protocols"
	case s.first == s.last && s.first != 0:
		ports = fmt.Sprintf("%s %d", ports, s.first)
	case s.first != 0:
		ports = fmt.Sprintf("%s %d-%d", ports, s.first, s.last)
	}

	for _, n := range named {
		if n.service == s && s.macro != "" {
			return n.name
		}

		if n.service == s {
			return n.name + " (" + ports + ")"
		}
	}

	return ports
}

// includes says whether a service is a part of this one.
func (s service) includes(other service) bool {
	switch {
	case s.macro != "" || other.macro != "":
		return s.macro == other.macro
	case s.proto != "" && s.proto != other.proto:
		return false
	}

	return s.first == 0 || other.first != 0 && s.first <= other.first && other.last <= s.last
}

// sourceOf a rule, in words.
func sourceOf(r proxmox.FirewallRule) string {
	if r.Source == "" {
		return everywhere
	}

	return strings.ReplaceAll(r.Source, ",", ", ")
}

// Closes says what reaches the guest now, and would not any more, in clauses. ofCluster names the services of a K3s node, too, where everything
// reaches the guest now.
func Closes(has, wanted Filter, ofCluster bool) []string {
	if !wanted.Drops {
		return nil
	}

	var out []string

	if !has.Drops {
		for _, n := range named {
			if !n.cluster || ofCluster {
				out = append(out, wanted.lacks(n.service, "")...)
			}
		}

		return append(out, "all else that no rule accepts")
	}

	for _, r := range has.Rules {
		for _, text := range wanted.lacksOf(r) {
			if !slices.Contains(out, text) {
				out = append(out, text)
			}
		}
	}

	return out
}

// lacksOf says what a rule accepts that is not reached through a filter. Nobody knows what a security group accepts: a filter without it lacks all of that.
func (f Filter) lacksOf(r proxmox.FirewallRule) []string {
	if r.SecurityGroup == "" {
		return f.lacks(serviceOf(r), r.Source)
	}

	if slices.ContainsFunc(f.Rules, func(has proxmox.FirewallRule) bool { return has.SecurityGroup == r.SecurityGroup }) {
		return nil
	}

	return []string{wordsOf(r)}
}

// lacks says from where a service is not reached through a filter, of the sources that it was reached from; empty for everywhere.
func (f Filter) lacks(s service, sources string) []string {
	var accepted []string

	for _, r := range f.Rules {
		switch {
		case r.SecurityGroup != "", !serviceOf(r).includes(s):
		case r.Source == "":
			return nil
		default:
			accepted = append(accepted, strings.Split(r.Source, ",")...)
		}
	}

	if sources == "" {
		text := s.words() + " from " + everywhere
		if len(accepted) > 0 {
			text += " but " + strings.Join(accepted, ", ")
		}

		return []string{text}
	}

	var lost []string

	for source := range strings.SplitSeq(sources, ",") {
		if !slices.ContainsFunc(accepted, func(a string) bool { return covers(a, source) }) {
			lost = append(lost, source)
		}
	}

	if len(lost) == 0 {
		return nil
	}

	return []string{s.words() + " from " + strings.Join(lost, ", ")}
}

// covers says whether a network, or an address, is inside another one. What is neither covers itself only.
func covers(outer, inner string) bool {
	o, okO := prefix(outer)
	i, okI := prefix(inner)

	return outer == inner || okO && okI && o.Bits() <= i.Bits() && o.Contains(i.Addr())
}

func prefix(text string) (netip.Prefix, bool) {
	if a, err := netip.ParseAddr(text); err == nil {
		return netip.PrefixFrom(a, a.BitLen()), true
	}

	p, err := netip.ParsePrefix(text)

	return p, err == nil
}
