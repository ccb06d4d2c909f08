package controlplane

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// TestClusters is the life of a K3sCluster: born of one commit, changed in turns, scaled, and deleted: docs/clusters.md. It has a plane of its
// own, since its Nodes are read.
func TestClusters(t *testing.T) {
	t.Parallel()

	for _, on := range []*installation{namespaced, claims} {
		t.Run(on.configuration, func(t *testing.T) {
			t.Parallel()

			r := ownRig(t, on, "clusters")
			c := &clusterRun{nodesRun: &nodesRun{rig: r, k3s: r.observing(t, "None")}, claim: clusterClaim()}
			c.grant(t)

			steps := []nodesStep{{"Birth", c.birth}}
			if on == namespaced {
				steps = append(steps, nodesStep{"ImageWithoutProcesses", c.imageWithoutProcesses}, nodesStep{"ScaleUp", c.scaleUp}, nodesStep{"Memory", c.memory})
			} else {
				steps = append(steps, nodesStep{"Image", c.image}, nodesStep{"HostLost", c.hostLost})
			}

			c.live(t, append(steps, nodesStep{"ScaleDown", c.scaleDown}, nodesStep{"Delete", c.goes}))
		})
	}
}

// A clusterRun is a K3sCluster over its life.
type clusterRun struct {
	*nodesRun

	claim *unstructured.Unstructured
}

// clusterClaim is a claim for three servers and two agents.
func clusterClaim() *unstructured.Unstructured {
	var nodes []any

	for i, name := range []string{"server-0", "server-1", "server-2", "worker-0", "worker-1"} {
		nodes = append(nodes, map[string]any{"name": name, "ip": fmt.Sprintf("192.168.4.%d/24", 201+i)})
	}

	template := map[string]any{
		"network":   map[string]any{"gateway": "192.168.4.1"},
		"bootstrap": map[string]any{"sshAuthorizedKeys": []any{"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ4yyXq0Hn7d2M0b5xw1lVxJXr5m1m2oYv2m0uX0exam ops@home"}},
	}

	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "homelab.io/v1alpha1", "kind": "K3sCluster",
		"metadata": map[string]any{"name": nodePrefix + "home", "namespace": machines},
		"spec": map[string]any{
			"cluster": "home",
			"token": map[string]any{
				"secretRef": map[string]any{"name": "node-token", "key": "short"}, "allowPlaintext": true, "trustOnFirstUse": true,
			},
			"servers":            map[string]any{"count": int64(3), "image": "debian-12", "template": template},
			"agents":             []any{map[string]any{"name": "worker", "count": int64(2), "image": "debian-12", "template": template}},
			"nodes":              nodes,
			"deletionPolicy":     "Delete",
			"deletionProtection": false,
		},
	}}
}

// counted is a claim without the settings of nodes that its counts do not have: a new claim that names them is refused.
func counted(claim *unstructured.Unstructured) *unstructured.Unstructured {
	servers, _, _ := unstructured.NestedInt64(claim.Object, "spec", "servers", "count")
	counts := map[string]int64{"server": servers}

	agents, _, _ := unstructured.NestedSlice(claim.Object, "spec", "agents")
	for _, a := range agents {
		pool := a.(map[string]any) //nolint:forcetypeassert // As the claim above has it.
		counts[fmt.Sprint(pool["name"])], _ = pool["count"].(int64)
	}

	nodes, _, _ := unstructured.NestedSlice(claim.Object, "spec", "nodes")

	return edited(claim, map[string]any{"nodes": slices.DeleteFunc(nodes, func(n any) bool {
		name, number, _ := strings.Cut(fmt.Sprint(n.(map[string]any)["name"]), "-") //nolint:forcetypeassert // As the claim above has it.
		i, err := strconv.ParseInt(number, 10, 64)

		return err != nil || i >= counts[name]
	})})
}

// withNode is spec.nodes with the settings of one more node, as the claim above has them.
func (c *clusterRun) withNode(t *testing.T, name string) []any {
	t.Helper()

	nodes, _, err := unstructured.NestedSlice(c.claim.Object, "spec", "nodes")
	must(t, err)

	all, _, err := unstructured.NestedSlice(clusterClaim().Object, "spec", "nodes")
	must(t, err)

	return append(nodes, all[slices.IndexFunc(all, func(n any) bool { return n.(map[string]any)["name"] == name })]) //nolint:forcetypeassert // As above.
}

