package container

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/container/replacement"
	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/status"
)

// TestFirewall: rules are there before the rest is dropped, and a firewall that is not known to be the claim's is left alone. How it comes and goes in
// detail is held by TestFirewall of package lifecycle.
func TestFirewall(t *testing.T) {
	const optionsName, rulesName = "firewall-options-container", "firewall-rules-container"

	ssh := &machine.Firewall{Enabled: true, Log: "nolog", Rules: []machine.FirewallRule{{Protocol: "tcp", Port: "22", From: "192.168.4.0/24"}}}
	walled := func(edit func(*machine.Container)) *machine.Container {
		return aContainer(func(c *machine.Container) {
			c.Firewall = ssh
			if edit != nil {
				edit(c)
			}
		})
	}

	// As the provider has it when all of it is applied.
	rules := proxmox.ObservedFirewallRules{APIVersion: "x", Kind: proxmox.FirewallRulesKind}
	rules.Spec.ForProvider = proxmox.FirewallRulesParameters{NodeName: "pve", ContainerID: 150, Rule: []proxmox.FirewallRule{
		{Type: "in", Action: "ACCEPT", Proto: "tcp", DPort: "22", Source: "192.168.4.0/24", Enabled: true},
	}}
	rules.Spec.ManagementPolicies, rules.Status.Conditions = proxmox.Policies(proxmox.DeletionOrphans), found()

	options := proxmox.ObservedFirewallOptions{APIVersion: "x", Kind: proxmox.FirewallOptionsKind}
	options.Spec.ForProvider = proxmox.FirewallOptionsParameters{
		NodeName: "pve", ContainerID: 150, Enabled: true, InputPolicy: "DROP", OutputPolicy: "ACCEPT", LogLevelIn: "nolog", LogLevelOut: "nolog",
		DHCP: true, NDP: true, RAdv: true, MACFilter: true,
	}
	options.Spec.ManagementPolicies, options.Status.Conditions = proxmox.Policies(proxmox.DeletionOrphans), found()

	all := proxmox.ObservedFirewalls{
		Options: map[string]proxmox.ObservedFirewallOptions{optionsName: options}, Rules: map[string]proxmox.ObservedFirewallRules{rulesName: rules},
	}
	onlyRules := proxmox.ObservedFirewalls{Rules: all.Rules}
	behind := func(o *proxmox.ObservedContainer) {
		o.Status.AtProvider.Parameters.NetworkInterface[0].Firewall = true
	}

	type want struct {
		Stage          lifecycle.FirewallStage
		Options, Rules string // Container and policies of the managed resource; empty for none.
		Condition      string // FirewallApplied; empty for none.
	}

	const own, only = "150 Observe,Create,Update", "150 Observe"

	for name, tc := range map[string]struct {
		reason string
		m      *machine.Container
		seen   func(*proxmox.ObservedContainer)
		absent bool
		has    proxmox.ObservedFirewalls
		says   string
		want   want
	}{
		"None":     {reason: "A claim without a firewall leaves that of its container alone.", m: aContainer(nil), want: want{}},
		"NotYet":   {reason: "It is written when the container exists.", m: walled(nil), absent: true, says: "when the container exists: only SSH (TCP 22) from 192.168.4.0/24", want: want{Stage: lifecycle.FirewallAwaitsVM, Condition: "False FirewallPending"}},
		"Rules":    {reason: "Rules come first.", m: walled(nil), seen: behind, says: "rules of container 150", want: want{lifecycle.FirewallAccepting, "", own, "False FirewallPending"}},
		"Switches": {reason: "They are there.", m: walled(nil), seen: behind, has: onlyRules, want: want{lifecycle.FirewallSwitching, own, own, "False FirewallPending"}},
		"Applied":  {reason: "All is there.", m: walled(nil), seen: behind, has: all, says: "The firewall of container 150 drops", want: want{lifecycle.FirewallApplied, own, own, "True Filtering"}},
		"Behind": {
			reason: "The interface is behind it from the next restart on.", m: walled(nil), has: all, says: "spec.network.firewall waits for a restart",
			seen: func(o *proxmox.ObservedContainer) {
				o.Status.AtProvider.Parameters.NetworkInterface[0].Firewall = false
			},
			want: want{lifecycle.FirewallApplied, own, own, "False FirewallPending"},
		},
		"Unread": {
			reason: "It stays while the provider cannot read the container.", m: walled(nil), has: all, says: "cannot read the container just now",
			seen: func(o *proxmox.ObservedContainer) {
				o.Status.Conditions = proxmox.Conditions{{Type: "Synced", Status: "False"}}
			},
			want: want{lifecycle.FirewallStands, own, own, "False FirewallStands"},
		},
		"NoSite": {
			reason: "It stays while the catalogue lacks the site, whose networks are in its rules.", has: all, seen: behind, says: "the catalogue lacks what its rules depend on",
			m:    walled(func(c *machine.Container) { c.Kept = []machine.Kept{{Part: machine.PartSite}} }),
			want: want{lifecycle.FirewallStands, own, own, "False FirewallStands"},
		},
		"Leaves": {
			reason: "It is switched off before its rules go.", m: aContainer(nil), seen: behind, has: all, says: "switches the firewall of container 150 off",
			want: want{lifecycle.FirewallLeaving, own, own, "False FirewallLeaving"},
		},
		"TakenOver": {
			reason: "The firewall of somebody else's container is not the claim's to write.", m: walled(nil), has: all,
			seen: func(o *proxmox.ObservedContainer) {
				o.Status.AtProvider.Parameters.Description = "somebody's"
				o.Status.AtProvider.Parameters.Initialization = []proxmox.ContainerInit{{Hostname: "another"}}
			},
			want: want{lifecycle.FirewallAwaitsVM, only, only, "False FirewallPending"},
		},
		"GivenUp": {
			reason: "Nor is what the provider may only observe.", m: walled(nil), has: all, seen: func(o *proxmox.ObservedContainer) { o.Spec.ManagementPolicies = proxmox.ObserveOnly() },
			want: want{Stage: lifecycle.FirewallAwaitsVM, Condition: "False FirewallPending"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := request(tc.m, nil)
			if !tc.absent {
				r.Observed.Containers = map[string]proxmox.ObservedContainer{replacement.First: living(aContainer(nil), tc.seen)}
			}

			r.Observed.Firewalls = tc.has

			p := Decide(r)
			rendered := Render(p)
			report := ReportOn(p, rendered, nil, v1alpha1.ContainerStatus{})
			got := want{Stage: p.Firewall.Stage}

			if o, there := rendered.Firewalls.Options[optionsName]; there {
				got.Options = written150(t, o.Spec.ForProvider.VMID, o.Spec.ForProvider.ContainerID) + strings.Join(o.Spec.ManagementPolicies, ",")
			}

			if o, there := rendered.Firewalls.Rules[rulesName]; there {
				got.Rules = written150(t, o.Spec.ForProvider.VMID, o.Spec.ForProvider.ContainerID) + strings.Join(o.Spec.ManagementPolicies, ",")
			}

			for _, c := range report.Conditions {
				if c.Type == status.TypeFirewallApplied {
					got.Condition = string(c.Status) + " " + c.Reason

					if !strings.Contains(c.Message, tc.says) {
						t.Errorf("%s\nwant %q in: %s", tc.reason, tc.says, c.Message)
					}
				}
			}

			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}

			if ready := report.Ready[rulesName]; ready != (tc.has.Rules != nil && got.Rules != "") {
				t.Errorf("%s\nthe rules are ready: %v", tc.reason, ready)
			}
		})
	}
}

