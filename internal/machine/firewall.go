package machine

import (
	"net/netip"
	"slices"
	"strconv"
	"strings"
)

// A Firewall is what a VM's own firewall in Proxmox is to be.
type Firewall struct {
	// Enabled is the VM's switch.
	Enabled bool
	// Rules accept connections, in the order in which they are written, security groups last: a group that drops something drops nothing that another
	// rule accepts. With any, everything else that comes in is dropped; without, nothing is.
	Rules []FirewallRule
	// Log is the level at which dropped connections are logged, as Proxmox spells it. Never empty.
	Log string
	// From says who asks for it. No part of a plan to approve.
	From FirewallFrom `json:"-"`
}

// FirewallFrom says who asks for a firewall.
type FirewallFrom string

// Who asks for one.
const (
	FirewallFromClaim   FirewallFrom = ""
	FirewallFromDefault FirewallFrom = "Default" // The catalogue, when the guest was made, or for one that is to be made.
)

// Field is where the firewall is said, as messages name it.
func (f FirewallFrom) Field() string {
	if f == FirewallFromDefault {
		return "defaults.firewall of the catalogue"
	}

	return "spec.firewall"
}

// A FirewallRule accepts connections to the guest.
type FirewallRule struct {
	// Protocol as Proxmox spells it: tcp or udp; empty for all protocols, and where Macro says it.
	Protocol string
	// Port as Proxmox spells it: one, or from:to. Empty: all.
	Port string
	// Macro of Proxmox in place of a protocol and a port, for instance Ping; else empty.
	Macro string
	// From is what may connect: addresses and networks of one family, separated by commas. Empty: everybody.
	From string
	// OwnNetworks says that From are the networks that the guest is in by its addresses: they move with these.
	OwnNetworks bool `json:"-"`
	// Comment of the rule; empty: none.
	Comment string
	// Group is a security group of the datacenter, in place of everything but the comment; empty: none.
	Group string `json:",omitempty"`
}

// Drops says whether the firewall, where it is switched on, drops what no rule accepts.
func (f Firewall) Drops() bool { return len(f.Rules) > 0 }

// Filters says whether the firewall is switched on and drops anything.
func (f *Firewall) Filters() bool { return f != nil && f.Enabled && f.Drops() }

// Accepts says whether a firewall has a rule for the same connections, whatever its comment.
func (f Firewall) Accepts(r FirewallRule) bool {
	return slices.ContainsFunc(f.Rules, func(has FirewallRule) bool { return has.Same(r) })
}

// Opens says whether a firewall accepts connections to a TCP port from anybody, as far as is known: a security group may.
func (f *Firewall) Opens(port string) bool {
	return slices.ContainsFunc(f.Rules, func(r FirewallRule) bool {
		if r.Group != "" {
			return true
		}

		if r.Macro != "" || r.Protocol != "" && r.Protocol != "tcp" {
			return false
		}

		from, to, isRange := strings.Cut(r.Port, ":")
		if !isRange {
			return r.Port == "" || r.Port == port
		}

		n, first, last := number(port), number(from), number(to)

		return first <= n && n <= last
	})
}

func number(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		return -1
	}

	return n
}

// Same says whether two rules are about the same connections.
func (r FirewallRule) Same(other FirewallRule) bool {
	r.Comment, other.Comment = "", ""
	r.OwnNetworks, other.OwnNetworks = false, false

	return r == other
}

// Within says whether a network is inside one of others.
func Within(n netip.Prefix, others []netip.Prefix) bool {
	return slices.ContainsFunc(others, func(o netip.Prefix) bool { return o.Bits() <= n.Bits() && o.Contains(n.Addr()) })
}