// complete waits until a rollout is.
func (c *clusterRun) complete(t *testing.T, what string) {
	t.Helper()

	begin := time.Now()

	must(t, c.until(t.Context(), what, func(ctx context.Context) (bool, string) {
		now, err := c.now(ctx, c.claim)
		if err != nil {
			return false, err.Error()
		}

		message, _, _ := unstructured.NestedString(now.Object, "status", "rollout", "message")

		return condition(now, "RolledOut").status == "True" && condition(now, "Ready").status == "True", message + "\n" + c.nodes(ctx)
	}))
	t.Logf("%s: complete after %s", what, time.Since(begin).Round(time.Second))
	c.safe(t)
}

// nodes of the cluster, with what they say.
func (c *clusterRun) nodes(ctx context.Context) string {
	all, err := c.composites(ctx)
	if err != nil {
		return err.Error()
	}

	var out []string
	for _, n := range all {
		out = append(out, n.GetName()+": "+conditions(&n))
	}

	return strings.Join(out, "\n")
}

// composites of the nodes.
func (c *clusterRun) composites(ctx context.Context) ([]unstructured.Unstructured, error) {
	l := &unstructured.UnstructuredList{}
	l.SetGroupVersionKind(schema.GroupVersionKind{Group: "homelab.io", Version: "v1alpha1", Kind: c.nodeKind() + "List"})
	err := c.Client.List(ctx, l)

	return l.Items, err
}

// nodeKind is the kind of the nodes' composites.
func (c *clusterRun) nodeKind() string {
	if c.configuration == namespaced.configuration {
		return "K3sNode"
	}

	return "XK3sNode"
}

// edit the claim, and wait until the rollout has begun.
func (c *clusterRun) change(t *testing.T, changes map[string]any) {
	t.Helper()

	c.claim = edited(c.claim, changes)
	must(t, c.apply(t.Context(), c.claim))
	must(t, c.until(t.Context(), "the rollout has begun", func(ctx context.Context) (bool, string) {
		now, err := c.now(ctx, c.claim)
		return err == nil && condition(now, "RolledOut").status == "False", fmt.Sprintf("%s, %v", conditions(now), err)
	}))
}

func (c *clusterRun) birth(t *testing.T) {
	c.born(t, []string{"server-0", "server-1", "server-2", "worker-0", "worker-1"})
}

// born is the cluster with these nodes, of one commit.
func (c *clusterRun) born(t *testing.T, want []string) {
	t.Helper()

	must(t, c.apply(t.Context(), catalogueOfObjects("Here")))
	rehearsed := c.rehearses(t, nil)

	must(t, c.apply(t.Context(), c.claim))
	c.complete(t, fmt.Sprintf("birth of %d nodes", len(want)))
	rehearsed.cameInAnyOrder(t, "done")
	c.startProviderKubernetes(t)
	c.consists(t, want...)
}

// numbers waits until the status has so many nodes. What a node learned while the rollout before ended may make the claim say once more that it is complete,
// before an edit is seen.
func (c *clusterRun) numbers(t *testing.T, nodes int) {
	t.Helper()
	must(t, c.until(t.Context(), fmt.Sprintf("there are %d nodes", nodes), func(ctx context.Context) (bool, string) {
		now, err := c.now(ctx, c.claim)
		if err != nil {
			return false, err.Error()
		}

		all, _, err := unstructured.NestedSlice(now.Object, "status", "nodes")

		return len(all) == nodes, fmt.Sprint(all, err)
	}))
}

// consists checks the names of the nodes.
func (c *clusterRun) consists(t *testing.T, want ...string) {
	t.Helper()

	if names := c.members(t); !slices.Equal(names, want) {
		t.Errorf("nodes are %q; want %q", names, want)
	}
}

// members are the names of the nodes in the status, once all of them are ready: what a node has learned while a rollout ended may be written a
// moment later.
func (c *clusterRun) members(t *testing.T) []string {
	t.Helper()

	var out []string

	must(t, c.until(t.Context(), "all nodes are ready", func(ctx context.Context) (bool, string) {
		out = nil

		now, err := c.now(ctx, c.claim)
		if err != nil {
			return false, err.Error()
		}

		nodes, _, err := unstructured.NestedSlice(now.Object, "status", "nodes")
		if err != nil {
			return false, err.Error()
		}

		for _, n := range nodes {
			n := n.(map[string]any) //nolint:forcetypeassert // As the XRD has it.
			if n["state"] != "Ready" {
				return false, fmt.Sprintf("node %v is %v", n["name"], n["state"])
			}

			out = append(out, fmt.Sprint(n["name"]))
		}

		return true, ""
	}))

	return out
}

// image: every node is replaced by a new VM, one by one, without hands.
func (c *clusterRun) image(t *testing.T) {
	changes := map[string]any{"servers.image": "ubuntu-24.04"}
	rehearsed := c.rehearses(t, changes)

	c.k3s.Fewest()
	c.change(t, changes)
	c.complete(t, "three servers have another image")
	rehearsed.came(t, "done")

	if few := c.k3s.Fewest(); few != 2 {
		t.Errorf("%d servers voted at the worst moment, want 2", few)
	}
}