// written150 is the container of a managed resource, which has the VMID of no VM.
func written150(t *testing.T, vm, container int64) string {
	t.Helper()

	if vm != 0 || container != 150 {
		t.Errorf("want container 150 and no VM, got container %d and VM %d", container, vm)
	}

	return "150 "
}

// TestFirewallErrors: an error about a firewall speaks of the container.
func TestFirewallErrors(t *testing.T) {
	m := aContainer(func(c *machine.Container) {
		c.Firewall = &machine.Firewall{Enabled: true, Log: "nolog", Rules: []machine.FirewallRule{{Port: "22", Protocol: "tcp"}}}
	})
	r := request(m, map[string]proxmox.ObservedContainer{replacement.First: living(m, nil)})
	rules := proxmox.ObservedFirewallRules{APIVersion: "virtualenvironmentfirewallrules.proxmoxbpg.crossplane.io/v1alpha1", Kind: proxmox.FirewallRulesKind}
	rules.Status.Conditions = proxmox.Conditions{
		{Type: "Synced", Status: "True"},
		{Type: "Ready", Status: "False"},
		{Type: "LastAsyncOperation", Status: "False", Message: "async create failed: failed to create the resource: [{0 Existing rules detected. Aborting...  []}]"},
	}
	r.Observed.Firewalls.Rules = map[string]proxmox.ObservedFirewallRules{"firewall-rules-container": rules}

	p := Decide(r)
	for _, c := range ReportOn(p, Render(p), nil, v1alpha1.ContainerStatus{}).Conditions {
		if c.Type != status.TypeProviderHealthy {
			continue
		}

		if c.Status != "False" || strings.Contains(c.Message, "VM") || !strings.Contains(c.Message, "The firewall of container 150 has rules already") ||
			!strings.Contains(c.Message, "(CT, Firewall)") {
			t.Errorf("got %s: %s", c.Status, c.Message)
		}
	}
}

