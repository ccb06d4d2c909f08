package controlplane

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/homelab-io/function-proxmox-machine/test/controlplane/plane"
	"github.com/homelab-io/function-proxmox-machine/test/controlplane/standin"
)

// imageWithoutProcesses: every server is replaced while the function is killed again and again, and Crossplane once in every turn. Neither
// keeps anything in memory that a turn depends on.
func (c *clusterRun) imageWithoutProcesses(t *testing.T) {
	defer c.killing(t)()
	defer c.restarting(t)()

	c.image(t)
}

// restarting Crossplane when a turn begins, until the function that is returned ends it.
func (c *clusterRun) restarting(t *testing.T) (end func()) {
	t.Helper()

	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan []string)

	go func() {
		var turns []string
		defer func() { done <- turns }()

		for {
			select {
			case <-ctx.Done():
				return
			case <-time.After(200 * time.Millisecond):
			}

			node := c.turn(ctx)
			if node == "" || slices.Contains(turns, node) {
				continue
			}

			turns = append(turns, node)

			c.Crossplane.Kill()

			if err := c.Crossplane.Start(context.WithoutCancel(ctx)); err != nil {
				t.Errorf("cannot start Crossplane again: %v", err)
				return
			}
		}
	}()

	return func() {
		cancel()

		turns := <-done
		t.Logf("Crossplane was killed in the turns of %s", strings.Join(turns, ", "))

		if len(turns) < 3 {
			t.Errorf("Crossplane was killed in the turns of %q alone", turns)
		}
	}
}

// turn is the node whose turn it is; empty where nobody can say.
func (c *clusterRun) turn(ctx context.Context) string {
	now, err := c.now(ctx, c.claim)
	if err != nil {
		return ""
	}

	node, _, _ := unstructured.NestedString(now.Object, "status", "rollout", "turn", "node")

	return node
}

// hostLost: the Proxmox node of an agent fails while a server has its turn. The turn ends well, and no other one begins before the agent is back.
func (c *clusterRun) hostLost(t *testing.T) {
	const lost = "worker-1"

	// The last node of the rollout before still takes over that it has joined. An edit meanwhile would reach that node first.
	plane.Rest(t.Context(), moment)

	ids := c.ids(t)

	c.k3s.Fewest()
	c.change(t, map[string]any{"servers.image": "debian-12"})
	must(t, c.until(t.Context(), "server-0 has its turn", func(ctx context.Context) (bool, string) { return c.turn(ctx) == "server-0", c.turn(ctx) }))

	// The node is silent, and so is its Proxmox node.
	vm := c.vmOf(t, ids[lost])
	mend := c.world.Break("network", func(_, name string) bool { return name == vm })
	c.world.Edit(func(vms map[int]*standin.VM) { vms[ids[lost]].Stop() })

	must(t, c.until(t.Context(), "the rollout waits for the agent", func(ctx context.Context) (bool, string) {
		now, err := c.now(ctx, c.claim)
		if err != nil {
			return false, err.Error()
		}

		message, _, _ := unstructured.NestedString(now.Object, "status", "rollout", "message")
		says := condition(now, "RolledOut")

		return says.reason == "Waiting" && strings.Contains(message, lost) && c.ids(t)["server-0"] != ids["server-0"], fmt.Sprintf("%s: %s", says.reason, message)
	}))

	plane.Rest(t.Context(), 2*moment)

	after := c.ids(t)
	for _, node := range []string{"server-1", "server-2", "worker-0", lost} {
		if after[node] != ids[node] {
			t.Errorf("%s has VM %d, and had %d: it was replaced while %s is lost", node, after[node], ids[node], lost)
		}
	}

	mend()
	c.world.Edit(func(vms map[int]*standin.VM) { vms[ids[lost]].Start() })
	c.complete(t, "the agent is back")

	if few := c.k3s.Fewest(); few != 2 {
		t.Errorf("%d servers voted at the worst moment, want 2", few)
	}
}

// vmOf is the name of the managed resource of a VM.
func (c *clusterRun) vmOf(t *testing.T, id int) string {
	t.Helper()

	kind := schema.GroupVersionKind{Group: "virtualenvironmentvm." + c.group(), Version: "v1alpha1", Kind: "EnvironmentVM"}
	for _, vm := range c.list(t, kind) {
		if is, _, _ := unstructured.NestedFieldNoCopy(vm.Object, "spec", "forProvider", "vmId"); fmt.Sprint(is) == fmt.Sprint(id) {
			return vm.GetName()
		}
	}

	t.Fatalf("nothing manages VM %d", id)

	return ""
}

// ids are the VMIDs of the nodes in the status, by node.
func (c *clusterRun) ids(t *testing.T) map[string]int {
	t.Helper()

	out := map[string]int{}

	now, err := c.now(t.Context(), c.claim)
	if apierrors.IsNotFound(err) {
		return out
	}

	must(t, err)

	nodes, _, err := unstructured.NestedSlice(now.Object, "status", "nodes")
	must(t, err)

	for _, n := range nodes {
		if n, ok := n.(map[string]any); ok {
			id, _, _ := unstructured.NestedInt64(n, "vmId")
			out[fmt.Sprint(n["name"])] = int(id)
		}
	}

	return out
}
