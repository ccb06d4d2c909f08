package behaviour

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// names what the firewall of the machine's site has.
func (m *machine) names(firewall string) {
	m.Catalogue = world.Object(world.Copy(m.Catalogue))
	site := world.Object(world.Object(world.Object(m.Catalogue["data"])["sites"])["home"])
	site["firewall"] = world.FromYAML(m.t, firewall)
}

// TestAFirewallWithoutWhatItNames: Proxmox refuses rules for what somebody has deleted, or not yet created. They are finished without hands when it is there, and
// nothing is dropped before.
func TestAFirewallWithoutWhatItNames(t *testing.T) {
	t.Parallel()

	for _, allow := range []string{"[{port: 443}, {port: 22, from: +lan}, {group: web}]", "[{port: 22, from: +lan}]"} {
		for _, edited := range []bool{false, true} {
			t.Run(fmt.Sprint(allow, edited), func(t *testing.T) {
				t.Parallel()

				m, _ := living(t, "nixos/dns01")
				id := m.number()

				m.names("{groups: [web], ipSets: [lan]}")
				m.Proxmox.LacksSources = map[string]bool{"+dc/lan": true}

				if edited {
					m.edit("firewall: {allow: [{port: 8080}]}")
					m.says(m.Rest(), map[string]string{"FirewallApplied": "Filtering"})
				}

				m.edit("firewall: {allow: " + allow + "}")

				rsp := m.Rest()
				m.says(rsp, map[string]string{"ProviderHealthy": "ConfigurationError"})

				if message := world.Message(rsp, "ProviderHealthy"); !strings.Contains(message, "does not have an IP set or an alias") {
					t.Error(message)
				}

				if got := m.Proxmox.Firewalls[id].Drops(); got != edited {
					t.Errorf("drops: %t", got)
				}

				m.Proxmox.LacksSources = nil
				m.says(m.Rest(), map[string]string{"FirewallApplied": "Filtering", "ProviderHealthy": "NoError", "MachineReady": "Running"})

				rules := world.Object(world.Object(m.Observed["firewall-rules-vm"]["spec"])["forProvider"])["rule"]
				if diff := cmp.Diff(rules, any(m.Proxmox.Firewalls[id].Rules)); diff != "" {
					t.Errorf("-want, +got:\n%s", diff)
				}
			})
		}
	}
}

// TestTheSiteLosesAName: who lives keeps its whole firewall, as it keeps the size of a class that the catalogue loses, and all other fields of its claim take
// effect. A name that the claim did not have before is a mistake of the claim, which refuses the edit.
func TestTheSiteLosesAName(t *testing.T) {
	t.Parallel()

	for guest, start := range map[string]func(*testing.T) (*machine, int){
		"VM": func(t *testing.T) (*machine, int) {
			t.Helper()

			m, _ := living(t, "nixos/dns01")

			return m, m.number()
		},
		"Container": func(t *testing.T) (*machine, int) {
			t.Helper()

			m := ofKind(t, "Container", "web", "{class: own, image: own-ct, network: {ip: 192.168.4.77/24}, firewall: {preset: ssh}, proxmox: {site: home, node: pve, vmId: 153}}")
			m.Rest()

			return m, 153
		},
	} {
		t.Run(guest, func(t *testing.T) {
			t.Parallel()

			m, id := start(t)
			m.names("{groups: [web], ipSets: [lan]}")
			m.edit("firewall: {allow: [{group: web}, {port: 443, from: +dc/lan}]}")
			m.says(m.Rest(), map[string]string{"FirewallApplied": "Filtering", "SpecValid": "Valid"})

			before := world.Copy(m.Proxmox.Firewalls[id].Rules)

			m.names("{ipSets: [lan]}")
			m.edit("deletionPolicy: Orphan")

			rsp := m.Rest()
			m.says(rsp, map[string]string{"SpecValid": "CatalogueEntryMissing", "FirewallApplied": "FirewallStands"})

			if got := world.Message(rsp, "SpecValid"); !strings.Contains(got, "keeps its own firewall, because") || !strings.Contains(got, `"web": site 'home' has no security group`) {
				t.Error(got)
			}

			for name, o := range m.Observed {
				if got := world.Policies(o); strings.Contains(got, "Delete") && strings.Contains(fmt.Sprint(o["kind"]), strings.TrimSuffix(guest, "s")) {
					t.Errorf("%s: the claim says Orphan, and %s", name, got)
				}
			}

			m.edit("firewall: {allow: [{group: web}, {port: 443, from: +dc/lan}, {port: 80}]}")
			m.says(m.Rest(), map[string]string{"SpecValid": "CatalogueEntryMissing"})

			if diff := cmp.Diff(before, world.Copy(m.Proxmox.Firewalls[id].Rules)); diff != "" {
				t.Errorf("the rules change: -before, +after:\n%s", diff)
			}

			m.edit("firewall: {allow: [{group: db}]}")

			if got := world.Fatal(m.Call()); !strings.Contains(got, `spec.firewall.allow[0].group: "db": site 'home' has no security group of this name`) {
				t.Errorf("an edit that names what the site does not have: %q", got)
			}

			m.names("{groups: [web], ipSets: [lan]}")
			m.edit("firewall: {allow: [{group: web}]}")
			m.says(m.Rest(), map[string]string{"FirewallApplied": "Filtering", "SpecValid": "Valid"})
		})
	}
}

// TestASecurityGroupComesAndGoes: an edit that adds one is an edit as others, and one that removes one closes what it may have opened.
func TestASecurityGroupComesAndGoes(t *testing.T) {
	t.Parallel()

	m, _ := living(t, "nixos/dns01", onRisk)
	m.names("{groups: [web, db]}")
	m.edit("firewall: {allow: [{port: 443}]}")
	m.lifecycle("approve", hash(t, m.Rest()))
	m.says(m.Rest(), map[string]string{"FirewallApplied": "Filtering"})

	rules := func(want ...any) {
		t.Helper()

		if diff := cmp.Diff(want, m.Proxmox.Firewalls[m.number()].Rules); diff != "" {
			t.Errorf("-want, +got:\n%s", diff)
		}
	}
	https := map[string]any{"type": "in", "action": "ACCEPT", "proto": "tcp", "dport": "443", "enabled": true}
	group := func(name string) any { return map[string]any{"securityGroup": name, "enabled": true} }

	m.edit("firewall: {allow: [{group: web}, {port: 443}]}")

	rsp := m.Rest()
	m.says(rsp, map[string]string{"FirewallApplied": "Filtering", "Approved": "NothingToApprove"})
	rules(https, group("web"))

	m.Proxmox.Done = nil
	m.edit("firewall: {allow: [{group: db}, {port: 443}]}")

	waiting, approve := m.waits(rsp, "Close")
	rules(https, group("web"))

	if diff := cmp.Diff([]any{
		"the firewall of VM 100 drops what reaches the guest now: what security group web accepts",
		"spec.firewall: only TCP 443 from everywhere; what security group web accepts to only TCP 443 from everywhere; what security group db accepts (at once)",
	}, world.List(plan(waiting)["changes"])); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}

	m.lifecycle("approve", approve)
	m.says(m.Rest(), map[string]string{"FirewallApplied": "Filtering"})
	rules(https, group("db"))
}
