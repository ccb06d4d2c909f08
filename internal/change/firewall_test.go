package change

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// accepts is a rule that lets a protocol, or a macro, through to a port from somewhere.
func accepts(proto, port, from string) proxmox.FirewallRule {
	if proto == "Ping" {
		return proxmox.FirewallRule{Macro: proto, Source: from}
	}

	return proxmox.FirewallRule{Proto: proto, DPort: port, Source: from}
}

// group is a rule for what a security group lets through.
func group(name string) proxmox.FirewallRule { return proxmox.FirewallRule{SecurityGroup: name} }

// TestCloses: what reached the guest and does not any more is said by name, with where it came from.
func TestCloses(t *testing.T) {
	drops := func(rules ...proxmox.FirewallRule) Filter { return Filter{Drops: true, Rules: rules} }
	ssh := accepts("tcp", "22", "192.168.4.0/24")

	cases := map[string]struct {
		reason      string
		has, wanted Filter
		ofCluster   bool
		want        []string
	}{
		"StaysOpen": {reason: "Nothing is dropped."},
		"Opens":     {reason: "Nothing is dropped any more.", has: drops(ssh)},
		"Same":      {reason: "Nothing changes.", has: drops(ssh), wanted: drops(ssh)},
		"GroupAdded": {
			reason: "Nobody knows that it opens anything.", wanted: drops(ssh, group("web")),
			want: []string{"SSH (TCP 22) from everywhere but 192.168.4.0/24", "ping from everywhere", "all else that no rule accepts"},
		},
		"GroupStays":    {reason: "It is edited in Proxmox only.", has: drops(ssh, group("web")), wanted: drops(ssh, group("db"), group("web"))},
		"GroupRemoved":  {reason: "It may have opened anything.", has: drops(ssh, group("web")), wanted: drops(ssh, accepts("tcp", "443", "")), want: []string{"what security group web accepts"}},
		"GroupForRules": {reason: "It may open less.", has: drops(ssh, accepts("tcp", "443", "")), wanted: drops(ssh, group("web")), want: []string{"TCP 443 from everywhere"}},
		"SetStays":      {reason: "It is edited in Proxmox only.", has: drops(accepts("tcp", "22", "+dc/lan")), wanted: drops(accepts("tcp", "22", "+dc/lan"))},
		"SetForNetwork": {
			reason: "Nobody knows what is in it.", has: drops(ssh), wanted: drops(accepts("tcp", "22", "+dc/lan")), want: []string{"SSH (TCP 22) from 192.168.4.0/24"},
		},
		"Closes": {
			reason: "Only a network gets through.", wanted: drops(accepts("Ping", "", ""), ssh),
			want: []string{"SSH (TCP 22) from everywhere but 192.168.4.0/24", "all else that no rule accepts"},
		},
		"ClosesAll": {
			reason: "SSH is what people miss first.", wanted: drops(accepts("tcp", "443", "")),
			want: []string{"SSH (TCP 22) from everywhere", "ping from everywhere", "all else that no rule accepts"},
		},
		"ClosesNode": {
			reason: "A node of a cluster has more to lose.", ofCluster: true,
			wanted: drops(accepts("Ping", "", ""), ssh, accepts("tcp", "6443", ""), accepts("tcp", "2379:2380", "10.0.0.0/8,192.168.0.0/16"), accepts("tcp", "10250", "10.0.0.0/8")),
			want: []string{
				"SSH (TCP 22) from everywhere but 192.168.4.0/24", "etcd (TCP 2379-2380) from everywhere but 10.0.0.0/8, 192.168.0.0/16",
				"the kubelet (TCP 10250) from everywhere but 10.0.0.0/8", "flannel over VXLAN (UDP 8472) from everywhere",
				"flannel over WireGuard (UDP 51820-51821) from everywhere", "all else that no rule accepts",
			},
		},
		"RuleRemoved":  {reason: "Of two rules one stays.", has: drops(ssh, accepts("tcp", "443", "")), wanted: drops(ssh), want: []string{"TCP 443 from everywhere"}},
		"RuleNarrowed": {reason: "A part of the network stays.", has: drops(ssh), wanted: drops(accepts("tcp", "22", "192.168.4.10")), want: []string{"SSH (TCP 22) from 192.168.4.0/24"}},
		"RuleWidened":  {reason: "A wider network has the one before in it.", has: drops(ssh), wanted: drops(accepts("tcp", "22", "192.168.0.0/16"))},
		"ListNarrowed": {
			reason: "One network of two.", has: drops(accepts("udp", "8472", "10.0.0.0/8,192.168.0.0/16")), wanted: drops(accepts("udp", "8472", "10.0.0.0/8")),
			want: []string{"flannel over VXLAN (UDP 8472) from 192.168.0.0/16"},
		},
		"PortsWidened":   {reason: "A range has the port in it.", has: drops(accepts("tcp", "443", "")), wanted: drops(accepts("tcp", "80:500", ""))},
		"PortsNarrowed":  {reason: "A port is not the range.", has: drops(accepts("tcp", "80:500", "")), wanted: drops(accepts("tcp", "443", "")), want: []string{"TCP 80-500 from everywhere"}},
		"OtherProtocol":  {reason: "UDP is not TCP.", has: drops(accepts("udp", "53", "")), wanted: drops(accepts("tcp", "53", "")), want: []string{"UDP 53 from everywhere"}},
		"AllProtocols":   {reason: "A rule without a protocol is about all.", has: drops(accepts("udp", "53", "10.0.0.1")), wanted: drops(accepts("", "", "10.0.0.0/8"))},
		"PingFrom":       {reason: "A ping has no port.", has: drops(accepts("Ping", "", "")), wanted: drops(accepts("Ping", "", "10.0.0.0/8")), want: []string{"ping from everywhere but 10.0.0.0/8"}},
		"OnlyItsComment": {reason: "A comment closes nothing.", has: drops(proxmox.FirewallRule{Proto: "tcp", DPort: "22", Source: "192.168.4.0/24", Comment: "a"}), wanted: drops(ssh)},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, Closes(tc.has, tc.wanted, tc.ofCluster)); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestFirewalls: a filter changes in one line, and so does its log level.
func TestFirewalls(t *testing.T) {
	open := Filter{}
	wanted := FilterOf(proxmox.FirewallOptionsParameters{Enabled: true, InputPolicy: proxmox.PolicyDrop, LogLevelIn: "info"},
		proxmox.FirewallRulesParameters{Rule: []proxmox.FirewallRule{accepts("Ping", "", ""), accepts("tcp", "22", "10.0.0.0/8,fd00::/8"), accepts("", "", "10.42.0.0/16")}})
	logs := wanted
	logs.Log = "err"

	reordered, fewer := wanted, wanted
	reordered.Rules = []proxmox.FirewallRule{accepts("tcp", "22", "fd00::/8,10.0.0.0/8"), accepts("", "", "10.42.0.0/16"), accepts("Ping", "", "")}
	fewer.Rules = []proxmox.FirewallRule{accepts("", "", "10.42.0.0/16"), accepts("Ping", "", "")}

	const words = "only ping from everywhere; SSH (TCP 22) from 10.0.0.0/8, fd00::/8; all protocols from 10.42.0.0/16"

	cases := map[string]struct {
		reason      string
		has, wanted Filter
		want        []Change
	}{
		"Same":   {reason: "Nothing changes.", has: wanted, wanted: wanted},
		"Closes": {reason: "Where nobody knows the level of before, it does not change.", has: open, wanted: wanted, want: []Change{{"spec.firewall", "everything reaches the guest", words, InPlace}}},
		"Opens":  {reason: "And back.", has: wanted, wanted: open, want: []Change{{"spec.firewall", words, "everything reaches the guest", InPlace}}},
		"Order":  {reason: "Nothing else changes.", has: wanted, wanted: reordered, want: []Change{{"spec.firewall", "the rules in their order", "the same rules in another order", InPlace}}},
		"OneLess": {
			reason: "Another order of fewer rules is no mere order.", has: reordered, wanted: fewer,
			want: []Change{{"spec.firewall", reordered.Words(), "only all protocols from 10.42.0.0/16; ping from everywhere", InPlace}},
		},
		"Log": {reason: "The level alone.", has: wanted, wanted: logs, want: []Change{{"spec.firewall.log", "info", "err", InPlace}}},
		"Off": {
			reason: "What is off drops nothing, whatever its policy.", has: FilterOf(proxmox.FirewallOptionsParameters{InputPolicy: proxmox.PolicyDrop}, proxmox.FirewallRulesParameters{}), wanted: open,
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, Firewalls(tc.has, tc.wanted)); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
