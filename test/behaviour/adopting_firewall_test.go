package behaviour

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/world"
	"github.com/homelab-io/function-proxmox-machine/test/fake"
)

// byHand is a firewall that somebody set up in Proxmox.
func byHand(rules ...any) *world.Firewall {
	return &world.Firewall{Options: map[string]any{"enabled": true, "inputPolicy": "ACCEPT"}, Rules: rules}
}

// TestTheFirewallOfAnAdoptedGuest stays as somebody set it up where the claim has none. Where the claim has one, the plan says what is lost, nothing is
// written before that is approved, and rules made by hand are never replaced.
func TestTheFirewallOfAnAdoptedGuest(t *testing.T) {
	t.Parallel()

	const (
		opens   = "spec.firewall: as set in Proxmox to only ping from everywhere; SSH (TCP 22) from "
		private = "10.0.0.0/8, 100.64.0.0/10, 172.16.0.0/12, 192.168.0.0/16"
		options = "option firewall: as set in Proxmox to enable=1,policy_in=DROP,policy_out=ACCEPT,log_level_in=nolog,log_level_out=nolog,dhcp=1,ndp=1,radv=1,macfilter=1,ipfilter=0"
	)

	guests := map[string]struct {
		id    int
		adopt func(firewall string) *machine
		path  string
		says  []any
	}{
		"VM": {
			id: 108, path: "/nodes/pve/qemu/108", says: []any{opens + private, options},
			adopt: func(firewall string) *machine {
				return adopting(t, "{adopt: {vmId: 108}, proxmox: {site: home}, hostname: nas, tags: [old]"+firewall+"}", fake.HandMade(t))
			},
		},
		"Container": {
			id: 153, path: "/nodes/pve/lxc/153", says: []any{opens + "192.168.4.0/24", options},
			adopt: func(firewall string) *machine {
				made := ofKind(t, "Container", "web", "{class: own, image: own-ct, network: {ip: 192.168.4.77/24, firewall: true}, proxmox: {site: home, node: pve, vmId: 153}}")
				made.Rest()

				m := ofKind(t, "Container", "nas", "{adopt: {vmId: 153}, network: {ip: 192.168.4.77/24}, proxmox: {site: home, node: pve}"+firewall+"}")
				m.Proxmox.Containers[153] = made.Proxmox.Containers[153]
				m.Proxmox.Containers[153].Config["description"] = "made by hand\n"

				return m
			},
		},
	}

	const foreign = "firewall rule 0: IN ACCEPT -p tcp -dport 8006 # GUI to be deleted first, by hand: the claim does not have it"

	rule := map[string]any{"type": "in", "action": "ACCEPT", "proto": "tcp", "dport": "8006", "comment": "GUI", "enabled": true}

	for kind, g := range guests {
		cases := map[string]struct {
			reason   string
			firewall string
			has      *world.Firewall
			lists    []any // The lines of rules.
			kept     bool  // What somebody set up stays, also after the approval.
			ends     map[string]string
		}{
			"Without": {reason: "Nothing of a firewall is in the claim.", has: byHand(rule), kept: true, ends: map[string]string{"MachineReady": "Running", "ProviderHealthy": "NoError"}},
			"None": {
				reason: "There are no rules yet: the claim's are written.", firewall: ", firewall: {preset: ssh}", has: byHand(),
				ends: map[string]string{"MachineReady": "Running", "FirewallApplied": "Filtering", "ProviderHealthy": "NoError"},
			},
			"Rules": {
				reason: "The provider does not replace rules, and the options wait for its own.", firewall: ", firewall: {preset: ssh}", has: byHand(rule), lists: []any{foreign}, kept: true,
				ends: map[string]string{"MachineReady": "Running", "FirewallApplied": "FirewallHasRules", "ProviderHealthy": "NoError"},
			},
		}

		for name, tc := range cases {
			t.Run(kind+name, func(t *testing.T) {
				m := g.adopt(tc.firewall)
				m.Proxmox.Firewalls[g.id] = tc.has
				before := world.Copy(map[string]any{"options": tc.has.Options, "rules": tc.has.Rules})
				unchanged := func() string {
					has := m.Proxmox.Firewalls[g.id]
					return cmp.Diff(before, world.Copy(map[string]any{"options": has.Options, "rules": has.Rules}))
				}

				rsp := m.Rest()

				var said []any

				for _, line := range world.List(adoptionOf(rsp)["changes"]) {
					if strings.Contains(line.(string), "firewall") {
						said = append(said, line)
					}
				}

				var want []any
				if tc.firewall != "" {
					want = slices.Concat(g.says, tc.lists)
				}

				if diff := cmp.Diff(want, said); diff != "" {
					t.Errorf("%s\nplan: -want, +got:\n%s", tc.reason, diff)
				}

				reads := "`pvesh get " + g.path + "/firewall/options`"
				if text := world.Message(rsp, "MachineReady"); strings.Contains(text, reads) != (tc.firewall != "") {
					t.Errorf("%s\nit says: %s", tc.reason, text)
				}

				if diff := unchanged(); diff != "" {
					t.Errorf("%s\nbefore the approval: -before, +after:\n%s", tc.reason, diff)
				}

				for _, name := range m.walls() {
					if o := m.Observed[name]; world.Policies(o) != "Observe" || tc.firewall == "" {
						t.Errorf("%s\nbefore the approval: %s may do %s", tc.reason, name, world.Policies(o))
					}
				}

				m.says(m.approved(), tc.ends)

				if diff := unchanged(); (diff == "") != tc.kept {
					t.Errorf("%s\nkept: %v, -before, +after:\n%s", tc.reason, tc.kept, diff)
				}
			})
		}
	}
}

