package validate

import (
	"fmt"
	"net/netip"
	"regexp"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
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
	// Names of IP sets and of aliases, which a claim cannot name: a change of one would change what the claim opens.
	setPattern = regexp.MustCompile(`^(\+|dc/|guest/)`)
)

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

	needs := v1alpha1.FirewallPreset("k3s-" + string(role))
	drops := len(f.Allow) > 0 || f.Preset != "" && f.Preset != v1alpha1.PresetNone

	if !drops || f.Preset == needs {
		return nil
	}

	return field.ErrorList{field.Invalid(at.Child("preset"), message.Excerpt(string(f.Preset)), fmt.Sprintf(
		"must be %s: a node whose firewall has rules needs the preset of its role, or it loses its cluster", needs))}
}

func firewallRule(at *field.Path, r v1alpha1.FirewallRule) field.ErrorList {
	errs := ports(at.Child("port"), string(r.Port))
	errs = append(errs, protocol(at.Child("protocol"), r.Protocol)...)
	errs = append(errs, source(at.Child("from"), r.From)...)

	return append(errs, textRule{100, commentPattern, "must be one line without blanks at its ends"}.check(at.Child("comment"), r.Comment)...)
}

// protocol checks the protocol of a rule. Who writes icmp wants to ping the guest, which needs a preset.
func protocol(at *field.Path, p v1alpha1.FirewallProtocol) field.ErrorList {
	if word := strings.ToLower(string(p)); strings.HasPrefix(word, "icmp") || word == "ipv6-icmp" {
		return field.ErrorList{field.Invalid(at, message.Excerpt(string(p)), "must be tcp or udp; every preset but none opens ping: set preset: ssh, and remove this rule")}
	}

	return OneOf(at, p, v1alpha1.ProtocolTCP, v1alpha1.ProtocolUDP)
}

// ports checks a port or a range of ports.
func ports(at *field.Path, text string) field.ErrorList {
	const rule = "must be a port from 1 to 65535, such as 443, or a range of ports, such as 30000-32767"

	if text == "" {
		return field.ErrorList{field.Required(at, rule)}
	}

	if strings.ContainsAny(text, ", ") {
		return field.ErrorList{field.Invalid(at, message.Excerpt(text), rule+": write one rule for each")}
	}

	if first, last := portRange(text); !portPattern.MatchString(text) || first > maxPort || last > maxPort || first > last {
		return field.ErrorList{field.Invalid(at, message.Excerpt(text), rule)}
	}

	return nil
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

// source checks the address or the network that may connect.
func source(at *field.Path, text string) field.ErrorList {
	if text == "" {
		return nil
	}

	if a, err := netip.ParseAddr(text); err == nil && a.Zone() == "" {
		return nil
	}

	p, err := netip.ParsePrefix(text)

	switch {
	case setPattern.MatchString(text):
		return field.ErrorList{field.Invalid(at, message.Excerpt(text), "no rule of a claim names an IP set or an alias of Proxmox: write the address or the network, "+
			"in a rule for each (docs/outside.md, Firewall)")}
	case strings.Contains(text, ","):
		return field.ErrorList{field.Invalid(at, message.Excerpt(text), "must be one IP address, or one network: write a rule for each")}
	case err != nil:
		return field.ErrorList{field.Invalid(at, message.Excerpt(text), "must be an IP address such as 192.168.4.10, or a network such as 192.168.4.0/24")}
	case p != p.Masked():
		return field.ErrorList{field.Invalid(at, text, fmt.Sprintf("must be a network: write %s, or the address without a prefix length", p.Masked()))}
	}

	return nil
}
