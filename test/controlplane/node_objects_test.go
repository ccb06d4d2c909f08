package controlplane

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// catalogueOfObjects is [catalogueOfNodes] whose Nodes provider-kubernetes may delete.
func catalogueOfObjects(observe string) *unstructured.Unstructured {
	c := catalogueOfNodes(observe)
	if err := unstructured.SetNestedField(c.Object, objectConfig, "data", "clusters", "home", "providerConfig"); err != nil {
		panic(err)
	}

	return c
}

// withObjects: once the real provider-kubernetes may delete Nodes, each machine that takes its Node along has an Object that says so. First the
// catalogue asks for it before the provider is there.
func (n *nodesRun) withObjects(t *testing.T) {
	must(t, n.apply(t.Context(), catalogueOfObjects("Object")))

	for _, c := range n.servers {
		must(t, n.tells(t.Context(), c, word{"NodeJoined", "Unknown", "NodeUnread", "provider-kubernetes is not installed"}, is("Ready", ""), is("Synced", "")))
	}

	n.startProviderKubernetes(t)

	for _, c := range n.all() {
		must(t, n.tells(t.Context(), c, joined(slices.Contains(n.servers, c))...))
	}

	n.mayDelete(t)

	// The same with Crossplane's own look at the Nodes.
	must(t, n.apply(t.Context(), catalogueOfObjects("Here")))
	n.mayDelete(t)
	n.safe(t)
}

// all machines of the cluster.
func (n *nodesRun) all() []*unstructured.Unstructured { return slices.Concat(n.servers, n.agents) }

// mayDelete waits until the Nodes of all machines, and no others, go with their machines.
func (n *nodesRun) mayDelete(t *testing.T) {
	t.Helper()

	want := map[string]bool{}
	for _, c := range n.all() {
		want[c.GetName()] = true
	}

	must(t, n.until(t.Context(), "each machine takes its Node along", func(ctx context.Context) (bool, string) {
		got, err := n.deletions(ctx)

		return err == nil && maps.Equal(want, got), fmt.Sprintf("those that do are %v, error is %v", got, err)
	}))
}

// replaceAlone: an agent and a server are replaced, and no person does anything.
func (n *nodesRun) replaceAlone(t *testing.T) {
	server, agent := edited(n.servers[0], map[string]any{"lifecycle": map[string]any{"replace": "alone"}}), edited(n.agents[0], map[string]any{"lifecycle": map[string]any{"replace": "alone"}})
	was := map[string]int{server.GetName(): n.k3s.Owner(server.GetName()), agent.GetName(): n.k3s.Owner(agent.GetName())}
	n.servers[0], n.agents[0] = server, agent

	n.k3s.Fewest()

	rehearsed := n.rehearses(t, n.vmsOf(server, agent), server, agent)
	begin := time.Now()

	must(t, n.apply(t.Context(), server, agent))

	for _, c := range []*unstructured.Unstructured{agent, server} {
		name := c.GetName()

		must(t, n.until(t.Context(), name+" is another VM", func(ctx context.Context) (bool, string) {
			now, err := n.now(ctx, c)

			return n.k3s.Owner(name) != was[name] && n.k3s.Owner(name) != 0 && condition(now, "ReplacementRequired").reason == "NotRequired", fmt.Sprintf("%s, %v", conditions(now), err)
		}))
		must(t, n.tells(t.Context(), c, joined(c == server)...))
		t.Logf("%s was replaced without hands after %s", name, time.Since(begin).Round(time.Second))
	}

	if few := n.k3s.Fewest(); few != 2 {
		t.Errorf("%d servers voted at the worst moment, want 2", few)
	}

	rehearsed.cameInAnyOrder(t, "done")
	n.mayDelete(t)
	n.safe(t)
}