// agentsOf is spec.agents with a number of workers.
func (c *clusterRun) agentsOf(count int64) []any {
	agents, _, err := unstructured.NestedSlice(c.claim.Object, "spec", "agents")
	if err != nil {
		panic(err) // A mistake in the claim above.
	}

	agents[0].(map[string]any)["count"] = count //nolint:forcetypeassert // As the claim above has it.

	return agents
}

// scaleUp: two more agents are made at once, and nobody else is touched.
func (c *clusterRun) scaleUp(t *testing.T) {
	nodes, _, err := unstructured.NestedSlice(c.claim.Object, "spec", "nodes")
	must(t, err)

	for i, name := range []string{"worker-2", "worker-3"} {
		nodes = append(nodes, map[string]any{"name": name, "ip": fmt.Sprintf("192.168.4.%d/24", 206+i)})
	}

	changes := map[string]any{"agents": c.agentsOf(4), "nodes": nodes}
	rehearsed := c.rehearses(t, changes)

	c.change(t, changes)
	c.complete(t, "two more agents are there")
	rehearsed.cameInAnyOrder(t, "done")
	c.consists(t, "server-0", "server-1", "server-2", "worker-0", "worker-1", "worker-2", "worker-3")
}

// memory: the servers are restarted one by one, and the agents are not.
func (c *clusterRun) memory(t *testing.T) {
	changes := map[string]any{"servers.template.size.memory": "6Gi", "rollout.rebootPolicy": "WhenNeeded"}
	rehearsed := c.rehearses(t, changes)

	c.k3s.Fewest()
	c.change(t, changes)
	c.complete(t, "three servers have more memory")
	rehearsed.came(t, "done")

	if few := c.k3s.Fewest(); few != 2 {
		t.Errorf("%d servers voted at the worst moment, want 2", few)
	}
}

func (c *clusterRun) scaleDown(t *testing.T) {
	for _, node := range c.members(t) {
		if node != "server-0" {
			must(t, c.k3s.Leave(t.Context(), c.claim.GetName()+"-"+node))
		}
	}

	changes := map[string]any{"agents": c.agentsOf(0), "servers.count": int64(1)}
	rehearsed := c.rehearses(t, changes)

	c.change(t, changes)
	c.complete(t, "one server and no agent are left")
	rehearsed.came(t, "done")
	must(t, c.until(t.Context(), "one VM is left", func(context.Context) (bool, string) {
		return len(c.vmsOf()) == 1, strings.Join(c.vmsOf(), ", ")
	}))
	c.safe(t)
	c.consists(t, "server-0")
}

// goes: the whole cluster is deleted. Nobody is left who could take its Node out of it.
func (c *clusterRun) goes(t *testing.T) {
	must(t, c.apply(t.Context(), catalogueOfNodes("None")))
	// On Crossplane 1.20 that arrives within a minute.
	must(t, c.until(t.Context(), "no Object deletes a Node any more", func(ctx context.Context) (bool, string) {
		deleting, err := c.deletions(ctx)
		return err == nil && len(deleting) == 0, fmt.Sprintf("%v, %v", slices.Sorted(maps.Keys(deleting)), err)
	}))
	// Until the cluster has heard it, too, a Usage keeps it: its VMs would have waited for its own API.
	must(t, c.until(t.Context(), "the cluster may be deleted", func(ctx context.Context) (bool, string) {
		err := c.Client.Delete(ctx, c.claim.DeepCopy(), client.DryRunAll)
		return err == nil, fmt.Sprint(err)
	}))
	rehearsed := c.rehearsesWith(t, []string{"--delete"}, c.ids, c.claim)

	c.ends(t)
	rehearsed.cameInAnyOrder(t, "done")
}

// ends the cluster, with all its VMs.
func (c *clusterRun) ends(t *testing.T) {
	t.Helper()

	must(t, c.Client.Delete(t.Context(), c.claim.DeepCopy()))
	must(t, c.until(t.Context(), "the cluster is gone", func(ctx context.Context) (bool, string) {
		_, err := c.now(ctx, c.claim)
		vms := strings.Join(c.vmsOf(), ", ")

		return apierrors.IsNotFound(err) && vms == "", fmt.Sprintf("%v; VMs are %s", err, vms)
	}))
}

// vmsOf are the VMs in Proxmox that are nodes of the cluster.
func (c *clusterRun) vmsOf() []string {
	var out []string

	for id := 7100; id < 7200; id++ {
		if c.world.VM(id) != nil {
			out = append(out, fmt.Sprint(id))
		}
	}

	return out
}
