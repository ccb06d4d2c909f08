package controlplane

import (
	"context"
	"fmt"
	"maps"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/homelab-io/function-proxmox-machine/test/controlplane/standin"
)

// TestSites lets the bridges, VLAN interfaces and pools of a site live: each edit of the claim, and what somebody does in Proxmox, has exactly the effects
// that docs/site-parts.md promises. The claims need no catalogue, so they live while other tests have planes of their own.
func TestSites(t *testing.T) {
	t.Parallel()

	for name, of := range map[string]func() life{"Edits": siteEdits, "Taken": takenSite} {
		for _, on := range []*installation{claims, namespaced} {
			t.Run(name+"/"+on.configuration, func(t *testing.T) {
				t.Parallel()

				l := of()
				l.rehearsed = true

				on.rig(t).live(t, l)
			})
		}
	}
}

// siteClaim of node pve.
func siteClaim(name string, bridge map[string]any, pool string) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "homelab.io/v1alpha1", "kind": "ProxmoxSite", "metadata": map[string]any{"name": name, "namespace": machines},
		"spec": map[string]any{
			"nodes":          map[string]any{"pve": map[string]any{"bridges": []any{bridge}}},
			"pools":          []any{map[string]any{"name": pool}},
			"deletionPolicy": "Delete",
		},
	}}
}

// Conditions of a site whose parts are all in Proxmox.
var (
	sitePresent = map[string]string{"SiteReady": "True AllPresent", "InterruptionPending": "False NothingPending", "ProviderHealthy": "True NoError"}
	siteWaits   = map[string]string{"SiteReady": "True AllPresent", "InterruptionPending": "True WaitingForWord", "ProviderHealthy": "True NoError"}
)

// hashOf is what allows the changes of an interface that wait; empty where none does.
func hashOf(now *unstructured.Unstructured, name string) string {
	all, _, _ := unstructured.NestedSlice(now.Object, "status", "interfaces")
	for _, i := range all {
		if m, _ := i.(map[string]any); m["name"] == name {
			hash, _ := m["allow"].(string)

			return hash
		}
	}

	return ""
}

// both looks at two things.
func both(a, b func(context.Context, *biography) string) func(context.Context, *biography) string {
	return func(ctx context.Context, of *biography) string { return a(ctx, of) + b(ctx, of) }
}

// hasArrived looks whether status.appliedSpec has the nodes of the spec.
func hasArrived(want bool) func(context.Context, *biography) string {
	return func(ctx context.Context, b *biography) string {
		now, err := b.now(ctx, b.claim)
		if err != nil {
			return err.Error()
		}

		spec, _, _ := unstructured.NestedFieldNoCopy(now.Object, "spec", "nodes")
		applied, _, _ := unstructured.NestedFieldNoCopy(now.Object, "status", "appliedSpec", "nodes")

		return differs("status.appliedSpec has the nodes of the spec", cmp.Equal(spec, applied), want)
	}
}