// TestInterfacesOutside: which interfaces the firewall does not reach: of an adopted container those that nobody has put behind it, and of any those that wait
// for a restart.
func TestInterfacesOutside(t *testing.T) {
	adopted := func(p *Plan) { p.Adopted = true }
	further := func(firewall *bool) func(c *machine.Container) {
		return func(c *machine.Container) {
			n := storage10()
			n.Firewall = firewall
			c.NICs = append(c.NICs, n)
		}
	}
	// seen has two interfaces, of which some are behind the firewall.
	seen := func(first, second bool) func(o *proxmox.ObservedContainer) {
		return func(o *proxmox.ObservedContainer) {
			withStorage10(&o.Status.AtProvider.Parameters.ContainerParameters)

			nics := o.Status.AtProvider.Parameters.NetworkInterface
			nics[0].Firewall, nics[1].Firewall = first, second
		}
	}

	cases := map[string]struct {
		reason   string
		claim    func(*machine.Container)
		has      func(*proxmox.ObservedContainer)
		edit     func(*Plan)
		outside  []string
		switches bool
	}{
		"Behind":     {reason: "All are behind it.", claim: further(new(true)), has: seen(true, true), edit: adopted},
		"Outside":    {reason: "It keeps both as they are.", claim: further(nil), has: seen(false, false), edit: adopted, outside: []string{"eth0", "eth1"}, switches: false},
		"Unsaid":     {reason: "The claim does not name the further one.", has: seen(true, false), edit: adopted, outside: []string{"eth1"}},
		"KeptOut":    {reason: "The claim keeps it out.", claim: further(new(false)), has: seen(true, false), edit: adopted},
		"Waits":      {reason: "A container of its own gets it with its restart.", claim: further(new(true)), has: seen(true, false), switches: true},
		"WaitsFirst": {reason: "Another condition says that of the first one.", claim: further(new(true)), has: seen(false, true)},
		"NotThere":   {reason: "An interface that does not exist yet is not outside.", claim: further(new(true))},
		"Unread":     {reason: "Nobody knows.", claim: further(new(true)), has: func(o *proxmox.ObservedContainer) { o.Status.AtProvider.Parameters = nil }, edit: adopted},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			p := following(tc.claim, tc.has, tc.edit)

			if diff := cmp.Diff([]any{tc.outside, tc.switches}, []any{outsideFirewall(*p), furtherSwitches(*p)}); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestReadsRules: what approves an adoption is not said before the rules are read that the firewall would replace.
func TestReadsRules(t *testing.T) {
	for name, tc := range map[string]struct {
		reason string
		a      Adoption
		want   bool
	}{
		"Reads":    {"The provider has not shown the rules.", Adoption{Firewall: &lifecycle.FirewalledGuest{}}, true},
		"Read":     {"The plan is known.", Adoption{Firewall: &lifecycle.FirewalledGuest{}, Plan: "a1b2"}, false},
		"NotFound": {"Nobody reads the rules of a container that is not read.", Adoption{}, false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := tc.a.ReadsRules(); got != tc.want {
				t.Errorf("%s\ngot %t", tc.reason, got)
			}
		})
	}
}
