package provider

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// cutAt cuts the calls about rules with a method, from the nth one on: the provider goes on after one that failed.
func cutAt(method string, n int) func() func(Request) bool {
	return func() func(Request) bool {
		seen := 0

		return func(r Request) bool {
			if r.Method != method || !strings.Contains(r.Path, "/firewall/rules") {
				return false
			}

			seen++

			return seen >= n
		}
	}
}

// guestOf a kind, without a firewall.
func guestOf(t *testing.T, kind string) (*lab, *Control) {
	t.Helper()

	if kind == "Container" {
		l, _ := withContainers(t)

		return l, l.container(t, "app01", `{image: "local:vztmpl/debian-12-standard_12.7-1_amd64.tar.zst", class: micro, network: {ip: 192.168.4.60/24, firewall: true}, proxmox: {node: pve, vmId: 160}}`)
	}

	l := newLab(t)

	return l, l.machine(t, "app01", `{proxmox: {node: pve, vmId: 160}, network: {ip: 192.168.4.60}, bootstrap: {userData: "#cloud-config\n{}\n"}}`)
}

// TestFirewallBrokenOff holds that a creation of rules that breaks off at any of its calls comes to rest with exactly the claimed rules, without
// hands, and that the firewall drops nothing before.
func TestFirewallBrokenOff(t *testing.T) {
	t.Parallel()

	const made = "Ping   ping; tcp 22 192.168.4.0/24 SSH; tcp 443  web"

	cuts := map[string]func() func(Request) bool{"Read": cutAt(http.MethodGet, 2)}
	for n := 1; n <= 3; n++ {
		cuts[fmt.Sprintf("Write%d", n)] = cutAt(http.MethodPost, n)
	}

	for _, kind := range []string{"VM", "Container"} {
		for name, cut := range cuts {
			t.Run(kind+name, func(t *testing.T) {
				t.Parallel()

				l, c := guestOf(t, kind)
				c.Hasty = true
				l.settle(t, c)

				l.Simulator.CutFirewalls(cut())
				edit(t, c, `{firewall: {preset: ssh, allow: [{port: 443, comment: web}]}}`)

				for range 6 {
					if _, err := c.Round(t.Context()); err != nil {
						t.Fatal(err)
					}
				}

				t.Logf("left: %s", l.rules(160))

				if got := l.filter(160); strings.Contains(got, "DROP") {
					t.Errorf("it drops before its rules are there: %s", got)
				}

				// The provider is killed, too: nothing of its workspaces is left.
				l.Simulator.CutFirewalls(nil)

				c.Forgetful = true

				for range 8 {
					if _, err := c.Round(t.Context()); err != nil {
						t.Fatal(err)
					}

					if _, err := c.Poll(t.Context()); err != nil {
						t.Fatal(err)
					}
				}

				if got := l.rules(160); got != made {
					t.Errorf("want rules\n%s, got\n%s", made, got)
				}

				if got := l.filter(160); got != "1 DROP ACCEPT nolog" {
					t.Errorf("got options %q", got)
				}

				want(t, c, "FirewallApplied", "True", "Filtering", "drops")
				l.neverLockedOut(t, 160, name)

				c.Forgetful = false
				without(t, l.poll(t, c), "/")

				// From then on they are rules like others.
				edit(t, c, `{firewall: {allow: [{port: 8443}]}}`)
				l.settle(t, c)

				if got := l.rules(160); got != "Ping   ping; tcp 22 192.168.4.0/24 SSH; tcp 8443" {
					t.Errorf("edited: got %s", got)
				}
			})
		}
	}
}

// TestFirewallFound holds that rules which somebody made become the claim's when the claim has each of them, and not before, whatever their order.
func TestFirewallFound(t *testing.T) {
	t.Parallel()

	l := newLab(t)
	c := l.machine(t, "app01", aMachine)
	l.settle(t, c)

	for _, rule := range []url.Values{
		{"type": {"in"}, "action": {"ACCEPT"}, "proto": {"tcp"}, "dport": {"443"}, "enable": {"1"}, "comment": {"web"}, "log": {"nolog"}},
		{"type": {"group"}, "action": {"webserver"}, "enable": {"0"}},
	} {
		if err := l.Simulator.AddFirewallRule(t.Context(), "pve", 160, rule); err != nil {
			t.Fatal(err)
		}
	}

	edit(t, c, `{firewall: {allow: [{port: 80}, {port: 443, comment: web}]}}`)

	for range 4 {
		if _, err := c.Round(t.Context()); err != nil {
			t.Fatal(err)
		}
	}

	want(t, c, "FirewallApplied", "False", "FirewallHasRules", "that the claim does not have: 0: | GROUP webserver. ")

	// Somebody deletes the group, and the provider reads the rules at its next poll.
	if err := l.Simulator.api(t.Context(), http.MethodDelete, "nodes/pve/qemu/160/firewall/rules/0", nil, nil); err != nil {
		t.Fatal(err)
	}

	if _, err := c.Poll(t.Context()); err != nil {
		t.Fatal(err)
	}

	l.settle(t, c)

	if got := l.rules(160); got != "tcp 80; tcp 443  web" {
		t.Errorf("got %s", got)
	}

	want(t, c, "FirewallApplied", "True", "Filtering", "drops")
	l.neverLockedOut(t, 160, "found")

	// Given up, they are deleted as others.
	edit(t, c, `{firewall: null}`)
	l.settleDropping(t, c)

	if got := l.rules(160); got != "" {
		t.Errorf("got %s", got)
	}
}

