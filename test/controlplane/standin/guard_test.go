package standin

import (
	"fmt"
	"strings"
	"testing"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
)

// TestGuardedVM has the firewall of a VM written, and the VM put into HA and taken out of it.
func TestGuardedVM(t *testing.T) {
	w := NewWorld("pve")
	b := newBench(t, w)

	rule := func(port string) any { return map[string]any{"type": "in", "action": "ACCEPT", "dport": port} }
	rules := values{"nodeName": "pve", "vmId": int64(100), "rule": []any{rule("22")}}
	options := values{"nodeName": "pve", "vmId": int64(100), "enabled": true, "inputPolicy": "DROP"}
	entry := values{"resourceId": "vm:100", "state": "started", "maxRestart": int64(1)}

	none := b.create("options", "", options)
	b.settle(none)
	b.shows(none, "There is no firewall without a VM.", "LastAsyncOperation=False ApplyFailure: apply failed: received an HTTP 500 response")

	w.AddVM(VM{ID: 100, Node: "pve", Config: values{}, Running: values{}, Started: true})

	written := b.create("rules", "", rules)
	b.settle(written)
	b.settle(none)
	b.shows(written, "Rules are written.", ready, synced)
	b.shows(none, "And options, with the VM.", ready, synced)
	b.told("Once each.", "write VM 100 firewall: rules 22", "write VM 100 firewall: options")

	b.settle(written)
	b.settle(none)
	b.told("What is as asked for is left alone.")

	others := b.create("others", "", rules)
	b.settle(others)
	b.shows(others, "Rules that are there are nobody else's.", "LastAsyncOperation=False ApplyFailure: apply failed: failed to create the resource: [{0 Existing rules")

	b.edit(written, func() { written.forProvider()["rule"] = []any{rule("22"), rule("443")} })
	b.settle(written)
	b.told("An edit writes them in place.", "write VM 100 firewall: rules 22 443")

	ha := b.create("ha", "vm:100", entry)
	b.settle(ha)
	b.settle(ha)
	b.shows(ha, "The VM is in HA.", ready, synced)
	b.told("Once.", "HA of VM 100: started")

	w.mu.Lock()
	_ = w.power(w.vms[100], false)
	w.mu.Unlock()
	b.told("To stop a VM is a request to the HA manager.", "HA of VM 100: stopped", "HA stops VM 100")
	b.settle(ha)
	b.told("Its managed resource takes that back.", "HA of VM 100: started", "HA starts VM 100")

	b.edit(ha, func() { ha.forProvider()["state"] = "stopped" })
	b.settle(ha)
	b.told("The HA manager stops it.", "HA of VM 100: stopped", "HA stops VM 100")

	b.edit(ha, func() { ha.SetManagementPolicies(xpv2.ManagementPolicies{observed, xpv2.ManagementActionDelete}) })

	for _, mr := range []managedResource{ha, written, none} {
		if err := b.client.Delete(t.Context(), mr); err != nil {
			t.Fatal(err)
		}

		b.settle(mr)
	}

	b.told("An entry goes, and rules do; to delete options changes nothing, so that without rules all are locked out.",
		"HA of VM 100: none", "write VM 100 firewall: rules none", "lock everybody out of VM 100")

	if _, err := (haResources{}).begin(request{world: w, fields: values{"resourceId": "vm:101"}}); err == nil || !strings.Contains(err.Error(), "no such VM 101") {
		t.Errorf("an entry for a VM that does not exist: got %v", err)
	}
}

// TestRulesMadeByHand are read without a right to write, each with its place, and are written once there is one.
func TestRulesMadeByHand(t *testing.T) {
	w := NewWorld("pve")
	b := newBench(t, w)

	rule := func(port string) any { return map[string]any{"type": "in", "action": "ACCEPT", "dport": port} }

	w.AddVM(VM{ID: 100, Node: "pve", Config: values{}, Running: values{}, Started: true})
	SetFirewall(w, 100, map[string]any{"enabled": true, "inputPolicy": "ACCEPT"}, rule("8006"), rule("111"))

	found := b.create("rules", "vm/pve/100", values{"nodeName": "pve", "vmId": int64(100), "rule": []any{rule("22")}}, observed)
	b.settle(found)
	b.shows(found, "The provider reads them.", ready, synced)
	b.told("Nothing is written.")

	if got := fmt.Sprint(found.(*clusterScoped[ruleKind]).Status.AtProvider["rule"]); !strings.Contains(got, "dport:8006 pos:0") || !strings.Contains(got, "dport:111 pos:1") {
		t.Errorf("the rules that were read: %s", got)
	}

	if f := w.Firewall(100); f.Drops() || len(f.Rules) != 2 {
		t.Errorf("the firewall: %+v", f)
	}

	b.edit(found, func() {
		meta.SetExternalName(found, "vm-100")
		found.SetManagementPolicies(xpv2.ManagementPolicies{observed, xpv2.ManagementActionCreate, xpv2.ManagementActionUpdate})
	})
	b.settle(found)
	b.told("They are the managed resource's now.", "write VM 100 firewall: rules 22")
}

// TestFirewallOfContainer holds that a container's firewall is its own: there is none without the container, what a VM of the number has is another guest's, and
// it goes with the container.
func TestFirewallOfContainer(t *testing.T) {
	w := NewWorld("pve")
	b := newBench(t, w)

	rule := func(port string) any { return map[string]any{"type": "in", "action": "ACCEPT", "dport": port} }

	w.AddVM(VM{ID: 100, Node: "pve", Config: values{}, Running: values{}, Started: true})

	written := b.create("rules", "", values{"nodeName": "pve", "containerId": int64(100), "rule": []any{rule("22")}})
	b.settle(written)
	b.shows(written, "The VM with the number is no container.", "LastAsyncOperation=False ApplyFailure: apply failed: received an HTTP 500 response - "+
		"Reason: Configuration file 'nodes/pve/lxc/100.conf' does not exist")

	w.Remove(100)
	w.AddContainer(Container{ID: 100, Node: "pve", Config: values{}, Started: true})
	b.settle(written)
	b.shows(written, "Rules are written.", ready, synced)

	options := b.create("options", "", values{"nodeName": "pve", "containerId": int64(100), "enabled": true, "inputPolicy": "DROP"})
	b.settle(options)
	b.shows(options, "And options.", ready, synced)
	b.told("Once each.", "write container 100 firewall: rules 22", "write container 100 firewall: options")

	found := b.create("found", "container/pve/100", values{"nodeName": "pve", "containerId": int64(100), "rule": []any{rule("22")}}, observed)
	b.settle(found)
	b.shows(found, "The provider reads rules that it may not write.", ready, synced)

	read := found.(*clusterScoped[ruleKind]).Status.AtProvider
	if got := fmt.Sprint(read["containerId"], read["vmId"], read["rule"]); got != "100 <nil> [map[action:ACCEPT dport:22 pos:0 type:in]]" {
		t.Errorf("what was read: %s", got)
	}

	b.edit(written, func() { written.forProvider()["rule"] = []any{rule("22"), rule("53")} })
	b.settle(written)
	b.told("An edit writes them in place.", "write container 100 firewall: rules 22 53")

	w.RemoveContainers(100)

	if f := w.Firewall(100); f.Options != nil || len(f.Rules) != 0 {
		t.Errorf("the container is gone, and left the firewall %+v", f)
	}
}