// TestThePlanOfAnAdoptionListsTheRules that there are: another one, or one more in the claim, is another plan; and the rules that are kept are the claim's after
// the adoption. Without an approval they stay, and nobody reads them any more.
func TestThePlanOfAnAdoptionListsTheRules(t *testing.T) {
	t.Parallel()

	web := map[string]any{"type": "in", "action": "ACCEPT", "proto": "tcp", "dport": "8006", "comment": "GUI", "enabled": true}
	group := map[string]any{"securityGroup": "web", "enabled": true}

	m := adopting(t, "{adopt: {vmId: 108}, proxmox: {site: home}, hostname: nas, firewall: {allow: [{port: 443}, {port: 8006, comment: GUI}]}}", fake.HandMade(t))
	m.Proxmox.Firewalls[108] = byHand(web, group)

	lists := func(want ...any) string {
		t.Helper()

		rsp := m.Rest()

		var got []any

		for _, line := range world.List(adoptionOf(rsp)["changes"]) {
			if strings.HasPrefix(line.(string), "firewall rule") {
				got = append(got, line)
			}
		}

		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("-want, +got:\n%s", diff)
		}

		hash, _ := adoptionOf(rsp)["plan"].(string)

		return hash
	}

	const stays = "firewall rule 0: IN ACCEPT -p tcp -dport 8006 # GUI to stay: the claim has it"

	first := lists(stays, "firewall rule 1: GROUP web to be deleted first, by hand: the claim does not have it")

	m.Proxmox.Firewalls[108].Rules = []any{web}

	second := lists(stays)
	if first == second || second == "" {
		t.Errorf("plans %q and %q", first, second)
	}

	world.Object(m.Spec()["adopt"])["approve"] = first
	m.says(m.Rest(), map[string]string{"MachineReady": "AdoptionPlanChanged"})

	world.Object(m.Spec()["adopt"])["approve"] = second
	m.says(m.Rest(), map[string]string{"FirewallApplied": "Filtering", "MachineReady": "Running", "ProviderHealthy": "NoError"})

	if got := m.Proxmox.Firewalls[108]; len(got.Rules) != 2 || !got.Drops() {
		t.Errorf("got %+v", got)
	}

	left := adopting(t, "{adopt: {vmId: 108}, proxmox: {site: home}, hostname: nas, firewall: {preset: ssh}}", fake.HandMade(t))
	left.Proxmox.Firewalls[108] = byHand(web)
	left.Rest()
	delete(left.Spec(), "firewall")
	left.Rest()

	if got := left.walls(); len(got) > 0 || len(left.Proxmox.Firewalls[108].Rules) != 1 {
		t.Errorf("left: %v, %+v", got, left.Proxmox.Firewalls[108])
	}
}