func siteEdits() life {
	const (
		name = "vmbr7"
		vlan = name + ".30"
		pool = "life-site"
	)

	bridge := func(other map[string]any) []any {
		out := map[string]any{"name": name, "ports": []any{"enp7s0"}, "mtu": int64(9000), "comment": "storage network"}
		maps.Copy(out, other)

		return []any{out}
	}

	claim := edited(siteClaim("life-site", bridge(nil)[0].(map[string]any), pool), map[string]any{
		"nodes.pve.vlans": []any{map[string]any{"interface": name, "tag": int64(30)}},
	})

	return life{
		reason: "Comments are written at once, what interrupts waits for its hash, which counts once, and what is removed stays until the claim names it.",
		claim:  claim, parts: []string{"pve/" + name, "pve/" + vlan, pool, "pve/enp7s0"},
		hand: func(w *standin.World) { w.AddInterface(standin.NetworkInterface{Node: "pve", Name: "enp7s0"}) },
		steps: []step{
			{
				does: "a claim is applied", says: sitePresent, made: []string{kindBridge, kindVLAN, kindPool}, status: map[string]string{"present": "3/3"},
				written: []string{"create VLAN interface pve/" + vlan, "create bridge pve/" + name, "create pool " + pool},
			},
			{
				does: "another comment, and another MTU", says: siteWaits, written: []string{"change bridge pve/" + name + ": comment"},
				edit:  map[string]any{"nodes.pve.bridges": bridge(map[string]any{"comment": "cameras", "mtu": int64(1500)})},
				check: both(mentions("InterruptionPending", "bridge pve/"+name, "9000 to 1500", "allowInterruption"), hasArrived(false)),
			},
			{
				does: "the hash", says: sitePresent, check: hasArrived(true),
				editAs: func(now *unstructured.Unstructured) map[string]any {
					return map[string]any{"nodes.pve.bridges": bridge(map[string]any{"mtu": int64(1500), "allowInterruption": hashOf(now, "pve/"+name)})}
				},
				written: []string{"change bridge pve/" + name + ": comment, mtu"}, status: map[string]string{"present": "3/3"},
			},
			{
				does: "somebody changes the MTU in Proxmox, and the VLAN interface is removed from the claim", says: siteWaits,
				hand: func(w *standin.World) {
					w.EditInterfaces(func(all map[string]*standin.NetworkInterface) { all["pve:"+name].Config["mtu"] = int64(9000) })
				},
				edit:  map[string]any{"nodes.pve.vlans": nil},
				check: mentions("InterruptionPending", "9000 to 1500", "spec.allowRemoval.interfaces does not name it"),
			},
			{
				does: "its removal is allowed", says: siteWaits, edit: map[string]any{"allowRemoval.interfaces": []any{"pve/" + vlan}},
				gone: []string{kindVLAN}, written: []string{"delete VLAN interface pve/" + vlan}, status: map[string]string{"present": "2/2"},
			},
			{
				does: "the claim is deleted", remove: true, gone: []string{kindBridge, kindPool}, written: []string{"delete bridge pve/" + name, "delete pool " + pool},
				check: func(_ context.Context, b *biography) string {
					if all, _ := b.world.Network(); all["pve:enp7s0"].Name == "" {
						return "the port is gone"
					}

					return ""
				},
			},
		},
	}
}

func takenSite() life {
	const (
		name = "vmbr8"
		pool = "life-taken"
	)

	byHand := standin.NetworkInterface{Node: "pve", Name: name, Config: map[string]any{"address": "192.168.4.2/24", "comment": "by hand"}}

	asItWas := func(_ context.Context, b *biography) string {
		all, pools := b.world.Network()

		return cmp.Diff(byHand, all["pve:"+name]) + cmp.Diff("by hand", pools[pool])
	}

	return life{
		reason: "An interface and a pool that somebody made are neither changed nor deleted.",
		claim:  siteClaim("life-taken", map[string]any{"name": name, "mtu": int64(9000)}, pool), parts: []string{"pve/" + name, pool},
		hand: func(w *standin.World) {
			w.AddInterface(standin.NetworkInterface{Node: byHand.Node, Name: byHand.Name, Config: map[string]any{"address": "192.168.4.2/24", "comment": "by hand"}})
			w.EditPools(func(pools map[string]string) { pools[pool] = "by hand" })
		},
		steps: []step{
			{
				does: "a claim is applied", made: []string{kindBridge, kindPool}, status: map[string]string{"present": "0/2", "appliedSpec": fmt.Sprint(nil)},
				says: map[string]string{"Ready": "False", "SiteReady": "False NameTaken", "ProviderHealthy": "True NoError"}, check: asItWas,
			},
			{does: "the claim is deleted", remove: true, gone: []string{kindBridge, kindPool}, check: asItWas},
		},
	}
}
