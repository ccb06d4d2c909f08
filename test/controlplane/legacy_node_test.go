package controlplane

import (
	"context"
	"testing"
)

// TestLegacyNode: Crossplane 1.20 watches no Node. It reads the Node with each call, and calls the function once a minute.
func TestLegacyNode(t *testing.T) {
	r := oldCore.rig(t)
	r.grant(t)

	c := r.observing(t, "Here")
	claim := edited(k3sNode("elder", "server", 245), map[string]any{"k3s.init": true})

	t.Cleanup(func() { must(t, r.remove(context.Background(), claim)) })

	must(t, r.apply(t.Context(), claim))
	must(t, r.tells(t.Context(), claim, joined(true)...))
	must(t, r.settled(t.Context(), claim))

	before := r.calls(t)

	must(t, c.FailKubelet(claim.GetName(), true))
	must(t, r.tells(t.Context(), claim, isNot("NodeReady", "KubeletNotReady", ""), is("Ready", "")))

	// Four turns of up to three calls: one that was on its way, the one that reads the kubelet's state, and two that the claim's new status brings. A minute
	// lies between two at rest.
	if calls := r.calls(t) - before; calls > 12 {
		t.Errorf("the claim says that the kubelet fails after %.0f calls of the function", calls)
	}

	if v := c.Violations(); len(v) > 0 {
		t.Errorf("what must never happen: %v", v)
	}
}