// TestAnApprovalOfAnAdoptionIsOfItsFirewall: with another firewall in the claim it is another plan.
func TestAnApprovalOfAnAdoptionIsOfItsFirewall(t *testing.T) {
	t.Parallel()

	m := adopting(t, "{adopt: {vmId: 108}, proxmox: {site: home}, firewall: {preset: ssh}}", fake.HandMade(t))
	world.Object(m.Spec()["adopt"])["approve"] = adoptionOf(m.Rest())["plan"]
	world.Merge(m.Spec(), world.FromYAML(t, "firewall: {preset: ssh, allow: [{port: 443}]}"))
	m.says(m.Rest(), map[string]string{"MachineReady": "AdoptionPlanChanged"})

	if m.did(); m.Proxmox.Firewalls[108] != nil {
		t.Errorf("got %+v", m.Proxmox.Firewalls[108])
	}
}

// TestTheInterfaceOfAnAdoptedVM goes behind the firewall when that is as claimed. The world faults an interface that goes behind one that drops everything.
func TestTheInterfaceOfAnAdoptedVM(t *testing.T) {
	t.Parallel()

	cases := map[string]struct {
		reason string
		rules  []any
		behind bool
		ends   map[string]string
	}{
		"NoRules": {
			reason: "The claim's rules are there first.", behind: true,
			ends: map[string]string{"MachineReady": "Running", "FirewallApplied": "Filtering", "ProviderHealthy": "NoError"},
		},
		"Rules": {
			reason: "The provider never replaces rules that somebody made: the interface stays as it is.", rules: []any{map[string]any{"dport": "8006"}},
			ends: map[string]string{"MachineReady": "Running", "FirewallApplied": "FirewallHasRules", "ProviderHealthy": "NoError"},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			made := fake.HandMade(t)
			world.Object(world.At(world.List(made["networkDevice"]), 0))["firewall"] = false

			m := adopting(t, "{adopt: {vmId: 108}, proxmox: {site: home}, hostname: nas, tags: [old], network: {dhcp: true, firewall: true}, firewall: {preset: ssh}}", made)
			m.Proxmox.Firewalls[108] = &world.Firewall{Options: map[string]any{"enabled": true, "inputPolicy": "DROP"}, Rules: tc.rules}

			if changes := fmt.Sprint(adoptionOf(m.Rest())["changes"]); !strings.Contains(changes, "spec.network.firewall: false to true") {
				t.Errorf("the plan: %s", changes)
			}

			m.says(m.approved(), tc.ends)

			if got := world.Object(world.At(world.List(m.Proxmox.VMs[108].Config["networkDevice"]), 0))["firewall"]; got != tc.behind {
				t.Errorf("%s\nthe interface is behind the firewall: %v", tc.reason, got)
			}
		})
	}
}

// TestTheInterfaceOfAnAdoptedContainer is not put behind the firewall, and the condition does not say that anything is filtered.
func TestTheInterfaceOfAnAdoptedContainer(t *testing.T) {
	t.Parallel()

	made := aContainer(t)

	m := ofKind(t, "Container", "nas", "{adopt: {vmId: 153}, proxmox: {site: home, node: pve}, firewall: {preset: ssh}}")
	m.Proxmox.Containers[153] = made.Proxmox.Containers[153]
	m.Proxmox.Containers[153].Config["description"] = "made by hand\n"

	rsp := m.approved()
	m.says(rsp, map[string]string{"FirewallApplied": "FirewallPending", "ProviderHealthy": "NoError"})

	if text := world.Message(rsp, "FirewallApplied"); !strings.Contains(text, "filters nothing yet. An adopted container keeps its interfaces, and eth0 is not behind the firewall") {
		t.Error(text)
	}
}
