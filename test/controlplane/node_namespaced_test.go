package controlplane

import (
	"context"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// TestNodesNamespaced is a short one for the other installation: the first server of a cluster comes after a stale Node of its name. All else is
// in [TestNodes].
func TestNodesNamespaced(t *testing.T) {
	r := namespaced.rig(t)
	r.grant(t)

	c := r.observing(t, "Here")
	claim := edited(k3sNode("first", "server", 241), map[string]any{"k3s.init": true})
	name := claim.GetName()

	t.Cleanup(func() { must(t, r.remove(context.Background(), claim)) })

	must(t, c.AddForeign(t.Context(), name, false))
	must(t, r.apply(t.Context(), claim))
	must(t, r.tells(t.Context(), claim, is("MachineReady", "Running"), isNot("Ready", "", ""), isNot("NodeJoined", "OtherMachine", deleteCommand(name))))

	must(t, c.Delete(t.Context(), name))
	must(t, r.tells(t.Context(), claim, is("NodeReady", "KubeletReady")))
	t.Logf("the claim says that its Node is Ready %s after it is", time.Since(c.ReadySince(name)).Round(10*time.Millisecond))
	must(t, r.tells(t.Context(), claim, joined(true)...))

	n := &corev1.Node{}
	must(t, r.Client.Get(t.Context(), client.ObjectKey{Name: name}, n))

	// The guest was told to label its Node, with the UUID that the VM has.
	if label := n.Labels["homelab.io/machine-uid"]; label == "" || label != n.Status.NodeInfo.SystemUUID {
		t.Errorf("the Node has the label %q and the system UUID %q", label, n.Status.NodeInfo.SystemUUID)
	}

	if v := c.Violations(); len(v) > 0 {
		t.Errorf("what must never happen: %v", v)
	}
}
