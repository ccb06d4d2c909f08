package behaviour

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// TestAFirewallBrokenOff comes to rest with exactly the claimed rules, without hands, wherever the provider breaks off: while it creates them, and while it writes an edit.
// The world faults a firewall that drops everything.
func TestAFirewallBrokenOff(t *testing.T) {
	t.Parallel()

	const (
		first  = "firewall: {preset: ssh, allow: [{port: 443}, {port: 53, protocol: udp, from: 192.168.4.0/24, comment: DNS}]}"
		second = "firewall: {preset: ssh, allow: [{port: 8443}, {port: 53, protocol: udp}]}"
	)

	guests := map[string]func(t *testing.T) (*machine, int){
		"VM": func(t *testing.T) (*machine, int) {
			t.Helper()

			m, _ := living(t, "nixos/dns01")

			return m, m.number()
		},
		"Container": func(t *testing.T) (*machine, int) {
			t.Helper()

			m := ofKind(t, "Container", "web", "{class: own, image: own-ct, network: {ip: 192.168.4.77/24, firewall: true}, proxmox: {site: home, node: pve, vmId: 153}}")
			m.Rest()

			return m, 153
		},
	}

	// rulesOf a guest whose provider never breaks off.
	rulesOf := func(t *testing.T, guest func(t *testing.T) (*machine, int), claims ...string) []any {
		t.Helper()

		m, id := guest(t)
		for _, claim := range claims {
			world.Merge(m.Spec(), world.FromYAML(t, claim))
			m.Rest()
		}

		return m.Proxmox.Firewalls[id].Rules
	}

	for kind, guest := range guests {
		for cut := range 4 {
			t.Run(fmt.Sprint(kind, cut), func(t *testing.T) {
				t.Parallel()

				m, id := guest(t)
				m.Proxmox.Firewalls[id] = &world.Firewall{CutAfter: &cut}
				world.Merge(m.Spec(), world.FromYAML(t, first))
				m.says(m.Rest(), map[string]string{"FirewallApplied": "Filtering", "ProviderHealthy": "NoError", "MachineReady": "Running"})

				if wall := m.Proxmox.Firewalls[id]; wall.CutAfter != nil || !wall.Drops() {
					t.Errorf("the firewall: %+v", wall)
				}

				if diff := cmp.Diff(rulesOf(t, guest, first), m.Proxmox.Firewalls[id].Rules); diff != "" {
					t.Errorf("created: -want, +got:\n%s", diff)
				}

				m.Proxmox.Firewalls[id].CutAfter = &cut
				world.Merge(m.Spec(), world.FromYAML(t, second))
				m.says(m.Rest(), map[string]string{"FirewallApplied": "Filtering", "ProviderHealthy": "NoError", "MachineReady": "Running"})

				if diff := cmp.Diff(rulesOf(t, guest, first, second), m.Proxmox.Firewalls[id].Rules); diff != "" {
					t.Errorf("edited: -want, +got:\n%s", diff)
				}

				// They go as others do.
				delete(m.Spec(), "firewall")
				m.says(m.Rest(), map[string]string{"ProviderHealthy": "NoError"})

				if wall := m.Proxmox.Firewalls[id]; len(wall.Rules) > 0 || wall.Drops() || len(m.walls()) > 0 {
					t.Errorf("left: %+v, %v", wall, m.walls())
				}
			})
		}
	}
}

// TestAFirewallOfSomebodyIsTakenOver when the claim has each of its rules: by an edit of the claim, and by hands in Proxmox.
func TestAFirewallOfSomebodyIsTakenOver(t *testing.T) {
	t.Parallel()

	m, _ := living(t, "nixos/dns01")
	id := m.number()
	web := map[string]any{"type": "in", "action": "ACCEPT", "proto": "tcp", "dport": "8006", "comment": "GUI", "enabled": true}
	m.Proxmox.Firewalls[id] = &world.Firewall{Rules: []any{web, map[string]any{"securityGroup": "web", "enabled": true}}}

	says := func(rsp map[string]string, text string) {
		t.Helper()

		got := m.Rest()
		m.says(got, rsp)

		if message := world.Message(got, "FirewallApplied"); text != "" && !strings.Contains(message, "that the claim does not have: "+text+". ") {
			t.Error(message)
		}
	}

	world.Merge(m.Spec(), world.FromYAML(t, "firewall: {preset: ssh}"))
	says(map[string]string{"FirewallApplied": "FirewallHasRules", "ProviderHealthy": "NoError"}, "0: IN ACCEPT -p tcp -dport 8006 # GUI; 1: GROUP web")

	world.Merge(m.Spec(), world.FromYAML(t, "firewall: {preset: ssh, allow: [{port: 8006, comment: GUI}]}"))
	says(map[string]string{"FirewallApplied": "FirewallHasRules", "ProviderHealthy": "NoError"}, "1: GROUP web")

	if got := m.Proxmox.Firewalls[id]; len(got.Rules) != 2 || got.Options != nil {
		t.Errorf("before: %+v", got)
	}

	m.Proxmox.Firewalls[id].Rules = []any{web}
	says(map[string]string{"FirewallApplied": "Filtering", "ProviderHealthy": "NoError"}, "")

	if got := m.Proxmox.Firewalls[id]; len(got.Rules) != 3 || !got.Drops() {
		t.Errorf("after: %+v", got)
	}
}
