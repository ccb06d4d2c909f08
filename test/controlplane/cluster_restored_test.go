package controlplane

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/homelab-io/function-proxmox-machine/test/controlplane/k3s"
	"github.com/homelab-io/function-proxmox-machine/test/controlplane/plane"
)

// TestClusterRestored follows docs/clusters.md: the control plane of a cluster that runs is lost, and another one gets its claim from Git. Both planes
// have one Proxmox, and the cluster's Nodes are read on each.
func TestClusterRestored(t *testing.T) {
	t.Parallel()

	for _, on := range []*installation{namespaced, claims} {
		t.Run(on.configuration, func(t *testing.T) {
			t.Parallel()

			old, next := ownRig(t, on, "restored-before"), ownRig(t, on, "restored-after")
			next.sharing(t, old.world)

			cluster, err := k3s.Start(old.REST, old.world, k3s.Quick, func(node string) bool { return strings.HasPrefix(node, nodePrefix) })
			must(t, err)
			t.Cleanup(cluster.Stop)

			claim := clusterClaim()
			run := &restoredRun{
				old:        &clusterRun{nodesRun: &nodesRun{rig: old, k3s: cluster}, claim: claim},
				clusterRun: &clusterRun{nodesRun: &nodesRun{rig: next, k3s: cluster}, claim: claim},
				guide:      open(t, "clusters.md"),
			}
			run.live(t, []nodesStep{
				{"Birth", run.birth},
				{"Lost", run.lost},
				{"WithoutAWord", run.withoutAWord},
				{"Planned", run.planned},
				{"Approved", run.approved},
				{"ScaleUp", run.grows},
			})
		})
	}
}

// A restoredRun is a cluster whose control plane is lost, and the one after it.
type restoredRun struct {
	*clusterRun

	old   *clusterRun
	guide *runbook

	vms     map[string]int // By node.
	configs map[int]string // Of the VMs, without tags.
	written int            // Lines of Proxmox' journal when the old plane was lost.
}

// prepared is what a plane has before the claim.
func (c *clusterRun) prepared(t *testing.T) {
	t.Helper()
	must(t, c.Client.Create(t.Context(), tokenOfNodes()))
	c.grant(t)
	must(t, c.apply(t.Context(), catalogueOfNodes("Here")))
}

func (r *restoredRun) birth(t *testing.T) {
	r.old.claim = counted(edited(r.old.claim, map[string]any{"agents": r.old.agentsOf(1)}))
	r.old.prepared(t)
	must(t, r.old.apply(t.Context(), r.old.claim))
	r.old.complete(t, "birth of four nodes")
	r.old.members(t)
	r.claim, r.vms = r.old.claim, r.old.ids(t)
}

// lost: the plane ends in the middle of nothing, and all that it knew with it. K3s lives on, and the next plane can read its Nodes.
func (r *restoredRun) lost(t *testing.T) {
	plane.Rest(t.Context(), moment)
	r.old.stop()
	must(t, k3s.Serve(r.k3s, r.REST))
	r.prepared(t)
	r.k3s.Fewest()
	r.written, r.configs = len(r.world.Journal()), r.untagged()
}

// snippetID is the volume of a snippet in the configuration of a VM.
var snippetID = regexp.MustCompile(`[a-z]+:snippets/[^] ]+`)

var importedFrom = regexp.MustCompile(`importFrom:\S* ?`)

// untagged configurations of the VMs, without what takes over changes: tags, and the notes, which name the composite; whether they run, and which of the snippets that they read are there.
func (r *restoredRun) untagged() map[int]string {
	out := map[int]string{}

	for _, id := range r.vms {
		if vm := r.world.VM(id); vm != nil {
			config := maps.Clone(vm.Config)
			delete(config, "tags")
			delete(config, "description")
			// Where a disk was imported from is nothing that Proxmox keeps.
			out[id] = importedFrom.ReplaceAllString(fmt.Sprintf("started: %t, %v", vm.Started, config), "")

			for _, snippet := range snippetID.FindAllString(out[id], -1) {
				out[id] += fmt.Sprintf(", %s is there: %t", snippet, r.world.Volume(vm.Node, snippet) != nil)
			}
		}
	}

	return out
}

