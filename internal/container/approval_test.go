package container

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/container/replacement"
	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// TestTargetOfAnApproval: an approval counts for what was approved, and for nothing that was edited since.
func TestTargetOfAnApproval(t *testing.T) {
	target := func(edit func(*machine.Container)) string {
		m := aContainer(edit)
		return approver{plan: &Plan{Request: request(m, nil), Described: Describe(m, replacement.First)}}.target()
	}

	cases := map[string]struct {
		reason string
		edit   func(*machine.Container)
		same   bool
	}{
		"Nothing":  {reason: "It is what was approved.", same: true},
		"Notes":    {reason: "Notes are of no consequence.", edit: func(c *machine.Container) { c.Notes = "dns of the house" }, same: true},
		"Approve":  {reason: "The approval is no part of what it approves.", edit: func(c *machine.Container) { c.Lifecycle.Approve = "a1b2" }, same: true},
		"Memory":   {reason: "It is another container.", edit: func(c *machine.Container) { c.MemoryMiB = 2048 }},
		"Swap":     {reason: "So it is with what only a container has.", edit: func(c *machine.Container) { c.SwapMiB = nil }},
		"Replace":  {reason: "Another word asks for another one.", edit: func(c *machine.Container) { c.Lifecycle.Replace = "b" }},
		"Deletion": {reason: "What happens to the old one is part of it.", edit: func(c *machine.Container) { c.DeletionPolicy = v1alpha1.DeletionOrphan }},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := target(tc.edit) == target(nil); got != tc.same {
				t.Errorf("%s\nwant the same target: %t", tc.reason, tc.same)
			}
		})
	}

	if target(nil) == "" {
		t.Error("an approval counts for everything")
	}
}

