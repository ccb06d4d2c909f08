package controlplane

import (
	"regexp"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/homelab-io/function-proxmox-machine/test/controlplane/k3s"
	"github.com/homelab-io/function-proxmox-machine/test/controlplane/plane"
)

// opened counts how often Crossplane began to look away from a composite that had too many events.
var opened = regexp.MustCompile(`(?m)^circuit_breaker_opens_total\{.*\} ([0-9]+)$`)

// nodeEvents lets a Node have as many events as one can have, on a plane with Crossplane's own limits: Crossplane does not look away from the
// machine, and calls the function no more often than needed.
func (r *rig) nodeEvents(t *testing.T, c *k3s.Cluster, claim *unstructured.Unstructured) {
	t.Helper()
	r.grant(t)
	must(t, r.apply(t.Context(), catalogueOfNodes("Here")))
	must(t, r.tells(t.Context(), claim, joined(true)...))
	must(t, r.still(t.Context(), claim))

	name := claim.GetName()

	// At rest. Four claims are on the plane; each is called once a minute, whatever happens.
	const rest, all = 90 * time.Second, 4

	before := r.calls(t)

	plane.Rest(t.Context(), rest)

	perMinute := (r.calls(t) - before) / rest.Minutes() / all
	t.Logf("at rest the function is called %.2f times a minute and claim", perMinute)

	// The window need not begin with a call, so one more can be in it.
	if perMinute > 1+1/rest.Minutes() {
		t.Errorf("at rest the function is called %.2f times a minute and claim, want 1", perMinute)
	}

	// A kubelet that writes 30 times in half a minute, where it writes once in five minutes by default, and that fails now and then.
	const bursts, heartbeats = 3, 10

	events, opens, calls, heard := r.counted(t, seen), r.counted(t, opened), r.calls(t), 0.0

	for range bursts {
		begin, before := time.Now(), r.calls(t)

		must(t, c.Heartbeats(t.Context(), name, heartbeats, time.Second))

		// Beside Crossplane's own looks.
		heard += r.calls(t) - before - time.Since(begin).Minutes()*all

		must(t, c.FailKubelet(name, true))
		must(t, r.tells(t.Context(), claim, isNot("NodeReady", "KubeletNotReady", "")))
		must(t, c.FailKubelet(name, false))
		must(t, r.tells(t.Context(), claim, is("NodeReady", "KubeletReady")))
	}

	t.Logf("a burst of 36 events of a Node is %d events of its composite, and %.0f calls, of which %.0f on heartbeats", r.counted(t, seen)-events, r.calls(t)-calls, heard)

	// It may take several for one, and may not wait for its next look instead.
	if heard < bursts {
		t.Errorf("%d heartbeats of a Node are %.1f calls: Crossplane does not see them at once", bursts*heartbeats, heard)
	}

	if n := r.counted(t, opened) - opens; n != 0 {
		t.Errorf("Crossplane looked away %d times from a machine whose Node has many events", n)
	}

	r.responsive(t, claim)
}

// responsive checks that Crossplane does not look away from a claim's composite.
func (r *rig) responsive(t *testing.T, claim *unstructured.Unstructured) {
	t.Helper()

	x, err := r.composite(t.Context(), claim)
	must(t, err)

	if c := condition(x, "Responsive"); c.status != "True" {
		t.Errorf("%s is not responsive: %s", claim.GetName(), conditions(x))
	}
}
