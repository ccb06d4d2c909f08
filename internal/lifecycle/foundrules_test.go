package lifecycle

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// TestFindRules: rules that are there become the claim's only where each is one of them, and where the provider has read them after the last edit.
func TestFindRules(t *testing.T) {
	ssh := proxmox.FirewallRule{Type: "in", Action: "ACCEPT", Proto: "tcp", DPort: "22", Comment: "SSH", Enabled: true}
	web := proxmox.FirewallRule{Type: "in", Action: "ACCEPT", Proto: "tcp", DPort: "443", Enabled: true}
	db, group := proxmox.FirewallRule{SecurityGroup: "db", Enabled: true}, proxmox.FirewallRule{SecurityGroup: "web", Enabled: true}
	wanted := proxmox.FirewallRulesParameters{NodeName: "pve", VMID: 160, Rule: []proxmox.FirewallRule{ssh, web, db}}
	looks := FoundRules{ImportName: "vm/pve/160"}

	named := func(name string, edit func(r *proxmox.ObservedFirewallRules)) proxmox.ObservedFirewallRules {
		r := proxmox.ObservedFirewallRules{}
		r.Spec.ForProvider, r.Spec.ManagementPolicies = wanted, proxmox.Policies(proxmox.DeletionOrphans)
		r.Metadata.Generation, r.Metadata.Annotations = 2, map[string]string{proxmox.ExternalNameAnnotation: name}
		r.Status.Conditions = applied()

		if edit != nil {
			edit(&r)
		}

		return r
	}
	exists := func(r *proxmox.ObservedFirewallRules) {
		r.Status.Conditions = failed()
		r.Status.Conditions[1].Reason = "ReconcileError"
		r.Status.Conditions[1].Message = "create failed: async create failed: failed to create the resource: [{0 Existing rules detected. Aborting...  []}]"
	}
	read := func(edit func(r *proxmox.ObservedFirewallRules), rules ...proxmox.FoundFirewallRule) proxmox.ObservedFirewallRules {
		return named("vm/pve/160", func(r *proxmox.ObservedFirewallRules) {
			r.Spec.ManagementPolicies = proxmox.ObserveOnly()
			r.Status.AtProvider = proxmox.FirewallObservation{ID: "rule-7", Rule: rules}

			if edit != nil {
				edit(r)
			}
		})
	}
	is := func(r proxmox.FirewallRule) proxmox.FoundFirewallRule {
		return proxmox.FoundFirewallRule{FirewallRule: r}
	}
	disabled, commented := ssh, ssh
	disabled.Enabled, commented.Comment = false, "mine"

	cases := map[string]struct {
		reason string
		has    proxmox.ObservedFirewallRules
		want   FoundRules
	}{
		"New":     {reason: "Nobody knows of any rules.", has: proxmox.ObservedFirewallRules{}},
		"Applied": {reason: "The provider created them.", has: named("rule-7", nil)},
		"Broken":  {reason: "Another error says nothing of rules.", has: named("", func(r *proxmox.ObservedFirewallRules) { r.Status.Conditions = failed() })},
		"Exist":   {reason: "There are some: they are read first.", has: named("", exists), want: looks},
		"Created": {reason: "The provider has an ID: it created them.", has: named("rule-7", exists)},
		"Works": {reason: "The provider tries once more.", has: named("", func(r *proxmox.ObservedFirewallRules) {
			exists(r)
			r.Status.Conditions = append(r.Status.Conditions, proxmox.Condition{Type: "AsyncOperation", Status: "False", Reason: "Ongoing"})
		})},
		"Unread": {reason: "They have not been read.", has: read(exists), want: looks},
		"Stale":  {reason: "They were read before an edit.", has: read(func(r *proxmox.ObservedFirewallRules) { r.Status.Conditions[1].ObservedGeneration = 1 }, is(ssh)), want: looks},
		"Edited": {
			reason: "Somebody may have added a rule since.", has: read(func(r *proxmox.ObservedFirewallRules) { r.Spec.ForProvider.Rule = []proxmox.FirewallRule{ssh} }, is(ssh)), want: looks,
		},
		"Some":  {reason: "The others are to be written.", has: read(nil, is(web)), want: FoundRules{ID: "rule-7"}},
		"All":   {reason: "In another order.", has: read(nil, is(web), is(ssh)), want: FoundRules{ID: "rule-7"}},
		"Group": {reason: "A rule with a security group is one as others.", has: read(nil, is(db)), want: FoundRules{ID: "rule-7"}},
		"None":  {reason: "Somebody has deleted them.", has: read(nil), want: FoundRules{ID: "rule-7"}},
		"NoLog": {reason: "As Proxmox' form writes it.", has: read(nil, proxmox.FoundFirewallRule{FirewallRule: web, Log: "nolog"}), want: FoundRules{ID: "rule-7"}},
		"Foreign": {
			reason: "What differs in anything is somebody's.",
			has:    read(nil, is(disabled), is(web), is(commented), proxmox.FoundFirewallRule{FirewallRule: web, Iface: "net1"}, is(group)),
			want: FoundRules{ImportName: "vm/pve/160", Foreign: []proxmox.FoundFirewallRule{
				is(disabled), is(commented), {FirewallRule: web, Iface: "net1"}, is(group),
			}},
		},
		"Found": {
			reason: "They stay the claim's, whatever is read.",
			has: named("rule-7", func(r *proxmox.ObservedFirewallRules) {
				r.Metadata.Annotations[proxmox.FoundRulesAnnotation] = "rule-7"
			}), want: FoundRules{ID: "rule-7"},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, findRules(tc.has, wanted)); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestLookAtRules: there is no plan of an adoption before the rules are read, which the provider may only read.
func TestLookAtRules(t *testing.T) {
	web := &machine.Firewall{Enabled: true, Log: "nolog", Rules: []machine.FirewallRule{{Protocol: "tcp", Port: "443"}}}
	guest := FirewalledGuest{Name: "vm", Node: "pve", VMID: 160, Wanted: web}
	_, wanted := guest.wanted(proxmox.ObservedFirewallOptions{})

	looks := func(edit func(r *proxmox.ObservedFirewallRules)) *proxmox.ObservedFirewallRules {
		r := proxmox.ObservedFirewallRules{}
		r.Spec.ForProvider, r.Spec.ManagementPolicies = wanted, proxmox.ObserveOnly()
		r.Metadata.Annotations = map[string]string{proxmox.ExternalNameAnnotation: "vm/pve/160"}
		r.Status.Conditions = applied()
		r.Status.AtProvider = proxmox.FirewallObservation{ID: "rule-7", Rule: []proxmox.FoundFirewallRule{
			{FirewallRule: wanted.Rule[0]}, {FirewallRule: proxmox.FirewallRule{SecurityGroup: "web", Enabled: true}, Pos: 1},
		}}

		if edit != nil {
			edit(&r)
		}

		return &r
	}

	cases := map[string]struct {
		reason string
		wanted *machine.Firewall
		has    *proxmox.ObservedFirewallRules
		read   bool
		lines  []string // Those of rules.
		looks  bool     // Whether the rules are read, where the guest is read.
		keeps  bool     // Whether what was read stays, while the guest is read once more.
	}{
		"NoFirewall": {reason: "The guest's stays as it is.", read: true},
		"NoRules":    {reason: "The claim's has no rules, and those that there are stay.", wanted: &machine.Firewall{Enabled: true, Log: "nolog"}, read: true},
		"New":        {reason: "Nobody has read them.", wanted: web, looks: true},
		"Unread":     {reason: "The provider reads them.", wanted: web, has: looks(func(r *proxmox.ObservedFirewallRules) { r.Status.AtProvider.ID = "" }), looks: true, keeps: true},
		"Edited":     {reason: "They were read for another claim.", wanted: web, has: looks(func(r *proxmox.ObservedFirewallRules) { r.Spec.ForProvider.Rule = nil }), looks: true, keeps: true},
		"Read": {reason: "Each has a line.", wanted: web, has: looks(nil), read: true, looks: true, keeps: true, lines: []string{
			"firewall rule 0: IN ACCEPT -p tcp -dport 443 to stay: the claim has it", "firewall rule 1: GROUP web to be deleted first, by hand: the claim does not have it",
		}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			g := guest
			g.Wanted = tc.wanted

			if tc.has != nil {
				g.Observed.Rules = map[string]proxmox.ObservedFirewallRules{"firewall-rules-vm": *tc.has}
			}

			changes, read := g.Adoption()

			var lines []string

			for _, c := range changes {
				if strings.HasPrefix(c.Field, "firewall rule") {
					lines = append(lines, c.String())
				}
			}

			now, later := FirewallPlan{Kept: map[string]bool{}}, FirewallPlan{Kept: map[string]bool{}}
			g.Look(&now, true)
			g.Look(&later, false)

			if read != tc.read || now.Found.ImportName != map[bool]string{true: "vm/pve/160"}[tc.looks] || later.Kept["firewall-rules-vm"] != tc.keeps || later.Rules != nil {
				t.Errorf("%s\nread: %t, now: %+v, later: %+v", tc.reason, read, now, later)
			}

			if diff := cmp.Diff(tc.lines, lines); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
