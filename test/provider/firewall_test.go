package provider

import (
	"net/url"
	"strings"
	"testing"
)

// aFirewalled machine, with rules of its own beside those of its preset.
const aFirewalled = `{proxmox: {node: pve, vmId: 160}, network: {ip: 192.168.4.60}, bootstrap: {userData: "#cloud-config\n{}\n"}, firewall: {preset: ssh, log: info, ` +
	`allow: [{port: 443, comment: "web ${x}"}, {port: 30000-32767, protocol: udp, from: 192.168.4.0/24}, {port: 80, from: "2001:db8::/32"}]}}`

// rules of a VM in one line, in their order.
func (l *lab) rules(id int) string {
	var out []string

	for _, r := range l.Simulator.Firewall(id).Rules {
		if r["type"] == "group" && r["enable"] == "1" {
			out = append(out, strings.TrimSpace("group "+r["action"]+" "+r["comment"]))
			continue
		}

		if r["type"] != "in" || r["action"] != "ACCEPT" || r["enable"] != "1" {
			out = append(out, "not enabled: ")
		}

		out = append(out, strings.TrimSpace(strings.Join([]string{r["macro"] + r["proto"], r["dport"], r["source"], r["comment"]}, " ")))
	}

	return strings.Join(out, "; ")
}

// filter is what the options of a VM's firewall do.
func (l *lab) filter(id int) string {
	o := l.Simulator.Firewall(id).Options

	return o["enable"] + " " + o["policy_in"] + " " + o["policy_out"] + " " + o["log_level_in"]
}

// TestFirewall holds that the firewall of a machine is written as meant, in an order in which nobody is locked out, that an edit changes it in
// place, and that the second plan is empty.
func TestFirewall(t *testing.T) {
	t.Parallel()

	l := newLab(t)
	c := l.machine(t, "app01", aFirewalled)
	c.Hasty = true
	l.settle(t, c)

	const made = "Ping   ping; tcp 22 192.168.4.0/24 SSH; tcp 443  web ${x}; udp 30000:32767 192.168.4.0/24; tcp 80 2001:db8::/32"

	check := func(what, rules, filter, nic string) {
		t.Helper()

		if got := l.rules(160); got != rules {
			t.Errorf("%s: want rules\n%s, got\n%s", what, rules, got)
		}

		if got := l.filter(160); got != filter {
			t.Errorf("%s: want %q, got %q", what, filter, got)
		}

		if got := l.vm(t, 160).Config["net0"]; !strings.Contains(got, "firewall="+nic) {
			t.Errorf("%s: want the interface's switch %s, got %s", what, nic, got)
		}

		l.neverLockedOut(t, 160, what)
		without(t, l.poll(t, c), "/")

		// Also after the provider has lost its workspaces.
		for name, d := range c.composed {
			if d.resource.Kind != KindFirewallOptions && d.resource.Kind != KindFirewallRules {
				continue
			}

			if err := c.restart(t.Context(), d); err != nil {
				t.Errorf("%s: %s after a restart of the provider: %v", what, name, err)
			}
		}
	}

	check("new", made, "1 DROP ACCEPT info", "1")
	want(t, c, "FirewallApplied", "True", "Filtering", "Datacenter, Firewall, Options")

	// In place, whatever is edited.
	edit(t, c, `{firewall: {log: null, allow: [{port: 80, from: "2001:db8::/32", comment: more}, {port: 8443}, {port: 443}]}}`)
	without(t, l.settle(t, c), "/status/", "DELETE")
	check("edited", "Ping   ping; tcp 22 192.168.4.0/24 SSH; tcp 80 2001:db8::/32 more; tcp 8443; tcp 443", "1 DROP ACCEPT nolog", "1")

	// Off, with its rules.
	edit(t, c, `{firewall: {enabled: false}}`)
	l.settle(t, c)
	check("off", "Ping   ping; tcp 22 192.168.4.0/24 SSH; tcp 80 2001:db8::/32 more; tcp 8443; tcp 443", "0 DROP ACCEPT nolog", "0")

	// No rules at all: everything passes before they go.
	edit(t, c, `{firewall: {enabled: true, preset: none, allow: null}}`)
	l.settleDropping(t, c)
	check("open", "", "1 ACCEPT ACCEPT nolog", "1") //nolint:dupword // Both policies.

	edit(t, c, `{firewall: {preset: ssh}}`)
	l.settle(t, c)
	check("closed again", "Ping   ping; tcp 22 192.168.4.0/24 SSH", "1 DROP ACCEPT nolog", "1")

	// A move takes it along.
	l.touch(t, 160, Touch{Node: "pve2"})

	if _, err := c.Poll(t.Context()); err != nil {
		t.Fatal(err)
	}

	l.settle(t, c)

	for _, d := range c.composed {
		if d.resource.Kind == KindFirewallRules && stringAt(d.resource.Spec.ForProvider, "nodeName") != "pve2" {
			t.Error("the rules are still on pve")
		}
	}

	check("moved", "Ping   ping; tcp 22 192.168.4.0/24 SSH", "1 DROP ACCEPT nolog", "1")

	// Without a firewall in the claim: off, and then without rules.
	edit(t, c, `{firewall: null}`)
	l.settleDropping(t, c)
	check("gone", "", "0 DROP ACCEPT nolog", "0")

	for name, d := range c.composed {
		if d.resource.Kind == KindFirewallOptions || d.resource.Kind == KindFirewallRules {
			t.Errorf("%s is left", name)
		}
	}

	// The machine goes with its firewall.
	edit(t, c, `{firewall: {preset: ssh}}`)
	l.settle(t, c)

	if err := c.Delete(t.Context()); err != nil {
		t.Fatal(err)
	}

	if f := l.Simulator.Firewall(160); len(f.Rules)+len(f.Options) > 0 {
		t.Errorf("want nothing left, got: %v", f)
	}
}

