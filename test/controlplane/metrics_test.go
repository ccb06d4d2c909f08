package controlplane

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/homelab-io/function-proxmox-machine/test/controlplane/standin"
)

// A situation is a claim in some state, and the alerts that it gives if it stays so.
type situation struct {
	claim *unstructured.Unstructured
	// before it is applied, after it is ready; nil if nothing.
	before, after func(ctx context.Context, r *rig, claim *unstructured.Unstructured) error
	// never becomes ready.
	never bool
	// condition that it ends with, none if it is gone then; and alerts that come of it.
	says   [3]string
	alerts []string
}

// set a field of a claim that is there.
func set(value any, path ...string) func(context.Context, *rig, *unstructured.Unstructured) error {
	return func(ctx context.Context, r *rig, claim *unstructured.Unstructured) error {
		return r.edit(ctx, claim, func(c *unstructured.Unstructured) { _ = unstructured.SetNestedField(c.Object, value, path...) })
	}
}

// pause an object, as a person does.
var pause = set("true", "metadata", "annotations", "crossplane.io/paused")

// leaves deletes a claim, whose VM cannot go since somebody paused it.
func leaves(ctx context.Context, r *rig, claim *unstructured.Unstructured) error {
	managed, err := r.managed(ctx, claim)
	if err != nil {
		return err
	}

	for _, m := range managed {
		if err := pause(ctx, r, m); err != nil {
			return err
		}
	}

	return r.Client.Delete(ctx, claim.DeepCopy())
}

// stays deletes a claim that somebody paused.
func stays(ctx context.Context, r *rig, claim *unstructured.Unstructured) error {
	if err := pause(ctx, r, claim); err != nil {
		return err
	}

	if err := r.says(ctx, claim, "Synced", "False", "ReconcilePaused"); err != nil {
		return err
	}

	return r.Client.Delete(ctx, claim.DeepCopy())
}

