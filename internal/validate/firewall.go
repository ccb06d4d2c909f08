package validate

import (
	"fmt"
	"net/netip"
	"regexp"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	catalogue "github.com/homelab-io/function-proxmox-machine/apis/catalogue/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
)

// maxRules is the maximum number of rules that a claim adds to those of its preset.
const maxRules = 64

// maxPort is the highest port.
const maxPort = 65535

var (
	portPattern = regexp.MustCompile(`^[1-9][0-9]{0,4}(-[1-9][0-9]{0,4})?$`)
	// Proxmox trims a comment, and ends it with the line.
	commentPattern = regexp.MustCompile(`^\S(.*\S)?$`)
	// Names of IP sets and of aliases.
	setPattern   = regexp.MustCompile(`^(\+|dc/|guest/)`)
	guestPattern = regexp.MustCompile(`^\+?(guest|sdn)/`)
	// What the datacenter's firewall has (pve-firewall 6f1311f, src/PVE/Firewall.pm, security_group_name_pattern and max_group_name_length).
	firewallNamePattern = regexp.MustCompile(`^[a-z][a-z0-9_-]+$`)
)

// firewallNameRule is the rule for names of the datacenter's firewall.
func firewallNameRule(maxRunes int, what string) textRule {
	return textRule{maxRunes: maxRunes, pattern: firewallNamePattern, message: "must be the name of " + what +
		" of the datacenter's firewall: at least two lower case letters, digits, _ and -, starting with a letter"}
}

func groupRule() textRule { return firewallNameRule(18, "a security group") }

// firewallNames checks lists of names of the datacenter's firewall. A rule has the name of an IP set or an alias with a prefix, within 64 characters.
func firewallNames(at *field.Path, f catalogue.FirewallNames) field.ErrorList {
	errs := groupRule().items(at.Child("groups"), f.Groups, maxListedNames)
	errs = append(errs, firewallNameRule(61, "an IP set").items(at.Child("ipSets"), f.IPSets, maxListedNames)...)

	return append(errs, firewallNameRule(61, "an alias").items(at.Child("aliases"), f.Aliases, maxListedNames)...)
}

// maxListedNames is how many names a list of the datacenter's firewall has at most.
const maxListedNames = 64

// FirewallLogs are the log levels of Proxmox's firewall.
func FirewallLogs() []v1alpha1.FirewallLog {
	return []v1alpha1.FirewallLog{"emerg", "alert", "crit", "err", "warning", "notice", "info", "debug", "nolog"}
}

// machineFirewall checks a VM's own firewall.
func machineFirewall(at *field.Path, m *v1alpha1.MachineFields) field.ErrorList {
	f := m.Firewall
	if f == nil {
		return nil
	}

	errs := OneOf(at.Child("preset"), f.Preset,
		v1alpha1.PresetK3sServer, v1alpha1.PresetK3sAgent, v1alpha1.PresetSSH, v1alpha1.PresetNone)

	return append(errs, firewall(at, f)...)
}

// containerFirewall checks a container's own firewall.
func containerFirewall(at *field.Path, s v1alpha1.ContainerSpec) field.ErrorList {
	f := s.Firewall
	if f == nil {
		return nil
	}

	var errs field.ErrorList

	if p := f.Preset; p == v1alpha1.PresetK3sServer || p == v1alpha1.PresetK3sAgent {
		errs = append(errs, field.Invalid(at.Child("preset"), string(p), "k3s-server and k3s-agent are for the VMs of a cluster: a container has the preset ssh or none"))
	} else {
		errs = append(errs, OneOf(at.Child("preset"), p, v1alpha1.PresetSSH, v1alpha1.PresetNone)...)
	}

	return append(errs, firewall(at, f)...)
}

// DefaultFirewall checks the firewall that claims without one take, but for what its rules name.
func DefaultFirewall(at *field.Path, f *v1alpha1.Firewall) field.ErrorList {
	if f == nil {
		return nil
	}

	var errs field.ErrorList

	if p := f.Preset; p == v1alpha1.PresetK3sServer || p == v1alpha1.PresetK3sAgent {
		errs = append(errs, field.Invalid(at.Child("preset"), string(p), "opens what a node of one role needs, and the default is for all guests: write ssh, in whose place a K3s node "+
			"gets the preset of its role"))
	} else {
		errs = append(errs, OneOf(at.Child("preset"), p, v1alpha1.PresetSSH, v1alpha1.PresetNone)...)
	}

	return append(errs, firewall(at, f)...)
}