// TestRefusedOnce: what a container cannot make is approved once, and asked for again as soon as it is something else.
func TestRefusedOnce(t *testing.T) {
	first := func(c *machine.Container) { c.Lifecycle.Approval, c.Placement.Node = v1alpha1.ApprovalOnRisk, "pve2" }
	decide := func(edit func(*machine.Container), memory lifecycle.ApprovalMemory) lifecycle.Approval {
		o := living(aContainer(nil), func(o *proxmox.ObservedContainer) {
			annotated(o, map[string]string{proxmox.ApprovalAnnotation: memory.String()})
		})
		return Decide(request(aContainer(edit), map[string]proxmox.ObservedContainer{replacement.First: o})).Approval
	}

	asked := decide(first, lifecycle.ApprovalMemory{})
	approved := decide(func(c *machine.Container) { first(c); c.Lifecycle.Approve = asked.Hash }, lifecycle.ApprovalMemory{}).Memory

	cases := map[string]struct {
		reason  string
		edit    func(*machine.Container)
		memory  lifecycle.ApprovalMemory
		consent lifecycle.Consent
		refuses []v1alpha1.PlanEffect
	}{
		"Asks":    {reason: "Nobody knows of it.", edit: first, consent: lifecycle.ConsentAwaited, refuses: []v1alpha1.PlanEffect{lifecycle.EffectRefuse}},
		"Known":   {reason: "A person does.", edit: first, memory: approved.Done(), consent: lifecycle.ConsentNotNeeded},
		"Another": {reason: "Nobody knows of the other one.", edit: func(c *machine.Container) { first(c); c.Placement.Pool = "infra" }, memory: approved.Done(), consent: lifecycle.ConsentAwaited, refuses: []v1alpha1.PlanEffect{lifecycle.EffectRefuse}},
		"Else":    {reason: "It is to go elsewhere since.", edit: func(c *machine.Container) { first(c); c.Placement.Node = "pve3" }, memory: approved.Done(), consent: lifecycle.ConsentAwaited, refuses: []v1alpha1.PlanEffect{lifecycle.EffectRefuse}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := decide(tc.edit, tc.memory)
			if diff := cmp.Diff([]any{tc.consent, tc.refuses}, []any{got.Consent, got.Effects}); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestApprovedReplacement: a replacement whose new container is made ends as it was approved.
func TestApprovedReplacement(t *testing.T) {
	memory := lifecycle.ApprovalMemory{Plan: "a1b2", Target: "t"}

	cases := map[string]struct {
		reason string
		memory lifecycle.ApprovalMemory
		want   lifecycle.Approval
	}{
		"Approved": {"It was approved.", memory, lifecycle.Approval{
			Consent: lifecycle.ConsentGiven, Hash: "a1b2", Effects: []v1alpha1.PlanEffect{lifecycle.EffectReplace}, Memory: memory,
		}},
		"Before": {"It had begun before edits had to be approved.", lifecycle.ApprovalMemory{Plan: "a1b2"}, lifecycle.Approval{
			Consent: lifecycle.ConsentNotNeeded, Memory: lifecycle.ApprovalMemory{Plan: "a1b2"},
		}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			claim := func(c *machine.Container) {
				c.Lifecycle.Approval, c.Lifecycle.Replace, c.MemoryMiB = v1alpha1.ApprovalOnRisk, "a", 2048
			}
			p := following(claim, func(o *proxmox.ObservedContainer) {
				annotated(o, map[string]string{proxmox.ApprovalAnnotation: tc.memory.String()})
			}, func(p *Plan) {
				p.Roles.Trigger, p.Next.State = "a", StateLiving
			})

			got := approver{plan: p, o: p.guest()}.approve(nil)
			if diff := cmp.Diff(tc.want, got, cmpopts.IgnoreFields(lifecycle.Approval{}, "Changes")); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestClosesWithApproval: an edit of the firewall that closes something waits for approval; one that nobody can read as yet closes nothing.
func TestClosesWithApproval(t *testing.T) {
	ssh := machine.FirewallRule{Protocol: "tcp", Port: "22", From: "192.168.4.0/24"}
	web := machine.FirewallRule{Protocol: "tcp", Port: "443", From: "192.168.4.0/24"}

	written := func(r machine.FirewallRule) proxmox.FirewallRule {
		return proxmox.FirewallRule{Type: "in", Action: "ACCEPT", Proto: r.Protocol, DPort: r.Port, Source: r.From, Enabled: true}
	}

	cases := map[string]struct {
		reason string
		rules  []machine.FirewallRule
		kept   []machine.Kept
		want   lifecycle.Approval
	}{
		"Same":   {reason: "All is as it was.", rules: []machine.FirewallRule{ssh, web}, want: lifecycle.Approval{Consent: lifecycle.ConsentNotNeeded}},
		"Closes": {reason: "What reached it does no more.", rules: []machine.FirewallRule{ssh}, want: lifecycle.Approval{Consent: lifecycle.ConsentAwaited, Effects: []v1alpha1.PlanEffect{lifecycle.EffectClose}, Closes: []string{"TCP 443 from 192.168.4.0/24"}}},
		"NoSite": {reason: "Its firewall stays while the catalogue lacks the site.", rules: []machine.FirewallRule{ssh}, kept: []machine.Kept{{Part: machine.PartSite}}, want: lifecycle.Approval{Consent: lifecycle.ConsentNotNeeded}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			claim := func(c *machine.Container) {
				c.Lifecycle.Approval, c.Kept = v1alpha1.ApprovalOnRisk, tc.kept
				c.Firewall = &machine.Firewall{Enabled: true, Log: "nolog", Rules: tc.rules}
			}

			r := request(aContainer(claim), map[string]proxmox.ObservedContainer{replacement.First: living(aContainer(claim), nil)})
			rules := proxmox.ObservedFirewallRules{}
			rules.Spec.ForProvider = proxmox.FirewallRulesParameters{NodeName: "pve", ContainerID: 150, Rule: []proxmox.FirewallRule{written(ssh), written(web)}}
			rules.Spec.ManagementPolicies, rules.Status.Conditions = proxmox.Policies(proxmox.DeletionOrphans), found()
			options := proxmox.ObservedFirewallOptions{}
			options.Spec.ForProvider = proxmox.FirewallOptionsParameters{
				NodeName: "pve", ContainerID: 150, Enabled: true, InputPolicy: "DROP", OutputPolicy: "ACCEPT", LogLevelIn: "nolog", LogLevelOut: "nolog",
				DHCP: true, NDP: true, RAdv: true, MACFilter: true,
			}
			options.Spec.ManagementPolicies, options.Status.Conditions = proxmox.Policies(proxmox.DeletionOrphans), found()
			r.Observed.Firewalls = proxmox.ObservedFirewalls{
				Options: map[string]proxmox.ObservedFirewallOptions{"firewall-options-container": options},
				Rules:   map[string]proxmox.ObservedFirewallRules{"firewall-rules-container": rules},
			}

			got := Decide(r).Approval
			if diff := cmp.Diff(tc.want, got, cmpopts.IgnoreFields(lifecycle.Approval{}, "Hash", "Changes")); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