// situations of all kinds that alerts tell apart.
func situations(t *testing.T) []situation {
	t.Helper()

	halfMade := func(_ context.Context, r *rig, claim *unstructured.Unstructured) error {
		t.Cleanup(r.world.Break("half-made", belongsTo(claim)))

		return nil
	}

	// Only another edit helps, so the VM is paused.
	refused := func(ctx context.Context, r *rig, claim *unstructured.Unstructured) error {
		t.Cleanup(r.world.Break("refused", belongsTo(claim)))

		return r.apply(ctx, tag(claim, "later"))
	}

	// A fault in a claim freezes what the claim says of itself: first it shall have come to rest.
	unknownClass := func(ctx context.Context, r *rig, claim *unstructured.Unstructured) error {
		return errors.Join(r.settled(ctx, claim), set("nowhere", "spec", "class")(ctx, r, claim))
	}

	adopts := machine("metrics-adopts", 10026)
	unstructured.RemoveNestedField(adopts.Object, "spec", "proxmox", "vmId")
	_ = unstructured.SetNestedMap(adopts.Object, map[string]any{"vmId": int64(10026)}, "spec", "adopt")

	there := func(id int) func(context.Context, *rig, *unstructured.Unstructured) error {
		return func(_ context.Context, r *rig, _ *unstructured.Unstructured) error {
			config := map[string]any{
				"name": "by-hand", "bios": "seabios", "scsiHardware": "virtio-scsi-single", "onBoot": true, "bootOrder": []any{"scsi0"},
				"cpu":             []any{map[string]any{"cores": int64(2), "sockets": int64(1), "type": "host"}},
				"memory":          []any{map[string]any{"dedicated": int64(4096)}},
				"operatingSystem": []any{map[string]any{"type": "l26"}},
				"disk": []any{map[string]any{
					"interface": "scsi0", "datastoreId": "local-lvm", "size": int64(32), "fileFormat": "raw",
					"pathInDatastore": fmt.Sprintf("vm-%d-disk-0", id), "cache": "none", "backup": true, "replicate": true,
				}},
				"networkDevice": []any{map[string]any{"bridge": "vmbr0", "model": "virtio", "macAddress": "BC:24:11:00:51:09", "enabled": true}},
			}
			r.world.AddVM(standin.VM{ID: id, Node: "pve", Config: config, Running: config, Started: true})
			t.Cleanup(func() { r.world.Remove(id) })

			return nil
		}
	}

	server := edited(k3sNode("server", "server", 221), map[string]any{"k3s.init": true, "hostname": nodePrefix + "server"})
	server.SetName("metrics-server")

	// The stand-in for K3s knows its nodes by their names, and so not this one.
	unjoined := k3sNode("agent", "agent", 222)
	unjoined.SetName("metrics-unjoined")

	apart := func(name string, id int64, node string) *unstructured.Unstructured {
		return edited(machine(name, id), map[string]any{"proxmox.spread": "metrics", "proxmox.site": "home", "proxmox.node": node})
	}
	meets := func(_ context.Context, r *rig, _ *unstructured.Unstructured) error {
		r.world.Edit(func(vms map[int]*standin.VM) { vms[10036].Node = "pve" })

		return nil
	}

	nixos := edited(machine("metrics-nixos", 10033), map[string]any{"image": "nixos", "nix": map[string]any{"flakeRef": "github:a/b#c"}})

	return []situation{
		clusterThatHangs(t),
		{
			// Nobody may drain the nodes of its cluster.
			claim: server, after: set("now", "spec", "lifecycle", "drain"),
			says: [3]string{"EtcdMember", "True", "Voter"}, alerts: []string{"MachineDrainBlocked"},
		},
		{
			claim: unjoined, never: true,
			says: [3]string{"NodeJoined", "False", "NotYet"}, alerts: []string{"MachineNodeNotJoined", "MachineNotReady"},
		},
		{
			claim: siteClaim("metrics-site", map[string]any{"name": "vmbr9"}, "metrics"), after: set([]any{map[string]any{"name": "vmbr9", "mtu": int64(9000)}}, "spec", "nodes", "pve", "bridges"),
			says: [3]string{"InterruptionPending", "True", "WaitingForWord"}, alerts: []string{"SiteInterruptionPending"},
		},
		{
			claim: apart("metrics-apart", 10035, "pve"), says: [3]string{"SpreadBroken", "True", "OnOneNode"}, alerts: []string{"MachineSpreadBroken"},
		},
		{
			// Somebody moves it.
			claim: apart("metrics-meets", 10036, "pve2"), after: meets,
			says: [3]string{"SpreadBroken", "True", "OnOneNode"}, alerts: []string{"MachineReplacementRequired", "MachineSpreadBroken"},
		},
		{claim: nixos, says: [3]string{"Converged", "Unknown", "NotReported"}},
		{claim: machine("metrics-well", 10028), says: [3]string{"MachineReady", "True", "Running"}},
		{
			claim: edited(machine("metrics-in-order", 10034), map[string]any{
				"lifecycle": map[string]any{"approval": "OnRisk"}, "rollout": map[string]any{"group": "metrics", "wave": int64(1)},
			}),
			says: [3]string{"RolloutFinished", "True", "Finished"},
		},
		{
			claim: machine("metrics-refused", 10021), after: unknownClass,
			says: [3]string{"SpecValid", "False", "ValidationFailed"}, alerts: []string{"MachineSpecRefused"},
		},
		{
			claim: machine("metrics-restarts", 10022), after: set(int64(4), "spec", "size", "cores"),
			says: [3]string{"RebootPending", "True", "ChangesPending"}, alerts: []string{"MachineRebootPending"},
		},
		{
			claim: machine("metrics-replaces", 10023), after: set("ubuntu-24.04", "spec", "image"),
			says: [3]string{"ReplacementRequired", "True", "ImmutableFieldChanged"}, alerts: []string{"MachineReplacementRequired"},
		},
		{
			claim: machine("metrics-wedged", 10024), after: refused,
			says: [3]string{"ProviderHealthy", "False", "ValidationFailed"}, alerts: []string{"MachineNotReady", "MachineWedged"},
		},
		{
			claim: machine("metrics-half-made", 10032), before: halfMade, never: true,
			says: [3]string{"ProviderHealthy", "False", "Tainted"}, alerts: []string{"MachineFailed", "MachineNotReady"},
		},
		{
			// What does not run, the HA manager cannot keep running.
			claim: with(machine("metrics-taken", 10025), "ha", map[string]any{"enabled": true}), before: there(10025), never: true,
			says: [3]string{"VMIDInUse", "True", "NumberTaken"}, alerts: []string{"MachineFailed", "MachineNotHighlyAvailable", "MachineNotReady"},
		},
		{
			claim: adopts, before: there(10026), never: true,
			says: [3]string{"MachineReady", "False", "WaitingForApproval"}, alerts: []string{"MachineWaitsForApproval"},
		},
		{
			claim: machine("metrics-paused", 10027), after: pause,
			says: [3]string{"Synced", "False", "ReconcilePaused"}, alerts: []string{"MachinePausedByHand"},
		},
		{
			claim: machine("metrics-leaves", 10029), after: leaves,
			alerts: []string{"MachineDeletionStuck", "MachinePausedByHand"},
		},
		{
			claim: machine("metrics-stays", 10030), after: stays,
			says: [3]string{"Synced", "False", "ReconcilePaused"}, alerts: []string{"MachineDeletionStuck", "MachinePausedByHand"},
		},
	}
}