// firewall checks what a firewall is of everything that can have one.
func firewall(at *field.Path, f *v1alpha1.Firewall) field.ErrorList {
	var errs field.ErrorList

	errs = append(errs, OneOf(at.Child("log"), f.Log, FirewallLogs()...)...)
	errs = append(errs, count(at.Child("allow"), len(f.Allow), maxRules)...)

	for i, r := range f.Allow[:min(len(f.Allow), maxRules)] {
		errs = append(errs, firewallRule(at.Child("allow").Index(i), r)...)
	}

	return errs
}

// nodeFirewall checks that a K3s node whose firewall drops anything lets its cluster through.
func nodeFirewall(at *field.Path, f *v1alpha1.Firewall, role v1alpha1.K3sRole) field.ErrorList {
	if f == nil || role != v1alpha1.K3sServer && role != v1alpha1.K3sAgent {
		return nil
	}

	needs := PresetOf(f, role)
	if f.Preset == needs {
		return nil
	}

	return field.ErrorList{field.Invalid(at.Child("preset"), message.Excerpt(string(f.Preset)), fmt.Sprintf(
		"must be %s: a node whose firewall has rules needs the preset of its role, or it loses its cluster", needs))}
}

// PresetOf a firewall that a K3s node of a role is to have: that of its role where the firewall drops anything, else the firewall's own.
func PresetOf(f *v1alpha1.Firewall, role v1alpha1.K3sRole) v1alpha1.FirewallPreset {
	if len(f.Allow) == 0 && (f.Preset == "" || f.Preset == v1alpha1.PresetNone) {
		return f.Preset
	}

	return v1alpha1.FirewallPreset("k3s-" + string(role))
}

func firewallRule(at *field.Path, r v1alpha1.FirewallRule) field.ErrorList {
	var errs field.ErrorList

	switch {
	case r.Group == "":
		wrong := protocol(at.Child("protocol"), r.Protocol)
		// What is not of tcp or udp may well have no port.
		if len(wrong) == 0 || r.Port != "" {
			errs = append(errs, ports(at.Child("port"), string(r.Port))...)
		}

		errs = append(errs, wrong...)
		errs = append(errs, source(at.Child("from"), r.From)...)
	case r.Port != "" || r.Protocol != "" || r.From != "":
		errs = append(errs, field.Invalid(at.Child("group"), message.Excerpt(r.Group), "has ports and networks of its own in Proxmox, so that the rule has at most a comment "+
			"beside it: remove port, protocol and from, or group"))
	default:
		errs = append(errs, groupRule().check(at.Child("group"), r.Group)...)
	}

	return append(errs, textRule{100, commentPattern, "must be one line without blanks at its ends"}.check(at.Child("comment"), r.Comment)...)
}

// bothProtocols are words for tcp and udp at once.
var bothProtocols = regexp.MustCompile(`^(both|any|all|\*|(tcp|udp)[-_/,+& ]+(tcp|udp))$`)

// otherProtocols are some that Proxmox's firewall knows (pve-firewall, src/PVE/Firewall.pm, which reads /etc/protocols), and rules of claims do not.
var otherProtocols = regexp.MustCompile(`^(gre|esp|ah|sctp|udplite|dccp|vrrp|ospf|igmp|pim|l2tp|ipip|ipv6|encap)$`)

// protocol checks the protocol of a rule. Who writes icmp wants to ping the guest, which needs a preset.
func protocol(at *field.Path, p v1alpha1.FirewallProtocol) field.ErrorList {
	switch word := strings.ToLower(string(p)); {
	case strings.HasPrefix(word, "icmp") || word == "ipv6-icmp" || word == "ping":
		return field.ErrorList{field.Invalid(at, message.Excerpt(string(p)), "must be tcp or udp; every preset but none opens ping: set preset: ssh, and remove this rule")}
	case bothProtocols.MatchString(word):
		return field.ErrorList{field.Invalid(at, message.Excerpt(string(p)), "must be tcp or udp: write one rule for each")}
	case otherProtocols.MatchString(word):
		return field.ErrorList{field.Invalid(at, message.Excerpt(string(p)), "must be tcp or udp; other protocols are for a security group of the datacenter, which a rule names: {group: NAME}")}
	}

	return OneOf(at, p, v1alpha1.ProtocolTCP, v1alpha1.ProtocolUDP)
}

// wellKnownPorts are those of services that people name in rules, as IANA assigned them; the last ones are what the programs listen on of themselves.
var wellKnownPorts = map[string]string{ //nolint:gochecknoglobals // A constant table.
	"ssh": "22", "smtp": "25", "dns": "53", "domain": "53", "http": "80", "www": "80", "ntp": "123", "snmp": "161", "ldap": "389", "https": "443", "smb": "445",
	"cifs": "445", "syslog": "514", "ldaps": "636", "imaps": "993", "nfs": "2049", "mysql": "3306", "rdp": "3389", "postgres": "5432", "postgresql": "5432",
	"vnc": "5900", "redis": "6379", "prometheus": "9090", "node-exporter": "9100",
}

