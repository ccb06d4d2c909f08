package controlplane

import (
	"context"
	"fmt"
	"maps"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// filters looks at the firewall of a VM or a container.
func filters(id int, drops bool, rules int) func(context.Context, *biography) string {
	return func(_ context.Context, b *biography) string {
		f := b.world.Firewall(id)

		return differs("firewall drops, and has rules", fmt.Sprint(f.Drops(), len(f.Rules)), fmt.Sprint(drops, rules))
	}
}

// said with another condition beside those that a machine with nothing to do has.
func said(conditionType, says string) map[string]string {
	out := map[string]string{conditionType: says}
	maps.Copy(out, nothing)

	return out
}

func firewalled() life {
	const id = 5044

	return life{
		reason: "Rules are there before the firewall drops the rest, and go after it drops nothing any more; nothing of it restarts the VM.",
		claim:  machine("life-firewall", id), ids: []int{id}, kinds: []string{kindFirewallOptions, kindFirewallRules},
		steps: []step{
			born(id),
			{
				does: "a firewall for SSH", edit: map[string]any{"firewall": map[string]any{"preset": "ssh"}}, says: said("FirewallApplied", "True Filtering"),
				made:      []string{kindFirewallOptions, kindFirewallRules},
				written:   []string{"change VM 5044", "write VM 5044 firewall: rules ping 22", "write VM 5044 firewall: options"},
				unordered: true, status: map[string]string{"appliedSpec.firewall.preset": "ssh"}, vm: runs, check: filters(id, true, 2),
			},
			{
				does: "another port", edit: map[string]any{"firewall.allow": []any{map[string]any{"port": int64(9100), "from": "192.168.4.0/24"}}},
				says: said("FirewallApplied", "True Filtering"), written: []string{"write VM 5044 firewall: rules ping 22 9100"}, check: filters(id, true, 3),
			},
			{
				does: "no preset", edit: map[string]any{"firewall.preset": "none"}, says: said("FirewallApplied", "True Filtering"),
				written: []string{"write VM 5044 firewall: rules 9100"}, check: filters(id, true, 1),
			},
			{
				does: "the firewall is taken out of the claim", edit: map[string]any{"firewall": nil}, says: nothing,
				gone:    []string{kindFirewallOptions, kindFirewallRules},
				written: []string{"change VM 5044", "write VM 5044 firewall: options", "write VM 5044 firewall: rules none"}, unordered: true, vm: runs, check: filters(id, false, 0),
			},
			{
				does: "a firewall again", edit: map[string]any{"firewall": map[string]any{"preset": "ssh"}}, says: said("FirewallApplied", "True Filtering"),
				made:    []string{kindFirewallOptions, kindFirewallRules},
				written: []string{"change VM 5044", "write VM 5044 firewall: rules ping 22", "write VM 5044 firewall: options"}, unordered: true, check: filters(id, true, 2),
			},
			{
				does: "the claim is deleted", remove: true, gone: []string{kindVM, kindImage, kindFirewallOptions, kindFirewallRules},
				written: []string{"stop VM 5044", "destroy VM 5044"},
			},
		},
	}
}

// catalogueOfHA has the datastores that all nodes see.
func catalogueOfHA() *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "apiextensions.crossplane.io/v1beta1", "kind": "EnvironmentConfig",
		"metadata": map[string]any{"name": "machine-catalog"},
		"data": map[string]any{
			"defaults": map[string]any{"site": "home"},
			"sites": map[string]any{"home": map[string]any{
				"sharedDatastores": []any{"local", "local-lvm"},
				"nodes":            map[string]any{"pve": map[string]any{}, "pve2": map[string]any{}},
			}},
		},
	}}
}

// inHA asks which state the HA manager is asked for.
func inHA(id int, want string) func(context.Context, *biography) string {
	return func(_ context.Context, b *biography) string { return differs("HA", b.world.HA(id), want) }
}

// TestHighAvailability lets a machine live that Proxmox's HA manager manages, as docs/day-two.md promises. The catalogue is that of its claim, so it runs
// alone.
func TestHighAvailability(t *testing.T) {
	const id = 5031

	for _, on := range []*installation{claims, namespaced} {
		t.Run(on.configuration, func(t *testing.T) {
			t.Parallel()

			r := on.rig(t)
			must(t, r.apply(t.Context(), catalogueOfHA()))
			t.Cleanup(func() { r.forget(t, []*unstructured.Unstructured{catalogueOfHA()}) })

			r.live(t, life{
				reason: "The HA manager never starts a VM that the provider stops, and never has one that goes.",
				claim:  machine("life-ha", id), ids: []int{id}, kinds: []string{kindHA}, rehearsed: true,
				steps: []step{
					born(id),
					{
						does: "HA", edit: map[string]any{"ha": map[string]any{"enabled": true}}, says: said("HighlyAvailable", "True HAManaged"), made: []string{kindHA},
						written: []string{"HA of VM 5031: started"}, vm: runs, status: map[string]string{"appliedSpec.ha.enabled": "true"},
					},
					{
						does: "more memory, and a restart for it", edit: map[string]any{"size.cores": int64(4), "lifecycle.reboot": "today"},
						says: said("HighlyAvailable", "True HAManaged"), check: inHA(id, "started"), vm: cores(4, 4),
						written: []string{
							"change VM 5031", "HA of VM 5031: ignored", "change VM 5031", "stop VM 5031", "change VM 5031", "start VM 5031", "HA of VM 5031: started",
						},
						orWritten: []string{
							"HA of VM 5031: ignored", "change VM 5031", "stop VM 5031", "change VM 5031", "start VM 5031", "HA of VM 5031: started",
						},
					},
					{
						does: "Stopped", edit: map[string]any{"power": "Stopped"}, check: inHA(id, "stopped"),
						says:    map[string]string{"MachineReady": "True Stopped", "HighlyAvailable": "True HAManaged"},
						written: []string{"HA of VM 5031: ignored", "change VM 5031", "stop VM 5031", "HA of VM 5031: stopped"},
					},
					{
						does: "Running", edit: map[string]any{"power": "Running"}, says: said("HighlyAvailable", "True HAManaged"), check: inHA(id, "started"), vm: runs,
						written: []string{"change VM 5031", "HA of VM 5031: started", "HA starts VM 5031"}, unordered: true,
						// Where the HA manager was faster, the provider finds the VM running, and has nothing to write.
						orWritten: []string{"HA of VM 5031: started", "HA starts VM 5031"},
					},
					{
						does: "no HA", edit: map[string]any{"ha": nil}, says: said("HighlyAvailable", "False HADisabled"), gone: []string{kindHA}, vm: runs,
						written: []string{"HA of VM 5031: none"},
					},
					{
						does: "HA again", edit: map[string]any{"ha": map[string]any{"enabled": true}}, says: said("HighlyAvailable", "True HAManaged"), made: []string{kindHA},
						written: []string{"HA of VM 5031: started"},
					},
					{
						does: "the claim is deleted", remove: true, gone: []string{kindVM, kindImage, kindHA},
						written: []string{"HA of VM 5031: none", "stop VM 5031", "destroy VM 5031"},
					},
				},
			})
		})
	}
}
