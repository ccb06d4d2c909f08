package controlplane

import (
	"context"
	"testing"
	"time"
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

	since := time.Now()

	must(t, c.FailKubelet(claim.GetName(), true))
	must(t, r.tells(t.Context(), claim, isNot("NodeReady", "KubeletNotReady", ""), is("Ready", "")))

	late := time.Since(since)
	t.Logf("the claim says that the kubelet fails after %s", late.Round(time.Second))

	// A minute, and what a busy machine takes.
	if late > 75*time.Second {
		t.Errorf("the claim says that the kubelet fails after %s", late)
	}

	if v := c.Violations(); len(v) > 0 {
		t.Errorf("what must never happen: %v", v)
	}
}
