package lifecycle

import (
	"net/netip"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/change"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// TestFormerNetworks: a guest is reached from the networks that it has not left, as they were written for it.
func TestFormerNetworks(t *testing.T) {
	const ssh = "SSH"

	written := func(source, comment string) proxmox.FirewallRule {
		return proxmox.FirewallRule{Type: "in", Action: proxmox.PolicyAccept, Proto: "tcp", DPort: "22", Source: source, Comment: comment, Enabled: true}
	}
	own := []machine.FirewallRule{{Protocol: "tcp", Port: "22", From: "10.0.9.0/24", Comment: ssh, OwnNetworks: true}}
	at := func(texts ...string) (out []netip.Addr) {
		for _, a := range texts {
			out = append(out, netip.MustParseAddr(a))
		}

		return out
	}

	cases := map[string]struct {
		reason    string
		presence  Presence
		addresses []netip.Addr
		claimed   []machine.FirewallRule
		written   []proxmox.FirewallRule
		want      []string
	}{
		"Claimed":     {reason: "Who is where the claim says has left the others.", claimed: own, written: []proxmox.FirewallRule{written("10.0.4.0/24", ssh)}},
		"Unread":      {reason: "Of whom nobody knows where it is may be in any.", presence: PresenceUnread, claimed: own, written: []proxmox.FirewallRule{written("10.0.4.0/24,10.0.5.0/24", ssh)}, want: []string{"10.0.4.0/24,10.0.5.0/24 SSH (former network)"}},
		"There":       {reason: "Its agent reports the address of before.", presence: PresenceReported, addresses: at("10.0.4.60"), claimed: own, written: []proxmox.FirewallRule{written("10.0.4.0/24,10.0.5.0/24", ssh)}, want: []string{"10.0.4.0/24 SSH (former network)"}},
		"Left":        {reason: "It reports the new one.", presence: PresenceReported, addresses: at("10.0.9.60"), claimed: own, written: []proxmox.FirewallRule{written("10.0.9.0/24", ssh), written("10.0.4.0/24", "SSH (former network)")}},
		"Stays":       {reason: "What was kept once is kept on.", presence: PresenceUnread, claimed: own, written: []proxmox.FirewallRule{written("10.0.9.0/24", ssh), written("10.0.4.0/24", "SSH (former network)")}, want: []string{"10.0.4.0/24 SSH (former network)"}},
		"Twice":       {reason: "So is a second one, when it moves on before it moved.", presence: PresenceUnread, claimed: own, written: []proxmox.FirewallRule{written("10.0.5.0/24", ssh), written("10.0.4.0/24", "SSH (former network)")}, want: []string{"10.0.5.0/24 SSH (former network)", "10.0.4.0/24 SSH (former network)"}},
		"Back":        {reason: "One that is taken back has no network twice.", presence: PresenceUnread, claimed: own, written: []proxmox.FirewallRule{written("10.0.4.0/24", ssh), written("10.0.9.0/24", "SSH (former network)")}, want: []string{"10.0.4.0/24 SSH (former network)"}},
		"Inside":      {reason: "A part of the new one is no other one.", presence: PresenceUnread, claimed: own, written: []proxmox.FirewallRule{written("10.0.9.128/25", ssh)}},
		"Around":      {reason: "Nor is one around it: the guest with its new address is in both.", presence: PresenceReported, addresses: at("10.0.9.60"), claimed: own, written: []proxmox.FirewallRule{written("10.0.0.0/8", ssh)}},
		"OwnRule":     {reason: "A rule that the claim had for others goes at once.", presence: PresenceUnread, claimed: own, written: []proxmox.FirewallRule{written("10.0.4.0/24", "laptops")}},
		"NoneClaimed": {reason: "So does everything when the claim has no such rule any more.", presence: PresenceUnread, claimed: []machine.FirewallRule{{Protocol: "tcp", Port: "22", From: "10.0.9.0/24", Comment: ssh}}, written: []proxmox.FirewallRule{written("10.0.4.0/24", ssh)}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			rules := proxmox.ObservedFirewallRules{}
			rules.Spec.ForProvider.Rule = tc.written
			g := FirewalledGuest{
				Name: "vm", Wanted: &machine.Firewall{Enabled: true, Rules: tc.claimed}, Presence: tc.presence, Addresses: tc.addresses,
				Observed: proxmox.ObservedFirewalls{Rules: map[string]proxmox.ObservedFirewallRules{proxmox.FirewallRulesOf("vm"): rules}},
			}

			var got []string
			for _, r := range g.former() {
				got = append(got, r.Source+" "+r.Comment)
			}

			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestPresence: who tells where a guest is.
func TestPresence(t *testing.T) {
	vm := func(edit func(*proxmox.ObservedVM)) proxmox.ObservedVM {
		out := livingVM("pve")
		edit(&out)

		return out
	}
	agent := func(v *proxmox.ObservedVM) { v.Spec.ForProvider.Agent = []proxmox.Agent{{Enabled: true}} }
	moves := []change.Change{{Field: "spec.network.ip"}}

	cases := map[string]struct {
		reason string
		vm     proxmox.ObservedVM
		waits  []change.Change
		want   Presence
	}{
		"Moved":  {reason: "Without an agent, one that waits for nothing is where it is to be.", vm: vm(func(*proxmox.ObservedVM) {}), waits: []change.Change{{Field: "spec.size.memory"}}},
		"Waits":  {reason: "One that waits for a power cycle is not.", vm: vm(func(*proxmox.ObservedVM) {}), waits: moves, want: PresenceUnread},
		"Silent": {reason: "An agent that says nothing leaves it open.", vm: vm(agent), want: PresenceUnread},
		"ReadsOnce": {reason: "So does a drive that is read once, without an agent.", want: PresenceUnread, vm: vm(func(v *proxmox.ObservedVM) {
			v.Spec.ForProvider.Initialization = []proxmox.Initialization{{MetaDataFileID: "local:snippets/x"}}
		})},
		"Reports": {reason: "An agent tells.", want: PresenceReported, waits: moves, vm: vm(func(v *proxmox.ObservedVM) {
			agent(v)
			v.Spec.ForProvider.NetworkDevice = []proxmox.NetworkDevice{{MACAddress: "BC:24:11:00:00:01"}}
			v.Status.AtProvider.MACAddresses, v.Status.AtProvider.IPv4Addresses = []string{"bc:24:11:00:00:01"}, [][]string{{"10.0.4.60"}}
		})},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got, _ := presenceOf(tc.vm, tc.waits); got != tc.want {
				t.Errorf("%s\ngot %q, want %q", tc.reason, got, tc.want)
			}
		})
	}
}