// TestFirewallDeletedByHand holds that the claim's rules are written when somebody has deleted all that were there.
func TestFirewallDeletedByHand(t *testing.T) {
	t.Parallel()

	l := newLab(t)
	c := l.machine(t, "app01", aMachine)
	l.settle(t, c)

	if err := l.Simulator.AddFirewallRule(t.Context(), "pve", 160, url.Values{"type": {"in"}, "action": {"REJECT"}, "enable": {"1"}}); err != nil {
		t.Fatal(err)
	}

	edit(t, c, `{firewall: {allow: [{port: 80}]}}`)

	for range 4 {
		if _, err := c.Round(t.Context()); err != nil {
			t.Fatal(err)
		}
	}

	want(t, c, "FirewallApplied", "False", "FirewallHasRules", "that the claim does not have: 0: IN REJECT. ")

	if err := l.Simulator.api(t.Context(), http.MethodDelete, "nodes/pve/qemu/160/firewall/rules/0", nil, nil); err != nil {
		t.Fatal(err)
	}

	if _, err := c.Poll(t.Context()); err != nil {
		t.Fatal(err)
	}

	l.settle(t, c)

	if got := l.rules(160); got != "tcp 80" {
		t.Errorf("got %s", got)
	}

	want(t, c, "FirewallApplied", "True", "Filtering", "drops")
}

// TestFirewallAdopted holds that the plan of an adoption lists the rules that there are, that they are read without a write, and that those which the claim has are
// its own after the approval.
func TestFirewallAdopted(t *testing.T) {
	t.Parallel()

	l := newLab(t)
	l.touch(t, 200, Touch{Node: "pve", Status: "running", Config: map[string]string{
		"name": "byhand", "cores": "2", "memory": "2048", "scsi0": "local-lvm:vm-200-disk-0,size=10G", "net0": "virtio=BC:24:11:00:02:00,bridge=vmbr0,firewall=1", "boot": "order=scsi0",
	}})

	for _, rule := range []url.Values{
		{"type": {"in"}, "action": {"ACCEPT"}, "proto": {"tcp"}, "dport": {"443"}, "enable": {"1"}, "comment": {"web"}, "log": {"nolog"}},
		{"type": {"group"}, "action": {"webserver"}, "enable": {"1"}},
	} {
		if err := l.Simulator.AddFirewallRule(t.Context(), "pve", 200, rule); err != nil {
			t.Fatal(err)
		}
	}

	c := l.machine(t, "adopted01", `{adopt: {vmId: 200}, proxmox: {node: pve}, firewall: {allow: [{port: 80}, {port: 443, comment: web}]}}`)
	c.Hasty = true

	since := l.seq(t)
	lists := func(want ...string) string {
		t.Helper()

		l.settle(t, c)
		l.poll(t, c)

		adoption, _, _ := unstructured.NestedMap(c.Composite.Object, "status", "adoption")
		lines := fmt.Sprint(adoption["changes"])

		for _, line := range want {
			if !strings.Contains(lines, line) {
				t.Errorf("want %q, got %v, %v", line, adoption, c.Conditions["MachineReady"])
			}
		}

		if writes := l.writes(t, since); len(writes) > 0 {
			t.Errorf("before the approval: %v", writes)
		}

		plan, _ := adoption["plan"].(string)

		return plan
	}

	const stays = "IN ACCEPT -p tcp -dport 443 -log nolog # web to stay: the claim has it"

	first := lists(stays, "firewall rule 0: GROUP webserver to be deleted first")

	if err := l.Simulator.api(t.Context(), http.MethodDelete, "nodes/pve/qemu/200/firewall/rules/0", nil, nil); err != nil {
		t.Fatal(err)
	}

	since = l.seq(t)

	plan := lists("firewall rule 0: " + stays)
	if plan == first {
		t.Errorf("with another rule it is still plan %s", plan)
	}

	edit(t, c, `{adopt: {approve: "`+plan+`"}}`)
	l.settle(t, c)

	if got := l.rules(200); got != "tcp 80; tcp 443  web" {
		t.Errorf("want the claimed rules, got %s", got)
	}

	want(t, c, "FirewallApplied", "True", "Filtering", "")
	l.neverLockedOut(t, 200, "adopted")
	without(t, l.poll(t, c), "/")
}
