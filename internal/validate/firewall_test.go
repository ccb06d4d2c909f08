package validate

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
)

// TestFirewallRule: one sentence for each fault of a rule, with what to write where somebody knows it.
func TestFirewallRule(t *testing.T) {
	cases := map[string]struct {
		reason string
		rule   v1alpha1.FirewallRule
		want   []string // Ends of the faults.
	}{
		"Port":       {reason: "A rule.", rule: v1alpha1.FirewallRule{Port: "443"}},
		"Range":      {reason: "Of several ports.", rule: v1alpha1.FirewallRule{Port: "8000-9000", Protocol: "udp"}},
		"Colon":      {reason: "As Proxmox writes it.", rule: v1alpha1.FirewallRule{Port: "8000:9000"}, want: []string{"such as 30000-32767: write 8000-9000"}},
		"Reversed":   {reason: "It ends before it begins.", rule: v1alpha1.FirewallRule{Port: "9000-8000"}, want: []string{"such as 30000-32767: write 8000-9000"}},
		"TooHigh":    {reason: "Nobody knows what is meant.", rule: v1alpha1.FirewallRule{Port: "70000:80000"}, want: []string{"such as 30000-32767"}},
		"Open":       {reason: "Nor of a range without an end.", rule: v1alpha1.FirewallRule{Port: "22-"}, want: []string{"such as 30000-32767"}},
		"NoPort":     {reason: "All ports can be said.", rule: v1alpha1.FirewallRule{From: "10.0.0.0/8"}, want: []string{"all of them are 1-65535"}},
		"Ping":       {reason: "It has no port, and is asked for none.", rule: v1alpha1.FirewallRule{Protocol: "ICMP"}, want: []string{"set preset: ssh, and remove this rule"}},
		"PingPort":   {reason: "Nor of its type.", rule: v1alpha1.FirewallRule{Protocol: "icmp", Port: "8"}, want: []string{"set preset: ssh, and remove this rule"}},
		"Both":       {reason: "Two rules.", rule: v1alpha1.FirewallRule{Protocol: "tcp/udp", Port: "53"}, want: []string{"must be tcp or udp: write one rule for each"}},
		"Other":      {reason: "Proxmox has it in its own rules.", rule: v1alpha1.FirewallRule{Protocol: "vrrp"}, want: []string{"which a rule names: {group: NAME}"}},
		"Everywhere": {reason: "No limit is no field.", rule: v1alpha1.FirewallRule{Port: "80", From: "any"}, want: []string{"for connections from everywhere, leave from out"}},
		"Bare":       {reason: "A name has a prefix.", rule: v1alpha1.FirewallRule{Port: "80", From: "nas"}, want: []string{"an alias of this name is dc/nas, and an IP set +dc/nas"}},
		"Addresses":  {reason: "A range is none of ours.", rule: v1alpha1.FirewallRule{Port: "80", From: "10.0.0.1-10.0.0.9"}, want: []string{"such as +dc/lan"}},
		"Host":       {reason: "A host's name is no name of the firewall.", rule: v1alpha1.FirewallRule{Port: "80", From: "nas.home.arpa"}, want: []string{"or an alias such as dc/nas"}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := firewallRule(field.NewPath("rule"), tc.rule)

			same := len(got) == len(tc.want)
			for i := range min(len(got), len(tc.want)) {
				same = same && strings.HasSuffix(got[i].Detail, tc.want[i])
			}

			if !same {
				t.Errorf("%s\nfirewallRule(...): got %v, want %q", tc.reason, got, tc.want)
			}
		})
	}
}
