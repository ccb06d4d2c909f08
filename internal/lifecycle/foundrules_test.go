package lifecycle

import (
	"testing"

	"github.com/google/go-cmp/cmp"

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
