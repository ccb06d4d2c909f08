package lifecycle

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/change"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// applied are conditions of what the provider has applied.
func applied() proxmox.Conditions {
	return proxmox.Conditions{{Type: "Ready", Status: "True"}, {Type: "Synced", Status: "True"}}
}

// failed are conditions of what the provider could not create.
func failed() proxmox.Conditions {
	return proxmox.Conditions{{Type: "Ready", Status: "False"}, {Type: "Synced", Status: "False"}, {Type: "LastAsyncOperation", Status: "False"}}
}

// TestFirewall: a firewall is switched on when its rules are there, and its rules go when it is off.
func TestFirewall(t *testing.T) {
	ssh := &machine.Firewall{Enabled: true, Log: "nolog", Rules: []machine.FirewallRule{{Protocol: "tcp", Port: "22", From: "192.168.4.0/24"}}}
	web := &machine.Firewall{Enabled: true, Log: "nolog", Rules: []machine.FirewallRule{{Protocol: "tcp", Port: "443"}}}
	open := &machine.Firewall{Enabled: true, Log: "nolog"}

	parameters := func(f *machine.Firewall, node string) (proxmox.FirewallOptionsParameters, proxmox.FirewallRulesParameters) {
		vm := livingVM(node)

		return firewallPlanner{claimed: f, vm: vm}.guest(Step{}).wanted(proxmox.ObservedFirewallOptions{})
	}
	options := func(f *machine.Firewall, c proxmox.Conditions) *proxmox.ObservedFirewallOptions {
		o := proxmox.ObservedFirewallOptions{}
		o.Spec.ForProvider, _ = parameters(f, "pve")
		o.Spec.ManagementPolicies, o.Status.Conditions = proxmox.Policies(proxmox.DeletionOrphans), c
		o.Metadata.Annotations = map[string]string{proxmox.ExternalNameAnnotation: "x"}

		return &o
	}
	off := func(c proxmox.Conditions) *proxmox.ObservedFirewallOptions {
		o := options(ssh, c)
		o.Spec.ForProvider.Enabled = false

		return o
	}
	rules := func(f *machine.Firewall, c proxmox.Conditions, d proxmox.Deletion) *proxmox.ObservedFirewallRules {
		o := proxmox.ObservedFirewallRules{}
		_, o.Spec.ForProvider = parameters(f, "pve")
		o.Spec.ManagementPolicies, o.Status.Conditions = proxmox.Policies(d), c

		return &o
	}

	type seen struct {
		Stage   FirewallStage
		Options string // The input policy and whether it is enabled; empty where it is not written.
		Rules   int    // How many are written; -1: the managed resource is not written.
		Deletes bool
		Kept    []string
		Closes  bool
	}

	cases := map[string]struct {
		reason  string
		wall    *machine.Firewall
		options *proxmox.ObservedFirewallOptions
		rules   *proxmox.ObservedFirewallRules
		kept    []machine.Kept
		node    string
		want    seen
	}{
		"None":     {reason: "Nobody asks for one.", want: seen{Rules: -1}},
		"New":      {reason: "Rules come first.", wall: ssh, want: seen{Stage: FirewallAccepting, Rules: 1, Closes: true}},
		"NewWaits": {reason: "They are not there yet.", wall: ssh, rules: rules(ssh, nil, false), want: seen{Stage: FirewallAccepting, Rules: 1}},
		"NewRulesWere": {
			reason: "What the provider has applied are other rules.", wall: ssh, rules: rules(web, applied(), false),
			want: seen{Stage: FirewallAccepting, Rules: 1, Closes: true},
		},
		"NewSwitches": {reason: "Now the rest may be dropped.", wall: ssh, rules: rules(ssh, applied(), false), want: seen{Stage: FirewallSwitching, Options: "DROP true", Rules: 1}},
		"Applied":     {reason: "All is there.", wall: ssh, rules: rules(ssh, applied(), false), options: options(ssh, applied()), want: seen{Stage: FirewallApplied, Options: "DROP true", Rules: 1}},
		"Edited": {
			reason: "The provider changes rules in place, without a gap.", wall: web, rules: rules(ssh, applied(), false), options: options(ssh, applied()),
			want: seen{Stage: FirewallSwitching, Options: "DROP true", Rules: 1, Closes: true},
		},
		"Opened": {
			reason: "The rules stay until nothing depends on them.", wall: open, rules: rules(ssh, applied(), false), options: options(ssh, applied()),
			want: seen{Stage: FirewallSwitching, Options: "ACCEPT true", Rules: -1, Kept: []string{"firewall-rules-vm"}},
		},
		"OpenedAndSeen": {
			reason: "Then the provider is told that it may delete them.", wall: open, rules: rules(ssh, applied(), false), options: options(open, applied()),
			want: seen{Stage: FirewallSwitching, Options: "ACCEPT true", Rules: -1, Deletes: true},
		},
		"OpenedAndTold": {
			reason: "Now they go.", wall: open, rules: rules(ssh, applied(), true), options: options(open, applied()),
			want: seen{Stage: FirewallSwitching, Options: "ACCEPT true", Rules: -1},
		},
		"Closes": {
			reason: "A firewall that was open keeps its options until the rules are there.", wall: ssh, options: options(open, applied()),
			want: seen{Stage: FirewallAccepting, Rules: 1, Kept: []string{"firewall-options-vm"}, Closes: true},
		},
		"Leaves": {
			reason: "It is switched off before its rules go.", rules: rules(ssh, applied(), false), options: options(ssh, applied()),
			want: seen{Stage: FirewallLeaving, Options: "DROP false", Rules: -1, Kept: []string{"firewall-rules-vm"}},
		},
		"LeavesOff":  {reason: "It is off.", rules: rules(ssh, applied(), false), options: off(applied()), want: seen{Stage: FirewallLeaving, Options: "DROP false", Rules: -1, Deletes: true}},
		"LeavesTold": {reason: "The rules go first.", rules: rules(ssh, applied(), true), options: off(applied()), want: seen{Stage: FirewallLeaving, Options: "DROP false", Rules: -1}},
		"Left":       {reason: "And the options last.", options: off(applied()), want: seen{Stage: FirewallLeaving, Rules: -1}},
		"LeavesUnmade": {
			reason: "Somebody else's rules kept the provider from making ours, and are not deleted.", rules: rules(ssh, failed(), false),
			want: seen{Stage: FirewallLeaving, Rules: -1},
		},
		"OpenOverUnmade": {
			reason: "Nor when the claim asks for none.", wall: open, rules: rules(ssh, failed(), false), options: options(open, applied()),
			want: seen{Stage: FirewallApplied, Options: "ACCEPT true", Rules: -1},
		},
		"Moved": {
			reason: "It follows the VM, in place.", wall: ssh, rules: rules(ssh, applied(), false), options: options(ssh, applied()), node: "pve2",
			want: seen{Stage: FirewallSwitching, Options: "DROP true", Rules: 1},
		},
		"WithoutCatalogue": {
			reason: "The rules that an entry of the catalogue decides on stay as they are.", wall: web, rules: rules(ssh, applied(), false), options: options(ssh, applied()),
			kept: []machine.Kept{{Part: machine.PartCluster}},
			want: seen{Stage: FirewallStands, Rules: -1, Kept: []string{"firewall-options-vm", "firewall-rules-vm"}},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			node := tc.node
			if node == "" {
				node = "pve"
			}

			p := Plan{
				Situation: Situation{
					Request: Request{Machine: &machine.Machine{Firewall: tc.wall, Kept: tc.kept}, Roles: Roles{Active: FirstVM}}, State: StateLiving, vm: livingVM(node),
				},
				Steps: map[string]Step{FirstVM: {Action: ActionFollow}},
			}

			if tc.options != nil {
				p.Observed.Firewalls.Options = map[string]proxmox.ObservedFirewallOptions{"firewall-options-vm": *tc.options}
			}

			if tc.rules != nil {
				p.Observed.Firewalls.Rules = map[string]proxmox.ObservedFirewallRules{"firewall-rules-vm": *tc.rules}
			}

			plan := firewallPlannerOf(&p.Situation).decide(p.Steps)
			got := seen{Stage: plan.Stage, Rules: -1, Deletes: plan.MayDeleteRules, Closes: len(plan.Closes) > 0}

			for _, name := range []string{"firewall-options-vm", "firewall-rules-vm"} {
				if plan.Kept[name] {
					got.Kept = append(got.Kept, name)
				}
			}

			if o := plan.Options; o != nil {
				got.Options = o.InputPolicy + map[bool]string{true: " true", false: " false"}[o.Enabled]
			}

			if plan.Rules != nil {
				got.Rules = len(plan.Rules.Rule)

				if plan.Rules.NodeName != node {
					t.Errorf("%s\nnode %s", tc.reason, plan.Rules.NodeName)
				}
			}

			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// livingVM of number 101, on a node.
func livingVM(node string) proxmox.ObservedVM {
	vm := proxmox.ObservedVM{}
	vm.Metadata.Annotations = map[string]string{proxmox.ExternalNameAnnotation: "101"}
	vm.Spec.ForProvider.NodeName = "pve"
	vm.Status.AtProvider.ID, vm.Status.AtProvider.NodeName = "101", node
	vm.Status.Conditions = applied()

	return vm
}

// TestFirewallOfOtherVMs: a replaced VM keeps its firewall as long as its managed resource is there.
func TestFirewallOfOtherVMs(t *testing.T) {
	p := Plan{
		Situation: Situation{Request: Request{Machine: &machine.Machine{}, Roles: Roles{Active: "vm-1", Retired: []string{"vm", "vm-0"}}}, State: StateLiving, vm: livingVM("pve")},
		Steps:     map[string]Step{"vm-1": {Action: ActionFollow}, "vm": {Action: ActionRetire}, "vm-0": {Action: ActionRelease}},
	}
	p.Observed.Firewalls.Rules = map[string]proxmox.ObservedFirewallRules{"firewall-rules-vm": {}, "firewall-rules-vm-0": {}, "firewall-rules-vm-9": {}}

	if diff := cmp.Diff(map[string]bool{"firewall-rules-vm": true}, firewallPlannerOf(&p.Situation).decide(p.Steps).Kept); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

// TestFirewallOfAdopted: nobody knows what an adopted guest's firewall does before the first options of the claim are written, and everybody knows afterwards.
func TestFirewallOfAdopted(t *testing.T) {
	ssh := &machine.Firewall{Enabled: true, Log: "nolog", Rules: []machine.FirewallRule{{Protocol: "tcp", Port: "22"}}}
	web := &machine.Firewall{Enabled: true, Log: "nolog", Rules: []machine.FirewallRule{{Protocol: "tcp", Port: "443"}}}
	over := []change.Change{
		{Field: "spec.firewall", Has: "as set in Proxmox", Wanted: "only SSH (TCP 22) from everywhere", Effect: change.InPlace},
		{
			Field: "option firewall", Has: "as set in Proxmox", Effect: change.InPlace,
			Wanted: "enable=1,policy_in=DROP,policy_out=ACCEPT,log_level_in=nolog,log_level_out=nolog,dhcp=1,ndp=1,radv=1,macfilter=1,ipfilter=0",
		},
	}

	options, rules := FirewalledGuest{Wanted: web}.wanted(proxmox.ObservedFirewallOptions{})
	webOptions, webRules := proxmox.ObservedFirewallOptions{}, proxmox.ObservedFirewallRules{}
	webOptions.Spec.ForProvider, webRules.Spec.ForProvider = options, rules
	written := proxmox.ObservedFirewalls{
		Options: map[string]proxmox.ObservedFirewallOptions{proxmox.FirewallOptionsOf("vm"): webOptions},
		Rules:   map[string]proxmox.ObservedFirewallRules{proxmox.FirewallRulesOf("vm"): webRules},
	}

	cases := map[string]struct {
		reason string
		guest  FirewalledGuest
		want   []change.Change
	}{
		"Kept":   {reason: "Nobody asks for another one.", guest: FirewalledGuest{Adopted: true}},
		"Added":  {reason: "All options are replaced, whatever they are.", guest: FirewalledGuest{Adopted: true, Wanted: ssh}, want: over},
		"Failed": {reason: "Rules made by hand prevent the claim's, whose edit says no more of them.", guest: FirewalledGuest{Adopted: true, Wanted: ssh, Observed: proxmox.ObservedFirewalls{Rules: written.Rules}}, want: over},
		"Edited": {
			reason: "It is the claim's by now.", guest: FirewalledGuest{Adopted: true, Wanted: ssh, Observed: written},
			want: []change.Change{{Field: "spec.firewall", Has: "only TCP 443 from everywhere", Wanted: "only SSH (TCP 22) from everywhere", Effect: change.InPlace}},
		},
		"Ours": {
			reason: "The firewall of a VM that the provider made is off.", guest: FirewalledGuest{Wanted: ssh},
			want: []change.Change{{Field: "spec.firewall", Has: "everything reaches the guest", Wanted: "only SSH (TCP 22) from everywhere", Effect: change.InPlace}},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			tc.guest.Name, tc.guest.Stage = "vm", GuestFollows
			if diff := cmp.Diff(tc.want, tc.guest.Decide().Changes); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestFirewallDiffers: what Proxmox has of options that were written as they are to be. An edit on its way, an option that nobody reports, and a provider that
// writes at this moment are none.
func TestFirewallDiffers(t *testing.T) {
	ssh := &machine.Firewall{Enabled: true, Log: "nolog", Rules: []machine.FirewallRule{{Protocol: "tcp", Port: "22"}}}
	wanted, _ := firewallPlanner{claimed: ssh, vm: livingVM("pve")}.guest(Step{}).wanted(proxmox.ObservedFirewallOptions{})

	edited := wanted
	edited.LogLevelIn = "info"

	same := proxmox.FirewallOptionsObservation{
		ID: "x", Enabled: new(true), InputPolicy: "DROP", OutputPolicy: "ACCEPT", LogLevelIn: "nolog", LogLevelOut: "nolog", DHCP: new(true), NDP: new(true),
		RAdv: new(true), MACFilter: new(true), IPFilter: new(false),
	}
	off := same
	off.Enabled, off.InputPolicy, off.IPFilter = new(false), "ACCEPT", new(true)

	working := append(applied(), proxmox.Condition{Type: proxmox.ConditionAsync, Status: "False", Reason: proxmox.ReasonOngoing})
	want := []proxmox.FirewallDifference{{Option: "enabled", Has: "false", Written: "true"}, {Option: "inputPolicy", Has: "ACCEPT", Written: "DROP"}, {Option: "ipfilter", Has: "true", Written: "false"}}

	cases := map[string]struct {
		reason     string
		written    proxmox.FirewallOptionsParameters
		read       proxmox.FirewallOptionsObservation
		conditions proxmox.Conditions
		want       []proxmox.FirewallDifference
	}{
		"Same":       {reason: "All is as written.", written: wanted, read: same, conditions: applied()},
		"Unreported": {reason: "Nothing is reported.", written: wanted, conditions: applied()},
		"Changed":    {reason: "Each that differs.", written: wanted, read: off, conditions: applied(), want: want},
		"Failed":     {reason: "And that the provider cannot set back.", written: wanted, read: off, conditions: failed(), want: want},
		"Working":    {reason: "It is being set back.", written: wanted, read: off, conditions: working},
		"Edited":     {reason: "Something else is to be written.", written: edited, read: off, conditions: applied()},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			o := proxmox.ObservedFirewallOptions{}
			o.Spec.ForProvider, o.Status.AtProvider, o.Status.Conditions = tc.written, tc.read, tc.conditions

			g := firewallPlanner{claimed: ssh, vm: livingVM("pve"), described: "vm"}.guest(Step{})
			g.Stage, g.Observed = GuestFollows, proxmox.ObservedFirewalls{Options: map[string]proxmox.ObservedFirewallOptions{proxmox.FirewallOptionsOf("vm"): o}}

			if diff := cmp.Diff(tc.want, g.Decide().Differs); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestBeforeInterfaces: an interface that is outside of its firewall goes into it once the firewall is as claimed, and no sooner.
func TestBeforeInterfaces(t *testing.T) {
	devices := func(firewall ...*bool) (out []proxmox.NetworkDevice) {
		for _, f := range firewall {
			out = append(out, proxmox.NetworkDevice{Bridge: "vmbr0", Firewall: f})
		}

		return out
	}
	yes, no := new(true), new(false)

	written, found := settledVM(), settledVM()
	written.Spec.ForProvider.NetworkDevice = devices(no, yes, nil)
	found.Status.AtProvider.Parameters = &proxmox.Found{VMParameters: proxmox.VMParameters{NetworkDevice: devices(no)}}

	for name, tc := range map[string]struct {
		reason string
		stage  FirewallStage
		action Action
		vm     proxmox.ObservedVM
		want   []proxmox.NetworkDevice
	}{
		"Accepting": {reason: "Its rules are not there.", stage: FirewallAccepting, action: ActionFollow, vm: written, want: devices(no, yes, yes, yes)},
		"AwaitsVM":  {reason: "Nothing is there.", stage: FirewallAwaitsVM, action: ActionFollow, vm: written, want: devices(no, yes, yes, yes)},
		"Adopted":   {reason: "A VM that is adopted has them as Proxmox says.", stage: FirewallAwaitsVM, action: ActionAdopt, vm: found, want: devices(no, yes, yes, yes)},
		"Applied":   {reason: "It is as claimed.", stage: FirewallApplied, action: ActionFollow, vm: written, want: devices(yes, yes, yes, yes)},
		"Leaving":   {reason: "It goes, and drops nothing.", stage: FirewallLeaving, action: ActionFollow, vm: written, want: devices(yes, yes, yes, yes)},
		"Created":   {reason: "A new VM has no interface elsewhere.", stage: FirewallAwaitsVM, action: ActionCreate, vm: written, want: devices(yes, yes, yes, yes)},
	} {
		t.Run(name, func(t *testing.T) {
			wanted := devices(yes, yes, yes, yes)
			steps := map[string]Step{FirstVM: {Action: tc.action, Parameters: proxmox.VMParameters{NetworkDevice: wanted}}}
			FirewallPlan{Stage: tc.stage}.beforeInterfaces(steps, FirstVM, tc.vm)

			if diff := cmp.Diff(tc.want, steps[FirstVM].Parameters.NetworkDevice); diff != "" {
				t.Errorf("%s\nbeforeInterfaces(): -want, +got:\n%s", tc.reason, diff)
			}

			if diff := cmp.Diff(devices(yes, yes, yes, yes), wanted); diff != "" {
				t.Errorf("%s\nthe description was changed: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestAwaitsFirewall: a new VM does not become the machine while it stands open, where the claim has it filtered.
func TestAwaitsFirewall(t *testing.T) {
	filters := &machine.Firewall{Enabled: true, Rules: []machine.FirewallRule{{Protocol: "tcp", Port: "22"}}}
	options := func(enabled bool, policy string, c proxmox.Conditions) *proxmox.ObservedFirewallOptions {
		o := proxmox.ObservedFirewallOptions{}
		o.Spec.ForProvider.Enabled, o.Spec.ForProvider.InputPolicy, o.Status.Conditions = enabled, policy, c

		return &o
	}

	for name, tc := range map[string]struct {
		reason  string
		wall    *machine.Firewall
		options *proxmox.ObservedFirewallOptions
		want    bool
	}{
		"None":     {reason: "Nobody asks for one."},
		"Open":     {reason: "It drops nothing.", wall: &machine.Firewall{Enabled: true}},
		"Missing":  {reason: "It is not there.", wall: filters, want: true},
		"Off":      {reason: "It is off.", wall: filters, options: options(false, proxmox.PolicyDrop, applied()), want: true},
		"Accepts":  {reason: "It accepts what no rule names.", wall: filters, options: options(true, proxmox.PolicyAccept, applied()), want: true},
		"NotYet":   {reason: "The provider has not written it.", wall: filters, options: options(true, proxmox.PolicyDrop, nil), want: true},
		"Filtered": {reason: "It is there.", wall: filters, options: options(true, proxmox.PolicyDrop, applied())},
	} {
		t.Run(name, func(t *testing.T) {
			s := replacing(settledVM(), func(s *Situation) { s.Machine.Firewall = tc.wall })
			if tc.options != nil {
				s.Observed.Firewalls.Options = map[string]proxmox.ObservedFirewallOptions{proxmox.FirewallOptionsOf(newVM): *tc.options}
			}

			if got := awaitsFirewall(s); got != tc.want {
				t.Errorf("%s\nawaitsFirewall(): got %t", tc.reason, got)
			}
		})
	}
}

// TestFirewallAwaitsVM: no firewall is written by the VMID of a VM that may not be the machine's.
func TestFirewallAwaitsVM(t *testing.T) {
	creating := func(vm *proxmox.ObservedVM) { vm.Metadata.Annotations[proxmox.CreatingAnnotation] = "" }

	for name, tc := range map[string]struct {
		reason string
		vm     proxmox.ObservedVM
		state  State
		step   Step
		want   GuestStage
	}{
		"Living":   {reason: "It is the machine's.", vm: settledVM(), state: StateLiving, step: Step{Action: ActionFollow}, want: GuestFollows},
		"Stands":   {reason: "An edit waits.", vm: settledVM(), state: StateLiving, step: Step{Action: ActionFollow, Stands: true}, want: GuestStands},
		"Disowned": {reason: "Another VM has its VMID.", vm: settledVM(), state: StateLiving, step: Step{Action: ActionDisown}, want: GuestAwaited},
		"Creating": {reason: "Nobody has seen it.", vm: settledVM(), state: StateCreating, step: Step{Action: ActionFollow}, want: GuestAwaited},
		"Foreign":  {reason: "Somebody else made it while the provider was to.", vm: settledVM(creating), state: StateLiving, step: Step{Action: ActionFollow}, want: GuestAwaited},
		"Unread": {
			reason: "The provider has lost what it knew.", vm: settledVM(func(vm *proxmox.ObservedVM) { vm.Status.AtProvider.ID = "" }), state: StateLiving, step: Step{Action: ActionFollow},
			want: GuestAwaited,
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := firewallPlanner{claimed: &machine.Firewall{Enabled: true}, described: FirstVM, vm: tc.vm, state: tc.state}
			if got := p.guest(tc.step).Stage; got != tc.want {
				t.Errorf("%s\nguest(): got %q, want %q", tc.reason, got, tc.want)
			}
		})
	}
}
