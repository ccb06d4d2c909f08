package behaviour

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// sources are from where SSH reaches a guest, in the order of its rules.
func (m *machine) sources(id int) string {
	var out []string

	for _, r := range m.Proxmox.Firewalls[id].Rules {
		if r := world.Object(r); r["dport"] == "22" {
			out = append(out, fmt.Sprint(r["source"]))
		}
	}

	return strings.Join(out, "; ")
}

// TestAFirewallOfAGuestThatMoves: with an edit of an address, the networks of the machine are others at once, and the guest is there when it has read the
// edit. Until then it is reached from where it is.
func TestAFirewallOfAGuestThatMoves(t *testing.T) {
	t.Parallel()

	const (
		moves  = "network: {ip: 192.168.9.60/24, gateway: 192.168.9.1}"
		closes = "vm: no longer reached: SSH (TCP 22) from 192.168.4.0/24, once the guest is in its new network"
	)

	cases := map[string]struct {
		reason, example, edit    string
		with                     []string
		first, edited, restarted string
		announces                bool
	}{
		"NoAgent": {
			reason: "Nobody sees its address: it takes up the edit at its power cycle.", example: "plain-debian/files01", edit: moves, announces: true,
			first: "192.168.4.0/24,10.30.0.0/24; fc00::/7,fe80::/10", edited: "192.168.9.0/24,10.30.0.0/24; fc00::/7,fe80::/10; 192.168.4.0/24", restarted: "192.168.9.0/24,10.30.0.0/24; fc00::/7,fe80::/10",
		},
		"ReadsOnce": {
			reason: "One with user-data keeps the address of its first boot, and so its network.", example: "nixos/dns01", edit: moves, announces: true,
			first: "192.168.4.0/24", edited: "192.168.9.0/24; 192.168.4.0/24", restarted: "192.168.9.0/24; 192.168.4.0/24",
		},
		"SameNetwork": {
			reason: "Another address of the same network leaves nothing.", example: "plain-debian/files01", edit: "network: {ip: 192.168.4.61/24}",
			first: "192.168.4.0/24,10.30.0.0/24; fc00::/7,fe80::/10", edited: "192.168.4.0/24,10.30.0.0/24; fc00::/7,fe80::/10", restarted: "192.168.4.0/24,10.30.0.0/24; fc00::/7,fe80::/10",
		},
		"K3sNode": {
			reason: "A node of K3s keeps its address until its VM is replaced, and its networks with it.", example: "k3s-cluster/server-1", with: []string{"firewall: {preset: k3s-server}"},
			edit: "network: {ip: 192.168.9.211, cidr: 24, gateway: 192.168.9.1}", first: "192.168.4.0/24", edited: "192.168.4.0/24", restarted: "192.168.4.0/24",
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			m, _ := living(t, tc.example, append([]string{"firewall: {preset: ssh}"}, tc.with...)...)
			is := func(when, want string) {
				t.Helper()

				if got := m.sources(m.number()); got != want {
					t.Errorf("%s\n%s: SSH from %q, want %q", tc.reason, when, got, want)
				}
			}

			is("first", tc.first)
			m.edit(tc.edit)

			if said := slices.Contains(m.explained(), closes); said != tc.announces {
				t.Errorf("%s\nannounced: %t, got %v", tc.reason, said, m.explained())
			}

			m.Rest()
			is("edited", tc.edited)

			if said := slices.ContainsFunc(m.explained(), func(line string) bool { return strings.Contains(line, "no longer reached") }); said {
				t.Errorf("%s\nit is announced again: %v", tc.reason, m.explained())
			}

			m.lifecycle("reboot", "a")
			m.Rest()
			is("restarted", tc.restarted)
		})
	}
}