// told checks that nothing was done to Proxmox since the plane was lost but what begins with these words.
func (r *restoredRun) told(t *testing.T, but ...string) {
	t.Helper()
	plane.Rest(t.Context(), 2*moment)

	for _, line := range r.world.Journal()[r.written:] {
		if !slices.ContainsFunc(but, func(b string) bool { return strings.HasPrefix(line, b) }) {
			t.Errorf("Proxmox was told: %s", line)
		}
	}

	if diff := cmp.Diff(r.configs, r.untagged()); diff != "" {
		t.Errorf("VMs have changed: -before, +after:\n%s", diff)
	}

	if few := r.k3s.Fewest(); few != 3 {
		t.Errorf("%d servers voted at the worst moment, want 3", few)
	}

	r.safe(t)
}

// withoutAWord: the claim alone makes no VM beside those that run.
func (r *restoredRun) withoutAWord(t *testing.T) {
	r.guide.says("## Applied to a new control plane")
	must(t, r.apply(t.Context(), r.claim))
	r.guide.says("no VM is made: a Ready Node of the name is another machine's (`MachineReady` is False, `OtherMachine`)")
	must(t, r.until(t.Context(), "server-0 says whose its name is", func(ctx context.Context) (bool, string) {
		said := r.nodes(ctx)
		return strings.Contains(said, "OtherMachine"), said
	}))
	r.told(t, "write ")
}

// planned: each node names its VM, and says what it would change.
func (r *restoredRun) planned(t *testing.T) {
	r.guide.says("adoptVm: {vmId: 4101}")
	r.adoptVM(t, nil)
	r.guide.says("`RolledOut` is False with the reason `Blocked`, and names the plan of each node.")
	must(t, r.tells(t.Context(), r.claim, isNot("RolledOut", "Blocked", "approve")))
	r.told(t, "write ", "remove ") // What a first VM would have read.
}

// adoptVM names the VM of each node in the claim, and the plan that is approved where there are plans.
func (r *restoredRun) adoptVM(t *testing.T, plans map[string]any) {
	t.Helper()

	nodes, _, err := unstructured.NestedSlice(r.claim.Object, "spec", "nodes")
	must(t, err)

	for _, n := range nodes {
		n := n.(map[string]any) //nolint:forcetypeassert // As the claim has it.
		name := fmt.Sprint(n["name"])

		if id, there := r.vms[name]; there {
			adopt := map[string]any{"vmId": int64(id)}
			if plan := plans[name]; plan != nil {
				adopt["approve"] = plan
			}

			n["adoptVm"] = adopt
		}
	}

	r.claim = edited(r.claim, map[string]any{"nodes": nodes})
	must(t, r.apply(t.Context(), r.claim))
}

// approved: nothing changes in Proxmox but tags, and the cluster is what it was.
func (r *restoredRun) approved(t *testing.T) {
	plans := map[string]any{}

	must(t, r.until(t.Context(), "each node has its plan", func(ctx context.Context) (bool, string) {
		all, err := r.composites(ctx)
		if err != nil {
			return false, err.Error()
		}

		for _, x := range all {
			plan, _, _ := unstructured.NestedMap(x.Object, "status", "adoption")
			if plan["plan"] == nil {
				return false, x.GetName() + " has none"
			}

			for _, list := range []string{"reboots", "refused"} {
				if plan[list] != nil {
					t.Errorf("the plan of %s has %s: %v", x.GetName(), list, plan[list])
				}
			}

			plans[x.GetAnnotations()["crossplane.io/composition-resource-name"]] = plan["plan"]
		}

		return len(plans) == len(r.vms), fmt.Sprintf("plans are %v", plans)
	}))

	r.guide.says(`adoptVm: {vmId: 4101, approve: "3f9a0c71d2"}`)
	r.adoptVM(t, plans)
	r.complete(t, "all VMs are taken over")

	if diff := cmp.Diff(r.vms, r.ids(t)); diff != "" {
		t.Errorf("VMs of the nodes: -before, +after:\n%s", diff)
	}

	r.told(t, "write ", "remove ", "change VM ")
}

// grows: the cluster takes a further agent, as before.
func (r *restoredRun) grows(t *testing.T) {
	changes := map[string]any{"agents": r.agentsOf(2), "nodes": r.withNode(t, "worker-1")}
	rehearsed := r.rehearses(t, changes)

	r.change(t, changes)
	r.numbers(t, 5)
	r.complete(t, "a further agent has joined")
	rehearsed.came(t, "done")
	r.consists(t, "server-0", "server-1", "server-2", "worker-0", "worker-1")
}