// settleDropping lets a machine come to rest that gives up managed resources.
func (l *lab) settleDropping(t *testing.T, c *Control) {
	t.Helper()

	c.MayDrop = true
	l.settle(t, c)
	c.MayDrop = false
}

// neverLockedOut looks at every state that a firewall has been in since it was asked the last time: none drops all that comes in.
func (l *lab) neverLockedOut(t *testing.T, id int, what string) {
	t.Helper()

	if l.Simulator.LockedOut(id) {
		t.Errorf("%s: the firewall dropped everything for a moment", what)
	}
}

// TestFirewallByHand holds that rules which somebody made are not replaced, and not deleted when the claim gives up.
func TestFirewallByHand(t *testing.T) {
	t.Parallel()

	l := newLab(t)
	c := l.machine(t, "app01", aMachine)
	l.settle(t, c)

	if err := l.Simulator.AddFirewallRule(t.Context(), "pve", 160, url.Values{"type": {"in"}, "action": {"ACCEPT"}, "proto": {"tcp"}, "dport": {"8006"}, "enable": {"1"}}); err != nil {
		t.Fatal(err)
	}

	edit(t, c, `{firewall: {preset: ssh}}`)

	for range 4 {
		if _, err := c.Round(t.Context()); err != nil {
			t.Fatal(err)
		}
	}

	want(t, c, "FirewallApplied", "False", "FirewallHasRules", "that the claim does not have: 0: IN ACCEPT -p tcp -dport 8006.")

	if got := l.rules(160) + l.filter(160); got != "tcp 8006   " {
		t.Errorf("want what somebody made, got: %q", got)
	}

	// Given up, nothing of theirs is deleted.
	edit(t, c, `{firewall: null}`)
	c.MayDrop = true

	for range 4 {
		if _, err := c.Round(t.Context()); err != nil {
			t.Fatal(err)
		}
	}

	if got := l.rules(160) + l.filter(160); got != "tcp 8006   " {
		t.Errorf("want what somebody made, got: %q", got)
	}

	if len(c.composed) == 0 || c.composed["firewall-rules-vm"] != nil {
		t.Error("the managed resource of the rules is left")
	}
}
