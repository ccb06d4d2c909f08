package catalog

import (
	"regexp"

	catalogue "github.com/homelab-io/function-proxmox-machine/apis/catalogue/v1alpha1"
	claims "github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
)

// A FirewallName is what a rule of a claim names of the firewall of its datacenter.
type FirewallName struct {
	Kind Kind
	Name string
	// Field of the rule.
	Field string
}

// datacenterSource is an IP set or an alias of the datacenter, as Proxmox spells it. Its names have two characters at least, and 64 at most with their prefix.
// Proxmox reads names of groups and IP sets in lower case, compares those of aliases so, and finds no IP set in capitals (pve-firewall 6f1311f,
// src/PVE/Firewall.pm, ipset_name_pattern, ip_alias_pattern, parse_address_list, generic_fw_config_parser and verify_rule).
var datacenterSource = regexp.MustCompile(`^(\+(?:dc/)?|dc/)([a-z][a-z0-9_-]{1,60})$`)

// FirewallNameOf a rule; ok is false where it names nothing.
func FirewallNameOf(r claims.FirewallRule) (name FirewallName, ok bool) {
	if r.Group != "" {
		return FirewallName{KindGroup, r.Group, "group"}, true
	}

	m := datacenterSource.FindStringSubmatch(r.From)

	switch {
	case m == nil:
		return FirewallName{}, false
	case m[1] == "dc/":
		return FirewallName{KindAlias, m[2], "from"}, true
	}

	return FirewallName{KindIPSet, m[2], "from"}, true
}

// Source is an IP set or an alias as a rule in Proxmox names it: that of the datacenter, also where the guest has one of the same name.
func (n FirewallName) Source() string {
	if n.Kind == KindIPSet {
		return "+dc/" + n.Name
	}

	return "dc/" + n.Name
}

// NamesOf a kind in a list of names of a datacenter's firewall, never nil, and the key of the list.
func NamesOf(kind Kind, of catalogue.FirewallNames) (names []string, key string) {
	switch kind {
	case KindGroup:
		names, key = of.Groups, "groups"
	case KindIPSet:
		names, key = of.IPSets, "ipSets"
	default:
		names, key = of.Aliases, "aliases"
	}

	return append([]string{}, names...), key
}
