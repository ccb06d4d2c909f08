package controlplane

import (
	"context"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// TestNodesNamespaced is the life of a cluster on the other installation: the first server comes after a stale Node of its name, nodes are replaced
// without hands while the function is killed again and again, and nodes leave. All else is in [TestNodes].
func TestNodesNamespaced(t *testing.T) {
	t.Parallel()

	n := nodesOn(t, namespaced)
	n.live(t, []nodesStep{
		{"StaleNode", n.staleNode},
		{"Join", n.join},
		{"Workload", n.workload},
		{"ProviderKubernetes", n.withObjects},
		{"ReplaceWithoutHands", func(t *testing.T) {
			defer n.killing(t)()

			n.replaceAlone(t)
		}},
		{"AgentLeaves", func(t *testing.T) {
			n.leavesWithNode(t, n.agents[0])
			n.agents = nil
			n.safe(t)
		}},
		{"ServerLeaves", n.serverLeaves},
	})
}

// staleNode: a Node of the first server's name is there before the server is. A person deletes it, as the claim says.
func (n *nodesRun) staleNode(t *testing.T) {
	n.grant(t)
	must(t, n.apply(t.Context(), catalogueOfNodes("Here")))

	claim := n.servers[0]
	name := claim.GetName()

	must(t, n.k3s.AddForeign(t.Context(), name, false))
	must(t, n.apply(t.Context(), claim))
	must(t, n.tells(t.Context(), claim, is("MachineReady", "Running"), isNot("Ready", "", ""), isNot("NodeJoined", "OtherMachine", deleteCommand(name))))

	must(t, n.k3s.Delete(t.Context(), name))
	must(t, n.tells(t.Context(), claim, is("NodeReady", "KubeletReady")))
	t.Logf("the claim says that its Node is Ready %s after it is", time.Since(n.k3s.ReadySince(name)).Round(10*time.Millisecond))
	must(t, n.tells(t.Context(), claim, joined(true)...))

	node := &corev1.Node{}
	must(t, n.Client.Get(t.Context(), client.ObjectKey{Name: name}, node))

	// The guest was told to label its Node, with the UUID that the VM has.
	if label := node.Labels["homelab.io/machine-uid"]; label == "" || label != node.Status.NodeInfo.SystemUUID {
		t.Errorf("the Node has the label %q and the system UUID %q", label, node.Status.NodeInfo.SystemUUID)
	}

	n.safe(t)
}

// killing the function every few seconds, so that it is away once in each stage of what goes on, until the function that is returned ends it.
func (n *nodesRun) killing(t *testing.T) (end func()) {
	t.Helper()

	const lives = 3 * time.Second

	f := n.function(t)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan int)

	go func() {
		killed := 0
		defer func() { done <- killed }()

		for {
			select {
			case <-ctx.Done():
				return
			case <-time.After(lives):
			}

			f.Kill()

			killed++

			if err := f.Start(context.WithoutCancel(ctx)); err != nil {
				t.Errorf("cannot start the function again: %v", err)
				return
			}
		}
	}()

	return func() {
		cancel()
		t.Logf("the function was killed %d times", <-done)
	}
}