// ports checks a port or a range of ports.
func ports(at *field.Path, text string) field.ErrorList {
	const rule = "must be a port from 1 to 65535, such as 443, or a range of ports, such as 30000-32767"

	if text == "" {
		return field.ErrorList{field.Required(at, rule+"; all of them are 1-65535")}
	}

	if port, named := wellKnownPorts[strings.ToLower(text)]; named {
		return field.ErrorList{field.Invalid(at, message.Excerpt(text), rule+write(port))}
	}

	if strings.ContainsAny(text, ", ") {
		return field.ErrorList{field.Invalid(at, message.Excerpt(text), rule+": write one rule for each")}
	}

	if first, last := portRange(text); !portPattern.MatchString(text) || first > maxPort || last > maxPort || first > last {
		return field.ErrorList{field.Invalid(at, message.Excerpt(text), rule+write(meantRange(text)))}
	}

	return nil
}

// meantRange is the range of ports that a text stands for, with a colon as in Proxmox and the last port first; empty where it stands for none.
func meantRange(text string) string {
	dashed := strings.ReplaceAll(text, ":", "-")

	first, last := portRange(dashed)
	if !portPattern.MatchString(dashed) || max(first, last) > maxPort || first == last {
		return ""
	}

	return fmt.Sprintf("%d-%d", min(first, last), max(first, last))
}

// portRange is the first and the last port of a text; 0 where it has none.
func portRange(text string) (first, last int) {
	a, b, isRange := strings.Cut(text, "-")
	first, _ = strconv.Atoi(a)

	if !isRange {
		return first, first
	}

	last, _ = strconv.Atoi(b)

	return first, last
}

// everywhere are words for no limit.
var everywhere = map[string]bool{"any": true, "all": true, "*": true, "everywhere": true, "anywhere": true, "everyone": true, "world": true, "internet": true, "0/0": true} //nolint:gochecknoglobals // A constant table.

// addressRange is one as Proxmox's own rules may have it.
var addressRange = regexp.MustCompile(`^[0-9a-fA-F.:]+ ?- ?[0-9a-fA-F.:]+$`)

// source checks the address, the network, or what of the datacenter's firewall may connect.
func source(at *field.Path, text string) field.ErrorList {
	if text == "" {
		return nil
	}

	if a, err := netip.ParseAddr(text); err == nil && a.Zone() == "" {
		return nil
	}

	if _, ok := catalog.FirewallNameOf(v1alpha1.FirewallRule{From: text}); ok {
		return nil
	}

	const sets = "such as +dc/lan for an IP set, or dc/nas for an alias"

	p, err := netip.ParsePrefix(text)

	switch {
	case guestPattern.MatchString(text):
		return field.ErrorList{field.Invalid(at, message.Excerpt(text), "a rule of a claim names what the datacenter's firewall has, "+sets+": what a guest or an SDN zone has "+
			"goes with it, and a VM that replaces another one has none (docs/outside.md, Firewall)")}
	case setPattern.MatchString(text):
		return field.ErrorList{field.Invalid(at, message.Excerpt(text), "must be one name of the datacenter's firewall, "+sets+
			": 2 to 61 lower case letters, digits, _ and -, starting with a letter")}
	case strings.Contains(text, ","):
		return field.ErrorList{field.Invalid(at, message.Excerpt(text), "must be one IP address, or one network: write a rule for each")}
	case everywhere[strings.ToLower(text)]:
		return field.ErrorList{field.Invalid(at, message.Excerpt(text), "must be an IP address or a network: for connections from everywhere, leave from out")}
	case firewallNamePattern.MatchString(text):
		return field.ErrorList{field.Invalid(at, message.Excerpt(text), "must be an IP address such as 192.168.4.10, or a network such as 192.168.4.0/24; "+
			"of what the datacenter's firewall has, an alias of this name is dc/"+message.Excerpt(text)+", and an IP set +dc/"+message.Excerpt(text))}
	case addressRange.MatchString(text):
		return field.ErrorList{field.Invalid(at, message.Excerpt(text), "must be one IP address, or one network, and no range: write a rule for each network in it, or make an IP set of "+
			"them in Proxmox (Datacenter, Firewall), such as +dc/lan")}
	case err != nil:
		return field.ErrorList{field.Invalid(at, message.Excerpt(text), "must be an IP address such as 192.168.4.10, or a network such as 192.168.4.0/24, or of the datacenter's firewall "+
			"an IP set such as +dc/lan or an alias such as dc/nas")}
	case p != p.Masked():
		return field.ErrorList{field.Invalid(at, text, fmt.Sprintf("must be a network: write %s, or the address without a prefix length", p.Masked()))}
	}

	return nil
}