// leavesWithNode deletes a machine: its Node goes before its VM does, and the password with the Node.
func (n *nodesRun) leavesWithNode(t *testing.T, claim *unstructured.Unstructured) {
	t.Helper()

	name, id := claim.GetName(), n.k3s.Owner(claim.GetName())

	must(t, n.k3s.Leave(t.Context(), name))

	rehearsed := n.rehearsesWith(t, []string{"--delete"}, n.vmsOf(claim), claim)
	begin := time.Now()

	must(t, n.Client.Delete(t.Context(), claim.DeepCopy()))
	must(t, n.until(t.Context(), "the VM of "+name+" is gone", func(ctx context.Context) (bool, string) {
		if n.world.VM(id) != nil {
			return false, "it is there"
		}

		if err := n.Client.Get(ctx, client.ObjectKey{Name: name}, &corev1.Node{}); !apierrors.IsNotFound(err) {
			t.Errorf("VM %d is gone, and Node %s is not: %v", id, name, err)
		}

		return true, ""
	}))
	t.Logf("%s left with its Node after %s", name, time.Since(begin).Round(time.Second))
	must(t, n.remove(t.Context(), claim))
	must(t, n.until(t.Context(), "the password is gone", func(ctx context.Context) (bool, string) {
		err := n.Client.Get(ctx, client.ObjectKey{Namespace: "kube-system", Name: name + ".node-password.k3s"}, &corev1.Secret{})

		return apierrors.IsNotFound(err), fmt.Sprint(err)
	}))
	rehearsed.cameInAnyOrder(t, "done")
}

func (n *nodesRun) agentLeaves(t *testing.T) {
	agent := n.agents[1]
	n.agents = n.agents[:1]

	n.leavesWithNode(t, agent)
	n.mayDelete(t)
	n.safe(t)
}

// serverLeaves: its member leaves etcd before its VM goes.
func (n *nodesRun) serverLeaves(t *testing.T) {
	server := n.servers[2]
	n.servers = n.servers[:2]

	n.leavesWithNode(t, server)

	if diff := cmp.Diff([]string{"node-server-1 votes", "node-server-2 votes"}, n.k3s.Members()); diff != "" {
		t.Errorf("members: -want, +got:\n%s", diff)
	}

	n.safe(t)
}

// foreignStays: another machine took the name of an agent's Node. The agent goes, and the Node of the other machine stays.
func (n *nodesRun) foreignStays(t *testing.T) {
	agent := n.agents[0]
	n.agents = nil
	name := agent.GetName()

	must(t, n.k3s.Delete(t.Context(), name))
	must(t, n.until(t.Context(), "the Node is gone", func(ctx context.Context) (bool, string) {
		err := n.Client.Get(ctx, client.ObjectKey{Name: name}, &corev1.Node{})

		return apierrors.IsNotFound(err), fmt.Sprint(err)
	}))
	must(t, n.k3s.AddForeign(t.Context(), name, true))
	must(t, n.tells(t.Context(), agent, isNot("NodeJoined", "OtherMachine", deleteCommand(name)), is("Ready", "")))
	n.mayDelete(t)
	must(t, n.remove(t.Context(), agent))

	node := &corev1.Node{}
	must(t, n.Client.Get(t.Context(), client.ObjectKey{Name: name}, node))

	if node.DeletionTimestamp != nil {
		t.Errorf("Node %s of another machine is being deleted", name)
	}

	n.safe(t)
}

// lastServer of a cluster is kept, with a reason, until its catalogue no longer takes Nodes along.
func (n *nodesRun) lastServer(t *testing.T) {
	n.leavesWithNode(t, n.servers[1])

	last := n.servers[0]

	must(t, n.until(t.Context(), "the last server is kept", func(ctx context.Context) (bool, string) {
		err := n.Client.Delete(ctx, last.DeepCopy(), client.DryRunAll)

		return err != nil && strings.Contains(err.Error(), "K3s cluster home"), fmt.Sprint(err)
	}))
	must(t, n.apply(t.Context(), catalogueOfNodes("Here")))
	must(t, n.until(t.Context(), "the last server may go", func(ctx context.Context) (bool, string) {
		err := n.Client.Delete(ctx, last.DeepCopy(), client.DryRunAll)

		return err == nil, fmt.Sprint(err)
	}))
	n.safe(t)

	// With it goes the cluster, as somebody wants.
	must(t, n.remove(t.Context(), last))
}
