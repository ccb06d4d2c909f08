package controlplane

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestFaults breaks something under a machine that runs. While it is broken nothing is deleted or changed; where the claim
// can know, it says what is wrong; and afterwards an edit that was made meanwhile arrives in Proxmox.
func TestFaults(t *testing.T) {
	cases := map[string]struct {
		reason string
		// hurt breaks something and returns what mends it.
		hurt func(t *testing.T, r *rig) (mend func())
		// says is the reason of the condition ProviderHealthy while it is broken; empty where the claim cannot know.
		says string
	}{
		"FunctionKilled": {
			reason: "A function that is not there leaves all as it is.",
			hurt: func(t *testing.T, r *rig) func() {
				f := r.function(t)
				f.Kill()

				return func() { must(t, f.Start(t.Context())) }
			},
		},
		"CrossplaneRestarted": {
			reason: "Crossplane keeps nothing in memory that a machine depends on.",
			hurt: func(t *testing.T, r *rig) func() {
				r.Crossplane.Kill()

				return func() { must(t, r.Crossplane.Start(t.Context())) }
			},
		},
		"APIServerRestarted": {
			reason: "All go on when the API server is back.",
			hurt: func(t *testing.T, r *rig) func() {
				r.APIServer.Stop()
				must(t, r.APIServer.Start(t.Context()))

				return func() {}
			},
		},
		"ProviderDown": {
			reason: "A provider that is away does later what it was told meanwhile.",
			hurt:   func(t *testing.T, r *rig) func() { return r.restartProvider(t) },
		},
		"Token": {
			reason: "A token that is not valid any more is named, and heals without an edit.",
			hurt:   func(_ *testing.T, r *rig) func() { return r.world.Break("auth", nil) },
			says:   "AuthenticationError",
		},
		"Network": {
			reason: "Proxmox that cannot be reached is named, and heals without an edit.",
			hurt:   func(_ *testing.T, r *rig) func() { return r.world.Break("network", nil) },
			says:   "NetworkError",
		},
		"NodeDown": {
			reason: "A node that is down is named, and heals without an edit.",
			hurt:   func(_ *testing.T, r *rig) func() { return r.world.Break("node", nil) },
			says:   "NodeUnhealthy",
		},
	}

	r := claims.rig(t)

	const id = 4242

	claim := machine("faulty", id)
	must(t, r.apply(t.Context(), claim))
	t.Cleanup(func() { must(t, r.remove(context.Background(), claim)) })
	must(t, r.ready(t.Context(), claim))

	number := 0

	for name, tc := range cases {
		number++
		word := fmt.Sprintf("edit%d", number)

		t.Run(name, func(t *testing.T) {
			before, err := r.desired(t.Context(), claim)
			must(t, err)

			written := len(r.world.Journal())
			mend := tc.hurt(t, r)

			if tc.says != "" {
				must(t, r.says(t.Context(), claim, "ProviderHealthy", "False", tc.says))
			} else {
				time.Sleep(3 * time.Second) // For what should not happen.
			}

			after, err := r.desired(t.Context(), claim)
			must(t, err)

			if diff := cmp.Diff(before, after); diff != "" {
				t.Errorf("%s\nmanaged resources have changed: -before, +after:\n%s", tc.reason, diff)
			}

			if now := r.world.Journal(); len(now) != written {
				t.Errorf("%s\nwritten to Proxmox meanwhile: %s", tc.reason, strings.Join(now[written:], ", "))
			}

			// Somebody edits the claim before it is mended.
			must(t, r.apply(t.Context(), tag(claim, word)))
			mend()

			if tc.says != "" {
				must(t, r.says(t.Context(), claim, "ProviderHealthy", "True", "NoError"))
			}

			must(t, r.tagged(t.Context(), id, word))
			must(t, r.ready(t.Context(), claim))
		})
	}
}