// catalogueOfMetrics is that of K3s nodes whose Nodes are read, with an image of NixOS.
func catalogueOfMetrics() *unstructured.Unstructured {
	out := catalogueOfNodes("Here")
	_ = unstructured.SetNestedMap(out.Object, map[string]any{
		"nixos": map[string]any{"template": int64(9000), "templateNode": "pve", "os": "nixos", "templateDisk": "virtio0", "convergeUnit": true, "disk": "20Gi"},
	}, "data", "images")
	_ = unstructured.SetNestedSlice(out.Object, []any{"local", "local-lvm"}, "data", "sites", "home", "sharedDatastores")
	_ = unstructured.SetNestedMap(out.Object, map[string]any{"pve": map[string]any{}, "pve2": map[string]any{}}, "data", "sites", "home", "nodes")

	return out
}

// TestMetrics lets claims get into all kinds of situations, scrapes what Prometheus would, and looks what alerts make of it. It has a plane of
// its own, since a catalogue is for all claims of a plane.
func TestMetrics(t *testing.T) {
	t.Parallel()
	needs(t, "kube-state-metrics", "promtool", "observability")

	r := ownRig(t, claims, "metrics")
	r.grant(t)
	r.observing(t, "Here")
	must(t, r.apply(t.Context(), catalogueOfMetrics()))

	all := situations(t)

	t.Cleanup(func() { r.leave(t, all) })

	for _, s := range all {
		if s.before != nil {
			must(t, s.before(t.Context(), r, s.claim))
		}

		must(t, r.apply(t.Context(), s.claim))
	}

	for _, s := range all {
		if !s.never {
			must(t, r.ready(t.Context(), s.claim))
		}

		if s.after != nil {
			must(t, s.after(t.Context(), r, s.claim))
		}
	}

	for _, s := range all {
		if s.says[0] != "" {
			must(t, r.says(t.Context(), s.claim, s.says[0], s.says[1], s.says[2]))
		}
	}

	files := r.scrape(t, all)

	t.Run("NothingIsAskedForThatIsNotThere", func(t *testing.T) {
		args := append([]string{"scraped", "--dir", shippedObservability}, slices.Sorted(maps.Values(files))...)
		tool(t, "observability", append(append(args, guestReports...), kubeletReports)...)
	})

	t.Run("AlertsFire", func(t *testing.T) { fire(t, files, all) })
}
